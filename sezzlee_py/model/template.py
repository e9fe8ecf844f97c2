"""The frozen plan that turns an agent's flat arguments into a request (spec: arguments, bodies)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sezzlee_py.model.curation import Fill
from sezzlee_py.model.descriptor import ParameterLocation

ROOT_ARGUMENT = "body"


class ScalarKind(StrEnum):
    """A JSON Schema scalar type that a slot accepts."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"


class FileSource(StrEnum):
    """Where an agent may take a file's bytes from."""

    TEXT = "text"
    BASE64 = "base64"
    REF = "ref"


class ObjectNotation(StrEnum):
    """How a member of an object is written as a key: `group[member]` or `group.member`."""

    BRACKET = "bracket"
    DOT = "dot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A typed entry of a form, or a member of an object that is written as several keys.

    `kinds` lists the scalar kinds accepted, in order; empty accepts any scalar. `members` makes it
    an object of scalars or arrays of scalars; `file` a file part with `media_type` as its default.
    """

    name: str
    kinds: tuple[ScalarKind, ...] = ()
    array: bool = False
    members: tuple[Member, ...] = ()
    notation: ObjectNotation = ObjectNotation.BRACKET
    file: bool = False
    media_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSlot:
    """One parameter as it is written.

    `name` is the wire name, `agent_name` the published one. `style` and `explode` are resolved
    (never absent). `content_type` set: the value is written as that media type instead.
    `members` set: a `deepObject` or an object-valued querystring.
    """

    name: str
    agent_name: str
    location: ParameterLocation
    required: bool = False
    kinds: tuple[ScalarKind, ...] = ()
    array: bool = False
    style: str = "form"
    explode: bool = True
    allow_reserved: bool = False
    content_type: str | None = None
    members: tuple[Member, ...] = ()
    notation: ObjectNotation = ObjectNotation.BRACKET
    spans_segments: bool = False
    fractional: bool = False
    fill: Fill | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyField:
    """One top-level field of a body in field mode; `member` types it in a form or multipart."""

    name: str
    agent_name: str
    required: bool = False
    fill: Fill | None = None
    member: Member | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySlot:
    """The body as it is written.

    Field mode: `root` is `None` and `fields` lists the top-level fields in template order, with
    further keys admitted when `additional_properties`. Root mode: `root` is the one argument's
    agent name (`body` unless curated), `fill` its fill; for a form root `fields` are the declared
    members, for a raw file `file` is true and `media_type` the file's default type.
    """

    content_type: str = "application/json"
    required: bool = True
    fields: tuple[BodyField, ...] = ()
    additional_properties: bool = False
    root: str | None = None
    fill: Fill | None = None
    notation: ObjectNotation = ObjectNotation.BRACKET
    file: bool = False
    media_type: str | None = None
    file_sources: tuple[FileSource, ...] = (FileSource.TEXT, FileSource.BASE64)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTemplate:
    """Everything needed to compose a request of one tool; `route` has `{name}` placeholders."""

    method: str
    route: str
    parameters: tuple[ParameterSlot, ...] = ()
    body: BodySlot | None = None
