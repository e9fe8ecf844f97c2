"""Discovery of FastAPI applications, wherever they are mounted (spec: selection 4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from sezzlee_fastapi import routes
from sezzlee_fastapi.body_reads import may_read_body
from sezzlee_fastapi.cut import cut_dependant
from sezzlee_fastapi.documents import DocumentedRoute, document_routes
from sezzlee_fastapi.facts import (
    container_of,
    description_of,
    query_models,
    tags_of,
    with_captured,
)
from sezzlee_fastapi.routes import effective
from sezzlee_fastapi.security import route_auth, with_carriers
from sezzlee_fastapi.twins import twins_of, with_unmentioned
from sezzlee_fastapi.writer import TYPE_NAMES, DocumentWriter
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.containers import bound_class
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.handlers import Identity, source_of
from sezzlee_py.catalog.schema.generator import Hooks
from sezzlee_py.declaration_record import declared_objects
from sezzlee_py.model import Auth, Diagnostic, EndpointDescriptor
from sezzlee_py.model.routes import NormalizedRoute, normalize_route
from sezzlee_py.openapi.document import ApiDocument, Dialect
from sezzlee_py.openapi.operation import LoweredOperation, lower_operation
from sezzlee_starlette.discovery import StarletteAdapter
from sezzlee_starlette.facts import (
    StarletteDialect,
    literal_brace_findings,
    method_findings,
    served_verbs,
)
from sezzlee_starlette.routes import Leaf, Node, Settings


class FastAPIAdapter(StarletteAdapter):
    """A FastAPI application seen as operations."""

    def _dialect(self) -> FastAPIDialect:
        return FastAPIDialect(self._settings())


class FastAPIDialect(StarletteDialect):
    """FastAPI: routers that stay nested, routes that know their parameters, pages of its own."""

    def nodes(self, table: Sequence[BaseRoute]) -> Iterator[Node]:
        """Yield every entry in matching order, included routers opened."""
        return routes.nodes(table)

    def hides(self, node: Node, app: object) -> bool:
        """Whether a route serves the application's document or a page that shows it."""
        return routes.is_documentation(node, app)

    def guards(self, leaf: Leaf) -> Hashable:
        """Return what a call passes before the handler: wrappers, and what routers depend on."""
        asked = effective(leaf).get("dependencies") or ()
        depended = [
            (Identity(one.dependency), tuple(getattr(one, "scopes", None) or ())) for one in asked
        ]
        return super().guards(leaf), tuple(depended)

    def falls_through(self, app: object) -> bool:
        """Whether the host set what answers last, or serves a frontend there."""
        return super().falls_through(app) or routes.has_last_resort(app)

    def describe(self, leaves: Sequence[Leaf]) -> Mapping[Leaf, tuple[DiscoveredOperation, ...]]:
        """Describe routes, those of one application from one fresh document."""
        plain = [leaf for leaf in leaves if not isinstance(leaf.node.route, APIRoute)]
        by_app: defaultdict[tuple[Identity, ...], list[Leaf]] = defaultdict(list)
        for leaf in leaves:
            if isinstance(leaf.node.route, APIRoute):
                by_app[leaf.place.apps].append(leaf)
        described = dict(super().describe(plain))
        reader = _Reader(self._settings)
        for own in by_app.values():
            described.update(reader.read(own))
        return described

    def cut(self, leaf: Leaf, keys: Collection[CutKey]) -> bool:
        """Cut a route right before its function, behind all of its dependencies."""
        if isinstance(leaf.node.route, APIRoute):
            return cut_dependant(leaf.node.view, keys)
        return super().cut(leaf, keys)


dialect = FastAPIDialect


class _Reader:
    """Makes operations of FastAPI routes and the documents they were written into."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._declared = routes.DeclaredRouters(declared_objects())
        self._documents: dict[Identity, ApiDocument] = {}

    def read(
        self, leaves: Sequence[Leaf]
    ) -> Iterator[tuple[Leaf, tuple[DiscoveredOperation, ...]]]:
        """Yield each route with its operations, one per method."""
        hooks = Hooks(type_shape=self._settings.type_shape, type_name=self._settings.type_name)
        documented = document_routes(leaves, DocumentWriter(hooks))
        twins = twins_of(leaves)
        unheard = {(twin, method) for (_, method), twin in twins.items()}
        for leaf in leaves:
            methods = [verb.method for verb in served_verbs(leaf)]
            told = {method: documented[twins.get((leaf, method), leaf)] for method in methods}
            path = normalize_route(leaf.path)
            yield (
                leaf,
                tuple(
                    self._operation(leaf, path, method, documented[leaf], told[method])
                    for method in methods
                    if (leaf, method) not in unheard
                ),
            )

    def _lowered(self, method: str, route: str, written: DocumentedRoute) -> LoweredOperation:
        return lower_operation(
            written.operation,
            method=method,
            route=route,
            document=self._document(written),
            carriers=self._settings.carriers,
            cookies=self._settings.cookies,
        )

    def _document(self, written: DocumentedRoute) -> ApiDocument:
        key = Identity(written.document)
        if key not in self._documents:
            self._documents[key] = ApiDocument(
                written.document,
                dialect=Dialect.FASTAPI,
                drop_read_only=self._settings.drop_read_only,
                names=written.document[TYPE_NAMES],
            )
        return self._documents[key]

    def _operation(
        self,
        leaf: Leaf,
        path: NormalizedRoute,
        method: str,
        own: DocumentedRoute,
        written: DocumentedRoute,
    ) -> DiscoveredOperation:
        served, told = own.route, written.route
        endpoint, dependant = served["endpoint"], served["dependant"]
        owner = bound_class(endpoint)
        tags = tags_of(told, written.operation)
        container = container_of(owner, endpoint, tags)
        source, line = source_of(endpoint)
        lowered = self._lowered(method, path.template, written)
        parameters = lowered.parameters
        if own is not written:
            asked = self._lowered(method, path.template, own).parameters
            parameters = with_unmentioned(parameters, asked)
        body_is_known = lowered.request_body is not None or not may_read_body(
            endpoint, dependant, method
        )
        descriptor = EndpointDescriptor(
            method=method,
            route=path.template,
            auth=_auth(owner, served, lowered),
            operation_id=served["operation_id"],
            container=container and container.name,
            container_key=container and container.key,
            description=description_of(told, written.operation),
            deprecated=lowered.deprecated or bool(told["deprecated"]),
            parameters=with_captured(leaf.place.prefix, path, parameters),
            request_body=lowered.request_body,
            responses=lowered.responses,
            tags=tags,
            endpoint_key=leaf.place.key(endpoint),
            source=source,
            line=line,
        )
        return DiscoveredOperation(
            descriptor=descriptor,
            endpoint=endpoint,
            containers=(
                *(() if owner is None else (owner,)),
                *self._declared.of(leaf),
                *leaf.containers,
            ),
            accepts=(lowered.accepts or ()) if body_is_known else None,
            query_models=query_models(told["dependant"]),
            diagnostics=(
                *method_findings(descriptor),
                *literal_brace_findings(descriptor),
                *_unreadable(descriptor, written.unreadable),
                *(replace(found, source=source, line=line) for found in lowered.diagnostics),
            ),
        )


def _auth(owner: type | None, route: Mapping[str, Any], lowered: LoweredOperation) -> Auth:
    auth = route_auth(route["endpoint"], owner, route["dependant"], route["dependencies"])
    return with_carriers(auth, lowered.carriers)


def _unreadable(descriptor: EndpointDescriptor, slots: Sequence[str]) -> tuple[Diagnostic, ...]:
    if not slots:
        return ()
    return (
        subject_of(descriptor).diagnostic(
            "unreadable_shape",
            f"FastAPI cannot write the schema of {', '.join(slots)}; give the types a JSON Schema, "
            "or declare them on @mcp_tool, so that the tool tells what is asked",
        ),
    )
