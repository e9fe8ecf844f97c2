"""From a backend's answer to the envelope the agent reads (spec: results 1, 3 to 5)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sezzlee_py.errors import BackendCode
from sezzlee_py.invoke.builtin_recognizers import is_problem, recognize_builtin
from sezzlee_py.invoke.field_names import FieldNames
from sezzlee_py.invoke.leak_filter import is_forwardable, is_forwardable_location, leak_pattern
from sezzlee_py.invoke.recognizers import ErrorResponse, Recognized, Recognizer, ReportedField
from sezzlee_py.invoke.response_body import MAX_DECODED_BYTES, BodyKind, ResponseBody, read_body
from sezzlee_py.invoke.statuses import INVALID_FIELDS, WITHHELD_FIELD, Outcome, outcome_of
from sezzlee_py.model import BackendResponse, Envelope

LOGGER: Final = logging.getLogger("sezzlee_py")

MAX_FIELDS: Final = 50

_REFERENCE_HEADERS: Final = ("x-correlation-id", "x-request-id", "request-id", "x-trace-id")
_REFERENCE: Final = re.compile(r"[A-Za-z0-9:_.\-]{1,100}")
_WHOLE_SECONDS: Final = re.compile(r"[0-9]{1,15}")


def map_response(
    response: BackendResponse,
    names: FieldNames,
    *,
    recognizers: Sequence[Recognizer] = (),
    mapper: Recognizer | None = None,
    forward_html: bool = False,
    max_decoded_bytes: int = MAX_DECODED_BYTES,
) -> Envelope:
    """Return the envelope of `response`: the body of a success, what is safe to tell of an error.

    Args:
        response: the application's answer.
        names: of the tool that was called.
        recognizers: the host's, asked in order about every error except a 401.
        mapper: the host's replacement for all recognisers, its own and the built-in ones.
        forward_html: whether the HTML body of a 2xx is written too.
        max_decoded_bytes: where decompression of a body stops.
    """
    if response.status < 400:
        body = read_body(response, max_decoded_bytes=max_decoded_bytes)
        return _success(response, body, forward_html=forward_html)
    outcome = outcome_of(response.status)
    if outcome.code is BackendCode.UNAUTHENTICATED:
        return _error(outcome, outcome.message)
    body = read_body(response, max_decoded_bytes=max_decoded_bytes)
    retry_after = _retry_after(response) if outcome.retryable else None
    reference = _reference(response, body) if response.status >= 500 else None
    found = _recognize(
        ErrorResponse(
            status=response.status,
            headers=response.headers,
            media_type=body.content_type.media_type,
            kind=body.kind,
            value=body.value,
            text=body.text,
            names=names,
        ),
        recognizers if mapper is None else (mapper,),
        builtin=mapper is None and response.status < 500,
    )
    return _described(outcome, found, names, retry_after, reference)


# --- success ---------------------------------------------------------------------------------


def _success(response: BackendResponse, body: ResponseBody, *, forward_html: bool) -> Envelope:
    payload: dict[str, Any] = {"status": response.status}
    if body.oversized is not None:
        return Envelope(payload=payload, oversized=body.oversized, cut_kind=body.cut_kind)
    content_type = body.content_type.header
    if body.kind is BodyKind.JSON:
        payload["body"] = body.value
    elif body.kind is not BodyKind.EMPTY:
        forwards_page = forward_html and 200 <= response.status < 300
        if body.kind is BodyKind.TEXT or (body.kind is BodyKind.HTML and forwards_page):
            payload["body"] = body.text
        if content_type is not None:
            payload["contentType"] = content_type
    if 300 <= response.status < 400:
        location = response.header("location")
        if location and is_forwardable_location(location):
            payload["location"] = location
    return Envelope(payload=payload)


# --- errors ----------------------------------------------------------------------------------


def _recognize(
    response: ErrorResponse, recognizers: Iterable[Recognizer], *, builtin: bool
) -> Recognized | None:
    for recognizer in recognizers:
        try:
            found = recognizer(response)
        except Exception:
            # A host's own code: its fault must not cost the agent the answer.
            LOGGER.exception("the error recogniser %r failed and was skipped", recognizer)
            continue
        if found is not None and not _is_usable(found):
            LOGGER.error("the error recogniser %r returned no Recognized: skipped", recognizer)
        elif found:
            return found
    return recognize_builtin(response) if builtin else None


def _is_usable(found: object) -> bool:
    return (
        isinstance(found, Recognized)
        and isinstance(found.message, str | None)
        and isinstance(found.fields, Sequence)
        and all(
            isinstance(field, ReportedField)
            and isinstance(field.message, str)
            and isinstance(field.name, str | None)
            and isinstance(field.path, tuple | None)
            and all(isinstance(part, str | int) for part in field.path or ())
            for field in found.fields
        )
    )


def _described(
    outcome: Outcome,
    found: Recognized | None,
    names: FieldNames,
    retry_after: int | None,
    reference: str | None,
) -> Envelope:
    found = found or Recognized()
    fields = [_field_entry(field, names) for field in found.fields[:MAX_FIELDS]]
    code, message = outcome.code, _standard_message(outcome, retry_after, reference)
    if fields and outcome.status in (400, 422):
        code, message = BackendCode.VALIDATION_FAILED, INVALID_FIELDS
    if found.message and _may_forward(found.message):
        message = found.message
    return _error(
        outcome,
        message,
        code=code,
        fields=fields,
        retry_after=retry_after,
        reference=reference,
    )


def _standard_message(outcome: Outcome, retry_after: int | None, reference: str | None) -> str:
    if outcome.code is BackendCode.RATE_LIMITED and retry_after is not None:
        return f"{outcome.message} Retry after {retry_after} seconds."
    if outcome.code is BackendCode.BACKEND_ERROR and reference is not None:
        return f"{outcome.message} Reference: {reference}."
    return outcome.message


def _error(
    outcome: Outcome,
    message: str,
    *,
    code: BackendCode | None = None,
    fields: Sequence[dict[str, str]] = (),
    retry_after: int | None = None,
    reference: str | None = None,
) -> Envelope:
    payload: dict[str, Any] = {
        "error": str(code or outcome.code),
        "message": message,
        "status": outcome.status,
        "retryable": outcome.retryable,
    }
    if fields:
        payload["fields"] = list(fields)
    if retry_after is not None:
        payload["retryAfterSeconds"] = retry_after
    if reference is not None:
        payload["reference"] = reference
    return Envelope(payload=payload, is_error=True)


def _field_entry(field: ReportedField, names: FieldNames) -> dict[str, str]:
    message = field.message if _may_forward(field.message) else WITHHELD_FIELD
    name = field.name if field.path is None else names.resolve(field.path, field.place)
    # A reported name is a forwarded string like any other, unless the tool itself publishes it.
    if name and (names.is_published(name) or _may_forward(name)):
        return {"name": name, "message": message}
    return {"message": message}


def _may_forward(text: str) -> bool:
    if is_forwardable(text):
        return True
    if LOGGER.isEnabledFor(logging.DEBUG):
        LOGGER.debug("a text of the backend was withheld: %s", leak_pattern(text))
    return False


def _retry_after(response: BackendResponse) -> int | None:
    value = (response.header("retry-after") or "").strip()
    return int(value) if _WHOLE_SECONDS.fullmatch(value) else None


def _reference(response: BackendResponse, body: ResponseBody) -> str | None:
    candidates = [
        value for name in _REFERENCE_HEADERS for key, value in response.headers if key == name
    ]
    if is_problem(body.content_type.media_type, body.value):
        trace = body.value.get("traceId")
        candidates += [trace] if isinstance(trace, str) else []
    fitting = (text for text in candidates if _REFERENCE.fullmatch(text))
    return next((text for text in fitting if is_forwardable(text)), None)
