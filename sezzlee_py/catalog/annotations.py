"""What a tool says about its effects (spec: tool-definition 6)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sezzlee_py.model import AnnotationHints

_READS: Final = {"readOnlyHint": True, "idempotentHint": True}
_BY_METHOD: Final[Mapping[str, Mapping[str, bool]]] = MappingProxyType(
    {
        "GET": _READS,
        "HEAD": _READS,
        "OPTIONS": _READS,
        "QUERY": _READS,
        "POST": {"destructiveHint": False},
        "PUT": {"destructiveHint": True, "idempotentHint": True},
        "PATCH": {"destructiveHint": True},
        "DELETE": {"destructiveHint": True, "idempotentHint": True},
    }
)

METHODS: Final = frozenset(_BY_METHOD)


def build_annotations(method: str, *declared: AnnotationHints) -> dict[str, bool]:
    """Return the hints of `method`, each declaration over those before it, key by key."""
    hints = dict(_BY_METHOD[method])
    for one in declared:
        said = (
            ("readOnlyHint", one.read_only),
            ("destructiveHint", one.destructive),
            ("idempotentHint", one.idempotent),
        )
        hints.update((key, value) for key, value in said if value is not None)
    return hints
