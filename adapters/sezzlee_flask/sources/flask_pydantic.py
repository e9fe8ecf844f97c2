"""flask-pydantic: the models that `validate` around a view reads requests with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sezzlee_flask.sources.documents import Reading, mapping_of
from sezzlee_flask.sources.traces import around, closure_of
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute
from sezzlee_py.catalog.media_types import JSON, MULTIPART, URLENCODED
from sezzlee_py.catalog.schema.declared import apply_declared

_PACKAGE: Final = "flask_pydantic"
# What the wrapper encloses; a function of the extension without these is something else.
_ENCLOSED: Final = frozenset({"func", "query", "body", "form"})


def described(
    operation: DiscoveredOperation, view: object, reading: Reading
) -> DiscoveredOperation | None:
    """Return an operation with the models of `validate`, `None` where none stands around it."""
    for layer in around(operation, view):
        enclosed = closure_of(layer, _PACKAGE)
        if enclosed.keys() >= _ENCLOSED:
            return _with_models(operation, enclosed, reading)
    return None


def _with_models(
    operation: DiscoveredOperation, enclosed: Mapping[str, Any], reading: Reading
) -> DiscoveredOperation:
    # An annotation of one of these names is what the extension injects, before its own argument.
    annotations = mapping_of(attribute(enclosed["func"], "__annotations__"))
    query, body, form = (
        annotations.get(name) or enclosed[name] for name in ("query", "body", "form")
    )
    if body is not None and enclosed.get("request_body_many"):
        body = list[body]  # type: ignore[valid-type]  # a type known at run time
    is_form = body is None and form is not None
    descriptor, found = apply_declared(
        operation.descriptor,
        query=query,
        body=form if is_form else body,
        consumes=URLENCODED if is_form else None,
        responses=_responses(annotations.get("return"), enclosed),
        binding=reading.binding,
    )
    return replace(
        operation,
        descriptor=descriptor,
        accepts=_accepted(query, body, is_form),
        diagnostics=(*operation.diagnostics, *found),
    )


def _accepted(query: object, body: object, is_form: bool) -> tuple[str, ...] | None:
    if is_form:
        return (URLENCODED, MULTIPART)
    if body is not None:
        return (JSON,)
    # Whoever writes down the whole input in the query reads no body.
    return None if query is None else ()


def _responses(returned: Any, enclosed: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the answer where the view is annotated with the model that the extension writes."""
    fields = attribute(returned, "model_fields")
    if not isinstance(returned, type) or not isinstance(fields, dict):
        return None
    by_alias = bool(enclosed.get("response_by_alias"))
    if not by_alias and any(attribute(field, "serialization_alias") for field in fields.values()):
        return None
    return {str(enclosed.get("on_success_status", 200)): returned}
