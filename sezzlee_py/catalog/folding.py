"""Several routes of one operation become one tool (spec: naming 7)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.model import Diagnostic, EndpointDescriptor


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedOperation:
    """One operation: the index of the descriptor that is kept, and what was folded into it.

    `alternate_routes` are the routes given up, shortest first, without the kept one.
    """

    kept: int
    folded: tuple[int, ...] = ()
    alternate_routes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Folding:
    """The operations, each where its first descriptor stood, and the findings."""

    operations: tuple[FoldedOperation, ...]
    diagnostics: tuple[Diagnostic, ...]


def fold_routes(descriptors: Sequence[EndpointDescriptor]) -> Folding:
    """Return the operations of selected descriptors, the shortest route of each kept.

    Without an operation id nothing is grouped. The order of the descriptors decides nothing.
    """
    groups: dict[Hashable, list[int]] = {}
    for index, descriptor in enumerate(descriptors):
        groups.setdefault(_identity(descriptor) or index, []).append(index)
    operations = tuple(_fold(group, descriptors) for group in groups.values())
    diagnostics = [
        _route_folded(operation, descriptors[operation.kept])
        for operation in operations
        if operation.alternate_routes
    ]
    return Folding(operations=operations, diagnostics=tuple(diagnostics))


def _identity(descriptor: EndpointDescriptor) -> Hashable:
    if descriptor.operation_id is None:
        return None
    # A container that is known by name only is one container.
    container = descriptor.container_key or descriptor.container
    return container, descriptor.operation_id, descriptor.method.upper(), descriptor.endpoint_key


def _fold(group: list[int], descriptors: Sequence[EndpointDescriptor]) -> FoldedOperation:
    if len(group) == 1:
        return FoldedOperation(kept=group[0])

    kept = min(group, key=lambda index: _route_rank(descriptors[index].route))
    twins = [index for index in group if descriptors[index].route == descriptors[kept].route]
    if len(twins) > 1:
        # Only content is left to tell them apart, whatever their order.
        kept = min(twins, key=lambda index: repr(descriptors[index]))
    folded = tuple(index for index in group if index != kept)
    routes = {descriptors[index].route for index in folded} - {descriptors[kept].route}
    return FoldedOperation(
        kept=kept, folded=folded, alternate_routes=tuple(sorted(routes, key=_route_rank))
    )


def _route_rank(route: str) -> tuple[int, str]:
    return len(route), route


def _route_folded(operation: FoldedOperation, kept: EndpointDescriptor) -> Diagnostic:
    others = ", ".join(operation.alternate_routes)
    message = (
        f"operation {kept.operation_id!r} is one tool on {kept.route}, because {others} lead to "
        "the same function and are searched, never called"
    )
    return subject_of(kept).diagnostic("route_folded", message)
