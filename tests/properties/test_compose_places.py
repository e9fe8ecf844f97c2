"""Each argument lands in exactly one place, and the real decoders read it back."""

from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, unquote

from hypothesis import example, given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams
from starlette.routing import Match, Route
from werkzeug.routing import Map, Rule

from sezzlee_py.errors import CompositionError, ErrorCode
from sezzlee_py.invoke.compose import compose
from sezzlee_py.model import Member, ObjectNotation
from tests.properties.hostile import clean, examples, numbers, texts
from tests.unit.invoke.templates import INTEGER, NUMBER, STRING, get, slot

HUGE = "/../\r\n" * 17_000

PATH_CODES = {ErrorCode.INVALID_PATH_TYPE, ErrorCode.MISSING_PATH_PARAMETER}
WERKZEUG = Map(
    [
        Rule("/users/<v>/orders", endpoint="target"),
        Rule("/files/<path:v>", endpoint="files"),
        Rule("/users/<v>/delete", endpoint="trap"),
        Rule("/users/<a>/<b>/orders", endpoint="trap"),
        Rule("/<path:rest>", endpoint="trap"),
    ],
    merge_slashes=False,
).bind("localhost")


async def endpoint(_: object) -> None: ...


STARLETTE = [
    Route("/users/{v}/orders", endpoint, name="target"),
    Route("/files/{v:path}", endpoint, name="files"),
    Route("/{rest:path}", endpoint, name="trap"),
]


def routed_by_werkzeug(path: str) -> tuple[str, str]:
    name, values = WERKZEUG.match(unquote(path))
    return name, values.get("v", "")


def routed_by_starlette(path: str) -> tuple[str, str]:
    scope = {"type": "http", "method": "GET", "path": unquote(path)}
    for route in STARLETTE:
        match, found = route.matches(scope)
        if match is Match.FULL:
            return route.name, found["path_params"].get("v", "")
    raise AssertionError("the trap catches the rest")


@examples(400)
@given(texts)
@example(HUGE)
def test_a_path_value_arrives_in_its_own_segment_or_is_refused(value: str) -> None:
    template = get(slot("path"), route="/users/{v}/orders")
    try:
        path = compose(template, {"v": value}).path
    except CompositionError as refused:
        code = refused.code
    else:
        assert path.isascii()
        assert not set(path) & set("?# \r\n")
        assert routed_by_werkzeug(path) == ("target", clean(value))
        assert routed_by_starlette(path) == ("target", clean(value))
        return
    assert code in PATH_CODES


@examples(400)
@given(texts)
@example("a" + HUGE)
def test_a_value_over_several_segments_climbs_nowhere(value: str) -> None:
    template = get(slot("path", spans_segments=True), route="/files/{v}")
    try:
        path = compose(template, {"v": value}).path
    except CompositionError as refused:
        code = refused.code
    else:
        segments = unquote(path).split("/")
        assert not {".", ".."} & set(segments)
        assert "" not in segments[1:-1]
        assert routed_by_werkzeug(path) == ("files", clean(value))
        assert routed_by_starlette(path) == ("files", clean(value))
        return
    assert code in PATH_CODES


@examples(200)
@given(st.lists(texts, min_size=1, max_size=4), st.sampled_from(["simple", "label", "matrix"]))
def test_elements_of_a_path_array_are_told_apart(values: list[str], style: str) -> None:
    template = get(slot("path", array=True, style=style, explode=False), route="/a/{v}/b")
    try:
        path = compose(template, {"v": values}).path
    except CompositionError as refused:
        code = refused.code
    else:
        start, end = {"simple": "/a/", "label": "/a/.", "matrix": "/a/;v="}[style], "/b"
        assert path.startswith(start)
        assert path.endswith(end)
        joined = path[len(start) : -len(end)]
        assert [unquote(item) for item in joined.split(",")] == [clean(v) for v in values]
        return
    assert code in PATH_CODES


@examples(400)
@given(st.dictionaries(texts.filter(bool), st.lists(texts, max_size=4), max_size=4))
@example({HUGE: [HUGE, HUGE]})
def test_query_keys_and_values_are_read_back_in_order(arguments: dict[str, list[str]]) -> None:
    template = get(*[slot("query", name, array=True) for name in arguments])
    query = compose(template, arguments).query
    expected = [
        (clean(name), clean(value)) for name, values in arguments.items() for value in values
    ]
    assert QueryParams(query).multi_items() == expected
    assert parse_qsl(query, keep_blank_values=True) == expected
    assert not set(query) & set("#? \r\n")


@examples(300)
@given(texts, st.lists(texts, max_size=3))
def test_reserved_characters_left_raw_read_back_the_same(one: str, many: list[str]) -> None:
    template = get(
        slot("query", "one", allow_reserved=True),
        slot("query", "many", allow_reserved=True, array=True, explode=False),
    )
    query = compose(template, {"one": one, "many": many}).query
    pairs = dict(parse_qsl(query, keep_blank_values=True))
    assert pairs["one"] == clean(one)
    assert pairs.keys() == ({"one", "many"} if many else {"one"})
    raw = query.partition("&many=")[2]
    assert [unquote(item) for item in raw.split(",")] == ([clean(v) for v in many] or [""])


@examples(200)
@given(
    st.lists(texts, min_size=1, max_size=4),
    st.sampled_from([("form", ","), ("spaceDelimited", "%20"), ("pipeDelimited", "|")]),
)
def test_elements_of_a_joined_array_survive_but_for_the_delimiter_itself(
    values: list[str], style: tuple[str, str]
) -> None:
    name, join = style
    query = compose(get(slot("query", array=True, style=name, explode=False)), {"v": values}).query
    assert query.startswith("v=")
    # A space in an element is written as the delimiter is; the style cannot say more.
    expected = [clean(value) for value in values]
    if join == "%20":
        expected = [part for value in expected for part in value.split(" ")]
    assert [unquote(item) for item in query[2:].split(join)] == expected


@examples(300)
@given(st.dictionaries(texts.filter(bool), texts, max_size=4), st.sampled_from(ObjectNotation))
def test_members_of_a_group_are_read_back_under_their_keys(
    members: dict[str, str], notation: ObjectNotation
) -> None:
    group = slot(
        "query",
        "a&b",
        style="deepObject",
        notation=notation,
        members=tuple(Member(name=name, kinds=STRING) for name in members),
    )
    query = compose(get(group), {"a&b": members}).query
    spelt = "a&b.{}" if notation is ObjectNotation.DOT else "a&b[{}]"
    assert QueryParams(query).multi_items() == [
        (spelt.format(clean(name)), clean(value)) for name, value in members.items()
    ]


@examples(300)
@given(texts)
@example(HUGE)
def test_a_header_is_written_whole_or_refused(value: str) -> None:
    try:
        headers = compose(get(slot("header", "X-A")), {"X-A": value}).headers
    except CompositionError as refused:
        code = refused.code
    else:
        assert headers == (("x-a", value),)
        assert not set(value) & set("\r\n\0")
        assert value.encode("latin-1").decode("latin-1") == value
        return
    assert code is ErrorCode.HEADER_INJECTION


@examples(300)
@given(st.fixed_dictionaries({}, optional={"a": texts, "b": texts, "c": texts}))
@example({"a": HUGE})
def test_cookies_are_read_back_and_make_no_others(values: dict[str, str]) -> None:
    template = get(*[slot("cookie", name) for name in "abc"])
    headers = dict(compose(template, values, carrier_cookies="sid=1").headers)
    read = SimpleCookie(headers["cookie"])
    expected = {"sid": "1"} | {name: clean(value) for name, value in values.items()}
    assert {name: unquote(morsel.value) for name, morsel in read.items()} == expected


@examples(200)
@given(texts)
def test_a_raw_cookie_is_written_whole_or_refused(value: str) -> None:
    try:
        headers = compose(get(slot("cookie", "c", style="cookie")), {"c": value}).headers
    except CompositionError as refused:
        code = refused.code
    else:
        assert headers == (("cookie", f"c={value}"),)
        assert SimpleCookie(headers[0][1])["c"].value == value
        return
    assert code is ErrorCode.INVALID_COOKIE_VALUE


@examples(400)
@given(numbers)
def test_a_number_reads_back_as_the_same_double(value: float) -> None:
    query = compose(get(slot("query", kinds=NUMBER)), {"v": value}).query
    text = unquote(query.removeprefix("v="))
    assert float(text) == float(value)
    assert not text.endswith(".0")
    assert text != "-0"


@examples(200)
@given(st.integers(min_value=-(10**1000) + 1, max_value=10**1000 - 1))
def test_an_integer_reads_back_exactly(value: int) -> None:
    query = compose(get(slot("query", kinds=INTEGER)), {"v": value}).query
    assert int(query.removeprefix("v=")) == value
