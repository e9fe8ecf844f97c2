"""flasgger: documents made of the YAML in docstrings, files and decorators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from flask import Flask

from sezzlee_flask.sources.documents import ExtensionDocument, mapping_of
from sezzlee_flask.sources.handwritten import lifted, repaired, sunk
from sezzlee_flask.sources.shadows import copied, shadow
from sezzlee_py.catalog.handlers import attribute
from sezzlee_py.openapi.parse import check_bounds


def documents_of(app: Flask) -> Iterator[ExtensionDocument]:
    """Yield every document that an application serves."""
    swagger = attribute(app, "swag")
    if not callable(attribute(swagger, "get_apispecs")):
        return
    for spec in mapping_of(attribute(swagger, "config")).get("specs") or ():
        endpoint = mapping_of(spec).get("endpoint")
        yield ExtensionDocument(
            extension="flasgger",
            write=partial(_written, swagger, endpoint),
            is_handwritten=True,
        )


def _written(swagger: Any, endpoint: Any) -> Any:
    """Return a document, made by a stand-in: it is kept, and config and template go into it."""
    writer = shadow(
        swagger,
        apispecs={},
        config=copied(swagger.config),
        template=copied(swagger.template),
    )
    document = writer.get_apispecs(endpoint)
    check_bounds(document)
    document = repaired(document)
    if "swagger" in document:
        return lifted(document)
    paths = mapping_of(document.get("paths")).items()
    return {**document, "paths": {path: _sunk_item(item) for path, item in paths}}


def _sunk_item(item: Any) -> Any:
    return {key: sunk(part) for key, part in item.items()} if isinstance(item, Mapping) else item
