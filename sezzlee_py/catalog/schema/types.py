"""Python types and hand-written schemas as self-contained slots (spec: schema 1)."""

from __future__ import annotations

import copy
import dataclasses
import json
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import typing_extensions
from pydantic import BaseModel, ConfigDict, PydanticUserError, TypeAdapter, create_model

from sezzlee_py.catalog.schema.body_root import BOUNDARY
from sezzlee_py.catalog.schema.components import SchemaComponents
from sezzlee_py.catalog.schema.depth import truncate
from sezzlee_py.catalog.schema.findings import Finding, to_diagnostics
from sezzlee_py.catalog.schema.generator import (
    NAME_NOTE,
    BindingGenerator,
    Hooks,
    TypeName,
    TypeShape,
)
from sezzlee_py.catalog.schema.hoist import Slot, hoist
from sezzlee_py.catalog.schema.slots import Direction, Reading, SlotKind
from sezzlee_py.model import Diagnostic

Mode: TypeAlias = Literal["validation", "serialization"]

_COMPONENTS: Final = "#/components/schemas/{model}"
_LENIENT: Final = ConfigDict(arbitrary_types_allowed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundSchema:
    """A self-contained schema and what reading its type found."""

    schema: dict[str, Any]
    findings: tuple[Finding, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings as diagnostics about no operation in particular."""
        return to_diagnostics(self.findings)


def bind_type(
    source: Any,
    *,
    mode: Mode,
    kind: SlotKind = SlotKind.JSON,
    type_shape: TypeShape | None = None,
    type_name: TypeName | None = None,
    max_depth: int | None = None,
    drop_read_only: bool = True,
    namespace: Mapping[str, Any] | None = None,
) -> BoundSchema:
    """Return the schema of a type, normalised and self-contained.

    Args:
        source: a pydantic model, dataclass, TypedDict or any other annotation, also as text; or
            a JSON Schema as a `dict`, which is copied and published as it is.
        mode: `validation` for what a request carries, `serialization` for an answer.
        kind: what carries the values.
        type_shape: `options.schema.type_shape`, a host's schema for a type.
        type_name: `options.schema.type_name`, a host's name for a type in `$defs`.
        max_depth: `options.schema.max_depth`.
        drop_read_only: `options.schema.drop_read_only`.
        namespace: where an annotation given as text is looked up (the handler's globals).

    Example:
        >>> bind_type(list[int], mode="validation").schema
        {'items': {'type': 'integer'}, 'type': 'array'}
    """
    if isinstance(source, Mapping):
        return _verbatim(source)
    hooks = Hooks(type_shape=type_shape, type_name=type_name)
    try:
        source = _evaluated(source, namespace)
        given = hooks.shape_of(source)
        if given is not None:
            return _verbatim(given)
        raw = _generate(source, mode, hooks)
    # A host's own classes and hooks run here, and may raise anything; a type that cannot describe
    # itself is a finding about the operation.
    except Exception as fault:
        return _unreadable(source, fault, hooks)
    reading = Reading(
        direction=Direction.REQUEST if mode == "validation" else Direction.RESPONSE,
        kind=kind,
        drop_read_only=drop_read_only,
        pydantic=True,
    )
    schema, findings = _placed(raw, reading)
    return _cut(schema, (*hooks.findings, *findings), max_depth)


def _verbatim(source: Mapping[str, Any]) -> BoundSchema:
    schema = copy.deepcopy(dict(source))
    try:
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as fault:
        return _unreadable("the schema", fault, Hooks())
    return BoundSchema(schema=schema)


def _unreadable(source: Any, fault: Exception, hooks: Hooks) -> BoundSchema:
    name = getattr(source, "__qualname__", None) or str(source)
    reason = str(fault).partition("\n")[0]
    hooks.report(
        "unreadable_shape",
        f"no schema can be read from {name} ({reason}), so any object is published",
        about=name,
    )
    return BoundSchema(schema=dict(BOUNDARY), findings=tuple(hooks.findings))


def _evaluated(source: Any, namespace: Mapping[str, Any] | None) -> Any:
    if not isinstance(source, str):
        return source
    holder = type("_Holder", (), {"__annotations__": {"value": source}})
    return typing.get_type_hints(holder, dict(namespace or {}), include_extras=True)["value"]


def _generate(source: Any, mode: Mode, hooks: Hooks) -> dict[str, Any]:
    adapter = _adapter(source, hooks)
    return adapter.json_schema(
        by_alias=True,
        mode=mode,
        ref_template=_COMPONENTS,
        schema_generator=BindingGenerator.with_hooks(hooks),
    )


def _adapter(source: Any, hooks: Hooks) -> TypeAdapter[Any]:
    """Return an adapter that reads what pydantic can of a type, classes it does not know too."""
    try:
        return TypeAdapter(source)
    except PydanticUserError:
        if _brings_config(source):
            return TypeAdapter(_as_model(source, hooks))
        return TypeAdapter(source, config=_LENIENT)


def _brings_config(source: Any) -> bool:
    return dataclasses.is_dataclass(source) or typing_extensions.is_typeddict(source)


def _as_model(source: Any, hooks: Hooks) -> type[BaseModel]:
    """Return a model with the fields of a dataclass or TypedDict that pydantic refuses."""
    hints = typing.get_type_hints(source, include_extras=True)
    fields: dict[str, Any] = {}
    if dataclasses.is_dataclass(source):
        for declared in dataclasses.fields(source):
            absent = dataclasses.MISSING
            optional = declared.default is not absent or declared.default_factory is not absent
            fields[declared.name] = (hints[declared.name], None if optional else ...)
    else:
        required = source.__required_keys__
        for name, hint in hints.items():
            fields[name] = (_bare(hint), ... if name in required else None)
    model: type[BaseModel] = create_model(source.__name__, __config__=_LENIENT, **fields)
    # A stand-in has the docstring of BaseModel, which says nothing about the type.
    model.__doc__ = None
    return model


def _bare(hint: Any) -> Any:
    while typing_extensions.get_origin(hint) in (
        typing_extensions.Required,
        typing_extensions.NotRequired,
        typing_extensions.ReadOnly,
    ):
        (hint,) = typing_extensions.get_args(hint)
    return hint


def _placed(raw: dict[str, Any], reading: Reading) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    bag = raw.pop("$defs", {})
    names = {
        f"#/components/schemas/{key}": entry.pop(NAME_NOTE)
        for key, entry in bag.items()
        if NAME_NOTE in entry
    }
    components = SchemaComponents({"components": {"schemas": bag}}, dialect=reading, names=names)
    own = components.reading(reading.direction, reading.kind)
    slot = Slot(schema=components.normalise(raw, own), reading=own)
    (placed,), findings = hoist(components, [slot])
    return placed.schema, tuple(finding for finding in findings)


def _cut(
    schema: dict[str, Any], findings: tuple[Finding, ...], max_depth: int | None
) -> BoundSchema:
    if max_depth is None:
        return BoundSchema(schema=schema, findings=findings)
    schema, was_cut = truncate(schema, max_depth)
    if was_cut:
        cut = Finding(
            code="schema_depth_truncated",
            message=f"parts deeper than {max_depth} levels are published as any object",
        )
        findings = (*findings, cut)
    return BoundSchema(schema=schema, findings=findings)
