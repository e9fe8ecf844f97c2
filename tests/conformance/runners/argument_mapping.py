"""From a request template and an agent's arguments to a request, or to a refusal."""

import json
from decimal import Decimal
from typing import Any

from sezzlee_py.errors import CompositionError
from sezzlee_py.invoke.bodies import MediaFamily, media_family
from sezzlee_py.invoke.compose import Composer
from sezzlee_py.model import (
    OMIT,
    BodyField,
    BodySlot,
    ComposedRequest,
    Constant,
    FileContent,
    FileSource,
    Fill,
    Member,
    ObjectNotation,
    ParameterLocation,
    ParameterSlot,
    Part,
    Provider,
    RequestContent,
    RequestTemplate,
    ScalarKind,
)
from sezzlee_py.model.routes import normalize_route

_DEFAULT_STYLES = {"path": "simple"}


def check(case: Any, expected: Any) -> None:
    optional = {
        key: case[key] for key in ("carrier_cookies", "max_inline_file_bytes") if key in case
    }
    try:
        request = Composer(_template(case["template"])).compose(
            case["arguments"], fills=case.get("deferred", {}), **optional
        )
    except CompositionError as fault:
        shown: dict[str, Any] = {"error": fault.code}
    else:
        shown = _request(request)
    if "body_json" in shown:
        assert _typed(shown.pop("body_json")) == _typed(expected["body_json"])
        expected = {key: value for key, value in expected.items() if key != "body_json"}
    assert shown == expected


def _typed(value: Any) -> Any:
    """A value in which `true`, `1` and `"1"` differ, as they do in JSON, and 1 and 1.0 do not.

    Numbers are the decimal ones that the text says: of two texts for one float, one may read as
    an integer, and that is not the float's binary value.
    """
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Decimal(repr(value))
    return (isinstance(value, bool), value)


# --- the template ---------------------------------------------------------------------------


def _template(raw: Any) -> RequestTemplate:
    route = normalize_route(raw["route"])
    spanning = {p.name for p in route.placeholders if p.converter == "path"}
    # Angle brackets are Werkzeug's, whose `float` reads no number without a fraction.
    fractional = {p.name for p in route.placeholders if f"<float:{p.name}>" in raw["route"]}
    return RequestTemplate(
        method=raw["method"],
        route=route.template,
        parameters=tuple(_parameter(p, spanning, fractional) for p in raw["parameters"]),
        body=_body(raw["body"]) if "body" in raw else None,
    )


def _parameter(raw: Any, spanning: set[str], fractional: set[str]) -> ParameterSlot:
    style = raw.get("style", _DEFAULT_STYLES.get(raw["in"], "form"))
    return ParameterSlot(
        name=raw["name"],
        agent_name=raw.get("as", raw["name"]),
        location=ParameterLocation(raw["in"]),
        required=raw.get("required", False),
        kinds=_kinds(raw["type"]),
        array=raw.get("array", False),
        style=style,
        explode=raw.get("explode", style == "form"),
        allow_reserved=raw.get("allow_reserved", False),
        content_type=raw.get("content_type"),
        members=tuple(_member(m) for m in raw.get("members", ())),
        notation=ObjectNotation(raw.get("notation", "bracket")),
        spans_segments=raw["in"] == "path" and raw["name"] in spanning,
        fractional=raw["in"] == "path" and raw["name"] in fractional,
        fill=_fill(raw.get("fill")),
    )


def _kinds(name: str) -> tuple[ScalarKind, ...]:
    return () if name in ("object", "json", "file") else (ScalarKind(name),)


def _member(raw: Any) -> Member:
    return Member(
        name=raw["name"],
        kinds=_kinds(raw["type"]),
        array=raw.get("array", False),
        members=tuple(_member(m) for m in raw.get("members", ())),
        notation=ObjectNotation(raw.get("notation", "bracket")),
        file=raw["type"] == "file",
        media_type=raw.get("media_type"),
    )


def _fill(raw: Any) -> Fill | None:
    if raw is None:
        return None
    if raw["kind"] == "constant":
        return Constant(raw["value"])
    return Provider(raw["source"]) if raw["kind"] == "deferred" else OMIT


def _body(raw: Any) -> BodySlot:
    content_type = raw.get("content_type", "application/json")
    form = raw.get("form", {})
    members = {m["name"]: _member(m) for m in form.get("fields", ())}
    curation = {record["name"]: record for record in raw.get("curation", ())}
    return BodySlot(
        content_type=content_type,
        # Like a parameter without the flag; a root that is required has no case to say so.
        required=False,
        fields=tuple(
            _field(name, members.get(name), curation.get(name, {}))
            for name in (members if "root" in raw else raw["fields"])
        ),
        additional_properties=raw.get("additional_properties", False),
        root=raw.get("root"),
        fill=_fill(raw.get("fill")),
        notation=ObjectNotation(form.get("notation", "bracket")),
        file=media_family(content_type) is MediaFamily.FILE,
        media_type=raw.get("media_type"),
        file_sources=tuple(map(FileSource, raw.get("file_sources", ("text", "base64")))),
    )


def _field(name: str, member: Member | None, record: Any) -> BodyField:
    return BodyField(
        name=name,
        agent_name=record.get("as", name),
        fill=_fill(record.get("fill")),
        member=member,
    )


# --- the request as the cases show it -------------------------------------------------------


def _request(request: ComposedRequest) -> dict[str, Any]:
    query = f"?{request.query}" if request.query else ""
    shown: dict[str, Any] = {"path_and_query": request.path + query}
    if request.headers:
        shown["headers"] = dict(request.headers)
    if request.content is not None:
        shown["content_type"] = request.content.content_type
        shown |= _content(request.content)
    return shown


def _content(content: RequestContent) -> dict[str, Any]:
    if content.parts is not None:
        return {"body_parts": [_part(part) for part in content.parts]}
    if content.file is not None:
        return {"body_file": _file(content.file)}
    assert content.data is not None
    text = content.data.decode()
    family = media_family(content.content_type.partition(";")[0])
    if family is MediaFamily.JSON:
        return {"body_json": json.loads(text)}
    return {"body_form" if family is MediaFamily.FORM else "body_text": text}


def _part(part: Part) -> dict[str, Any]:
    shown = {"value": part.value} if part.file is None else {"file": _file(part.file)}
    return {"name": part.name, **shown}


def _file(file: FileContent) -> dict[str, Any]:
    shown = {
        file.source.value: file.value,
        "byte_length": file.byte_length,
        "filename": file.filename,
        "media_type": file.media_type,
    }
    return {key: value for key, value in shown.items() if value is not None}
