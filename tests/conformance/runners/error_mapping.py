"""Kind `error_mapping`: a backend's answer and the envelope the agent reads."""

import base64
import json
from typing import Any

from sezzlee_py.invoke.field_names import FieldNames, NamedInput, Place
from sezzlee_py.invoke.mapping import map_response
from sezzlee_py.model import BackendResponse


def check(case: dict[str, Any], expected: dict[str, Any]) -> None:
    headers = [(name.lower(), value) for name, value in case.get("headers", {}).items()]
    if case.get("content_type") is not None:
        headers.append(("content-type", case["content_type"]))
    envelope = map_response(
        BackendResponse(status=case["status"], headers=tuple(headers), body=_body(case)),
        _names(case),
        forward_html=case.get("forward_html", False),
    )
    assert _typed(envelope.payload) == _typed(expected)
    assert list(envelope.payload) == [key for key in _MEMBERS if key in envelope.payload]
    assert envelope.is_error == (case["status"] >= 400)


_MEMBERS = (
    *("error", "message", "status", "body", "contentType", "location"),
    *("retryable", "fields", "retryAfterSeconds", "reference"),
)


def _body(case: dict[str, Any]) -> bytes:
    if "body_base64" in case:
        return base64.b64decode(case["body_base64"])
    if "body_nested" in case:
        depth = case["body_nested"]["depth"]
        return b"[" * depth + b"]" * depth
    body = case.get("body")
    if body is None:
        return b""
    return (body if isinstance(body, str) else json.dumps(body)).encode()


def _names(case: dict[str, Any]) -> FieldNames:
    agents = case.get("known_fields", [])
    wires = {agent: wire for wire, agent in case.get("field_aliases", {}).items()}
    inputs = [
        NamedInput(wire=wires.get(agent, agent), agent=agent, place=_place(agent, wires.get(agent)))
        for agent in agents
        if agent != "body"
    ]
    inputs += [NamedInput(wire=name, agent=None) for name in case.get("hidden_fields", [])]
    root = "body" if "body" in agents else None
    return FieldNames.build(inputs, root_mode=root is not None, root=root)


def _place(agent: str, wire: str | None) -> Place | None:
    """The location that a derived name tells: `id_query` is the `id` of the query."""
    word = agent.removeprefix(f"{wire}_")
    return Place(word) if wire is not None and word in list(Place) else None


def _typed(value: Any) -> Any:
    """`value` with booleans told apart from numbers, which Python calls equal."""
    if isinstance(value, dict):
        return {key: _typed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_typed(inner) for inner in value]
    return ("boolean", value) if isinstance(value, bool) else value
