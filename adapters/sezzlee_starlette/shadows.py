"""Which routes no request can reach: what stands earlier takes every call (spec: selection 4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from starlette.convertors import CONVERTOR_TYPES
from starlette.routing import Host, Route

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.handlers import function_key, source_of
from sezzlee_py.model.routes import normalize_route
from sezzlee_starlette.matching import PLACEHOLDER, Router, request_scope
from sezzlee_starlette.routes import Entry, Foreign, Leaf
from sezzlee_starlette.wrapped import handler_behind

# Two values per placeholder that no literal segment matches, and no pattern narrower than the
# placeholder itself is likely to match both of. What takes both takes all.
_SAMPLES: Mapping[str, tuple[str, ...]] = {
    "str": ("zq7x", "Z~ é"),
    "int": ("7243907", "0"),
    "float": ("7243907.5", "3"),
    "uuid": ("6f1c2b9e-0d5a-4c3b-8e7f-1a2b3c4d5e6f", "00000000-0000-0000-0000-000000000000"),
    "path": ("zq7x", "Zé/zq~"),
}
# Tried for a converter of the host's own.
_GUESSES = (
    *("zq7x", "zq", "ZQ", "7243907", "7243", "07", "-7", "3.5", "zq-7x", "2087-11-23", "zq7x.zq"),
    *("6f1c2b9e0d5a4c3b8e7f1a2b", "zq7x/zq"),
)
_OTHER_HOST = "zq7x.invalid"


def taken_by(router: Router, target: Leaf | Foreign, path: str, method: str) -> Entry | None:
    """Return the earlier entry that takes every call of an operation, `None` if none does.

    Args:
        router: the outermost table.
        target: the route, or the application behind a mount, that should be reached.
        path: the full path as it is spelled in the table, converters included.
        method: upper-case.
    """
    patterns = target.place.hosts
    host = PLACEHOLDER.sub("zq7x", patterns[-1]) if patterns else _OTHER_HOST
    taker: Entry | None = None
    for sample in _sample_paths(path):
        # A converter is the host's code and may refuse what its own regex accepts.
        try:
            hit = router.find(request_scope(method, sample, host), sample)
        except Exception:
            return None
        if hit is None or hit.entry.target is target:
            return None
        taker = taker or hit.entry
    return taker


def is_same_registration(taker: Entry, target: Leaf | Foreign) -> bool:
    """Whether both are one function under one path: one route, whatever the framework keeps."""
    other = taker.target
    return (
        isinstance(target, Leaf)
        and isinstance(other, Leaf)
        and other.path == target.path
        and function_key(other.node.view.endpoint) == function_key(target.node.view.endpoint)
    )


def shadowed(operation: DiscoveredOperation, taker: Entry) -> DiscoveredOperation:
    """Return an operation that nothing reaches, with the one finding that says why."""
    why = subject_of(operation.descriptor).diagnostic(
        "route_shadowed",
        f"no call reaches it: {_described(taker)} stands earlier and takes every one; declare "
        "this route before it, or remove it",
    )
    return replace(operation, reachable=False, diagnostics=(why,))


def _described(taker: Entry) -> str:
    view, target = taker.node.view, taker.target
    if isinstance(target, Leaf):
        source, _ = source_of(handler_behind(view.endpoint))
        return f"the route '{normalize_route(target.path).template}' ({source})"
    if isinstance(taker.node.route, Host):
        return f"the host '{view.host}'"
    if isinstance(taker.node.route, Route):
        # The endpoint of the SDK, or a page that the framework added.
        return f"the route '{view.path}' ({source_of(view.endpoint)[0]})"
    return f"the mount '{view.path or '/'}'"


def _sample_paths(path: str) -> tuple[str, ...]:
    columns = [_values(match[2] or "str") for match in PLACEHOLDER.finditer(path)]
    if not all(columns):
        # Where nothing is known to fill a placeholder with, nothing is claimed.
        return ()
    turns = range(max(map(len, columns), default=1))
    return tuple(
        _filled(path, [column[turn % len(column)] for column in columns]) for turn in turns
    )


def _filled(path: str, values: Sequence[str]) -> str:
    left = iter(values)
    return PLACEHOLDER.sub(lambda _: next(left), path)


def _values(converter: str) -> tuple[str, ...]:
    known = _SAMPLES.get(converter)
    if known is not None:
        return known
    convertor = CONVERTOR_TYPES.get(converter)
    if convertor is None:
        return ()
    return tuple(guess for guess in _GUESSES if re.fullmatch(convertor.regex, guess))[:2]
