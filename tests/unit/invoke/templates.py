"""Short spellings of templates for the tests of composing."""

from typing import Any

from sezzlee_py.errors import CompositionError
from sezzlee_py.invoke.compose import compose
from sezzlee_py.model import (
    BodyField,
    BodySlot,
    ComposedRequest,
    Member,
    ParameterLocation,
    ParameterSlot,
    RequestTemplate,
    ScalarKind,
)

STRING = (ScalarKind.STRING,)
INTEGER = (ScalarKind.INTEGER,)
NUMBER = (ScalarKind.NUMBER,)
BOOLEAN = (ScalarKind.BOOLEAN,)

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def slot(location: str, name: str = "v", kinds: Any = STRING, **more: Any) -> ParameterSlot:
    style = more.pop("style", "simple" if location == "path" else "form")
    explode = more.pop("explode", style == "form")
    return ParameterSlot(
        name=name,
        agent_name=more.pop("agent_name", name),
        location=ParameterLocation(location),
        kinds=kinds,
        style=style,
        explode=explode,
        **more,
    )


def get(*slots: ParameterSlot, route: str = "/items") -> RequestTemplate:
    return RequestTemplate(method="GET", route=route, parameters=slots)


def post(body: BodySlot, *slots: ParameterSlot, route: str = "/items") -> RequestTemplate:
    return RequestTemplate(method="POST", route=route, parameters=slots, body=body)


def field(name: str, kinds: Any = None, **more: Any) -> BodyField:
    keys = ("array", "members", "file", "media_type", "notation")
    typed = {key: more.pop(key) for key in keys if key in more}
    member = None if kinds is None and not typed else Member(name=name, kinds=kinds or (), **typed)
    return BodyField(name=name, agent_name=more.pop("agent_name", name), member=member, **more)


def fields(*listed: BodyField, **more: Any) -> BodySlot:
    return BodySlot(fields=listed, **more)


def url(request: ComposedRequest) -> str:
    return request.path + (f"?{request.query}" if request.query else "")


def refusal(template: RequestTemplate, arguments: Any, **more: Any) -> Any:
    """The code and message a call is refused with; the request when it is not."""
    try:
        return compose(template, arguments, **more)
    except CompositionError as fault:
        return fault.code, fault.message
