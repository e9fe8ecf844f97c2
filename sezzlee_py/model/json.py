"""JSON values and their canonical bytes."""

from __future__ import annotations

import json
import json.encoder
import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

# JSON is read by shape, value by value; a recursive alias would only add casts.
JSONValue: TypeAlias = Any
JSONObject: TypeAlias = Mapping[str, Any]


def canonical_json(value: JSONValue) -> str:
    """Return `value` with keys sorted at every level, no white space, non-ASCII as is."""
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def compact_writer(
    default: Callable[[Any], Any] | None = None,
) -> Callable[[JSONValue], str]:
    """Return a function that writes JSON without white space, members in order, non-ASCII as is.

    It raises `ValueError` for `NaN` and `Infinity`, `RecursionError` for nesting without an end,
    and `TypeError` for what is no JSON and what `default` does not make JSON of.
    """
    encoder = json.JSONEncoder(
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
        check_circular=False,
        default=default,
    )
    # `encode` makes this object anew for every document, which costs as much as writing a small
    # one. It is undocumented; where an interpreter has none, or another, `encode` does the work.
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    quote = json.encoder.encode_basestring
    try:
        pieces = make(None, encoder.default, quote, None, ":", ",", False, False, False)
    except TypeError:
        return encoder.encode
    return lambda value: "".join(pieces(value, 0))


def read_json(text: str) -> JSONValue:
    """Return the value of `text`; the last of repeated keys wins, integers keep every digit.

    An escaped surrogate without its partner is U+FFFD, so that every text can be written again.

    Raises:
        ValueError: when it is not JSON, holds `NaN`, `Infinity` or a number beyond the double
            range, or nests deeper than the parser reads.
    """
    text = text.lstrip(_WHITE)
    try:
        value, end = _READER.raw_decode(text)
        if end != len(text) and text[end:].strip(_WHITE):
            raise ValueError("more than one JSON value")
        # Looking for one character is thirty times faster than for two, and those for a pattern.
        escaped = "\\" in text and "\\u" in text and _LONE_SURROGATE.search(text)
        return _without_lone_surrogates(value) if escaped else value
    except RecursionError:
        raise ValueError("JSON nested too deep") from None


def json_kind(value: JSONValue) -> str:
    """Return the JSON name of the type of `value`: `object`, `array`, `string` and so on."""
    if isinstance(value, bool):
        return "boolean"
    return next((kind for kind, types in _KINDS.items() if isinstance(value, types)), "null")


def _without_lone_surrogates(value: JSONValue) -> JSONValue:
    # By way of the text, because only there every string is one: UTF-16 decoding pairs them.
    text = json.dumps(value, ensure_ascii=False)
    return _READER.decode(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("number beyond the double range")
    return value


def _refuse_constant(name: str) -> JSONValue:
    raise ValueError(f"{name} is not JSON")


_WHITE: Final = " \t\n\r"
# What may spell a half without its partner: a first half that no second one follows, or that may
# be no escape at all behind another backslash, and a second half that no first one precedes.
_LONE_SURROGATE: Final = re.compile(
    r"\\u[dD](?:[89abAB](?:(?<=\\\\u[dD].)|..(?!\\u[dD][c-fC-F]))"
    r"|[c-fC-F](?<!\\u[dD][89abAB]..\\u[dD].))"
)
_READER: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant)
_KINDS: Final[Mapping[str, Any]] = MappingProxyType(
    {"string": str, "object": Mapping, "array": (list, tuple), "number": (int, float)}
)
