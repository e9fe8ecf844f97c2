"""flask-apispec: the extension keeps a document of the views that were registered with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from flask import Flask

from sezzlee_flask.sources.documents import ExtensionDocument, mapping_of
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute, layers

_PACKAGE: Final = "flask_apispec"


def documents_of(app: Flask) -> Iterator[ExtensionDocument]:
    """Yield the document of every extension whose pages an application serves."""
    owners = (attribute(view, "__self__") for view in app.view_functions.values())
    for owner in {id(owner): owner for owner in owners if _is_extension(owner)}.values():
        to_dict = attribute(attribute(owner, "spec"), "to_dict")
        yield ExtensionDocument(
            extension="flask-apispec", write=partial(_written, to_dict), tells_inputs=_tells_inputs
        )


def _is_extension(owner: object) -> bool:
    is_its_own = type(owner).__module__.partition(".")[0] == _PACKAGE
    return is_its_own and callable(attribute(attribute(owner, "spec"), "to_dict"))


def _written(to_dict: Any) -> Any:
    """Return the document, without the verbs that Flask answers and with bodies as they are read.

    The extension loads the schema of every body it documents, a missing body as an empty one. It
    writes the version as the host spells it, `2.0.0` too.
    """
    document = to_dict()
    paths = mapping_of(document.get("paths")).items()
    version = {"swagger": "2.0"} if "swagger" in document else {}
    return {**document, **version, "paths": {path: _served(item) for path, item in paths}}


def _served(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        verb: _with_body(said) for verb, said in item.items() if verb not in ("options", "head")
    }


def _with_body(said: Any) -> Any:
    if not isinstance(said, Mapping):
        return said
    made = dict(said)
    if isinstance(made.get("requestBody"), Mapping):
        made["requestBody"] = {**made["requestBody"], "required": True}
    if isinstance(made.get("parameters"), list):
        made["parameters"] = [
            {**p, "required": True} if mapping_of(p).get("in") == "body" else p
            for p in made["parameters"]
        ]
    return made


def _tells_inputs(operation: DiscoveredOperation, view: object) -> bool:
    """Whether a decorator says what the handler reads; all registered views are listed."""
    notes = (
        attribute(layer, "__apispec__") for layer in (*layers(operation.endpoint), *layers(view))
    )
    return any(mapping_of(note).get("args") for note in notes)
