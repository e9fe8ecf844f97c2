"""Whose token a token is, and what its user finds, the same for every framework's example."""

from collections.abc import Callable
from typing import TypeAlias

from examples.bookshop_data import GRANTS
from sezzlee_py import Options
from sezzlee_py.callers.identity import McpCaller

# From a token to a name and a role, or nothing.
Verify: TypeAlias = Callable[[str], tuple[str, str] | None]


def who_sees_what(options: Options, verify: Verify) -> None:
    """Let agents find what their user may use; what they may do is decided above, as ever."""

    def user_of(caller: McpCaller) -> tuple[str, str] | None:
        return verify(caller.headers.get("authorization", "").removeprefix("Bearer "))

    def identity(caller: McpCaller) -> str:
        return "absent" if user_of(caller) is None else "present"

    def evaluate_policy(policy: str, caller: McpCaller) -> str:
        known = user_of(caller)
        if known is None or not policy.startswith("scope:"):
            return "unknown"
        return "allow" if policy.removeprefix("scope:") in GRANTS[known[1]] else "deny"

    options.visibility.identity = identity
    options.visibility.evaluate_policy = evaluate_policy
