"""What the annotations of a view add to the inputs in its path (spec: selection 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from werkzeug.routing import Rule

from sezzlee_flask.rules import RulePath, is_typed, path_parameter
from sezzlee_py.catalog.handlers import attribute, speaker
from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.catalog.schema.slots import SlotKind
from sezzlee_py.catalog.signatures import annotations_of
from sezzlee_py.model import Parameter

# What a path segment can be told to hold; Flask hands text to the view whatever it is annotated.
_SCALARS: Final = frozenset({"string", "integer", "number"})


def path_parameters(
    rule: Rule, path: RulePath, view: object, binding: Binding
) -> tuple[Parameter, ...]:
    """Return the inputs in the path of a rule, by its converters and the view's annotations."""
    annotations = annotations_of(speaker(view)) if path.variables else {}
    found: list[Parameter] = []
    for variable in path.variables:
        parameter = path_parameter(rule, variable)
        if variable.name in annotations:
            annotation = annotations[variable.name]
            typed = is_typed(rule, variable)
            parameter = _refined(parameter, annotation, view, binding, is_typed=typed)
        found.append(parameter)
    return tuple(found)


def _refined(
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
