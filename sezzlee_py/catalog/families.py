"""Families in their lowered form: variants told apart by a dispatch parameter (spec: families)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sezzlee_py.catalog.arguments import Argument, CuratedArgument
from sezzlee_py.catalog.faults import OperationError
from sezzlee_py.catalog.json_equality import same_json, scalar_identity
from sezzlee_py.catalog.schema_shapes import definitions, resolve, resolves, subschemas
from sezzlee_py.model import (
    Constant,
    EndpointDescriptor,
    JSONObject,
    ParameterLocation,
    ParameterSlot,
    RequestBody,
    Variant,
)

# These give a schema or a part of it an address outside itself.
_ADDRESSES: Final = frozenset(
    {"$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A tool of a family: its variant's name and what its arguments became."""

    name: str
    arguments: tuple[CuratedArgument, ...]


def check_variants(descriptor: EndpointDescriptor) -> None:
    """Check what the variants of an operation declare, before any of them is built.

    Raises:
        OperationError: for a full name beside variants, a family without members, or a body that
            is no family member's or not self-contained.
    """
    if descriptor.family is not None and not descriptor.variants:
        raise OperationError(
            "family_without_members",
            f"no member tells '{descriptor.family.parameter}' apart; add one or remove the family",
        )
    if descriptor.tool_name is not None and descriptor.variants:
        raise OperationError(
            "variant_declaration_conflict",
            f"the name '{descriptor.tool_name}' stands beside variants, which have their own; "
            "remove it",
        )
    for variant in descriptor.variants:
        if variant.request_body is not None:
            _check_member_body(descriptor, variant, variant.request_body)


def member_descriptor(descriptor: EndpointDescriptor, body: RequestBody) -> EndpointDescriptor:
    """Return the operation as a family member with this body sees it.

    The media type and the notation stay the operation's; so does the description unless the member
    has one.
    """
    shared = descriptor.request_body
    if shared is not None:
        body = replace(
            body,
            description=body.description or shared.description,
            content_type=shared.content_type,
            object_notation=shared.object_notation,
        )
    return replace(descriptor, request_body=body)


def check_dispatch(parameter: str, arguments: Iterable[Argument]) -> None:
    """Check that an operation has the parameter that tells members apart.

    Raises:
        OperationError: it has none of that name with one scalar type.
    """
    if not any(_is_dispatchable(argument) for argument in arguments if argument.key == parameter):
        raise OperationError(
            "family_parameter_unresolved",
            f"'{parameter}' is not a parameter with one scalar type, which a family needs to tell "
            "its members apart",
        )


def check_family(parameter: str, members: Sequence[Member]) -> None:
    """Check that each member fills the dispatch parameter, and each differently.

    Raises:
        OperationError: a member does not hide the parameter with a constant, or two members have
            one key.
    """
    by_key: dict[Hashable, Member] = {}
    for member in members:
        key = _member_key(parameter, member)
        twin = by_key.setdefault(scalar_identity(key), member)
        if twin is not member:
            raise OperationError(
                "family_key_duplicate",
                f"'{twin.name}' and '{member.name}' have the key {key!r}, "
                "and one call cannot be both",
            )


def self_containment_fault(schema: JSONObject) -> str | None:
    """Return why a member's body cannot stand alone, or `None` when it can."""
    defs = definitions(schema)
    for inner in subschemas(schema):
        address = _ADDRESSES.intersection(inner)
        if address:
            return f"it declares '{min(address)}'"
        if "$ref" in inner and not resolves(inner["$ref"], defs):
            return f"its reference {inner['$ref']!r} does not name one of its own definitions"
    return None


def _check_member_body(descriptor: EndpointDescriptor, variant: Variant, body: RequestBody) -> None:
    if descriptor.family is None:
        raise OperationError(
            "variant_body_without_family",
            f"the variant '{variant.name}' has a body of its own, which only a family member may",
        )
    fault = self_containment_fault(body.schema)
    if fault is not None:
        raise OperationError("variant_body_invalid", f"the body of '{variant.name}': {fault}")


def _member_key(parameter: str, member: Member) -> str | float | bool:
    found = next((one for one in member.arguments if one.argument.key == parameter), None)
    key = found.fill.value if found and isinstance(found.fill, Constant) else None
    if found is None or not isinstance(key, str | int | float | bool):
        raise OperationError(
            "family_key_unfilled",
            f"'{member.name}' must hide '{parameter}' with a constant text, number or boolean",
        )
    if not _is_admitted(key, found):
        raise OperationError(
            "invalid_fill_constant",
            f"the key {key!r} of '{member.name}' is not one of the values of '{parameter}'",
        )
    return key


def _is_dispatchable(argument: Argument) -> bool:
    slot = argument.slot
    return (
        isinstance(slot, ParameterSlot)
        and slot.location is not ParameterLocation.QUERYSTRING
        and len(slot.kinds) == 1
        and not slot.array
        and not slot.members
    )


def _is_admitted(key: str | float | bool, one: CuratedArgument) -> bool:
    schema = resolve(one.argument.schema, one.argument.defs)
    if "const" in schema and not same_json(key, schema["const"]):
        return False
    values = schema.get("enum")
    return not isinstance(values, list) or any(same_json(key, value) for value in values)
