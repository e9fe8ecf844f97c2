"""flask-smorest: each of its APIs keeps a document of the blueprints registered on it."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Flask

from sezzlee_flask.sources.documents import ExtensionDocument, mapping_of
from sezzlee_py.catalog.handlers import attribute


def documents_of(app: Flask) -> Iterator[ExtensionDocument]:
    """Yield the document of every API of an application.

    It is put together while blueprints are registered; asking for it only reads.
    """
    left = mapping_of(app.extensions.get("flask-smorest"))
    for entry in mapping_of(left.get("apis")).values():
        to_dict = attribute(attribute(mapping_of(entry).get("ext_obj"), "spec"), "to_dict")
        if callable(to_dict):
            yield ExtensionDocument(extension="flask-smorest", write=to_dict)
