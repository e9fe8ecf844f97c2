"""Whatever an agent or a provider sends: a request, or a coded refusal."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.errors import CompositionError, ErrorCode
from sezzlee_py.invoke.compose import Composer
from sezzlee_py.invoke.multipart import write_content
from sezzlee_py.model import (
    BodySlot,
    ComposedRequest,
    FileSource,
    Member,
    ParameterSlot,
    Provider,
    RequestTemplate,
    ScalarKind,
)
from tests.properties.hostile import examples, json_values, texts
from tests.unit.invoke.templates import FORM, INTEGER, MULTIPART, STRING, field, fields, slot

kinds = st.lists(st.sampled_from(ScalarKind), max_size=2, unique=True).map(tuple)
MEMBERS = (Member(name="a", kinds=STRING), Member(name="n", kinds=INTEGER, array=True))
STYLES = {
    "path": ["simple", "label", "matrix"],
    "query": ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
    "header": ["simple", "form"],
    "cookie": ["form", "cookie"],
}
CONTENT_TYPES = [None, None, "application/json", "text/plain"]


@st.composite
def parameters(draw: Any, name: str) -> ParameterSlot:
    location = draw(st.sampled_from(sorted(STYLES)))
    return slot(
        location,
        name,
        draw(kinds),
        style=draw(st.sampled_from(STYLES[location])),
        explode=draw(st.booleans()),
        array=draw(st.booleans()),
        allow_reserved=draw(st.booleans()),
        content_type=draw(st.sampled_from(CONTENT_TYPES)),
        spans_segments=draw(st.booleans()),
        fractional=draw(st.booleans()),
        members=MEMBERS if location == "query" and draw(st.booleans()) else (),
    )


BODIES: list[BodySlot | None] = [
    None,
    fields(field("b"), field("c")),
    fields(field("b"), additional_properties=True),
    fields(root="body"),
    fields(root="body", content_type="text/plain"),
    fields(field("b", INTEGER), field("c", members=MEMBERS), content_type=FORM),
    fields(field("b", INTEGER), field("c", members=MEMBERS), root="body", content_type=FORM),
    fields(
        field("b", file=True),
        field("c", file=True, array=True),
        content_type=MULTIPART,
        file_sources=tuple(FileSource),
    ),
    fields(field("b", file=True), field("c"), root="body", content_type=MULTIPART),
    fields(root="body", content_type="image/png", media_type="image/png"),
]


@st.composite
def templates(draw: Any) -> RequestTemplate:
    slots = [draw(parameters(name)) for name in draw(st.sampled_from(["", "x", "xy", "xyz"]))]
    path = "".join(f"/{{{s.name}}}" for s in slots if s.location == "path")
    return RequestTemplate(
        method="POST",
        route=f"/a{path}",
        parameters=tuple(slots),
        body=draw(st.sampled_from(BODIES)),
    )


file_arguments = st.fixed_dictionaries(
    {},
    optional={
        "text": json_values,
        "base64": texts,
        "ref": texts,
        "name": texts,
        "mediaType": texts,
    },
)
values = st.one_of(json_values, texts, file_arguments, st.lists(file_arguments, max_size=2))
arguments = st.one_of(
    st.dictionaries(st.sampled_from(["x", "y", "z", "b", "c", "body"]), values, max_size=6),
    json_values,
)


def outcome(composer: Composer, *given_: Any, **more: Any) -> ComposedRequest | tuple[str, str]:
    try:
        return composer.compose(*given_, **more)
    except CompositionError as refused:
        return refused.code, refused.message


@examples(1500)
@given(templates(), arguments, st.none() | texts)
def test_any_call_is_composed_or_refused_and_twice_alike(
    template: RequestTemplate, call: Any, cookies: str | None
) -> None:
    first = outcome(Composer(template), call, carrier_cookies=cookies)
    assert outcome(Composer(template), call, carrier_cookies=cookies) == first
    if isinstance(first, tuple):
        assert first[1].encode()
        return
    assert f"{first.path}?{first.query}".isascii()
    assert not set(first.path + first.query) & set(" \r\n#")
    assert "?" not in first.path
    if first.content is not None and not _holds_ref(first):
        content_type, data = write_content(first.content)
        assert not set(content_type) & set("\r\n")
        assert isinstance(data, bytes)


def _holds_ref(request: ComposedRequest) -> bool:
    assert request.content is not None
    files = [request.content.file, *(part.file for part in request.content.parts or ())]
    return any(file is not None and file.source is FileSource.REF for file in files)


HOST_VALUES = st.one_of(
    json_values,
    st.binary(),
    st.just(object()),
    st.floats(),
    st.tuples(texts),
    st.dictionaries(st.integers(), texts, max_size=2),
    st.sets(st.integers(), min_size=1),
)
FILL_CODES = {ErrorCode.DEFERRED_VALUE_INVALID, ErrorCode.DEFERRED_VALUE_MISSING}


@examples(800)
@given(templates(), HOST_VALUES)
def test_a_fill_of_any_value_never_blames_the_agent(template: RequestTemplate, value: Any) -> None:
    fill = Provider("source")
    body = template.body
    if body is not None:
        hidden_fields = body.fields
        if body.root is None:
            hidden_fields = tuple(replace(f, fill=fill, required=True) for f in body.fields)
        body = replace(body, fill=fill, fields=hidden_fields)
    hidden = replace(
        template,
        parameters=tuple(replace(slot_, fill=fill) for slot_ in template.parameters),
        body=body,
    )
    result = outcome(Composer(hidden), {}, fills={"source": value})
    if isinstance(result, tuple):
        assert result[0] in FILL_CODES
