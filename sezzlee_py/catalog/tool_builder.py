"""From a descriptor to its tools (spec: tool-definition, curation, families)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sezzlee_py.catalog.annotations import METHODS, build_annotations
from sezzlee_py.catalog.arguments import (
    Argument,
    CuratedArgument,
    curate,
    single_records,
    unmatched_records,
)
from sezzlee_py.catalog.body_slots import BodyShape, read_body
from sezzlee_py.catalog.defs import merge_defs
from sezzlee_py.catalog.families import (
    Member,
    check_dispatch,
    check_family,
    check_variants,
    member_descriptor,
)
from sezzlee_py.catalog.faults import Finding, OperationError, subject_of
from sezzlee_py.catalog.fills import check_fill
from sezzlee_py.catalog.identity_slots import carrier_slots, refuse_identity
from sezzlee_py.catalog.input_schema import build_input_schema, lift_defs
from sezzlee_py.catalog.leaks import leak_findings
from sezzlee_py.catalog.output_schema import build_output_schema
from sezzlee_py.catalog.parameter_slots import (
    check_parameters,
    parameter_argument,
    published_keys,
    renamed_findings,
)
from sezzlee_py.catalog.projection import shape_of
from sezzlee_py.catalog.template_builder import build_slots, build_template, grouped_parameters
from sezzlee_py.catalog.variants import merge_records, twin_findings
from sezzlee_py.catalog.version import shape_version
from sezzlee_py.model import (
    AnnotationHints,
    ArgumentCuration,
    Diagnostic,
    EndpointDescriptor,
    JSONObject,
    ToolDefinition,
    Variant,
)

_BODILESS: Final = frozenset({"GET", "HEAD"})
_NO_HINTS: Final = AnnotationHints()
DEFAULT_CARRIERS: Final = (("header", "authorization"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBuild:
    """The tools of one operation, none when it was dropped, and what was found on the way."""

    tools: tuple[ToolDefinition, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def build_tools(
    descriptor: EndpointDescriptor,
    names: Sequence[str],
    *,
    alternate_routes: Sequence[str] = (),
    fill_sources: Collection[str] = frozenset(),
    file_ref_description: str | None = None,
    parses: str | None = None,
    identity_carriers: Iterable[tuple[str, str]] = DEFAULT_CARRIERS,
    sealed: Collection[str] = frozenset(),
    optional: Collection[str] = frozenset(),
) -> ToolBuild:
    """Return the tools of an operation: one, or one per variant.

    One resolution of curation feeds both the published schema and the request template.

    Args:
        descriptor: the operation, its `arguments` already resolved; it is never changed.
        names: the tool's name, or one per variant in their order.
        alternate_routes: routes that were folded into the kept one.
        fill_sources: names of the registered value providers.
        file_ref_description: the host's words for a file reference; `None` without a resolver.
        parses: the object notation that the backend reads from a query; `None` when not told.
        identity_carriers: location and name of every slot that carries identity.
        sealed: wire names whose record a variant may not replace.
        optional: wire names whose record may name nothing, because a rule with wildcards gave it.
    """
    subject = subject_of(descriptor)
    builder = _Builder(
        descriptor=descriptor,
        alternate_routes=tuple(alternate_routes),
        fill_sources=fill_sources,
        file_ref_description=file_ref_description,
        parses=parses,
        identity_carriers=tuple(identity_carriers),
        sealed=sealed,
        optional=optional,
    )
    try:
        tools = builder.build(names)
    except OperationError as fault:
        dropped = subject.diagnostic(fault.code, fault.message, fault.severity)
        return ToolBuild(tools=(), diagnostics=(*subject.diagnostics(builder.findings), dropped))
    except RecursionError:
        dropped = subject.diagnostic(
            "template_rejected", "a schema is nested too deep to be read, or without end"
        )
        return ToolBuild(tools=(), diagnostics=(dropped,))
    return ToolBuild(tools=tools, diagnostics=subject.diagnostics(builder.findings))


@dataclass(frozen=True, slots=True)
class _Operation:
    """An operation before curation; variants without a body of their own share one."""

    descriptor: EndpointDescriptor
    arguments: tuple[Argument, ...]
    body: BodyShape | None
    body_defs: JSONObject


class _Builder:
    """One build of one operation, collecting what it finds."""

    def __init__(
        self,
        *,
        descriptor: EndpointDescriptor,
        alternate_routes: tuple[str, ...],
        fill_sources: Collection[str],
        file_ref_description: str | None,
        parses: str | None,
        identity_carriers: tuple[tuple[str, str], ...],
        sealed: Collection[str],
        optional: Collection[str],
    ) -> None:
        self._descriptor = descriptor
        self._alternate_routes = alternate_routes
        self._fill_sources = fill_sources
        self._file_ref_description = file_ref_description
        self._parses = parses
        self._identity_carriers = identity_carriers
        self._sealed = sealed
        self._optional = optional
        self._output_schema: JSONObject | None = None
        self.findings: list[Finding] = []

    def build(self, names: Sequence[str]) -> tuple[ToolDefinition, ...]:
        descriptor = self._descriptor
        check_variants(descriptor)
        self._output_schema = build_output_schema(descriptor.responses)
        records = single_records(descriptor.arguments)
        if not descriptor.variants:
            operation = self._read(descriptor)
            return (self._tool(operation, names[0], self._curate(operation, records), None),)
        return self._build_variants(names, records)

    def _build_variants(
        self, names: Sequence[str], records: Mapping[str, ArgumentCuration]
    ) -> tuple[ToolDefinition, ...]:
        descriptor, shared = self._descriptor, None
        plans: list[tuple[_Operation, tuple[CuratedArgument, ...]]] = []
        for variant in descriptor.variants:
            if variant.request_body is not None:
                operation = self._read(member_descriptor(descriptor, variant.request_body))
            else:
                operation = shared = shared or self._read(descriptor)
            if descriptor.family is not None:
                check_dispatch(descriptor.family.parameter, operation.arguments)
            own = single_records(variant.arguments)
            merged = merge_records(records, own, sealed=self._sealed)
            plans.append((operation, self._curate(operation, merged)))
        if descriptor.family is not None:
            members = [Member(name=n, arguments=a) for n, (_, a) in zip(names, plans, strict=True)]
            check_family(descriptor.family.parameter, members)
        tools = tuple(
            [
                self._tool(operation, name, arguments, variant)
                for name, variant, (operation, arguments) in zip(
                    names, descriptor.variants, plans, strict=True
                )
            ]
        )
        self.findings.extend(twin_findings(tools))
        return tools

    def _read(self, descriptor: EndpointDescriptor) -> _Operation:
        """Return the arguments of `descriptor` by wire name, every rule of the wire checked."""
        parameters, body = descriptor.parameters, descriptor.request_body
        _check_method(descriptor)
        refuse_identity(parameters, carrier_slots(descriptor.auth, self._identity_carriers))
        check_parameters(parameters, descriptor.route)
        keys = published_keys(parameters)
        try:
            arguments = [
                parameter_argument(parameter, key, parses=self._parses)
                for parameter, key in zip(parameters, keys, strict=True)
            ]
        except OperationError:
            # Of several faults the schemas' comes first: the others may follow from it.
            schemas = [p.schema for p in parameters] + ([] if body is None else [body.schema])
            merge_defs(lift_defs(schema)[1] for schema in schemas)
            raise
        if body is None:
            self.findings.extend(renamed_findings(parameters, keys, ()))
            return _Operation(descriptor, tuple(arguments), None, {})
        wire_names = {parameter.name for parameter in parameters}
        shape = read_body(body, wire_names, ref_description=self._file_ref_description)
        body_names = [argument.name for argument in shape.arguments]
        self.findings.extend(renamed_findings(parameters, keys, body_names))
        self.findings.extend(shape.findings)
        return _Operation(descriptor, (*arguments, *shape.arguments), shape, shape.defs)

    def _curate(
        self, operation: _Operation, records: Mapping[str, ArgumentCuration]
    ) -> tuple[CuratedArgument, ...]:
        if records:
            self.findings.extend(
                unmatched_records(
                    operation.arguments,
                    records,
                    alternate_routes=self._alternate_routes,
                    optional=self._optional,
                )
            )
        return curate(operation.arguments, records)

    def _tool(
        self,
        operation: _Operation,
        name: str,
        arguments: tuple[CuratedArgument, ...],
        variant: Variant | None,
    ) -> ToolDefinition:
        descriptor, body = operation.descriptor, operation.body
        body_slot = None if body is None else body.slot
        for one in arguments:
            check_fill(one, route=descriptor.route, sources=self._fill_sources, body=body_slot)
        text = descriptor.description if variant is None else variant.description
        description = text if text and not text.isspace() else descriptor.operation
        additional = False if body is None else body.additional
        self.findings.extend(
            leak_findings(name, description, arguments, open_body=additional is not False)
        )
        shown: dict[str, Any] = {
            "name": name,
            "description": description,
            "input_schema": build_input_schema(
                arguments, additional=additional, body_defs=operation.body_defs
            ),
            "output_schema": self._output_schema,
            "annotations": build_annotations(
                descriptor.method,
                descriptor.annotations,
                _NO_HINTS if variant is None else variant.annotations,
            ),
            "deprecated": descriptor.deprecated,
        }
        return ToolDefinition(
            **shown,
            version=shape_version(shape_of(**shown)),
            tags=descriptor.tags,
            method=descriptor.method,
            route=descriptor.route,
            alternate_routes=self._alternate_routes,
            search_terms=descriptor.search_terms,
            container=descriptor.container,
            operation_id=descriptor.operation_id,
            grouped_parameters=grouped_parameters(arguments),
            auth=descriptor.auth,
            slots=build_slots(arguments),
            template=build_template(descriptor.method, descriptor.route, arguments, body_slot),
            endpoint_key=descriptor.endpoint_key,
            source=descriptor.source,
            line=descriptor.line,
        )


def _check_method(descriptor: EndpointDescriptor) -> None:
    if descriptor.method not in METHODS:
        raise OperationError(
            "unsupported_method", f"no tool can be made from the method '{descriptor.method}'"
        )
    if descriptor.request_body is not None and descriptor.method in _BODILESS:
        raise OperationError(
            "template_rejected", f"a {descriptor.method} request carries no body; remove the body"
        )
