"""One probe under way, and how the cut before an endpoint recognises it (spec: visibility 4)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from contextvars import Context, ContextVar
from typing import Any

from sezzlee_py.invoke.dispatch import is_sezzlee_probe


class ProbeRun:
    """One probe of one endpoint; `reached` once its cut has answered it."""

    def __init__(self, key: Hashable) -> None:
        self.key = key
        self.reached = False

    def enter(self, context: Context) -> Context:
        """Return `context`, in which cuts recognise this probe."""
        context.run(_running.set, self)
        return context


_running: ContextVar[ProbeRun | None] = ContextVar("sezzlee_probe", default=None)


def reach_cut(keys: Collection[Hashable], scope_or_environ: Mapping[str, Any] | None) -> bool:
    """Whether the request that reached an endpoint is a probe and must not go further.

    To be asked by the callable that stands in the endpoint's place; it answers an empty 204 when
    this is true.

    Args:
        keys: the endpoint's keys, one per method that it serves.
        scope_or_environ: of the request, where it is known there.
    """
    run = _running.get()
    # Middleware may hand on a scope of its own making, or run the application in a context of its
    # own; an endpoint that runs by mistake is worse than a probe that proves nothing.
    is_target = run is not None and run.key in keys
    if run is not None and is_target:
        run.reached = True
    return is_target or (scope_or_environ is not None and is_sezzlee_probe(scope_or_environ))
