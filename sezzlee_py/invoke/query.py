"""Query strings: styles, object groups, the whole query as one value (spec: arguments 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from sezzlee_py.invoke.encoding import Encode, encode, reserved_encoder
from sezzlee_py.invoke.entries import Entry, object_entries
from sezzlee_py.invoke.slots import array_texts, is_array, slot_text
from sezzlee_py.model import JSONValue, ParameterLocation, ParameterSlot

ToQuery: TypeAlias = Callable[[JSONValue], str]

_JOINS: Final = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "|"}


def is_group(slot: ParameterSlot) -> bool:
    """Whether the slot is an object of declared members, each written under a key of its own."""
    if slot.location is ParameterLocation.QUERYSTRING:
        return slot.content_type == "application/x-www-form-urlencoded"
    return slot.style == "deepObject" or (bool(slot.members) and slot.content_type is None)


def query_writer(slot: ParameterSlot) -> ToQuery:
    """Return the writer of a query parameter: its encoded pairs, `""` when it leaves no key."""
    encoder = reserved_encoder() if slot.allow_reserved else encode
    if is_group(slot):
        return _object_writer(slot, encoder)
    key, text = encode(slot.name), slot_text(slot)
    if not is_array(slot):
        return lambda value: f"{key}={encoder(text(value))}"
    texts = array_texts(slot.agent_name, text)
    if slot.style == "form" and slot.explode:
        return lambda value: "&".join([f"{key}={encoder(item)}" for item in texts(value)])
    return _joined_writer(slot, key, texts)


def _joined_writer(
    slot: ParameterSlot, key: str, texts: Callable[[JSONValue], list[str]]
) -> ToQuery:
    join = _JOINS.get(slot.style, ",")
    encoder = reserved_encoder(delimiter=join) if slot.allow_reserved else encode

    def write(value: JSONValue) -> str:
        items = texts(value)
        return f"{key}={join.join(map(encoder, items))}" if items else ""

    return write


def _object_writer(slot: ParameterSlot, encoder: Encode) -> ToQuery:
    entries = object_entries(
        slot.members,
        argument=slot.agent_name,
        notation=slot.notation,
        spell=encode,
        group=encode(slot.name),
    )
    return lambda value: join_pairs(entries(value), encoder)


def querystring_writer(slot: ParameterSlot) -> ToQuery:
    """Return the writer of a parameter that is the whole query string."""
    if is_group(slot):
        entries = object_entries(
            slot.members, argument=slot.agent_name, notation=slot.notation, spell=encode
        )
        return lambda value: join_pairs(entries(value), encode)
    text = slot_text(slot)
    return lambda value: encode(text(value))


def join_pairs(entries: list[Entry], encoder: Encode) -> str:
    """Return entries as `key=value` pairs; keys are encoded already."""
    return "&".join([f"{key}={encoder(text)}" for key, text in entries])
