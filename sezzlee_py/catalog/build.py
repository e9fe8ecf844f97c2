"""From what an adapter found to a catalog: selection, folding, names, curation, tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery
from sezzlee_py.catalog.curation import resolve_curation
from sezzlee_py.catalog.declared import (
    Declarations,
    DeclaredOperation,
    declare_operation,
    read_declarations,
)
from sezzlee_py.catalog.folding import FoldedOperation, fold_routes
from sezzlee_py.catalog.naming import assign_names
from sezzlee_py.catalog.operation_ids import assign_operation_ids
from sezzlee_py.catalog.report import judge
from sezzlee_py.catalog.selection import select
from sezzlee_py.catalog.shared_findings import SharedFinding
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.catalog.tool_builder import ToolBuild, build_tools
from sezzlee_py.model import Diagnostic, EndpointDescriptor, Severity, ToolDefinition
from sezzlee_py.options import Options


def build_catalog(discovery: Discovery, options: Options, *, generation: int = 1) -> Catalog:
    """Return the catalog of a walked application; the order of discovery decides nothing.

    The catalog is returned whatever was found; `Catalog.fatal` tells whether it may be served.
    """
    return _Build(discovery, options).run(generation)


@dataclass(frozen=True, slots=True)
class _Named:
    """One operation on its kept route, with the names of its tools."""

    declared: DeclaredOperation
    folded: FoldedOperation
    names: tuple[str, ...]


class _Build:
    """One build, collecting findings on the way."""

    def __init__(self, discovery: Discovery, options: Options) -> None:
        self._discovery = discovery
        self._options = options
        self._severities = _severities(options)
        self._findings: list[Diagnostic] = list(discovery.diagnostics)

    def run(self, generation: int) -> Catalog:
        operations = self._discovery.operations
        selected = self._select(operations)
        named = self._name(self._fold(selected))
        tools = [tool for operation in named for tool in self._tools(operation)]
        return Catalog(
            tools=tuple(sorted(tools, key=lambda tool: tool.name)),
            diagnostics=judge(self._findings, self._severities),
            generation=generation,
            discovered=len(operations),
            selected=len(selected),
        )

    def _select(self, operations: Sequence[DiscoveredOperation]) -> list[DeclaredOperation]:
        options = self._options
        ids = assign_operation_ids(operations)
        declared = [read_declarations(operation) for operation in operations]
        selection = select(
            [(o.descriptor, d) for o, d in zip(operations, declared, strict=True)],
            default=options.selection.default,
            rules=options.selection.rules,
        )
        dropped = self._report(selection.findings)
        return [
            self._declare(operations[at], ids[at], declared[at])
            for at in selection.selected
            if at not in dropped
        ]

    def _declare(
        self, operation: DiscoveredOperation, operation_id: str | None, declared: Declarations
    ) -> DeclaredOperation:
        resolved = declare_operation(
            operation,
            operation_id,
            declared,
            tags=self._options.tags,
            search_terms=self._options.search_terms,
        )
        self._findings += operation.diagnostics
        self._findings += resolved.diagnostics
        return resolved

    def _fold(
        self, selected: Sequence[DeclaredOperation]
    ) -> list[tuple[DeclaredOperation, FoldedOperation]]:
        usable = [op for op in selected if not _is_dropped(op.discovered.diagnostics)]
        folding = fold_routes([operation.descriptor for operation in usable])
        self._findings += folding.diagnostics
        return [(usable[folded.kept], folded) for folded in folding.operations]

    def _name(
        self, operations: Sequence[tuple[DeclaredOperation, FoldedOperation]]
    ) -> list[_Named]:
        naming = self._options.naming
        named = assign_names(
            [declared.descriptor for declared, _ in operations],
            prefix=naming.prefix,
            prefix_mode=naming.prefix_mode,
            on_collision=naming.on_collision,
        )
        dropped = self._report(named.findings)
        return [
            _Named(declared, folded, named.names[at])
            for at, (declared, folded) in enumerate(operations)
            if at not in dropped
        ]

    def _tools(self, operation: _Named) -> tuple[ToolDefinition, ...]:
        declarations = operation.declared.declarations
        descriptor = operation.declared.descriptor
        curation = resolve_curation(
            descriptor,
            declarations.operation.arguments,
            [record.arguments for record in declarations.containers],
            self._options.curation.rules,
            folded_routes=operation.folded.alternate_routes,
        )
        self._findings += curation.diagnostics
        if _is_dropped(judge(curation.diagnostics, self._severities)):
            return ()
        build = self._build_tools(
            replace(descriptor, arguments=curation.records),
            operation,
            sealed=curation.sealed,
            optional=curation.optional,
        )
        self._findings += build.diagnostics
        return build.tools

    def _build_tools(
        self,
        descriptor: EndpointDescriptor,
        operation: _Named,
        *,
        sealed: Collection[str],
        optional: Collection[str],
    ) -> ToolBuild:
        options = self._options
        return build_tools(
            descriptor,
            operation.names,
            alternate_routes=operation.folded.alternate_routes,
            fill_sources=options.fills.keys(),
            file_ref_description=(
                options.files.ref_description if options.files.resolver is not None else None
            ),
            parses=options.query.parses,
            identity_carriers=_identity_slots(options),
            sealed=sealed,
            optional=optional,
        )

    def _report(self, findings: Iterable[SharedFinding]) -> set[int]:
        """Keep shared findings; return the operations that a lowered one drops."""
        dropped: set[int] = set()
        for finding in findings:
            self._findings.append(finding.diagnostic)
            if self._severities.get(finding.diagnostic.code) is Severity.ENDPOINT_DROPPED:
                dropped.update(finding.involved)
        return dropped


def _severities(options: Options) -> Mapping[str, Severity]:
    return {**options.diagnostics.downgrade, **options.diagnostics.escalate}


def _is_dropped(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(found.severity.rank >= Severity.ENDPOINT_DROPPED.rank for found in diagnostics)


def _identity_slots(options: Options) -> tuple[tuple[str, str], ...]:
    headers = (("header", name) for name in options.identity.carriers)
    cookies = (("cookie", name) for name in options.identity.cookies)
    return (*headers, *cookies)
