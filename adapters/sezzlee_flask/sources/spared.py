"""What people write about an operation, kept only as far as its tool stands it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sezzlee_flask.sources import request_reads
from sezzlee_flask.sources.documents import Reading, mapping_of
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.tool_builder import build_tools
from sezzlee_py.model import Diagnostic, Parameter, ParameterLocation, RequestBody, Severity


def spared(
    operation: DiscoveredOperation, told: DiscoveredOperation, reading: Reading
) -> DiscoveredOperation:
    """Return an operation with what is told of it, without inputs that would take its tool away.

    What stands in a docstring or in a file beside the code is checked by nobody, and the route
    answers all the same. What remains unknown of its inputs is then read as where nobody tells.

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
    kept = operation if _loss(bare) is not None else _with_sound_inputs(bare, told)
    finding = replace(
        loss,
        severity=Severity.WARNING,
        message=f"what is written about its inputs cannot be, and is left out: {loss.message}",
    )
    noted = replace(kept, diagnostics=(*operation.diagnostics, finding))
    return request_reads.added(noted, reading)


def _with_sound_inputs(bare: DiscoveredOperation, told: DiscoveredOperation) -> DiscoveredOperation:
    """Return an operation with those of the told inputs that each make a tool by themselves."""
    own = bare.descriptor
    parameters = [
        parameter
        for parameter in told.descriptor.parameters
        if parameter.location is not ParameterLocation.PATH
        and _loss(_with_inputs(bare, (*own.parameters, parameter), own.request_body)) is None
    ]
    kept = _with_inputs(bare, (*own.parameters, *parameters), own.request_body)
    if _loss(kept) is not None:
        return bare
    body = told.descriptor.request_body
    # What was found while it was read may be about any part of the body.
    if body is None or any(map(_takes_away, told.diagnostics)):
        return kept
    for written in (body, _with_sound_fields(bare, body)):
        whole = _with_inputs(kept, kept.descriptor.parameters, written)
        if written is not None and _loss(whole) is None:
            return replace(whole, accepts=told.accepts)
    return kept


def _with_sound_fields(bare: DiscoveredOperation, body: RequestBody) -> RequestBody | None:
    """Return a body without the optional fields that cannot be, `None` where too little is left."""
    fields = mapping_of(body.schema.get("properties"))
    sound = {
        name: field for name, field in fields.items() if _loss(_with_only(bare, body, name)) is None
    }
    if not sound or not sound.keys() >= {*_required(body)}:
        return None
    return replace(body, schema={**body.schema, "properties": sound})


def _with_only(bare: DiscoveredOperation, body: RequestBody, name: str) -> DiscoveredOperation:
    """Return an operation with a body that has one field of another."""
    fields = mapping_of(body.schema.get("properties"))
    required = [needed for needed in _required(body) if needed == name]
    schema = {**body.schema, "properties": {name: fields[name]}, "required": required}
    return _with_inputs(bare, bare.descriptor.parameters, replace(body, schema=schema))


def _required(body: RequestBody) -> Iterable[str]:
    names = body.schema.get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else ()


def _with_inputs(
    operation: DiscoveredOperation, parameters: Iterable[Parameter], body: RequestBody | None
) -> DiscoveredOperation:
    descriptor = replace(operation.descriptor, parameters=tuple(parameters), request_body=body)
    return replace(operation, descriptor=descriptor)


def _loss(operation: DiscoveredOperation) -> Diagnostic | None:
    """Return the finding that takes the tool of an operation away, if one does."""
    built = build_tools(operation.descriptor, ("tool",))
    findings = (*operation.diagnostics, *built.diagnostics)
    return next(filter(_takes_away, findings), None)


def _takes_away(found: Diagnostic) -> bool:
    return found.severity.rank >= Severity.ENDPOINT_DROPPED.rank
