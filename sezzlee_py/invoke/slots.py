"""The text of one slot's value: type gate, arrays, values written as a media type."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from sezzlee_py.errors import CompositionError, ErrorCode
from sezzlee_py.invoke import faults
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.model import Fill, JSONValue, ParameterSlot, Provider, ScalarKind
from sezzlee_py.model.values import write_json, write_scalar

T = TypeVar("T")
ToText: TypeAlias = Callable[[JSONValue], str]
ToTexts: TypeAlias = Callable[[JSONValue], list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class HiddenKey:
    """Where a filled slot's value waits among the arguments; no agent can write such a key."""

    place: str
    source: str | None


ValueKey: TypeAlias = str | HiddenKey


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenSlot:
    """A slot that the operation fills itself.

    `keeps_null` says that `None` is a value there, and not the absence of one.
    """

    key: HiddenKey
    fill: Fill
    required: bool
    keeps_null: bool


def value_key(agent_name: str, place: str, fill: Fill | None) -> ValueKey:
    """Return where the value of a slot is found: under its name, or out of the agent's reach."""
    if fill is None:
        return agent_name
    return HiddenKey(place, fill.source if isinstance(fill, Provider) else None)


def hidden_slots(
    slots: Iterable[tuple[ValueKey, Fill | None, bool]], *, keeps_null: bool
) -> tuple[HiddenSlot, ...]:
    """Return the filled ones among `(key, fill, required)`."""
    return tuple(
        HiddenSlot(key=key, fill=fill, required=required, keeps_null=keeps_null)
        for key, fill, required in slots
        if isinstance(key, HiddenKey) and fill is not None
    )


def scalar_text(
    name: str,
    kinds: tuple[ScalarKind, ...],
    *,
    fractional: bool = False,
    code: ErrorCode = ErrorCode.INVALID_TYPE,
) -> ToText:
    """Return the writer of one scalar; it refuses `null` and what `kinds` does not take."""
    expected = faults.type_name(kinds)

    def text(value: JSONValue) -> str:
        written = write_scalar(value, kinds, fractional=fractional)
        if written is not None:
            return written
        if value is None:
            raise faults.null_refused(name)
        raise faults.wrong_type(name, expected, code)

    return text


def array_texts(name: str, element: ToText) -> ToTexts:
    """Return the writer of a list, element by element; one value is not wrapped."""

    def texts(value: JSONValue) -> list[str]:
        if isinstance(value, list | tuple):
            return [element(item) for item in value]
        raise faults.null_refused(name) if value is None else faults.not_an_array(name)

    return texts


def json_text(name: str, code: ErrorCode = ErrorCode.INVALID_TYPE) -> ToText:
    """Return the writer of any JSON value; it refuses what JSON cannot say, such as `NaN`."""

    def text(value: JSONValue) -> str:
        try:
            return write_json(value)
        except ValueError:
            raise faults.wrong_type(name, "JSON value", code) from None

    return text


def content_text(name: str, content_type: str, code: ErrorCode = ErrorCode.INVALID_TYPE) -> ToText:
    """Return the writer of a value serialised as `content_type`: text as it is, else JSON."""
    if content_type == "text/plain":
        return scalar_text(name, (ScalarKind.STRING,), code=code)
    as_json = json_text(name, code)

    def text(value: JSONValue) -> str:
        if value is None:
            raise faults.null_refused(name)
        return as_json(value)

    return text


def slot_text(slot: ParameterSlot, code: ErrorCode = ErrorCode.INVALID_TYPE) -> ToText:
    """Return the writer of a parameter's value, or of one element of its array."""
    if slot.content_type is not None:
        return content_text(slot.agent_name, slot.content_type, code)
    return scalar_text(slot.agent_name, slot.kinds, fractional=slot.fractional, code=code)


def is_array(slot: ParameterSlot) -> bool:
    """Whether the slot writes a list by style; a value with a media type is one text."""
    return slot.array and slot.content_type is None


def guarded(write: Callable[[Any], T], key: ValueKey) -> Callable[[Any], T]:
    """Return `write` for a slot: what a fill breaks is told to the host, not to the agent."""
    if isinstance(key, str):
        return write

    def write_filled(value: JSONValue) -> T:
        try:
            return write(value)
        except CompositionError as fault:
            LOGGER.warning("fill of %s from %s refused: %s", key.place, key.source, fault.code)
            raise faults.fill_invalid() from None

    return write_filled
