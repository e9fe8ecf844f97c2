"""Who is calling, what each caller sees, and how long that is remembered.

What a host's callbacks are given and may return: `McpCaller`, `Projection`, `CallerScope`; and what
its own store implements: `CallerStore`.
"""

from sezzlee_py.callers.identity import McpCaller, Projection, digest_input
from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.callers.store import CallerStore, MemoryStore

__all__ = [
    "CallerScope",
    "CallerStore",
    "McpCaller",
    "MemoryStore",
    "Projection",
    "digest_input",
]
