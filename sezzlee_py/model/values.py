"""JSON values as the text a request carries (spec: arguments 3 to 5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from json import JSONEncoder
from json.encoder import encode_basestring
from typing import Any, Final

from sezzlee_py.errors import ErrorCode
from sezzlee_py.model.json import JSONValue
from sezzlee_py.model.template import ScalarKind

MAX_INTEGER_DIGITS: Final = 1000
# Deeper than a JSON parser reads on the other side; also where a cyclic value ends.
MAX_JSON_DEPTH: Final = 1000

_INTEGER_LIMIT: Final = 10**MAX_INTEGER_DIGITS
# An interpreter may be told to refuse integers of more than 640 digits, never fewer.
_CHUNK_DIGITS: Final = 500
_CHUNK: Final = 10**_CHUNK_DIGITS
_SAFE_INTEGER: Final = 2**53 - 1
_STANDARD: Final = JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL_OR_BACKSLASH = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")


# --- text -----------------------------------------------------------------------------------


def without_lone_surrogates(text: str) -> str:
    """Return `text` with every surrogate that has no partner as U+FFFD, so that UTF-8 writes it."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def path_value_fault(text: str, *, spans_segments: bool) -> ErrorCode | None:
    """Return why `text` may not fill a path parameter, or `None` when it may.

    Servers decode the path before they route it, so encoding alone keeps no value inside its
    segment.

    Args:
        text: the written value, not yet percent-encoded.
        spans_segments: whether the parameter's converter accepts `/`.
    """
    if not text:
        return ErrorCode.MISSING_PATH_PARAMETER
    if _CONTROL_OR_BACKSLASH.search(text):
        return ErrorCode.INVALID_PATH_TYPE
    if "/" not in text:
        return ErrorCode.INVALID_PATH_TYPE if text in (".", "..") else None
    if not spans_segments or text.startswith("/") or "//" in text:
        return ErrorCode.INVALID_PATH_TYPE
    segments = text.split("/")
    return ErrorCode.INVALID_PATH_TYPE if "." in segments or ".." in segments else None


# --- numbers --------------------------------------------------------------------------------


def canonical_number(value: float) -> str:
    """Return a number in its shortest form that reads back, laid out as ECMAScript does.

    Integers keep every digit.

    Raises:
        ValueError: when it is not finite, or an integer of more digits than Python writes.
    """
    if isinstance(value, int):
        return _digits(value)
    text = float.__repr__(value)
    if "e" not in text:
        if "n" in text:
            raise ValueError("not a finite number")
        whole = text.removesuffix(".0")
        return "0" if whole == "-0" else whole
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(text), "f")
    mantissa, exponent = text.split("e")
    return f"{mantissa}e{int(exponent):+d}"


def _digits(value: int) -> str:
    if -_CHUNK < value < _CHUNK or abs(value) >= _INTEGER_LIMIT:
        return int.__repr__(value)
    head, tail = divmod(abs(value), _CHUNK)
    return f"{'-' if value < 0 else ''}{head}{tail:0{_CHUNK_DIGITS}d}"


# --- scalars of a slot ----------------------------------------------------------------------


def write_scalar(
    value: JSONValue, kinds: tuple[ScalarKind, ...], *, fractional: bool = False
) -> str | None:
    """Return the text of `value` in a slot, or `None` when the slot refuses it.

    Args:
        value: a JSON value.
        kinds: the accepted types, the first that accepts decides; empty accepts any scalar.
        fractional: whether a number must be written with a fraction (Werkzeug's `float`).
    """
    if not kinds:
        return _write_any(value)
    for kind in kinds:
        text = _WRITERS[kind](value)
        if text is not None:
            return _with_fraction(text) if fractional and kind is ScalarKind.NUMBER else text
    return None


def _write_string(value: JSONValue) -> str | None:
    # `str(value)` of an enum member is its name.
    return str.__str__(value) if isinstance(value, str) else None


def _write_boolean(value: JSONValue) -> str | None:
    return ("true" if value else "false") if isinstance(value, bool) else None


def _write_integer(value: JSONValue) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return _digits(value) if -_INTEGER_LIMIT < value < _INTEGER_LIMIT else None
    if isinstance(value, float) and value.is_integer() and abs(value) <= _SAFE_INTEGER:
        return _digits(int(value))
    return None


def _write_number(value: JSONValue) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return canonical_number(float(value))
    except (OverflowError, ValueError):
        return None


def _write_any(value: JSONValue) -> str | None:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return _write_boolean(value)
    return _write_integer(value) if isinstance(value, int) else _write_number(value)


_WRITERS: Final[Mapping[ScalarKind, Callable[[JSONValue], str | None]]] = {
    ScalarKind.STRING: _write_string,
    ScalarKind.BOOLEAN: _write_boolean,
    ScalarKind.INTEGER: _write_integer,
    ScalarKind.NUMBER: _write_number,
}


def _with_fraction(text: str) -> str:
    # A converter that demands a fraction knows no exponent either.
    plain = format(Decimal(text), "f")
    return plain if "." in plain else f"{plain}.0"


# --- JSON -----------------------------------------------------------------------------------


def write_json(value: JSONValue) -> str:
    """Return `value` as JSON without white space, members in received order.

    Numbers are canonical and integers exact; only `"`, `\\` and controls are escaped; lone
    surrogates become U+FFFD.

    Raises:
        ValueError: when `value` is not JSON: a number that is not finite, a type that JSON has not,
            or nesting beyond `MAX_JSON_DEPTH`.
    """
    scalar = _JSON_SCALARS.get(type(value))
    if scalar is not None:
        return scalar(value)
    quick = _write_quickly(value)
    return _write_nested(value) if quick is None else quick


def _write_quickly(value: JSONValue) -> str | None:
    """The standard encoder's text where it is certain to be ours, else `None`."""
    try:
        text = _STANDARD.encode(value)
    except (ValueError, TypeError, RecursionError):
        return None
    # Python's and ECMAScript's layouts of a number differ only where one of these is written.
    if ".0" in text or "e-" in text or "e+" in text:
        return None
    if text.count("[") + text.count("{") > MAX_JSON_DEPTH:
        return None
    return without_lone_surrogates(text)


def _write_nested(value: JSONValue) -> str:
    # An explicit stack: how deep a value may be must not depend on who calls.
    pieces: list[str] = []
    stack: list[Iterator[tuple[str, Any]]] = [iter((("", value),))]
    while stack:
        for prefix, item in stack[-1]:
            pieces.append(prefix)
            scalar = _JSON_SCALARS.get(type(item))
            if scalar is not None:
                pieces.append(scalar(item))
                continue
            children = _children(item)
            if children is None:
                pieces.append(_write_subclass(item))
                continue
            if len(stack) > MAX_JSON_DEPTH:
                raise ValueError("JSON nested too deep")
            stack.append(children)
            break
        else:
            stack.pop()
    return "".join(pieces)


class _End:
    """Stands after the last child of a container, so that its bracket has something to precede."""


_END: Final = _End()


def _children(value: JSONValue) -> Iterator[tuple[str, Any]] | None:
    if isinstance(value, Mapping):
        return _members(value)
    return _elements(value) if isinstance(value, list | tuple) else None


def _members(value: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    separator = "{"
    for key, item in value.items():
        yield f"{separator}{_quote(_key(key))}:", item
        separator = ","
    yield "}" if separator == "," else "{}", _END


def _key(key: object) -> str:
    # What is no string becomes one as in the standard library.
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, int | float):
        return write_json(key)
    raise ValueError("not the key of a JSON object")


def _elements(value: list[Any] | tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    separator = "["
    for item in value:
        yield separator, item
        separator = ","
    yield "]" if separator == "," else "[]", _END


def _quote(text: str) -> str:
    return encode_basestring(without_lone_surrogates(text))


def _write_subclass(value: JSONValue) -> str:
    if isinstance(value, str):
        return _quote(str.__str__(value))
    if isinstance(value, int | float):
        return canonical_number(value)
    raise ValueError("not a JSON value")


_JSON_SCALARS: Final[Mapping[type, Callable[[Any], str]]] = {
    str: _quote,
    bool: lambda value: "true" if value else "false",
    int: _digits,
    float: canonical_number,
    type(None): lambda _: "null",
    _End: lambda _: "",
}
