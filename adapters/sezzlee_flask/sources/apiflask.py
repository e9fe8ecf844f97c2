"""APIFlask: the application itself writes the document, from notes on its view functions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from flask import Flask

from sezzlee_flask.sources.documents import ExtensionDocument, mapping_of
from sezzlee_flask.sources.shadows import copied, shadow, stand_in
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute, layers

# What the decorators about input and output note; one about callers says nothing of either.
_NOTES: Final = ("args", "body", "response", "responses")


def documents_of(app: Flask) -> Iterator[ExtensionDocument]:
    """Yield the document of an application that writes one."""
    # `_get_spec` is private: `spec`, the public name, keeps what it makes and may write a file.
    # Where it is gone, the routes are read without the document. An application may answer to any
    # name, its class does not.
    cls = type(app)
    if callable(attribute(cls, "_get_spec")) and callable(attribute(cls, "_generate_spec")):
        yield ExtensionDocument(
            extension="APIFlask", write=partial(_written, app), tells_inputs=_tells_inputs
        )


def _written(app: Any) -> Any:
    """Return the document, made by a stand-in: writing it marks view functions and the app."""
    config = copied(app.config)
    config["SYNC_LOCAL_SPEC"] = False
    views = {endpoint: stand_in(view) for endpoint, view in app.view_functions.items()}
    state = {
        name: copied(value) if not isinstance(value, set) else set(value)
        for name, value in vars(app).items()
        if name in ("tags", "info", "servers", "_auths", "_auth_blueprints")
    }
    writer = shadow(app, **{**state, "config": config, "view_functions": views})
    return _with_bodies_required(writer._get_spec("json", force_update=True))


def _with_bodies_required(document: Any) -> Any:
    """Return the document with bodies as the extension reads them.

    It loads the schema of every body it documents, a missing body as an empty one, and leaves the
    flag out.
    """
    made = copied(document)
    for path_item in mapping_of(mapping_of(made).get("paths")).values():
        for operation in mapping_of(path_item).values():
            body = mapping_of(operation).get("requestBody")
            if isinstance(body, dict):
                body.setdefault("required", True)
    return made


def _tells_inputs(operation: DiscoveredOperation, view: object) -> bool:
    """Whether a decorator says what the handler reads or answers; all others are listed too."""
    method = operation.descriptor.method
    for layer in (*layers(operation.endpoint), *layers(view)):
        by_method = mapping_of(attribute(layer, "_method_spec"))
        notes = mapping_of(by_method.get(method, attribute(layer, "_spec")))
        if notes:
            return any(name in notes for name in _NOTES)
    return False
