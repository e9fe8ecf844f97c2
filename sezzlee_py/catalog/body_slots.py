"""The body as arguments: flattened fields or the one argument `body` (spec: schema 5, bodies)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

from sezzlee_py.catalog.arguments import Argument
from sezzlee_py.catalog.faults import Finding, OperationError
from sezzlee_py.catalog.file_arguments import (
    FileShape,
    file_argument,
    file_sources,
    read_file,
)
from sezzlee_py.catalog.media_types import JSON, MediaFamily, media_family, normal_media_type
from sezzlee_py.catalog.members import (
    MemberError,
    is_open,
    object_members,
    scalar_member,
)
from sezzlee_py.catalog.parameter_slots import read_notation
from sezzlee_py.catalog.references import points_at_its_root
from sezzlee_py.catalog.schema_shapes import definitions, read_shape
from sezzlee_py.model import (
    ROOT_ARGUMENT,
    BodyField,
    BodySlot,
    JSONObject,
    JSONValue,
    Member,
    ObjectNotation,
    RequestBody,
    ScalarKind,
)

# These describe and do not constrain; any other keyword would be lost by flattening.
_FLATTENABLE: Final = frozenset(
    {
        "$comment", "$defs", "$schema", "additionalProperties", "default", "deprecated",
        "description", "example", "examples", "properties", "readOnly", "required", "title",
        "type", "writeOnly",
    }
)  # fmt: skip

_REASONS: Final = {
    "optional_body_argument": "the body is optional",
    "synthetic_body_argument": "the body is not an object",
    "unflattenable_body_root": "the body's root says something that its fields alone cannot",
    "body_field_collision": "a field is named like a parameter",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyShape:
    """What a body contributes to a tool, before curation.

    Attributes:
        arguments: its fields, or the one argument `body`.
        slot: how it is written.
        additional: `additionalProperties` of the tool's root.
        defs: the definitions of a flattened body, contributed whole.
    """

    arguments: tuple[Argument, ...]
    slot: BodySlot
    additional: JSONValue = False
    defs: JSONObject = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def read_body(
    body: RequestBody, parameter_names: Set[str], *, ref_description: str | None = None
) -> BodyShape:
    """Return the shape of `body` beside parameters of these wire names.

    Args:
        body: the body as the descriptor holds it.
        parameter_names: wire names of all parameters.
        ref_description: the host's words for file references; `None` without a resolver.

    Raises:
        OperationError: when it has no form on the wire, or the name `body` is needed and taken.
    """
    media_type = normal_media_type(body.content_type or JSON)
    if media_type is None:
        raise _shape_fault(f"{body.content_type!r} is not a concrete media type")
    reader = _BodyReader(body, media_type, ref_description)
    code = reader.why_root(parameter_names)
    if code is None:
        return reader.flattened()
    if ROOT_ARGUMENT in parameter_names:
        raise OperationError(
            "argument_collision",
            f"the whole body is the argument '{ROOT_ARGUMENT}' ({_REASONS[code]}), "
            "but a parameter has that name; rename the parameter",
        )
    return reader.rooted((code, reader.why_rooted(code)))


class _BodyReader:
    """One body with what is read of it once."""

    def __init__(self, body: RequestBody, media_type: str, ref_description: str | None) -> None:
        self._body = body
        self._media_type = media_type
        self._family = media_family(media_type)
        self._ref_description = ref_description
        self._defs = definitions(body.schema)
        self._notation = read_notation(body.object_notation)
        self._is_form = self._family in (MediaFamily.FORM, MediaFamily.MULTIPART)
        self._location = "form" if self._is_form else "body"
        self._object: JSONObject = body.schema
        self._root_file: FileShape | None = None
        self._check_family()
        properties = self._object.get("properties")
        self._fields: Mapping[str, JSONValue] = (
            properties if isinstance(properties, Mapping) else {}
        )

    def why_root(self, parameter_names: Set[str]) -> str | None:
        """Return the code of the reason for root mode, `None` for a body that flattens."""
        if not self._body.required:
            return "optional_body_argument"
        if self._family in (MediaFamily.TEXT, MediaFamily.RAW):
            return "synthetic_body_argument"
        code = _why_root_schema(self._body.schema)
        if code is None and not parameter_names.isdisjoint(self._fields):
            return "body_field_collision"
        return code

    def why_rooted(self, code: str) -> str:
        """Return what a developer is told of a body that is the argument `body`."""
        told = f"the argument '{ROOT_ARGUMENT}' is published: {_REASONS[code]}"
        if code == "optional_body_argument" and not self._fields:
            # "Make it required" would mend nothing where no field is known.
            told += " and no field of it is known; declare what it holds to publish fields instead"
        return told

    def flattened(self) -> BodyShape:
        """Return the body as one argument per field."""
        slots = self._field_slots()
        is_free = is_open(self._object)
        return BodyShape(
            arguments=tuple([self._field_argument(slot) for slot in slots]),
            slot=self._slot(fields=slots, additional_properties=is_free),
            additional=self._object["additionalProperties"] if is_free else False,
            defs=self._defs,
        )

    def rooted(self, finding: Finding) -> BodyShape:
        """Return the body as the one argument `body`."""
        slot = self._slot(fields=self._field_slots() if self._is_form else (), root=ROOT_ARGUMENT)
        argument = Argument(
            key=ROOT_ARGUMENT,
            name=ROOT_ARGUMENT,
            location=self._location,
            required=self._body.required,
            schema=self._root_schema(slot.fields),
            description=self._body.description,
            defs=self._defs,
            slot=slot,
        )
        return BodyShape(arguments=(argument,), slot=slot, findings=(finding,))

    def _check_family(self) -> None:
        if self._family is MediaFamily.TEXT:
            shape = read_shape(self._body.schema, self._defs)
            if shape.array or shape.kinds != (ScalarKind.STRING,):
                raise _shape_fault("a text body is one string")
        elif self._family is MediaFamily.RAW:
            self._root_file = read_file(self._body.schema, self._defs)
            if self._root_file is None or self._root_file.array:
                raise _shape_fault(f"nothing writes '{self._media_type}' but a file")
        elif self._is_form:
            self._object = self._form_object()

    def _form_object(self) -> JSONObject:
        root = read_shape(self._body.schema, self._defs).object_schema
        if root is None or is_open(root) or not isinstance(root.get("properties"), Mapping):
            raise _shape_fault("a form is an object of declared fields and nothing else")
        return root

    def _field_slots(self) -> tuple[BodyField, ...]:
        required = _names(self._object.get("required"))
        return tuple(
            [
                BodyField(
                    name=name,
                    agent_name=name,
                    required=name in required,
                    member=self._member(name, schema) if self._is_form else None,
                )
                for name, schema in self._fields.items()
            ]
        )

    def _member(self, name: str, schema: JSONValue) -> Member:
        file = self._file(schema)
        if file is not None:
            if self._family is MediaFamily.FORM:
                raise _shape_fault(f"'{name}' is a file, which a urlencoded form cannot carry")
            return Member(name=name, array=file.array, file=True, media_type=file.media_type)
        shape = read_shape(schema, self._defs)
        try:
            if shape.object_schema is None:
                return scalar_member(name, shape)
            return Member(
                name=name, members=self._group(shape.object_schema), notation=self._notation
            )
        except MemberError as fault:
            raise _shape_fault(f"the form field '{name}': {fault}") from None

    def _group(self, schema: JSONObject) -> tuple[Member, ...]:
        if is_open(schema):
            raise MemberError("it takes undeclared members")
        members = object_members(schema, self._defs)
        if any(self._file(member) is not None for member in schema["properties"].values()):
            raise MemberError("a file must be a field of its own")
        return members

    def _file(self, schema: JSONValue) -> FileShape | None:
        file = read_file(schema, self._defs)
        # `format: binary` marks a file in multipart only.
        named = file is not None and file.media_type is not None
        return file if named or self._family is MediaFamily.MULTIPART else None

    def _field_argument(self, slot: BodyField) -> Argument:
        return Argument(
            key=slot.name,
            name=slot.name,
            location=self._location,
            required=slot.required,
            schema=self._field_schema(slot),
            # References inside a field name the body's definitions, which move as a whole.
            owns_defs=False,
            defs=self._defs,
            slot=slot,
        )

    def _field_schema(self, slot: BodyField) -> JSONValue:
        schema = self._fields[slot.name]
        if slot.member is None or not slot.member.file:
            return schema
        return self._file_argument(schema, array=slot.member.array)

    def _root_schema(self, slots: tuple[BodyField, ...]) -> JSONValue:
        schema = self._body.schema
        if self._root_file is not None:
            return self._file_argument(schema, array=False)
        if not any(slot.member is not None and slot.member.file for slot in slots):
            return schema
        root = {**self._object, "properties": {s.name: self._field_schema(s) for s in slots}}
        return {**root, "$defs": self._defs} if self._defs else root

    def _file_argument(self, schema: JSONValue, *, array: bool) -> JSONObject:
        return file_argument(schema, self._defs, array=array, ref_description=self._ref_description)

    def _slot(self, **mode: Any) -> BodySlot:
        raw = self._root_file
        return BodySlot(
            content_type=self._media_type,
            required=self._body.required,
            notation=self._notation if self._is_form else ObjectNotation.BRACKET,
            file=raw is not None,
            media_type=None if raw is None else raw.media_type,
            file_sources=file_sources(self._ref_description),
            **mode,
        )


def _why_root_schema(schema: JSONObject) -> str | None:
    declared = schema.get("type", "object")
    if declared != "object":
        admits_object = isinstance(declared, list) and "object" in declared
        return "unflattenable_body_root" if admits_object else "synthetic_body_argument"
    lost = [key for key in schema if key not in _FLATTENABLE and not key.startswith("x-")]
    properties = schema.get("properties", {} if is_open(schema) else None)
    if lost or not isinstance(properties, Mapping) or points_at_its_root(schema):
        return "unflattenable_body_root"
    return None


def _names(required: JSONValue) -> frozenset[str]:
    names = required if isinstance(required, list) else ()
    return frozenset(name for name in names if isinstance(name, str))


def _shape_fault(reason: str) -> OperationError:
    return OperationError("unsupported_body_shape", reason)
