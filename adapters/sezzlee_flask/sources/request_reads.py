"""Inputs that a view reads by a literal name, where nobody documents them: its query, its form.

Whatever is found is optional.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from sezzlee_flask.sources.documents import Reading
from sezzlee_flask.sources.helper_reads import helper_reads
from sezzlee_flask.sources.json_reads import json_fields_read
from sezzlee_flask.sources.named_reads import named_reads
from sezzlee_flask.sources.view_source import function_of, reader_of, source_of_view
from sezzlee_py.catalog.adapter import WRITES, DiscoveredOperation
from sezzlee_py.catalog.declared import read_declarations
from sezzlee_py.catalog.key_reads import agreed
from sezzlee_py.catalog.media_types import MULTIPART, URLENCODED
from sezzlee_py.model import JSONObject
from sezzlee_py.openapi.read_inputs import (
    has_query,
    is_body_open,
    with_fields_read,
    with_query_read,
)

# `request.values` is the query and the form in one.
_OF_QUERY: Final = ("args", "values")
_OF_FORM: Final = ("form", "values")
# Of a body in another media type.
_OF_OTHERS: Final = frozenset({"data", "get_data", "get_json", "is_json", "json", "stream"})
# Of a body that a tool can send without being told more.
_OF_BODY: Final = ("files", "form", "get_json", "json")
_VERSION: Final = {"openapi": "3.1.0"}


def added(operation: DiscoveredOperation, reading: Reading) -> DiscoveredOperation:
    """Return an operation with the query arguments and form fields that its view reads by name.

    An operation that has query arguments already has all of them, and what is known of its body
    stays. That it has none is not known where its view reads one.
    """
    if operation.descriptor.request_body is None and reads_body(operation):
        operation = replace(operation, accepts=None)
    view, method = reader_of(operation), operation.descriptor.method
    formed = _with_form(operation, reading, view)
    told = formed
    if not has_query(operation):
        found = _query_read(view, method, is_form=formed is not operation)
        told = with_query_read(formed, found, carriers=reading.carriers, cookies=reading.cookies)
    if not is_body_open(told):
        return told
    return with_fields_read(told, json_fields_read(view, method))


def _query_read(view: object, method: str, *, is_form: bool) -> Mapping[str, JSONObject]:
    found = names_read(view, ("args",) if is_form else _OF_QUERY, method=method)
    # What both hold is written once.
    taken = _form_names_read(view, ("form", "files"), method) if found and is_form else {}
    return {name: schema for name, schema in found.items() if name not in taken}


def _with_form(
    operation: DiscoveredOperation, reading: Reading, view: object
) -> DiscoveredOperation:
    descriptor = operation.descriptor
    is_open = operation.accepts is None and descriptor.method in WRITES
    # What is read from the source takes no tool away, so a checked form stays unknown.
    if not is_open or operation.antiforgery or _is_declared(operation):
        return operation
    body = form_read(view, descriptor.method)
    if body is None:
        return operation
    told = reading.described(replace(operation, diagnostics=()), {"requestBody": body}, _VERSION)
    # Files that the host names beside the fields make any form one of parts.
    names_files = read_declarations(operation).operation.files is not None
    return replace(
        operation,
        descriptor=replace(descriptor, request_body=told.descriptor.request_body),
        accepts=None if names_files else told.accepts,
        diagnostics=(*operation.diagnostics, *told.diagnostics),
    )


def _is_declared(operation: DiscoveredOperation) -> bool:
    """Whether the host says anything about what the operation reads, beyond its files' names."""
    declared = read_declarations(operation)
    own = declared.operation
    told = (own.body, own.query, own.family, *(r.consumes for r in declared.levels()))
    return any(part is not None for part in told)


def reads_body(operation: DiscoveredOperation) -> bool:
    """Whether the view of a write certainly reads JSON or a form by itself."""
    method = operation.descriptor.method
    if method not in WRITES:
        return False
    source = source_of_view(function_of(operation), _OF_BODY, method)
    return source is not None and any(source.asked_of_request(_OF_BODY))


def names_read(
    endpoint: object,
    attributes: tuple[str, ...] = _OF_QUERY,
    unless: Collection[str] = (),
    method: str | None = None,
) -> Mapping[str, JSONObject]:
    """Return the query arguments that a function certainly reads, with their schemas.

    Args:
        endpoint: the innermost function of a handler.
        attributes: of the request, which hold the query.
        unless: attributes; nothing is read through a helper that uses one of them.
        method: of the request; what never runs for it does not count.
    """
    source = source_of_view(endpoint, attributes, method)
    own = {} if source is None else named_reads(source, attributes)
    return agreed((*own.items(), *helper_reads(endpoint, attributes, unless, method)))


def form_read(endpoint: object, method: str | None = None) -> JSONObject | None:
    """Return the form that a function certainly reads, as a request body of a document.

    `None` where it reads no field by name, or itself looks at the body in another way too.

    Args:
        endpoint: the innermost function of a handler.
        method: of the request; what never runs for it does not count.
    """
    source = source_of_view(endpoint, _OF_OTHERS, method)
    if source is not None and any(source.asked_of_request(_OF_OTHERS)):
        return None
    files = _form_names_read(endpoint, ("files",), method)
    if not files and not _form_names_read(endpoint, ("form",), method):
        return None
    texts = _form_names_read(endpoint, _OF_FORM, method)
    properties = {**texts, **{name: _file(schema) for name, schema in files.items()}}
    schema = {"type": "object", "properties": properties}
    media_type = MULTIPART if files else URLENCODED
    return {"required": True, "content": {media_type: {"schema": schema}}}


def _form_names_read(
    endpoint: object, attributes: tuple[str, ...], method: str | None
) -> Mapping[str, JSONObject]:
    # A helper that takes its names from JSON as well says nothing about the media type.
    return names_read(endpoint, attributes, unless=_OF_OTHERS, method=method)


def _file(read: JSONObject) -> JSONObject:
    one = {"type": "string", "format": "binary"}
    return {"type": "array", "items": one} if read.get("type") == "array" else one
