"""What the annotations of a view add to the inputs in its path (spec: selection 4)."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sezzlee_py.catalog.handlers import attribute, speaker
from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.catalog.schema.slots import SlotKind
from sezzlee_py.model import Parameter

# What a path segment can be told to hold; Flask hands text to the view whatever it is annotated.
_SCALARS: Final = frozenset({"string", "integer", "number"})


def annotations_of(view: object) -> Mapping[str, Any]:
    """Return the annotations of a view's parameters, still as text where they are text."""
    try:
        parameters = inspect.signature(speaker(view)).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return {}
    return {p.name: p.annotation for p in parameters if p.annotation is not inspect.Parameter.empty}


def refined(
    parameter: Parameter, annotation: Any, view: object, binding: Binding, *, is_typed: bool
) -> Parameter:
    """Return a path parameter with what its annotation says about its values.

    An annotation that does not name a plain scalar (what a converter makes of the text: a date, a
    row of a database) says nothing about the text in the path.

    Args:
        parameter: what the converter says.
        annotation: of the view's parameter of that name.
        view: where a textual annotation is looked up.
        binding: how types are read.
        is_typed: whether the converter has a type of its own, which the annotation cannot change.
    """
    scope = attribute(speaker(view), "__globals__")
    binding = replace(binding, namespace=scope if isinstance(scope, dict) else None)
    bound = binding.bind(annotation, "validation", SlotKind.PARAMETER)
    found = bound.schema
    if bound.findings or found.get("type") not in _SCALARS:
        return parameter
    if is_typed and found["type"] != parameter.schema.get("type"):
        return parameter
    schema = {**found, **parameter.schema} if is_typed else {**parameter.schema, **found}
    return replace(parameter, schema=schema)
