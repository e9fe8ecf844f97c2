"""Declarations joined with what the framework knows: one descriptor per operation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.tags import HostTexts, resolve_search_terms, resolve_tags
from sezzlee_py.declaration import DeclarationRecord, container_records, read_record
from sezzlee_py.model import AnnotationHints, Diagnostic, EndpointDescriptor, Family


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """What is declared about one operation.

    `operation` is the record of its function, an empty one where nothing is declared;
    `containers` are those of its class, router, blueprint and application, innermost first.
    """

    operation: DeclarationRecord = field(default_factory=DeclarationRecord)
    containers: tuple[DeclarationRecord, ...] = ()

    def levels(self) -> Iterator[DeclarationRecord]:
        """Yield the records, nearest first."""
        yield self.operation
        yield from self.containers


_NOTHING: Final = DeclarationRecord()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredOperation:
    """One operation with its declarations resolved into its descriptor.

    Curation, and what is said about body, query, responses, media type and files, is not resolved
    here: it needs the framework's facts and stays in `declarations`. The members of a family stay
    there too.
    """

    discovered: DiscoveredOperation
    descriptor: EndpointDescriptor
    declarations: Declarations
    diagnostics: tuple[Diagnostic, ...] = ()


class DeclarationReader:
    """Reads the declarations of operations; containers, which they share, once."""

    def __init__(self) -> None:
        # By identity, because a container may have an equality of its own.
        self._known: dict[tuple[int, ...], tuple[DeclarationRecord, ...]] = {}

    def read(self, discovered: DiscoveredOperation) -> Declarations:
        """Return what is declared on the endpoint and the containers of an operation.

        The operation must outlive the reader.
        """
        place = tuple(map(id, discovered.containers))
        if place not in self._known:
            self._known[place] = container_records(discovered.containers)
        own = read_record(discovered.endpoint) or read_record(discovered.inner)
        return Declarations(operation=own or _NOTHING, containers=self._known[place])


def read_declarations(discovered: DiscoveredOperation) -> Declarations:
    """Return what is declared on the endpoint and the containers of an operation."""
    return DeclarationReader().read(discovered)


def declare_operation(
    discovered: DiscoveredOperation,
    operation_id: str | None,
    declarations: Declarations | None = None,
    *,
    tags: HostTexts | None = None,
    search_terms: HostTexts | None = None,
) -> DeclaredOperation:
    """Return an operation with its declarations, per keyword the nearest one.

    Args:
        discovered: what the framework knows.
        operation_id: from `assign_operation_ids`.
        declarations: those of `read_declarations`, where they were read before.
        tags: `options.tags`.
        search_terms: `options.search_terms`.

    Raises:
        OptionsError: a callable of the options returned something that is no list of strings.
    """
    declared = declarations or read_declarations(discovered)
    known, own = discovered.descriptor, declared.operation
    tag_levels = (record.tags for record in declared.levels())
    term_levels = (record.search_terms for record in declared.levels())
    found_tags, tag_findings = resolve_tags(tag_levels, tags, known)
    found_terms, term_findings = resolve_search_terms(term_levels, search_terms, known)
    descriptor = replace(
        known,
        operation_id=operation_id,
        tool_name=_first(own.name, known.tool_name),
        container_prefix=_first(*(r.prefix for r in declared.levels()), known.container_prefix),
        description=_first(own.description, known.description),
        tags=found_tags,
        search_terms=found_terms,
        variants=own.variants or known.variants,
        family=Family(parameter=own.family.parameter) if own.family else known.family,
        annotations=_hints(declared, known.annotations),
    )
    findings = (*tag_findings, *term_findings)
    return DeclaredOperation(
        discovered=discovered,
        descriptor=descriptor,
        declarations=declared,
        diagnostics=subject_of(descriptor).diagnostics(findings) if findings else (),
    )


def _first(*values: str | None) -> str | None:
    return next((value for value in values if value is not None), None)


def _hints(declared: Declarations, known: AnnotationHints) -> AnnotationHints:
    """Hints, merged per key: nearest first, what the descriptor came with last."""
    levels = [*(record.hints for record in declared.levels()), known]

    def first(name: str) -> bool | None:
        return next((v for level in levels if (v := getattr(level, name)) is not None), None)

    return AnnotationHints(
        read_only=first("read_only"),
        destructive=first("destructive"),
        idempotent=first("idempotent"),
    )
