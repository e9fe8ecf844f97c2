"""The frozen plan that turns arguments into a request (spec: arguments, bodies)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sezzlee_py.catalog.arguments import CuratedArgument
from sezzlee_py.model import BodyField, BodySlot, ParameterSlot, RequestTemplate, Slot


def build_template(
    method: str, route: str, arguments: Sequence[CuratedArgument], body: BodySlot | None
) -> RequestTemplate:
    """Return the template of a tool with these arguments.

    Args:
        method: the operation's method.
        route: its route template.
        arguments: all arguments in publishing order, hidden ones included.
        body: how the body is written, not yet curated; `None` without one.
    """
    return RequestTemplate(
        method=method,
        route=route,
        parameters=tuple(
            [
                _curated_parameter(slot, one)
                for one in arguments
                if isinstance(slot := one.argument.slot, ParameterSlot)
            ]
        ),
        body=None if body is None else _curated_body(body, arguments),
    )


def build_slots(arguments: Sequence[CuratedArgument]) -> tuple[Slot, ...]:
    """Return where each published argument travels; hidden ones have no slot."""
    return tuple(
        [
            Slot(
                argument=one.agent_name,
                name=one.argument.name,
                location=one.argument.location,
                required=one.argument.required,
            )
            for one in arguments
            if one.fill is None
        ]
    )


def grouped_parameters(arguments: Sequence[CuratedArgument]) -> tuple[str, ...]:
    """Return the agent names of published `deepObject` groups."""
    return tuple(
        [
            one.agent_name
            for one in arguments
            if isinstance(slot := one.argument.slot, ParameterSlot)
            and slot.style == "deepObject"
            and one.fill is None
        ]
    )


def _curated_parameter(slot: ParameterSlot, one: CuratedArgument) -> ParameterSlot:
    return replace(slot, agent_name=one.agent_name, fill=one.fill) if one.curated else slot


def _curated_body(body: BodySlot, arguments: Sequence[CuratedArgument]) -> BodySlot:
    if not any(one.curated for one in arguments):
        return body
    if body.root is not None:
        root = arguments[-1]
        return replace(body, root=root.agent_name, fill=root.fill)
    fields = [
        replace(slot, agent_name=one.agent_name, fill=one.fill) if one.curated else slot
        for one in arguments
        if isinstance(slot := one.argument.slot, BodyField)
    ]
    return replace(body, fields=tuple(fields))
