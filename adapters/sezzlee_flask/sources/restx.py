"""flask-restx: an API object behind the root view writes a Swagger 2.0 document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from flask import Flask

from sezzlee_flask.rules import read_path
from sezzlee_flask.sources.documents import ExtensionDocument, mapping_of
from sezzlee_flask.sources.shadows import copied, shadow
from sezzlee_flask.sources.traces import is_page
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute, layers
from sezzlee_py.model.routes import placeholder_names

# What decorators note about inputs beside parameters; the document lists every resource, noted
# or not.
_INPUTS: Final = ("expect", "body", "parser")
_REFUSED: Final = "error"


def documents_of(app: Flask) -> Iterator[ExtensionDocument]:
    """Yield the document of every API of an application, those on blueprints included."""
    seen: set[int] = set()
    for rule in app.url_map.iter_rules():
        view = app.view_functions.get(rule.endpoint)
        api = attribute(view, "__self__")
        # `render_root` is the view that every API registers, where its documentation is or not.
        if api is None or not is_page(view) or attribute(view, "__name__") != "render_root":
            continue
        if id(api) not in seen:
            seen.add(id(api))
            yield _document(api, read_path(rule).template)


def _document(api: Any, root: str) -> ExtensionDocument:
    return ExtensionDocument(
        extension="flask-restx",
        write=partial(_written, api, root),
        tells_inputs=_tells_inputs,
        description_of=_description_of,
        # `expect` is a note until somebody asks for validation.
        is_enforced=False,
    )


def _written(api: Any, root: str) -> Any:
    """Return the document, made by a stand-in: the API keeps the first one it makes.

    Its base path is the root's own rule, which is known without a request.
    """
    writer = shadow(
        api,
        without=("__schema__",),
        _schema=None,
        base_path=root,
        tags=copied(attribute(api, "tags")),
        authorizations=copied(attribute(api, "authorizations")),
    )
    document = writer.__schema__
    if "swagger" not in document:
        # It has logged why.
        raise ValueError(document.get(_REFUSED, "no document"))
    return document


def _tells_inputs(operation: DiscoveredOperation, view: object) -> bool:
    """Whether a decorator says what the method reads.

    Parameters that are told of the resource, which has several methods, or of the path's own
    variables leave that open.
    """
    *own, of_class = _notes(operation)
    if any(name in notes for notes in (*own, of_class) for name in _INPUTS):
        return True
    named = {name for notes in own for name in mapping_of(notes.get("params"))}
    return not named.issubset(placeholder_names(operation.descriptor.route))


def _description_of(operation: DiscoveredOperation) -> str | None:
    """Return what is said about the method, which the document puts below its resource's text."""
    *own, _ = _notes(operation)
    told = (notes["description"] for notes in own if isinstance(notes.get("description"), str))
    return next(told, operation.descriptor.description)


def _notes(operation: DiscoveredOperation) -> tuple[Mapping[str, Any], ...]:
    """Return what decorators noted about a method, and last about its resource."""
    of_class = mapping_of(attribute(operation.containers[0], "__apidoc__"))
    of_method = mapping_of(of_class.get(operation.descriptor.method.lower()))
    noted = (attribute(layer, "__apidoc__") for layer in layers(operation.endpoint))
    return (*map(mapping_of, noted), of_method, of_class)
