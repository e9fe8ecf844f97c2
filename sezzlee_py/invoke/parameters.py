"""Path, header and cookie parameters (spec: arguments 2 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sezzlee_py.errors import ErrorCode
from sezzlee_py.invoke import faults
from sezzlee_py.invoke.encoding import (
    encode,
    encode_path,
    is_cookie_octets,
    is_header_text,
)
from sezzlee_py.invoke.slots import ToText, array_texts, is_array, slot_text
from sezzlee_py.model import JSONValue, ParameterSlot
from sezzlee_py.model.values import path_value_fault

ToOptionalText: TypeAlias = Callable[[JSONValue], str | None]


# --- path -----------------------------------------------------------------------------------


def path_writer(slot: ParameterSlot) -> ToText:
    """Return the writer of a path parameter: gate, encoding, then style."""
    prefix, key, join = _path_style(slot)
    element = _gated(slot)
    if not is_array(slot):
        return lambda value: f"{prefix}{key}{element(value)}"
    name, start = slot.agent_name, prefix + key

    def write(value: JSONValue) -> str:
        if not isinstance(value, list | tuple):
            raise faults.wrong_type(name, "array", ErrorCode.INVALID_PATH_TYPE)
        if not value:
            raise faults.path_missing([name])
        return start + join.join([element(item) for item in value])

    return write


def _path_style(slot: ParameterSlot) -> tuple[str, str, str]:
    if slot.style == "matrix":
        key = f"{encode(slot.name)}="
        return ";", key, f";{key}" if slot.explode else ","
    if slot.style == "label":
        return ".", "", "." if slot.explode else ","
    return "", "", ","


def _gated(slot: ParameterSlot) -> ToText:
    name, spans = slot.agent_name, slot.spans_segments
    text = slot_text(slot, ErrorCode.INVALID_PATH_TYPE)
    encoder = encode_path if spans else encode

    def write(value: JSONValue) -> str:
        written = text(value)
        fault = path_value_fault(written, spans_segments=spans)
        if fault is None:
            return encoder(written)
        if fault is ErrorCode.MISSING_PATH_PARAMETER:
            raise faults.path_missing([name])
        raise faults.path_misdirected(name)

    return write


def is_absent_in_path(value: JSONValue) -> bool:
    """Whether a path parameter counts as missing: no value, or a list of none."""
    return value is None or (isinstance(value, list | tuple) and not value)


# --- header ---------------------------------------------------------------------------------


def header_writer(slot: ParameterSlot) -> ToOptionalText:
    """Return the writer of a header's value; `None` for an empty array."""
    return _folded(slot, slot_text(slot), whole=lambda text: _header_text(slot.agent_name, text))


def _header_text(name: str, text: str) -> str:
    if not is_header_text(text):
        raise faults.header_injection(name)
    return text


# --- cookie ---------------------------------------------------------------------------------


def cookie_writer(slot: ParameterSlot) -> ToOptionalText:
    """Return the writer of a cookie's `name=value` pair; `None` for an empty array."""
    name, text = slot.name, slot_text(slot)
    write = _raw_cookie(slot.agent_name, text) if slot.style == "cookie" else _encoded(text)
    return _folded(slot, write, whole=lambda written: f"{name}={written}")


def _encoded(text: ToText) -> ToText:
    return lambda value: encode(text(value))


def _raw_cookie(name: str, text: ToText) -> ToText:
    def write(value: JSONValue) -> str:
        written = text(value)
        if not is_cookie_octets(written):
            raise faults.cookie_octets(name)
        return written

    return write


def cookie_names(header: str) -> frozenset[str]:
    """Return the names of the cookies in a `Cookie` header."""
    return frozenset(pair.partition("=")[0].strip() for pair in header.split(";"))


def _folded(slot: ParameterSlot, element: ToText, *, whole: Callable[[str], str]) -> ToOptionalText:
    if not is_array(slot):
        return lambda value: whole(element(value))
    texts = array_texts(slot.agent_name, element)

    def write(value: JSONValue) -> str | None:
        items = texts(value)
        return whole(",".join(items)) if items else None

    return write
