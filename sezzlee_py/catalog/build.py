"""From what an adapter found to a catalog: selection, folding, names, curation, tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery
from sezzlee_py.catalog.bound import bind_operation
from sezzlee_py.catalog.collector import collector_held
from sezzlee_py.catalog.curation import resolve_curation
from sezzlee_py.catalog.declared import (
    DeclarationReader,
    Declarations,
    DeclaredOperation,
    declare_operation,
)
from sezzlee_py.catalog.family_sources import NOT_LOADED, FamilySources, SourceStates
from sezzlee_py.catalog.folding import FoldedOperation, fold_routes
from sezzlee_py.catalog.naming import assign_names
from sezzlee_py.catalog.operation_ids import assign_operation_ids
from sezzlee_py.catalog.report import Severities, judge
from sezzlee_py.catalog.selection import select
from sezzlee_py.catalog.shared_findings import SharedFinding
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.catalog.tool_builder import ToolBuild, build_tools
from sezzlee_py.model import Diagnostic, EndpointDescriptor, Severity, ToolDefinition
from sezzlee_py.options import Options


def build_catalog(
    discovery: Discovery,
    options: Options,
    *,
    generation: int = 1,
    members: SourceStates = NOT_LOADED,
) -> Catalog:
    """Return the catalog of a walked application; the order of discovery decides nothing.

    The catalog is returned whatever was found; `Catalog.fatal` tells whether it may be served.
    """
    return CatalogBuild(discovery, options).finish(generation=generation, members=members)


@dataclass(frozen=True, slots=True)
class _Kept:
    """One operation on its kept route, with what was folded into it."""

    declared: DeclaredOperation
    folded: FoldedOperation


@dataclass(frozen=True, slots=True)
class _Named:
    """One operation that tools are made from, with their names."""

    declared: DeclaredOperation
    folded: FoldedOperation
    descriptor: EndpointDescriptor
    names: tuple[str, ...]


class CatalogBuild:
    """One build in two steps: what is selected, then its tools once the members are there.

    Args:
        discovery: what the adapter found.
        options: the host's, checked.

    Attributes:
        walked: the framework's facts of every operation that was found.
        offered_around: the operations that only a declaration around them offers.
    """

    @collector_held()
    def __init__(self, discovery: Discovery, options: Options) -> None:
        self._options = options
        self._severities = Severities(options.diagnostics)
        self._findings: list[Diagnostic] = list(discovery.diagnostics)
        self._discovered = sum(operation.reachable for operation in discovery.operations)
        self.offered_around: tuple[str, ...] = ()
        self._selected = self._select(discovery.operations)
        self.walked = tuple([operation.descriptor for operation in discovery.operations])

    @property
    def sources(self) -> tuple[str, ...]:
        """The registered member sources that selected families take their members from."""
        families = (operation.declarations.operation.family for operation in self._selected)
        named = {family.source for family in families if family is not None and family.source}
        return tuple(sorted(named.intersection(self._options.families)))

    @collector_held()
    def finish(self, *, generation: int = 1, members: SourceStates = NOT_LOADED) -> Catalog:
        """Return the catalog, whatever was found.

        Args:
            generation: the catalog's.
            members: what the sources gave, by their names.
        """
        kept = self._fold(self._selected)
        named = self._name(self._bind(kept, members))
        tools = [tool for operation in named for tool in self._tools(operation)]
        return Catalog(
            tools=tuple(sorted(tools, key=lambda tool: tool.name)),
            diagnostics=judge(self._findings, self._severities),
            generation=generation,
            discovered=self._discovered,
            selected=len(self._selected),
        )

    def _select(self, operations: Sequence[DiscoveredOperation]) -> list[DeclaredOperation]:
        options = self._options
        ids = assign_operation_ids([op for op in operations if op.reachable])
        left = iter(ids)
        reader = DeclarationReader()
        declared = [reader.read(operation) for operation in operations]
        selection = select(
            [(o.descriptor, d) for o, d in zip(operations, declared, strict=True)],
            default=options.selection.default,
            rules=options.selection.rules,
        )
        dropped = self._report(selection.findings)
        selected: list[DeclaredOperation] = []
        chosen = set(selection.selected) - dropped
        self.offered_around = tuple(
            operations[at].descriptor.operation
            for at in sorted(chosen)
            if selection.choices[at].level == "container" and operations[at].reachable
        )
        for at, operation in enumerate(operations):
            operation_id = next(left) if operation.reachable else None
            if at not in chosen:
                continue
            if operation.reachable:
                selected.append(self._declare(operation, operation_id, declared[at]))
            else:
                self._findings += operation.diagnostics
        return selected

    def _declare(
        self, operation: DiscoveredOperation, operation_id: str | None, declared: Declarations
    ) -> DeclaredOperation:
        return declare_operation(
            operation,
            operation_id,
            declared,
            tags=self._options.tags,
            search_terms=self._options.search_terms,
        )

    def _fold(self, selected: Sequence[DeclaredOperation]) -> list[_Kept]:
        usable: list[DeclaredOperation] = []
        for operation in selected:
            found = operation.discovered.diagnostics
            if self._is_dropped(found):
                self._findings += found
            else:
                usable.append(operation)
        folding = fold_routes([operation.descriptor for operation in usable])
        self._findings += folding.diagnostics
        return [_Kept(usable[folded.kept], folded) for folded in folding.operations]

    def _bind(
        self, operations: Iterable[_Kept], members: SourceStates
    ) -> list[tuple[_Kept, EndpointDescriptor]]:
        sources = FamilySources(registered=self._options.families.keys(), states=members)
        bound: list[tuple[_Kept, EndpointDescriptor]] = []
        for kept in operations:
            # Of the routes of one operation only the kept one is spoken of.
            self._findings += kept.declared.discovered.diagnostics
            self._findings += kept.declared.diagnostics
            operation = bind_operation(kept.declared, self._options, sources)
            self._findings += operation.diagnostics
            if not self._is_dropped((*kept.declared.diagnostics, *operation.diagnostics)):
                bound.append((kept, operation.descriptor))
        return bound

    def _name(self, operations: Sequence[tuple[_Kept, EndpointDescriptor]]) -> list[_Named]:
        naming = self._options.naming
        named = assign_names(
            [descriptor for _, descriptor in operations],
            prefix=naming.prefix,
            prefix_mode=naming.prefix_mode,
            on_collision=naming.on_collision,
            sourced={at for at, (kept, _) in enumerate(operations) if _is_sourced(kept.declared)},
        )
        dropped = self._report(named.findings)
        return [
            _Named(kept.declared, kept.folded, descriptor, named.names[at])
            for at, (kept, descriptor) in enumerate(operations)
            if at not in dropped
        ]

    def _tools(self, operation: _Named) -> tuple[ToolDefinition, ...]:
        declarations = operation.declared.declarations
        descriptor = operation.descriptor
        curation = resolve_curation(
            descriptor,
            declarations.operation.arguments,
            [record.arguments for record in declarations.containers],
            self._options.curation.rules,
            folded_routes=operation.folded.alternate_routes,
        )
        self._findings += curation.diagnostics
        if self._is_dropped(curation.diagnostics):
            return ()
        build = self._build_tools(
            replace(descriptor, arguments=curation.records) if curation.records else descriptor,
            operation,
            sealed=curation.sealed,
            optional=curation.optional,
        )
        self._findings += build.diagnostics
        return () if self._is_dropped(build.diagnostics) else build.tools

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
        """Keep shared findings; return the operations they drop."""
        dropped: set[int] = set()
        for finding in findings:
            self._findings.append(finding.diagnostic)
            if self._is_dropped([finding.diagnostic]):
                dropped.update(finding.involved)
        return dropped

    def _is_dropped(self, diagnostics: Iterable[Diagnostic]) -> bool:
        """Whether one of an operation's findings takes it away.

        A host can have a warning take it away, but lowering a severity mends nothing.
        """
        return any(
            severity.rank >= Severity.ENDPOINT_DROPPED.rank
            for found in diagnostics
            for severity in (found.severity, self._severities.of(found))
        )


def _is_sourced(operation: DeclaredOperation) -> bool:
    family = operation.declarations.operation.family
    return family is not None and family.source is not None


def _identity_slots(options: Options) -> tuple[tuple[str, str], ...]:
    headers = (("header", name) for name in options.identity.carriers)
    cookies = (("cookie", name) for name in options.identity.cookies)
    return (*headers, *cookies)
