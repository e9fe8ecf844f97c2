"""Everything that is told about the operations of one application, in the order it counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from flask import Flask
from werkzeug.routing import Rule

from sezzlee_flask.rules import read_path
from sezzlee_flask.sources import (
    apiflask,
    appbuilder,
    flasgger,
    flask_apispec,
    flask_pydantic,
    openapi3,
    reqparse,
    request_reads,
    restx,
    smorest,
    spectree,
    webargs,
)
from sezzlee_flask.sources.documents import (
    ExtensionDocument,
    JoinedDocument,
    Reading,
    undocumented,
)
from sezzlee_flask.sources.handwritten import without_free_forms
from sezzlee_flask.sources.spared import spared
from sezzlee_flask.sources.traces import is_page
from sezzlee_flask.sources.yaml_docstrings import YAMLDocstrings
from sezzlee_py import Options
from sezzlee_py.catalog.adapter import METHODS, DiscoveredOperation
from sezzlee_py.model import Diagnostic, EndpointDescriptor

_EXTENSIONS: Final = (
    *(smorest, apiflask, openapi3, restx, spectree, flasgger, flask_apispec, appbuilder),
)


class Sources:
    """The documents of an application's extensions, and what its views tell by themselves.

    Args:
        app: the application.
        options: the host's options.
    """

    def __init__(self, app: Flask, options: Options) -> None:
        self._app = app
        self._reading = Reading.of(app, options)
        self._documents = [
            JoinedDocument(document, app, self._reading) for document in _documents(app)
        ]
        self._docstrings = YAMLDocstrings(app, self._reading)

    def hides(self, rule: Rule) -> bool:
        """Whether the rule is a page of an extension."""
        return is_page(self._app.view_functions.get(rule.endpoint))

    def describe(
        self, operation: DiscoveredOperation, rule: Rule, view: object
    ) -> DiscoveredOperation:
        """Return the operation with what is told of it."""
        descriptor = operation.descriptor
        if descriptor.method not in METHODS:
            # No tool can have it, so nobody asks for its inputs.
            return operation
        document = next((d for d in self._documents if d.covers(descriptor)), None)
        if document is not None:
            return self._from_document(document, operation, view)
        told = self._from_view(operation, view)
        if told is not None:
            return told
        bare = undocumented(operation) if self._is_documented else operation
        return request_reads.added(bare, self._reading)

    def _from_document(
        self, document: JoinedDocument, operation: DiscoveredOperation, view: object
    ) -> DiscoveredOperation:
        """Return the operation with what a document says, and its view where that left it open."""
        source, described = document.source, document.describe(operation)
        if source.is_handwritten:
            told = spared(operation, without_free_forms(described), self._reading)
            return request_reads.added(told, self._reading)
        if not source.is_enforced:
            described = spared(operation, described, self._reading)
        has_body = described.descriptor.request_body is not None
        is_told = source.tells_inputs(operation, view)
        if has_body or (is_told and not request_reads.reads_body(operation)):
            return described
        # It is listed, but nobody told the extension all of what it reads.
        described = replace(described, accepts=operation.accepts)
        own = None if is_told else self._from_view(described, view)
        if own is None:
            return request_reads.added(described, self._reading)
        return _with_rest(own, described.descriptor)

    def findings(self) -> tuple[Diagnostic, ...]:
        """Return what was found about the documents as wholes."""
        # A page, or the endpoint itself, is a route that no operation was asked about for.
        routes = tuple(_routes(self._app)) if self._documents else ()
        return tuple(found for document in self._documents for found in document.findings(routes))

    @property
    def _is_documented(self) -> bool:
        return any(document.is_readable for document in self._documents)

    def _from_view(
        self, operation: DiscoveredOperation, view: object
    ) -> DiscoveredOperation | None:
        told = (
            flask_pydantic.described(operation, view, self._reading)
            or webargs.described(operation, view, self._reading)
            or reqparse.described(operation, self._reading)
        )
        if told is not None:
            return request_reads.added(spared(operation, told, self._reading), self._reading)
        documented = self._docstrings.described(operation, view)
        if documented is None:
            return None
        kept = spared(operation, without_free_forms(documented), self._reading)
        return request_reads.added(kept, self._reading)


def _with_rest(told: DiscoveredOperation, listed: EndpointDescriptor) -> DiscoveredOperation:
    """Return what a view tells with what only a document knows: its answers, other inputs."""
    own = told.descriptor
    named = {(parameter.location, parameter.name) for parameter in own.parameters}
    fields = {} if own.request_body is None else own.request_body.schema.get("properties", {})
    rest = (
        p for p in listed.parameters if (p.location, p.name) not in named and p.name not in fields
    )
    completed = replace(
        own,
        parameters=(*own.parameters, *rest),
        responses=own.responses or listed.responses,
    )
    return replace(told, descriptor=completed)


def _routes(app: Flask) -> Iterator[EndpointDescriptor]:
    for rule in app.url_map.iter_rules():
        route = read_path(rule).template
        for method in rule.methods or ():
            yield EndpointDescriptor(method=method, route=route)


def _documents(app: Flask) -> Iterator[ExtensionDocument]:
    for extension in _EXTENSIONS:
        yield from extension.documents_of(app)
