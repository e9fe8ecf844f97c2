"""The pytest plugin: the `agent` fixture, and the option that rewrites lock files.

pytest loads it in every run of an environment that has the package, so it imports nothing that the
run may not need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

if TYPE_CHECKING:
    from sezzlee_py.testing.agent_client import AgentClient
    from sezzlee_py.testing.lock import HasTools, Lock

UPDATE_OPTION: Final = "--sezzlee-update-lock"


class AgentFactory(Protocol):
    """What the `agent` fixture gives."""

    def __call__(
        self,
        app: Any = None,
        path: str = "/mcp",
        headers: Mapping[str, str] | None = None,
        *,
        revision: str | None = None,
    ) -> AgentClient:
        """Return an open client for `app`; without one, for the test suite's `app` fixture."""


class LockCheck(Protocol):
    """What the `tool_lock` fixture gives."""

    def __call__(self, tools: HasTools, path: Any) -> Lock:
        """Hold the tools of a catalog or `Sezzlee` to the lock file at `path`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites lock files."""
    parser.getgroup("sezzlee").addoption(
        UPDATE_OPTION,
        action="store_true",
        default=False,
        help="write the lock files that tests hold tools to, instead of comparing them",
    )


@pytest.fixture
def agent(request: pytest.FixtureRequest) -> Iterator[AgentFactory]:
    """Give a function that opens an `AgentClient`; all are closed when the test ends."""
    from sezzlee_py.mcp.revisions import LATEST
    from sezzlee_py.testing.agent_client import AgentClient

    with ExitStack() as opened:

        def connect(
            app: Any = None,
            path: str = "/mcp",
            headers: Mapping[str, str] | None = None,
            *,
            revision: str | None = None,
        ) -> AgentClient:
            served = request.getfixturevalue("app") if app is None else app
            client = AgentClient(served, path, headers, revision=revision or LATEST)
            return opened.enter_context(client)

        yield connect


@pytest.fixture
def tool_lock(request: pytest.FixtureRequest) -> LockCheck:
    """Give `assert_locked`, which rewrites the file when pytest runs with the update option."""
    from sezzlee_py.testing.asserts import assert_locked

    def check(tools: HasTools, path: Any) -> Lock:
        return assert_locked(tools, path, update=bool(request.config.getoption(UPDATE_OPTION)))

    return check
