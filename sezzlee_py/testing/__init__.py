"""Testing kit for hosts and for authors of adapters."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sezzlee_py.testing.agent_client import AgentClient, AgentError
    from sezzlee_py.testing.asserts import assert_found, assert_locked, assert_not_found
    from sezzlee_py.testing.contract import AdapterContract
    from sezzlee_py.testing.contract_api import Journal
    from sezzlee_py.testing.fakes import FakeFileResolver, FakeRanker
    from sezzlee_py.testing.lock import (
        Change,
        Lock,
        LockError,
        compare_locks,
        lock_of,
        read_lock,
        write_lock,
    )

__all__ = [
    "AdapterContract",
    "AgentClient",
    "AgentError",
    "Change",
    "FakeFileResolver",
    "FakeRanker",
    "Journal",
    "Lock",
    "LockError",
    "assert_found",
    "assert_locked",
    "assert_not_found",
    "compare_locks",
    "lock_of",
    "read_lock",
    "write_lock",
]

# pytest imports this package in every run for the sake of its plugin, most of them without a tool.
_HOMES = {
    "AdapterContract": "contract",
    "AgentClient": "agent_client",
    "AgentError": "agent_client",
    "FakeFileResolver": "fakes",
    "FakeRanker": "fakes",
    "Journal": "contract_api",
    "assert_found": "asserts",
    "assert_locked": "asserts",
    "assert_not_found": "asserts",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sezzlee_py.testing' has no attribute {name!r}")
    home = import_module(f"sezzlee_py.testing.{_HOMES.get(name, 'lock')}")
    value = globals()[name] = getattr(home, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
