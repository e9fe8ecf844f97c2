"""An operation with what is declared about its input, output and members bound to schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.catalog.declared import DeclaredOperation
from sezzlee_py.catalog.family_sources import FamilySources, family_variants
from sezzlee_py.catalog.faults import Finding, OperationError, Subject, subject_of
from sezzlee_py.catalog.handlers import attribute, layers, unwrapped
from sezzlee_py.catalog.media_types import MediaFamily, media_family, normal_media_type
from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.catalog.schema.declared import apply_declared
from sezzlee_py.catalog.schema.declared_body import bind_schema
from sezzlee_py.catalog.schema.depth import truncate
from sezzlee_py.catalog.schema.findings import Finding as SchemaFinding
from sezzlee_py.catalog.schema.findings import to_diagnostics
from sezzlee_py.model import Diagnostic, EndpointDescriptor, JSONObject, Variant
from sezzlee_py.options import Options

_FORMS: Final = (MediaFamily.FORM, MediaFamily.MULTIPART)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundOperation:
    """A descriptor that tools are built from, and what was found on the way to it."""

    descriptor: EndpointDescriptor
    diagnostics: tuple[Diagnostic, ...] = ()


def bind_operation(
    declared: DeclaredOperation, options: Options, sources: FamilySources
) -> BoundOperation:
    """Return an operation with its declared schemas and the members of its family.

    Args:
        declared: the operation on its kept route.
        options: the host's; `schema` and `query` are read.
        sources: where members of host data come from.
    """
    subject = subject_of(declared.descriptor)
    schema = options.schema
    binding = Binding(
        type_shape=schema.type_shape,
        type_name=schema.type_name,
        max_depth=schema.max_depth,
        drop_read_only=schema.drop_read_only,
        namespace=_namespace(declared.discovered.endpoint),
    )
    bound = _with_schemas(declared, options, binding, subject)
    if declared.declarations.operation.family is not None:
        bound = _with_members(bound, declared, binding, sources, subject)
    return _checked(bound, declared, subject)


def _consumes(declared: DeclaredOperation) -> str | None:
    levels = declared.declarations.levels()
    return next((r.consumes for r in levels if r.consumes is not None), None)


def _declares_query(query: Any) -> bool:
    # A view whose whole input is written down in its query has said that it reads no body.
    return query is not None and not isinstance(query, str)


def _namespace(endpoint: object) -> Mapping[str, Any] | None:
    found = attribute(unwrapped(endpoint), "__globals__")
    return found if isinstance(found, dict) else None


def _with_schemas(
    declared: DeclaredOperation, options: Options, binding: Binding, subject: Subject
) -> BoundOperation:
    own, accepts = declared.declarations.operation, declared.discovered.accepts
    descriptor = declared.descriptor
    cut: tuple[Diagnostic, ...] = ()
    if options.schema.max_depth is not None:
        descriptor, cut = _cut(descriptor, options.schema.max_depth, subject)
    descriptor, found = apply_declared(
        descriptor,
        body=own.body,
        query=own.query,
        responses=own.responses,
        consumes=_consumes(declared),
        files=own.files,
        accepts=accepts,
        described=accepts is not None or _declares_query(own.query),
        query_grouping=options.query.grouping,
        parses=options.query.parses,
        query_models=declared.discovered.query_models,
        body_fields=declared.discovered.body_fields,
        binding=binding,
    )
    return BoundOperation(descriptor=descriptor, diagnostics=(*cut, *found))


def _with_members(
    bound: BoundOperation,
    declared: DeclaredOperation,
    binding: Binding,
    sources: FamilySources,
    subject: Subject,
) -> BoundOperation:
    family = declared.declarations.operation.family
    assert family is not None
    findings: list[Finding] = []
    body = _MemberBodies(bound.descriptor, binding)
    try:
        members = family_variants(family, sources, bind=body.bind, findings=findings)
    except OperationError as fault:
        dropped = subject.diagnostic(fault.code, fault.message)
        return replace(bound, diagnostics=(*bound.diagnostics, dropped))
    descriptor = bound.descriptor
    variants = (*descriptor.variants, *members)
    return BoundOperation(
        descriptor=replace(descriptor, variants=variants),
        diagnostics=(
            *_about_own_body(bound.diagnostics, variants),
            *subject.diagnostics(findings),
            *to_diagnostics(
                body.findings,
                operation=subject.operation,
                route=subject.route,
                source=subject.source,
                line=subject.line,
            ),
        ),
    )


class _MemberBodies:
    """Binds the bodies of members as the operation's media type carries them, each once."""

    def __init__(self, descriptor: EndpointDescriptor, binding: Binding) -> None:
        body = descriptor.request_body
        self._media_type = None if body is None else body.content_type
        self._binding = binding
        # By identity, because a schema given as a dict has no hash; the source is kept alive.
        self._known: dict[int, tuple[Any, JSONObject]] = {}
        self.findings: list[SchemaFinding] = []

    def bind(self, source: Any) -> JSONObject:
        """Return the schema of a type, or a JSON Schema as it is."""
        if id(source) not in self._known:
            body = bind_schema(source, self._media_type, self._binding, self.findings)
            self._known[id(source)] = source, body.schema
        return self._known[id(source)][1]


def _about_own_body(
    diagnostics: Sequence[Diagnostic], variants: Sequence[Variant]
) -> tuple[Diagnostic, ...]:
    """Return the findings without those about a body that no member shows."""
    if not variants or any(variant.request_body is None for variant in variants):
        return tuple(diagnostics)
    return tuple(found for found in diagnostics if found.code != "undeclared_body")


def _cut(
    descriptor: EndpointDescriptor, max_depth: int, subject: Subject
) -> tuple[EndpointDescriptor, tuple[Diagnostic, ...]]:
    """Return what the framework told with every branch beyond the host's depth open."""
    cuts = []

    def cut(schema: JSONObject) -> JSONObject:
        shorter, was_cut = truncate(schema, max_depth)
        cuts.append(was_cut)
        return shorter if was_cut else schema

    body = descriptor.request_body
    shorter = replace(
        descriptor,
        parameters=tuple(replace(p, schema=cut(p.schema)) for p in descriptor.parameters),
        request_body=body and replace(body, schema=cut(body.schema)),
        responses=MappingProxyType(
            {
                status: replace(response, schema=response.schema and cut(response.schema))
                for status, response in descriptor.responses.items()
            }
        ),
    )
    if not any(cuts):
        return descriptor, ()
    message = (
        f"parts deeper than {max_depth} levels are published as any object; raise "
        "options.schema.max_depth to show them"
    )
    return shorter, (subject.diagnostic("schema_depth_truncated", message),)


def _is_marked(declared: DeclaredOperation) -> bool:
    """Whether the host says of a handler that such a check stands before it."""
    chain = layers(declared.discovered.endpoint)
    return any(attribute(layer, "__mcp_antiforgery__") is True for layer in chain)


def _checked(
    bound: BoundOperation, declared: DeclaredOperation, subject: Subject
) -> BoundOperation:
    """Return the operation, dropped where a check stands before its form that no call passes."""
    body = bound.descriptor.request_body
    if body is None or not (declared.discovered.antiforgery or _is_marked(declared)):
        return bound
    media_type = normal_media_type(body.content_type)
    if media_type is None or media_family(media_type) not in _FORMS:
        return bound
    message = (
        "a check for a token of the application's own pages stands before the form, and an agent "
        "has no such token; exempt the route from it, or keep it from agents with @mcp_ignore"
    )
    dropped = subject.diagnostic("form_antiforgery_required", message)
    return replace(bound, diagnostics=(*bound.diagnostics, dropped))
