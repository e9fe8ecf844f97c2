"""The last step before emitting: measure the text, pass it whole or refuse it (spec: results 6)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sezzlee_py.errors import ErrorCode
from sezzlee_py.invoke.leak_filter import utf16_length
from sezzlee_py.invoke.sdk_errors import sdk_error
from sezzlee_py.model import Emission, Envelope, JSONObject, JSONValue
from sezzlee_py.model.json import compact_writer
from sezzlee_py.model.text import tokenize
from sezzlee_py.model.values import without_lone_surrogates

LOGGER: Final = logging.getLogger("sezzlee_py")

SEARCH_NARROWING: Final = ("query", "limit", "detail", "tags")
MAX_NARROWING: Final = 8

_DEFAULT_ADVICE: Final = "Constrains the result set."
_COUNTING: Final = frozenset(tokenize("limit top take max count size page per"))
_SELECTING: Final = frozenset(
    tokenize("offset skip cursor after before filter query search field select since from until")
    + tokenize("status")
)


def _plain(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


_write: Final = compact_writer(_plain)


@dataclass(frozen=True, slots=True)
class NarrowingField:
    """An argument that makes an answer smaller, and what it does."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class Shape:
    """What was refused, in counts alone: `array`, `object` or `text`.

    A body that was not read to its end was not counted, and there is no sentence about it.
    """

    kind: str
    count: int | None = None
    cut_off: bool = False

    def __str__(self) -> str:
        if self.cut_off:
            return ""
        if self.count is None:
            return "The body is not a JSON array or object."
        return _SHAPES[self.kind].format(count=self.count)


_REFUSED: Final = (
    "The response is {bytes} bytes; the limit is {limit} bytes. It is refused, not truncated: no"
    " part of the body was returned."
)
_SHAPES: Final = {
    "array": "The body is an array of {count} items.",
    "object": "The body is an object with {count} properties.",
    "text": "The body is a text value of {count} characters.",
}


def gate(
    envelope: Envelope,
    *,
    limit: int,
    input_schema: JSONObject | None = None,
    narrowing: Sequence[NarrowingField] | None = None,
) -> Emission:
    """Return the text to emit for `envelope`, or for the refusal of it when it is over `limit`.

    The text that is measured is the text that is emitted. Never raises: a payload that is not JSON
    becomes an `internal_error`.

    Args:
        envelope: the answer.
        limit: UTF-8 bytes that may be emitted.
        input_schema: of the tool, to find the arguments that narrow its answer.
        narrowing: those arguments where they are known already.
    """
    size = envelope.oversized
    if size is None:
        emission, size = _emission(envelope, limit)
        if size <= limit:
            return emission
        shape = shape_of(_body(envelope))
    else:
        shape = Shape(envelope.cut_kind, cut_off=True)
    if narrowing is None:
        narrowing = narrowing_fields(input_schema or {})
    refusal = too_large(size, limit, shape, narrowing)
    # A refusal passes at any limit: it is counts and names of the tool's own schema.
    return _emission(refusal, limit)[0]


def too_large(
    size: int, limit: int, shape: Shape, narrowing: Sequence[NarrowingField] = ()
) -> Envelope:
    """Return the refusal of an answer of `size` bytes."""
    texts = (_REFUSED.format(bytes=size, limit=limit), str(shape), _advice(narrowing))
    counted = {"kind": shape.kind} | ({} if shape.count is None else {"count": shape.count})
    return sdk_error(
        ErrorCode.RESPONSE_TOO_LARGE,
        " ".join(text for text in texts if text),
        fields=[{"name": field.name, "message": field.message} for field in narrowing],
        payload={"bytes": size, "limit": limit, "shape": counted},
    )


def _advice(narrowing: Sequence[NarrowingField]) -> str:
    if not narrowing:
        return "No argument of this call narrows the response."
    return f"Narrow it and call again: {', '.join(field.name for field in narrowing)}."


def narrowing_fields(input_schema: JSONObject) -> tuple[NarrowingField, ...]:
    """Return the arguments that narrow an answer: those that count first, then those that select.

    It depends on the schema alone, so a caller may keep it with the tool.
    """
    properties = input_schema.get("properties")
    if not isinstance(properties, Mapping):
        return ()
    tokens = {name: frozenset(tokenize(name)) for name in properties}
    counting = [name for name in properties if tokens[name] & _COUNTING]
    selecting = [
        name for name in properties if tokens[name] & _SELECTING and not tokens[name] & _COUNTING
    ]
    return described_fields(input_schema, (counting + selecting)[:MAX_NARROWING])


def described_fields(input_schema: JSONObject, names: Iterable[str]) -> tuple[NarrowingField, ...]:
    """Return `names` with their descriptions in `input_schema`, or the constant text."""
    properties = input_schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    return tuple(NarrowingField(name, _description(known.get(name))) for name in names)


def shape_of(body: JSONValue) -> Shape:
    """Return what a refusal tells about `body`; nothing of it is quoted."""
    if isinstance(body, list | tuple):
        return Shape("array", len(body))
    if isinstance(body, Mapping):
        return Shape("object", len(body))
    return Shape("text", utf16_length(body) if isinstance(body, str) else None)


def _description(schema: JSONValue) -> str:
    text = schema.get("description") if isinstance(schema, Mapping) else None
    return text if isinstance(text, str) and text.strip() else _DEFAULT_ADVICE


def _body(envelope: Envelope) -> JSONValue:
    # An invocation's body stands beside its status; the other meta-tools' answer is the body.
    if envelope.is_error:
        return None
    payload = envelope.payload
    return payload.get("body") if "status" in payload else payload


def _emission(envelope: Envelope, limit: int) -> tuple[Emission, int]:
    try:
        return _written(envelope.payload, envelope.is_error, limit)
    except (ValueError, TypeError, RecursionError):
        LOGGER.exception("an answer is no JSON and was replaced by internal_error")
        return _written(sdk_error(ErrorCode.INTERNAL_ERROR).payload, True, limit)


def _written(payload: dict[str, Any], is_error: bool, limit: int) -> tuple[Emission, int]:
    """The answer as text and its size: never less than it is, exact where that is over `limit`."""
    text = _write(payload)
    try:
        size = len(text) if text.isascii() else _size(text, limit)
    except UnicodeEncodeError:
        # JSON escapes can spell half a character, UTF-8 cannot.
        text = without_lone_surrogates(text)
        payload, size = json.loads(text), len(text.encode())
    return Emission(text=text, payload=payload, is_error=is_error), size


def _size(text: str, limit: int) -> int:
    """The UTF-8 bytes of a text; a bound of them where Latin-1 says that no more can be meant."""
    bound = 2 * len(text)
    if bound <= limit:
        # Python keeps a text of Latin-1 as its bytes, so this is a copy: thirty times faster than
        # UTF-8, and none of its characters is half of one.
        try:
            text.encode("latin-1")
        except UnicodeEncodeError:
            pass
        else:
            return bound
    return len(text.encode())
