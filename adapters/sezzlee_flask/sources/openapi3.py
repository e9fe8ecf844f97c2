"""flask-openapi3: the application collects its document while views are decorated."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

from flask import Flask

from sezzlee_flask.sources.documents import ExtensionDocument
from sezzlee_flask.sources.shadows import shadow
from sezzlee_py.catalog.handlers import attribute


def documents_of(app: Flask) -> Iterator[ExtensionDocument]:
    """Yield the document of an application that collects one."""
    is_collecting = isinstance(attribute(app, "components_schemas"), dict)
    if is_collecting and isinstance(attribute(app, "spec_json"), dict):
        yield ExtensionDocument(extension="flask-openapi3", write=partial(_written, app))


def _written(app: Any) -> Any:
    """Return the document, made by a stand-in: the application keeps the first one it makes."""
    writer = shadow(
        app,
        spec_json={},
        components_schemas=dict(app.components_schemas),
        spec=copy.copy(app.spec),
        components=copy.copy(app.components),
    )
    return writer.api_doc
