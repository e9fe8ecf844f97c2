"""pydantic's schema generator, taught what its schemas do not show (spec: schema 2, scalars)."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeAlias

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, PydanticSerializationError, core_schema

from sezzlee_py.catalog.schema.body_root import BOUNDARY
from sezzlee_py.catalog.schema.findings import Finding

TypeShape: TypeAlias = Callable[[Any], Mapping[str, Any] | None]
TypeName: TypeAlias = Callable[[Any], str | None]

# Core schema types whose values JSON has no way to write as a key.
_UNWRITABLE_KEYS: Final = frozenset(
    {
        *("tuple", "list", "set", "frozenset", "dict", "generator"),
        *("model", "dataclass", "typed-dict", "is-instance", "is-subclass", "callable"),
    }
)
# Notes a host's name for a type in its schema, until names are given.
NAME_NOTE: Final = "x-sezzlee-name"
_CLOSED_KEYS: Final = frozenset({"model", "dataclass", "typed-dict", "is-instance", "enum"})


@dataclass(slots=True)
class Hooks:
    """What the host says about types, and what reading one found."""

    type_shape: TypeShape | None = None
    type_name: TypeName | None = None
    findings: list[Finding] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def shape_of(self, of_type: Any) -> dict[str, Any] | None:
        """Return the schema that the host gives a type, `None` when it gives none."""
        shape = self.type_shape(of_type) if self.type_shape is not None else None
        return None if shape is None else dict(shape)

    def report(self, code: str, message: str, about: str) -> None:
        """Note one finding about a type."""
        self.findings.append(Finding(code=code, message=message, about=about))


class NumberGenerator(GenerateJsonSchema):
    """pydantic's generator, with a decimal told as it is published.

    The finished schema does not show it: pydantic writes a `Decimal` like a `float | str`.
    """

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Return a number in requests, although text is accepted too."""
        result = super().decimal_schema(schema)
        members = result.get("anyOf")
        return dict(members[0]) if members else result


class HookedGenerator(NumberGenerator):
    """pydantic's generator with a host's shapes and names; `hooks` is set by `with_hooks`."""

    hooks: Hooks

    @classmethod
    def with_hooks(cls, hooks: Hooks) -> type[Self]:
        """Return a generator class that reports to `hooks`."""
        return type("_HookedGenerator", (cls,), {"hooks": hooks})

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of a core schema; the host's shape for its class comes first."""
        of_class = schema.get("cls") if schema["type"] in _CLOSED_KEYS else None
        shape = None if of_class is None else self.hooks.shape_of(of_class)
        if shape is not None:
            return self._given(schema, shape)
        result = super().generate_inner(schema)
        if of_class is not None and "ref" in schema:
            self._note_name(schema["ref"], of_class)
        return result

    def _given(self, schema: Any, shape: dict[str, Any]) -> JsonSchemaValue:
        if "ref" not in schema:
            return shape
        defs_ref, reference = self.get_cache_defs_ref_schema(schema["ref"])
        self.definitions[defs_ref] = shape
        return reference

    def _note_name(self, core_ref: Any, of_class: Any) -> None:
        name = self.hooks.type_name(of_class) if self.hooks.type_name is not None else None
        defs_ref = self.core_to_defs_refs.get((core_ref, self.mode))
        if name is not None and defs_ref in self.definitions:
            self.definitions[defs_ref][NAME_NOTE] = name


class BindingGenerator(HookedGenerator):
    """Writes schemas as they are published."""

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Stay silent: pydantic warns about defaults, which are not published."""

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of a core schema; the host's shape for its class comes first."""
        self._check_name(schema)
        return super().generate_inner(schema)

    def _check_name(self, schema: Any) -> None:
        alias = schema.get("validation_alias") if self.mode == "validation" else None
        if isinstance(alias, list) and not any(_is_plain_alias(path) for path in alias):
            self.hooks.report(
                "naming_policy_unresolved",
                f"the alias {alias!r} is no single name, so the field's own name is published",
                about=repr(alias),
            )

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:
        """Return text, in the encoding that the model's config names."""
        result = super().bytes_schema(schema)
        result.pop("format", None)
        if self.mode == "validation":
            encoding = {"base64": "base64"}.get(self._config.val_json_bytes)
        else:
            encoding = {"base64": "base64url"}.get(self._config.ser_json_bytes)
        return result if encoding is None else {**result, "contentEncoding": encoding}

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Return the values; of flags the type alone, because members combine."""
        of_enum = schema["cls"]
        if issubclass(of_enum, enum.Flag):
            return {"type": "integer"}
        try:
            return super().enum_schema(schema)
        except PydanticSerializationError:
            self.hooks.report(
                "enum_format_unresolved",
                f"the values of {of_enum.__qualname__} have no JSON form that can be read; "
                "give it a shape by options.schema.type_shape",
                about=of_enum.__qualname__,
            )
            return {"anyOf": [{"type": "string", "enum": [m.name for m in schema["members"]]}, {}]}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Return an object whose keys JSON can write."""
        kind = _key_kind(schema.get("keys_schema"))
        if kind in _UNWRITABLE_KEYS:
            self.hooks.report(
                "unsupported_dictionary_key",
                f"JSON cannot write a key of type {kind}, so any object is published",
                about=kind,
            )
            return dict(BOUNDARY)
        result = super().dict_schema(schema)
        if kind == "int":
            result["propertyNames"] = {"pattern": "^-?[0-9]+$"}
        elif kind in ("enum", "literal"):
            result.setdefault("propertyNames", self.generate_inner(schema["keys_schema"]))
        return result

    def is_instance_schema(self, schema: core_schema.IsInstanceSchema) -> JsonSchemaValue:
        """Return an open object: a class without a core schema tells nothing about its shape."""
        return self.handle_invalid_for_json_schema(schema, str(schema["cls"].__qualname__))

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        """Return an open object in place of what has no JSON Schema."""
        self.hooks.report(
            "unreadable_shape",
            f"no schema can be read from {error_info}, so any object is published",
            about=error_info,
        )
        return dict(BOUNDARY)


def _is_plain_alias(path: Any) -> bool:
    # A flat list is one path into nested data; a list of lists holds choices.
    return isinstance(path, list) and len(path) == 1 and isinstance(path[0], str)


def _key_kind(schema: CoreSchema | None) -> str:
    inner: Any = schema or {"type": "any"}
    while isinstance(inner.get("schema"), dict):
        inner = inner["schema"]
    return str(inner["type"])
