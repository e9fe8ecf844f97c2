"""The responses of a documented operation (spec: openapi 4, tool-definition 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.catalog.media_choice import bare_media_type
from sezzlee_py.catalog.media_types import is_json
from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.catalog.schema.slots import Direction
from sezzlee_py.model import Response
from sezzlee_py.openapi.document import ApiDocument, FindingList, Located, origin_of

_STATUS: Final = re.compile(r"[1-5](?:\d\d|XX)|default")
_PREFERRED: Final = ("200", "201", "202", "204")
_STREAMS: Final = frozenset(
    {
        "text/event-stream",
        "application/jsonl",
        "application/x-ndjson",
        "application/json-seq",
    }
)
_JSON_RANGES: Final = frozenset({"*/*", "application/*"})
# FastAPI adds this to every operation with parameters or a body.
_VALIDATION_ERROR: Final = "#/components/schemas/HTTPValidationError"


def read_responses(
    document: ApiDocument, operation: Located, findings: FindingList
) -> Mapping[str, Response]:
    """Return every declared response; a success that only streams is reported."""
    declared = operation.node.get("responses", {})
    place = pointer_to(operation.pointer, "responses")
    if not isinstance(declared, Mapping):
        findings.invalid("responses is an object", place)
        return MappingProxyType({})
    located: dict[str, Located] = {}
    for key, node in declared.items():
        status, pointer = _status(key), pointer_to(place, key)
        if str(key).startswith("x-"):
            continue
        if status is None:
            findings.invalid(f"{key!r} is no status, range or default", pointer)
            continue
        response = document.resolve(node, pointer, findings)
        if response is not None and not _is_automatic(document, status, response):
            located[status] = response
    _check_streams(located, findings)
    return MappingProxyType(
        {status: _read(document, response, findings) for status, response in located.items()}
    )


def primary_status(statuses: Mapping[str, Any]) -> str | None:
    """Return the status of the response that describes a success, `None` without one."""
    successes = sorted(status for status in statuses if status.startswith("2"))
    exact = [status for status in successes if status != "2XX"]
    preferred = [status for status in _PREFERRED if status in statuses]
    return next(iter((*preferred, *exact, *successes)), None)


def _status(key: Any) -> str | None:
    text = str(key) if isinstance(key, int | str) else ""
    text = text.upper() if text[1:].upper() == "XX" else text
    return text if _STATUS.fullmatch(text) else None


def _is_automatic(document: ApiDocument, status: str, response: Located) -> bool:
    if not document.is_fastapi or status != "422":
        return False
    found = _json_schema(response)
    return found is not None and found[0] == {"$ref": _VALIDATION_ERROR}


def _content(response: Mapping[str, Any]) -> Mapping[str, Any]:
    content = response.get("content")
    return content if isinstance(content, Mapping) else {}


def _json_schema(response: Located) -> tuple[Any, str] | None:
    """Return the schema of a JSON answer and where it stands, `None` without one."""
    found: tuple[Any, str] | None = None
    for key, entry in _content(response.node).items():
        media_type = bare_media_type(str(key))
        if not isinstance(entry, Mapping) or "schema" not in entry or "itemSchema" in entry:
            continue
        place = pointer_to(response.pointer, "content", key, "schema")
        schema = (entry["schema"], origin_of(entry, place))
        if media_type == "application/json":
            return schema
        if found is None and (
            media_type in _JSON_RANGES or (is_json(media_type) and media_type not in _STREAMS)
        ):
            found = schema
    return found


def _check_streams(located: Mapping[str, Located], findings: FindingList) -> None:
    primary = primary_status(located)
    if primary is None:
        return
    response = located[primary]
    content = _content(response.node)
    if content and all(_is_stream(str(key), entry) for key, entry in content.items()):
        findings.add(
            "streaming_response_unsupported",
            f"the response {primary} only streams ({', '.join(map(str, content))}); "
            "offer a JSON answer for agents",
            pointer=pointer_to(response.pointer, "content"),
        )


def _is_stream(key: str, entry: Any) -> bool:
    return bare_media_type(key) in _STREAMS or (
        isinstance(entry, Mapping) and "itemSchema" in entry
    )


def _read(document: ApiDocument, response: Located, findings: FindingList) -> Response:
    description = response.node.get("description")
    chosen = _json_schema(response) if document.output_schemas else None
    schema: dict[str, Any] | None = None
    if chosen is not None and chosen[0] not in ({}, True):
        reading = document.schemas.reading(direction=Direction.RESPONSE)
        schema = document.place_alone(chosen[0], reading, chosen[1], findings).schema
    return Response(
        schema=schema or None, description=description if isinstance(description, str) else None
    )
