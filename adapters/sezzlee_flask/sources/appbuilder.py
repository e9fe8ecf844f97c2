"""Flask-AppBuilder: its APIs put the YAML of their docstrings and their models into a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from flask import Flask

from sezzlee_flask.sources.documents import ExtensionDocument, mapping_of
from sezzlee_flask.sources.handwritten import repaired, sunk
from sezzlee_py.catalog.handlers import attribute
from sezzlee_py.openapi.parse import check_bounds

# What every operation has, whatever its docstring says.
_ADDED: Final = frozenset({"tags", "security"})


def documents_of(app: Flask) -> Iterator[ExtensionDocument]:
    """Yield a document for each version of the APIs of an application."""
    views: Any = attribute(app.extensions.get("appbuilder"), "baseviews")
    apis = [view for view in views or () if callable(attribute(view, "add_api_spec"))]
    # Private, of the API that serves the documents; where it is gone, docstrings are read alone.
    openers: list[Any] = [attribute(api, "_create_api_spec") for api in apis]
    opener = next(filter(callable, openers), None)
    if opener is None:
        return
    for version in dict.fromkeys(api.version for api in apis):
        yield ExtensionDocument(
            extension="Flask-AppBuilder",
            write=partial(_written, app, opener, [a for a in apis if a.version == version]),
            is_handwritten=True,
        )


def _written(app: Flask, opener: Any, apis: Sequence[Any]) -> Any:
    # A document is made for every reader, and a request asked for the host that it names.
    with app.test_request_context():
        specification = opener(apis[0].version)
        for api in apis:
            api.add_api_spec(specification)
        document = specification.to_dict()
    check_bounds(document)
    paths = mapping_of(document.get("paths")).items()
    return {**document, "paths": {path: _told(item) for path, item in paths}}


def _told(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a path item without the operations of which no docstring tells anything."""
    return {verb: sunk(repaired(said)) for verb, said in item.items() if said.keys() - _ADDED}
