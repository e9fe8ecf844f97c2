"""What people write about an operation, kept only as far as its tool stands it."""

from __future__ import annotations

from dataclasses import replace

from sezzlee_flask.sources import request_reads
from sezzlee_flask.sources.documents import Reading
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.tool_builder import build_tools
from sezzlee_py.model import Diagnostic, Severity


def spared(
    operation: DiscoveredOperation, told: DiscoveredOperation, reading: Reading
) -> DiscoveredOperation:
    """Return an operation with what is told of it, without inputs that would take its tool away.

    What stands in a docstring or in a file beside the code is checked by nobody, and the route
    answers all the same. It is then read as if nothing were told of its inputs.

    Args:
        operation: as found.
        told: the same, with what is told of it.
        reading: how a view is read.
    """
    loss = _loss(told)
    if loss is None or _loss(operation) is not None:
        return told
    own = operation.descriptor
    bare = replace(
        operation,
        descriptor=replace(
            told.descriptor, parameters=own.parameters, request_body=own.request_body
        ),
    )
    kept = operation if _loss(bare) is not None else bare
    finding = replace(
        loss,
        severity=Severity.WARNING,
        message=f"what is written about its inputs cannot be, and is left out: {loss.message}",
    )
    noted = replace(kept, diagnostics=(*operation.diagnostics, finding))
    return request_reads.added(noted, reading)


def _loss(operation: DiscoveredOperation) -> Diagnostic | None:
    """Return the finding that takes the tool of an operation away, if one does."""
    built = build_tools(operation.descriptor, ("tool",))
    findings = (*operation.diagnostics, *built.diagnostics)
    lost = Severity.ENDPOINT_DROPPED.rank
    return next((found for found in findings if found.severity.rank >= lost), None)
