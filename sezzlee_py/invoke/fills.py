"""Values of hidden arguments that the host's providers supply per call (spec: curation 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

from sezzlee_py.invoke.calls import Raised, acall_hosts, call_hosts
from sezzlee_py.invoke.dispatch import LOGGER


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""What a provider returns when it has no value for this call; `None` is a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Which operation is being called."""

    container: str | None = None
    operation_id: str | None = None
    method: str
    route: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FillContext:
    """What a provider may know: who calls which tool, never the agent's arguments.

    Attributes:
        caller: the caller as projected: carriers, client, attributes, scope key.
        operation: the operation behind the tool.
        tool: the tool's name.
    """

    caller: Any
    operation: Operation
    tool: str


FillProvider: TypeAlias = Callable[[FillContext], Any]


async def aresolve_fills(
    sources: Iterable[str], providers: Mapping[str, FillProvider], context: FillContext
) -> dict[str, object]:
    """Return the value of each source, or `MISSING`; each is asked once, all concurrently.

    A provider that raises counts as absent and is logged; a plain function runs in a thread.
    """
    known = _known(sources, providers)
    return _values(known, await acall_hosts(known.values(), context))


def resolve_fills(
    sources: Iterable[str], providers: Mapping[str, FillProvider], context: FillContext
) -> dict[str, object]:
    """Return what `aresolve_fills` would, from a thread without an event loop."""
    known = _known(sources, providers)
    return _values(known, call_hosts(known.values(), context))


def _known(
    sources: Iterable[str], providers: Mapping[str, FillProvider]
) -> dict[str, FillProvider]:
    return {source: providers.get(source, _unregistered) for source in sources}


def _unregistered(_: FillContext) -> object:
    raise LookupError("no provider is registered under this name")


def _values(sources: Iterable[str], answers: Iterable[Any]) -> dict[str, object]:
    return {source: _value(source, answer) for source, answer in zip(sources, answers, strict=True)}


def _value(source: str, answer: Any) -> object:
    if not isinstance(answer, Raised):
        return answer
    LOGGER.error("fill provider %r failed", source, exc_info=answer.fault)
    return MISSING
