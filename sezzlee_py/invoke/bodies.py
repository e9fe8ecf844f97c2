"""Request bodies by media type: JSON, forms, multipart, text, one raw file (spec: bodies)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from sezzlee_py.errors import CompositionError
from sezzlee_py.invoke import faults
from sezzlee_py.invoke.encoding import encode
from sezzlee_py.invoke.entries import (
    Entry,
    closed_object,
    member_entries,
    object_entries,
)
from sezzlee_py.invoke.files import file_reader
from sezzlee_py.invoke.query import join_pairs
from sezzlee_py.invoke.slots import (
    HiddenSlot,
    ValueKey,
    content_text,
    guarded,
    hidden_slots,
    json_text,
    scalar_text,
    value_key,
)
from sezzlee_py.model import (
    BodyField,
    BodySlot,
    FileContent,
    FileSource,
    JSONValue,
    Member,
    Part,
    RequestContent,
    ScalarKind,
)
from sezzlee_py.model.values import without_lone_surrogates, write_json

Values: TypeAlias = Mapping[ValueKey, JSONValue]
ToContent: TypeAlias = Callable[[Values, "list[str]"], RequestContent | None]
ToParts: TypeAlias = Callable[[JSONValue], list[Part]]


class MediaFamily(Enum):
    """How a media type is written."""

    JSON = auto()
    FORM = auto()
    MULTIPART = auto()
    TEXT = auto()
    FILE = auto()


def media_family(content_type: str) -> MediaFamily:
    """Return how a bare, lower-case media type is written; any other is one file's bytes."""
    if content_type in ("application/json", "text/json") or content_type.endswith("+json"):
        return MediaFamily.JSON
    return _FAMILIES.get(content_type, MediaFamily.FILE)


_FAMILIES = {
    "application/x-www-form-urlencoded": MediaFamily.FORM,
    "multipart/form-data": MediaFamily.MULTIPART,
    "text/plain": MediaFamily.TEXT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPlan:
    """A compiled body: its writer and the slots it fills itself.

    `write` takes the values and the names of extra keys, which only a free-form body has.
    """

    write: ToContent
    hidden: tuple[HiddenSlot, ...]
    refs_offered: bool


def body_plan(body: BodySlot) -> BodyPlan:
    """Return the compiled form of a body."""
    write, hidden = _field_mode(body) if body.root is None else _root_mode(body, body.root)
    return BodyPlan(write=write, hidden=hidden, refs_offered=FileSource.REF in body.file_sources)


def inline_bytes(content: RequestContent) -> int:
    """Return how many bytes the base64 files of a body hold together."""
    files = [content.file, *(part.file for part in content.parts or ())]
    return sum(file.byte_length or 0 for file in files if file is not None)


# --- root mode: one argument is the whole body ----------------------------------------------


def _root_mode(body: BodySlot, root: str) -> tuple[ToContent, tuple[HiddenSlot, ...]]:
    key = value_key(root, "body", body.fill)
    write = guarded(_root_writer(body, root), key)

    def content(values: Values, _: list[str]) -> RequestContent | None:
        return write(values[key]) if key in values else None

    return content, hidden_slots([(key, body.fill, body.required)], keeps_null=True)


def _root_writer(body: BodySlot, root: str) -> Callable[[JSONValue], RequestContent]:
    family = media_family(body.content_type)
    if family is MediaFamily.FILE:
        read = _file_reader(root, root, body.media_type, body)
        return lambda value: RequestContent(content_type=body.content_type, file=read(value))
    if family is MediaFamily.MULTIPART:
        parts = _object_parts(body, root)
        return lambda value: _multipart(body, parts(value))
    text = _root_text(body, root, family)
    header = _header(body)
    return lambda value: RequestContent(content_type=header, data=_utf8(text(value)))


def _root_text(body: BodySlot, root: str, family: MediaFamily) -> Callable[[JSONValue], str]:
    if family is MediaFamily.TEXT:
        return scalar_text(root, (ScalarKind.STRING,))
    if family is MediaFamily.FORM:
        members = tuple(member_of(field) for field in body.fields)
        entries = object_entries(members, argument=root, notation=body.notation, spell=encode)
        return lambda value: join_pairs(entries(value), encode)
    # Frameworks read a JSON null as a missing body, so only a fill may write it.
    return json_text(root) if body.fill is not None else content_text(root, body.content_type)


def _object_parts(body: BodySlot, root: str) -> ToParts:
    writers = {
        field.name: _field_parts(body, member_of(field), f"{root}.{field.name}")
        for field in body.fields
    }

    def parts(value: JSONValue) -> list[Part]:
        supplied = closed_object(value, root, writers.keys())
        return [
            part
            for name, write in writers.items()
            if name in supplied
            for part in write(supplied[name])
        ]

    return parts


# --- field mode: the top-level fields are arguments -----------------------------------------


def _field_mode(body: BodySlot) -> tuple[ToContent, tuple[HiddenSlot, ...]]:
    keyed = [
        (value_key(field.agent_name, f"body field {field.name!r}", field.fill), field)
        for field in body.fields
    ]
    hidden = hidden_slots([(key, f.fill, f.required) for key, f in keyed], keeps_null=True)
    family = media_family(body.content_type)
    if family is MediaFamily.FORM:
        return _form_fields(body, keyed), hidden
    if family is MediaFamily.MULTIPART:
        return _multipart_fields(body, keyed), hidden
    return _json_fields(body, keyed), hidden


def _json_fields(body: BodySlot, keyed: list[tuple[ValueKey, BodyField]]) -> ToContent:
    names = [(key, field.name) for key, field in keyed]
    header = _header(body)

    def content(values: Values, extras: list[str]) -> RequestContent:
        members = {name: values[key] for key, name in names if key in values}
        members |= {name: values[name] for name in extras}
        try:
            text = write_json(members)
        except ValueError:
            raise _unwritable(values, keyed, extras) from None
        return RequestContent(content_type=header, data=text.encode())

    return content


def _unwritable(
    values: Values, keyed: list[tuple[ValueKey, BodyField]], extras: list[str]
) -> CompositionError:
    """The fault of the first field that JSON cannot say."""
    fields = [(key, field.agent_name) for key, field in keyed if key in values]
    for key, name in [*fields, *((name, name) for name in extras)]:
        # In a list, because in the body it stands one level down as well.
        written = guarded(json_text(name), key)
        try:
            written([values[key]])
        except CompositionError as fault:
            return fault
    raise AssertionError("a body of writable fields is writable")  # pragma: no cover - see above


def _form_fields(body: BodySlot, keyed: list[tuple[ValueKey, BodyField]]) -> ToContent:
    writers = [
        (
            key,
            guarded(
                member_entries(
                    member_of(field),
                    argument=field.agent_name,
                    key=encode(field.name),
                    notation=body.notation,
                    spell=encode,
                ),
                key,
            ),
        )
        for key, field in keyed
    ]
    header = _header(body)

    def content(values: Values, _: list[str]) -> RequestContent:
        entries = [e for key, write in writers if key in values for e in write(values[key])]
        return RequestContent(content_type=header, data=join_pairs(entries, encode).encode())

    return content


def _multipart_fields(body: BodySlot, keyed: list[tuple[ValueKey, BodyField]]) -> ToContent:
    writers = [
        (key, guarded(_field_parts(body, member_of(field), field.agent_name), key))
        for key, field in keyed
    ]

    def content(values: Values, _: list[str]) -> RequestContent:
        parts = [p for key, write in writers if key in values for p in write(values[key])]
        return _multipart(body, parts)

    return content


# --- parts ----------------------------------------------------------------------------------


def _field_parts(body: BodySlot, member: Member, argument: str) -> ToParts:
    if member.file:
        return _file_parts(body, member, argument)
    entries = member_entries(
        member, argument=argument, key=member.name, notation=body.notation, spell=_as_is
    )
    return lambda value: [_text_part(entry) for entry in entries(value)]


def _file_parts(body: BodySlot, member: Member, argument: str) -> ToParts:
    read = _file_reader(argument, member.name, member.media_type, body)
    name = member.name
    if not member.array:
        return lambda value: [Part(name=name, file=read(value))]

    def parts(value: JSONValue) -> list[Part]:
        if isinstance(value, list | tuple):
            return [Part(name=name, file=read(item)) for item in value]
        raise faults.null_refused(argument) if value is None else faults.not_an_array(argument)

    return parts


def _file_reader(
    argument: str, wire_name: str, media_type: str | None, body: BodySlot
) -> Callable[[JSONValue], FileContent]:
    return file_reader(
        argument, wire_name=wire_name, media_type=media_type, sources=body.file_sources
    )


def _text_part(entry: Entry) -> Part:
    name, text = entry
    return Part(name=name, value=without_lone_surrogates(text))


def _multipart(body: BodySlot, parts: list[Part]) -> RequestContent:
    return RequestContent(content_type=body.content_type, parts=tuple(parts))


def member_of(field: BodyField) -> Member:
    """Return how a form types a field; an untyped one takes any scalar."""
    return field.member or Member(name=field.name)


def _header(body: BodySlot) -> str:
    # Some parsers would decode a form again with a charset.
    if media_family(body.content_type) is MediaFamily.FORM:
        return body.content_type
    return f"{body.content_type}; charset=utf-8"


def _utf8(text: str) -> bytes:
    return without_lone_surrogates(text).encode()


def _as_is(name: str) -> str:
    return name
