"""Who sees a tool: what its operation declares, and what one caller gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sezzlee_py.catalog.credentials import credentials_left
from sezzlee_py.cli.host import Host
from sezzlee_py.cli.route_story import Stage
from sezzlee_py.explorer.documents import sight_of
from sezzlee_py.model import Anonymous, Auth, ToolDefinition
from sezzlee_py.toolkit.host_calls import outer_of

_DECISIONS = {
    "allow": "sees it",
    "deny": "does not see it",
    "unknown": "sees it, marked as uncertain",
    "hidden": "does not see it, because nobody can tell whether it may",
}


def visible_stages(
    host: Host, tools: Sequence[ToolDefinition], headers: Mapping[str, str]
) -> Iterator[Stage]:
    """Yield who sees each tool: a caller without headers, and the one who sends `headers`."""
    if host.catalog.fatal:
        why = "nobody: the catalog has fatal findings and is not served"
        yield Stage(name="visible", ok=False, why=why)
        return
    callers = {"a caller without headers": {}, **({_named(headers): headers} if headers else {})}
    views = {who: host.run(host.engine.seen_by(outer_of(sent)))[1] for who, sent in callers.items()}
    for tool in tools:
        decisions = {who: sight_of(tool.name, view) for who, view in views.items()}
        told = "; ".join(f"{who} {_DECISIONS[what]}" for who, what in decisions.items())
        data = {
            "tool": tool.name,
            "callers": decisions,
            "anonymous": str(tool.auth.anonymous),
            "policies": list(tool.auth.policies),
            "imperative": tool.auth.imperative,
            "carriers": [f"{c.location} {c.name}" for c in tool.auth.carriers],
        }
        # The caller who was asked about, if one was.
        is_seen = list(decisions.values())[-1] in ("allow", "unknown")
        left = dict(credentials_left([tool], host.engine.options.identity.carriers))
        why = "; ".join((_declared(tool.auth), told, *left.values()))
        yield Stage(name="visible", ok=is_seen, why=why, data={**data, "left_behind": [*left]})


def _named(headers: Mapping[str, str]) -> str:
    # Names only: a value may be a credential.
    return f"the caller with {', '.join(sorted(headers))}"


def _declared(auth: Auth) -> str:
    told = {
        Anonymous.YES: "open to everybody",
        Anonymous.NO: "needs an identity",
        Anonymous.UNKNOWN: "does not declare whether it needs an identity (__mcp_auth__ tells)",
    }[auth.anonymous]
    if auth.policies:
        told += f", policies {', '.join(auth.policies)}"
    return f"{told}, and its own code decides too" if auth.imperative else told
