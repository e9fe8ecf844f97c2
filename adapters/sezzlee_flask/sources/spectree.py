"""spectree: the object whose `validate` stands around the views writes the document."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from flask import Flask

from sezzlee_flask.sources.documents import ExtensionDocument, mapping_of
from sezzlee_flask.sources.shadows import copied, shadow
from sezzlee_flask.sources.traces import around, closure_of
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute, layers

_PACKAGE = "spectree"


def documents_of(app: Flask) -> Iterator[ExtensionDocument]:
    """Yield the document of every object that validates a view of an application."""
    writers = {id(found): found for view in app.view_functions.values() for found in _behind(view)}
    for writer in writers.values():
        yield ExtensionDocument(
            extension=_PACKAGE,
            write=partial(_written, writer),
            tells_inputs=_tells_inputs,
        )


def _behind(view: object) -> Iterator[Any]:
    cls = attribute(view, "view_class")
    verbs = (attribute(cls, method) for method in ("get", "post", "put", "patch", "delete"))
    for handler in (view, *(verb for verb in verbs if verb is not None)):
        for layer in layers(handler):
            yield from _writers(layer)


def _writers(function: object) -> Iterator[Any]:
    for found in closure_of(function, _PACKAGE).values():
        # The document's own page encloses the plug-in, which knows the object.
        for candidate in (found, attribute(found, "spectree")):
            # `_generate_spec` is private: `spec`, the public name, keeps what it makes. Where it
            # is gone, the routes are read without the document.
            if callable(attribute(candidate, "_generate_spec")):
                yield candidate


def _written(writer: Any) -> Any:
    """Return the document, made by a stand-in: writing it takes the nested models apart."""
    made = shadow(writer, models=copied(writer.models))
    document = made._generate_spec()
    # What was taken apart when the host wrote its document is in that one only.
    kept = _schemas(mapping_of(attribute(writer, "__dict__")).get("_spec"))
    schemas = {**kept, **_schemas(document)}
    components = {**mapping_of(document.get("components")), "schemas": schemas}
    return {**document, "components": components}


def _schemas(document: object) -> dict[str, Any]:
    components = mapping_of(mapping_of(document).get("components"))
    return dict(mapping_of(components.get("schemas")))


def _tells_inputs(operation: DiscoveredOperation, view: object) -> bool:
    """Whether the extension validates the view; by default it lists all others too."""
    return any(True for layer in around(operation, view) for _ in _writers(layer))
