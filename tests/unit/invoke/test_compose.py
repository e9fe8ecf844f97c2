"""Arguments to a request: the order of steps, fills, and what each refusal says."""

import logging
from typing import Any

import pytest

from sezzlee_py.errors import CompositionError, ErrorCode
from sezzlee_py.invoke.compose import Composer, compose
from sezzlee_py.invoke.fills import MISSING
from sezzlee_py.model import (
    OMIT,
    BodyField,
    BodySlot,
    ComposedRequest,
    Constant,
    Fill,
    Member,
    ParameterSlot,
    Provider,
    RequestContent,
    RequestTemplate,
)
from tests.unit.invoke.templates import (
    BOOLEAN,
    FORM,
    INTEGER,
    MULTIPART,
    NUMBER,
    STRING,
    field,
    fields,
    get,
    post,
    refusal,
    slot,
    url,
)

ID = slot("path", "id", INTEGER)
FILLED_INVALID = (
    ErrorCode.DEFERRED_VALUE_INVALID,
    "The operation fills a value itself and that value could not be used."
    " Retrying with the same arguments will not help.",
)
FILLED_MISSING = (
    ErrorCode.DEFERRED_VALUE_MISSING,
    "The operation fills a value itself and that value is unavailable."
    " Retrying with the same arguments will not help.",
)


# --- the whole request ----------------------------------------------------------------------


def test_every_location_takes_its_argument() -> None:
    template = post(
        fields(field("note"), field("tags")),
        ID,
        slot("query", "q"),
        slot("header", "X-Trace"),
        slot("cookie", "lang"),
        route="/orders/{id}",
    )
    arguments = {"note": "x", "lang": "tr", "X-Trace": "t", "q": "a b", "id": 7, "tags": [1]}
    assert compose(template, arguments, carrier_cookies="sid=1") == ComposedRequest(
        method="POST",
        path="/orders/7",
        query="q=a%20b",
        headers=(("x-trace", "t"), ("cookie", "sid=1; lang=tr")),
        content=RequestContent(
            content_type="application/json; charset=utf-8", data=b'{"note":"x","tags":[1]}'
        ),
    )


def test_one_name_in_path_and_query_reaches_both_places() -> None:
    template = get(ID, slot("query", "id", INTEGER, agent_name="id_query"), route="/a/{id}")
    assert url(compose(template, {"id": 1, "id_query": 2})) == "/a/1?id=2"


def test_the_fixed_text_of_a_route_is_encoded_and_its_delimiters_are_not() -> None:
    template = get(ID, slot("path", "ext"), route="/é a%/x:y;z@{id}.{ext}/{{}}")
    composed = compose(template, {"id": 1, "ext": "png"})
    assert composed.path == "/%C3%A9%20a%25/x:y;z@1.png/%7B%7B%7D%7D"


def test_a_composer_serves_any_number_of_calls() -> None:
    composer = Composer(get(ID, route="/a/{id}"))
    assert [composer.compose({"id": n}).path for n in (1, 2)] == ["/a/1", "/a/2"]


# --- names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ([], "array"),
        ("{}", "string"),
        (None, "null"),
        (5, "number"),
        (True, "boolean"),
    ],
)
def test_arguments_that_are_no_object_are_refused_by_kind(arguments: Any, kind: str) -> None:
    assert refusal(get(), arguments) == (
        ErrorCode.INVALID_TYPE,
        f"Arguments must be a JSON object, not {kind}.",
    )


def test_unknown_names_are_listed_together_with_the_allowed_ones_in_published_order() -> None:
    template = post(
        fields(field("text"), field("secret", fill=Constant(1)), field("n", agent_name="count")),
        ID,
        slot("query", "zeta"),
        slot("query", "q", agent_name="filter"),
        route="/a/{id}",
    )
    assert refusal(template, {"zta": 1, "text": 1, "n": 2, "secret": 3}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        "Unknown argument(s): zta, n, secret. Allowed: id, zeta, filter, text, count.",
    )


def test_a_tool_without_arguments_allows_none() -> None:
    assert refusal(get(), {"x": 1}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        "Unknown argument(s): x. Allowed: (none).",
    )


def test_the_root_is_the_one_name_of_a_body_in_root_mode() -> None:
    assert refusal(post(fields(root="body")), {"x": 1}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        "Unknown argument(s): x. Allowed: body.",
    )


GROUP = slot(
    "query",
    "filter",
    style="deepObject",
    members=(Member(name="status", kinds=STRING), Member(name="min", kinds=INTEGER)),
)


def test_unknown_members_are_dotted_and_come_before_a_missing_path_value() -> None:
    template = get(ID, GROUP, route="/a/{id}")
    assert refusal(template, {"filter": {"foo": 1, "status": "x", "bar": 2}}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        "Unknown argument(s): filter.foo, filter.bar. Allowed: filter.status, filter.min.",
    )


@pytest.mark.parametrize(
    "group",
    [slot("query", "g", style="deepObject"), slot("querystring", "g", content_type=FORM)],
)
def test_a_group_without_members_takes_none(group: ParameterSlot) -> None:
    assert refusal(get(group), {"g": {"x": 1}}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        "Unknown argument(s): g.x. Allowed: (none).",
    )


def test_unknown_names_and_members_are_told_in_one_message() -> None:
    assert refusal(get(GROUP), {"x": 1, "filter": {"y": 1}}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        "Unknown argument(s): x, filter.y. Allowed: filter, filter.status, filter.min.",
    )


def test_members_of_a_form_are_closed_at_every_level() -> None:
    address = field("address", members=(Member(name="city", kinds=STRING),))
    in_fields = post(fields(address, content_type=FORM))
    in_root = post(fields(address, content_type=MULTIPART, root="body"))
    assert refusal(in_fields, {"address": {"zip": "1"}}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        "Unknown argument(s): address.zip. Allowed: address.city.",
    )
    assert refusal(in_root, {"body": {"x": 1, "address": {"zip": "1"}}}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        "Unknown argument(s): body.x, body.address.zip. Allowed: body.address, body.address.city.",
    )


OPEN = fields(
    field("note"),
    field("tid", agent_name="tenant", fill=Constant("acme")),
    field("itm", agent_name="item"),
    additional_properties=True,
)


def test_an_open_body_takes_extra_keys_behind_the_declared_ones() -> None:
    composed = compose(post(OPEN), {"z": 1, "item": "i", "a": None, "note": "n"})
    assert composed.content == RequestContent(
        content_type="application/json; charset=utf-8",
        data=b'{"note":"n","tid":"acme","itm":"i","z":1,"a":null}',
    )


@pytest.mark.parametrize("name", ["tid", "tenant", "itm", 5])
def test_an_open_body_refuses_curated_names_as_it_refuses_any_other_unknown(name: Any) -> None:
    assert refusal(post(OPEN), {name: "x"}) == (
        ErrorCode.UNKNOWN_ARGUMENT,
        f"Unknown argument(s): {name}. Allowed: note, item.",
    )


def test_the_wire_name_of_a_hidden_parameter_cannot_enter_through_an_open_body() -> None:
    hidden = slot("query", "tid", agent_name="tenant", fill=OMIT)
    template = post(fields(additional_properties=True), hidden)
    for name in ("tid", "tenant"):
        code, _ = refusal(template, {name: 1})
        assert code is ErrorCode.UNKNOWN_ARGUMENT


def test_a_refusal_repeats_megabytes_of_names_in_part_only() -> None:
    code, message = refusal(get(), {"x" * 10**6: 1} | {f"n{i}": 1 for i in range(10**4)})
    assert code is ErrorCode.UNKNOWN_ARGUMENT
    assert isinstance(message, str)
    assert len(message) < 1000


# --- path -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, "", []])
def test_an_absent_path_value_is_missing(value: Any) -> None:
    template = get(slot("path", "v", agent_name="code"), route="/a/{v}")
    expected = (ErrorCode.MISSING_PATH_PARAMETER, "Path argument 'code' is required.")
    assert refusal(template, {"code": value}) == expected
    assert refusal(template, {}) == expected


def test_missing_path_values_are_listed_together_before_any_type() -> None:
    template = get(
        slot("path", "a", INTEGER), slot("path", "b"), slot("path", "c"), route="/{a}/{b}/{c}"
    )
    assert refusal(template, {"a": "text"}) == (
        ErrorCode.MISSING_PATH_PARAMETER,
        "Path argument 'b, c' is required.",
    )


@pytest.mark.parametrize(
    ("slot_", "value", "message"),
    [
        (slot("path", kinds=INTEGER), "5", "Argument 'v' must be of type integer."),
        (slot("path", kinds=INTEGER), True, "Argument 'v' must be of type integer."),
        (
            slot("path", kinds=(*INTEGER, *STRING)),
            1.5,
            "Argument 'v' must be of type integer or string.",
        ),
        (slot("path", kinds=()), {}, "Argument 'v' must be of type string, number or boolean."),
        (slot("path", kinds=INTEGER, array=True), 5, "Argument 'v' must be of type array."),
        (slot("path", kinds=INTEGER, array=True), ["5"], "Argument 'v' must be of type integer."),
        (slot("path"), "a/b", "Argument 'v' holds a value that does not address this operation."),
        (
            slot("path", array=True),
            ["a", ".."],
            "Argument 'v' holds a value that does not address this operation.",
        ),
        (
            slot("path", content_type="application/json"),
            {"a": "b/c"},
            "Argument 'v' holds a value that does not address this operation.",
        ),
        (slot("path", content_type="text/plain"), 5, "Argument 'v' must be of type string."),
    ],
)
def test_a_path_value_of_the_wrong_kind_or_place_is_refused(
    slot_: Any, value: Any, message: str
) -> None:
    template = get(slot_, route="/a/{v}")
    assert refusal(template, {"v": value}) == (ErrorCode.INVALID_PATH_TYPE, message)


def test_elements_of_a_path_array_are_neither_null_nor_empty() -> None:
    template = get(slot("path", array=True), route="/a/{v}")
    assert refusal(template, {"v": ["a", None]}) == (
        ErrorCode.NULL_NOT_ALLOWED,
        "Argument 'v' cannot be null; leave it out instead.",
    )
    assert refusal(template, {"v": ["a", ""]}) == (
        ErrorCode.MISSING_PATH_PARAMETER,
        "Path argument 'v' is required.",
    )


@pytest.mark.parametrize(
    ("style", "explode", "scalar", "array"),
    [
        ("simple", False, "a%20b", "a%20b,2"),
        ("simple", True, "a%20b", "a%20b,2"),
        ("label", False, ".a%20b", ".a%20b,2"),
        ("label", True, ".a%20b", ".a%20b.2"),
        ("matrix", False, ";v=a%20b", ";v=a%20b,2"),
        ("matrix", True, ";v=a%20b", ";v=a%20b;v=2"),
    ],
)
def test_a_path_style_is_written_as_rfc_6570_has_it(
    style: str, explode: bool, scalar: str, array: str
) -> None:
    one = slot("path", style=style, explode=explode)
    many = slot("path", style=style, explode=explode, array=True)
    assert compose(get(one, route="/{v}"), {"v": "a b"}).path == f"/{scalar}"
    assert compose(get(many, route="/{v}"), {"v": ["a b", "2"]}).path == f"/{array}"


def test_a_spanning_parameter_keeps_its_slashes() -> None:
    template = get(slot("path", spans_segments=True), route="/f/{v}/raw")
    assert compose(template, {"v": "a b/ü/%2F"}).path == "/f/a%20b/%C3%BC/%252F/raw"
    assert compose(template, {"v": "plain"}).path == "/f/plain/raw"


def test_a_converter_that_demands_a_fraction_gets_one() -> None:
    template = get(slot("path", kinds=NUMBER, fractional=True), route="/{v}")
    assert compose(template, {"v": 3}).path == "/3.0"


def test_a_path_value_can_be_json() -> None:
    template = get(slot("path", content_type="application/json"), route="/{v}")
    assert compose(template, {"v": ""}).path == "/%22%22"
    assert compose(template, {"v": {"a": [1.0]}}).path == "/%7B%22a%22%3A%5B1%5D%7D"


# --- query ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slot_", "value", "query"),
    [
        (slot("query"), "a b&c=d+é", "v=a%20b%26c%3Dd%2B%C3%A9"),
        (slot("query"), "\ud800", "v=%EF%BF%BD"),
        (slot("query"), "", "v="),
        (slot("query", "a[b]"), "x", "a%5Bb%5D=x"),
        (slot("query", kinds=BOOLEAN), False, "v=false"),
        (slot("query", kinds=()), 1e21, "v=1e%2B21"),
        (slot("query", array=True), ["a,b", "c"], "v=a%2Cb&v=c"),
        (slot("query", array=True), [], ""),
        (slot("query", array=True, explode=False), ["a,b", "c"], "v=a%2Cb,c"),
        (slot("query", array=True, style="spaceDelimited"), ["a b", "c"], "v=a%20b%20c"),
        (slot("query", array=True, style="pipeDelimited"), ["a|b", "c"], "v=a%7Cb|c"),
        (slot("query", array=True, explode=False), [], ""),
        (
            slot("query", allow_reserved=True),
            ":/?@!$'()*,;[]&=#+%",
            "v=:/?@!$'()*,;[]%26%3D%23%2B%25",
        ),
        (slot("query", allow_reserved=True, array=True), ["a,b", "c"], "v=a,b&v=c"),
        (slot("query", allow_reserved=True, array=True, explode=False), ["a,b", "/"], "v=a%2Cb,/"),
        (
            slot("query", allow_reserved=True, array=True, style="pipeDelimited"),
            ["a,|", "/"],
            "v=a,%7C|/",
        ),
        (
            slot("query", content_type="application/json"),
            {"b": 1.0, "a": None},
            "v=%7B%22b%22%3A1%2C%22a%22%3Anull%7D",
        ),
        (slot("query", content_type="text/plain", kinds=STRING), "a b", "v=a%20b"),
        (
            slot("query", style="deepObject", members=GROUP.members),
            {"min": 1, "status": "a b"},
            "v[status]=a%20b&v[min]=1",
        ),
        (slot("query", style="deepObject", members=GROUP.members), {}, ""),
        (slot("query", style="deepObject"), {}, ""),
        (
            slot("querystring", content_type="application/json"),
            {"a": "b c"},
            "%7B%22a%22%3A%22b%20c%22%7D",
        ),
        (slot("querystring", content_type=FORM, members=GROUP.members), {"min": 1}, "min=1"),
        (slot("querystring", content_type=FORM), {}, ""),
    ],
)
def test_a_query_value_is_written_by_its_style(slot_: Any, value: Any, query: str) -> None:
    assert compose(get(slot_), {slot_.name: value}).query == query


@pytest.mark.parametrize(
    ("slot_", "value", "expected"),
    [
        (slot("query"), None, "null"),
        (slot("query", array=True), None, "null"),
        (slot("query", array=True), ["a", None], "null"),
        (slot("query", content_type="application/json"), None, "null"),
        (GROUP, None, "null"),
        (slot("querystring", content_type="application/json"), None, "null"),
        (slot("query", kinds=INTEGER), "5", "of type integer"),
        (slot("query", array=True, kinds=INTEGER), [1, "5"], "of type integer"),
        (slot("query", array=True), "a", "an array"),
        (slot("query", content_type="application/json"), float("nan"), "of type JSON value"),
        (GROUP, "open", "of type object"),
    ],
)
def test_a_query_value_that_does_not_fit_is_refused(slot_: Any, value: Any, expected: str) -> None:
    messages = {
        "null": (
            ErrorCode.NULL_NOT_ALLOWED,
            f"Argument '{slot_.name}' cannot be null; leave it out instead.",
        )
    }
    refused = (ErrorCode.INVALID_TYPE, f"Argument '{slot_.name}' must be {expected}.")
    assert refusal(get(slot_), {slot_.name: value}) == messages.get(expected, refused)


def test_a_member_is_named_with_its_group() -> None:
    assert refusal(get(GROUP), {"filter": {"min": "3"}}) == (
        ErrorCode.INVALID_TYPE,
        "Argument 'filter.min' must be of type integer.",
    )


# --- header and cookie ----------------------------------------------------------------------


def test_header_values_are_written_raw_and_arrays_joined() -> None:
    template = get(
        slot("header", "X-A", array=True, style="simple"),
        slot("header", "X-B"),
        slot("header", "X-C", content_type="application/json"),
        slot("header", "X-D", array=True, style="simple"),
    )
    arguments = {"X-C": {"a": "é"}, "X-B": "a, b;\tc", "X-A": ["1", "2"], "X-D": []}
    assert compose(template, arguments).headers == (
        ("x-a", "1,2"),
        ("x-b", "a, b;\tc"),
        ("x-c", '{"a":"é"}'),
    )


@pytest.mark.parametrize("value", ["a\r", "a\nb", "\0", "日", "\ud800", "a\n"])
def test_a_header_that_cannot_carry_its_value_is_refused(value: str) -> None:
    refused = (
        ErrorCode.HEADER_INJECTION,
        "Argument 'X-A' contains a character that a header cannot carry.",
    )
    assert refusal(get(slot("header", "X-A")), {"X-A": value}) == refused
    several = get(slot("header", "X-A", array=True, style="simple"))
    assert refusal(several, {"X-A": ["a", value]}) == refused


def test_cookies_share_one_header() -> None:
    template = get(
        slot("cookie", "a"),
        slot("cookie", "b", array=True),
        slot("cookie", "c", style="cookie"),
        slot("cookie", "d", array=True),
    )
    arguments = {"c": "x=y", "b": ["1,2", "3"], "a": "; é", "d": []}
    assert compose(template, arguments).headers == (("cookie", "a=%3B%20%C3%A9; b=1%2C2,3; c=x=y"),)


@pytest.mark.parametrize("value", [" ", '"', ",", ";", "\\", "é", "\x7f", "a\n"])
def test_a_raw_cookie_that_is_not_made_of_cookie_octets_is_refused(value: str) -> None:
    template = get(slot("cookie", "c", style="cookie"))
    assert refusal(template, {"c": value}) == (
        ErrorCode.INVALID_COOKIE_VALUE,
        "Argument 'c' contains a character that a cookie cannot carry.",
    )


def test_an_argument_cannot_take_the_name_of_an_identity_cookie() -> None:
    template = get(slot("cookie", "sid", agent_name="session"))
    assert refusal(template, {"session": "x"}, carrier_cookies="a=1;sid = 2") == (
        ErrorCode.COOKIE_CARRIER_COLLISION,
        "Cookie 'session' is part of the caller's identity and cannot be an argument;"
        " leave it out.",
    )
    untouched = compose(template, {}, carrier_cookies="a=1;sid = 2")
    assert untouched.headers == (("cookie", "a=1;sid = 2"),)
    other_case = compose(get(slot("cookie", "SID")), {"SID": "x"}, carrier_cookies="sid=1")
    assert other_case.headers == (("cookie", "sid=1; SID=x"),)


# --- fills ----------------------------------------------------------------------------------


def filled(fill: Fill, location: str = "query", **more: Any) -> RequestTemplate:
    return get(slot(location, fill=fill, **more), route="/a/{v}" if location == "path" else "/a")


FROM_TENANT = Provider("tenant")


def test_a_filled_request_is_the_one_the_agent_would_have_sent() -> None:
    open_template = post(fields(field("a"), field("b")), ID, slot("query", "q"), route="/{id}")
    hidden = post(
        fields(field("a", fill=Constant([1])), field("b")),
        slot("path", "id", INTEGER, fill=FROM_TENANT),
        slot("query", "q", fill=FROM_TENANT, kinds=INTEGER),
        route="/{id}",
    )
    composer = Composer(hidden)
    assert composer.sources == ("tenant",)
    assert composer.compose({"b": 2}, fills={"tenant": 5}) == compose(
        open_template, {"a": [1], "b": 2, "id": 5, "q": "5"}
    )


@pytest.mark.parametrize("value", [MISSING, None])
@pytest.mark.parametrize("location", ["query", "header", "cookie"])
def test_an_absent_fill_leaves_an_optional_slot_out(location: str, value: Any) -> None:
    template = filled(FROM_TENANT, location)
    assert compose(template, {}, fills={"tenant": value}) == compose(get(route="/a"), {})
    required = filled(FROM_TENANT, location, required=True)
    assert refusal(required, {}, fills={"tenant": value}) == FILLED_MISSING


def test_an_absent_fill_of_a_path_is_missing_whatever_its_flag_says() -> None:
    template = filled(FROM_TENANT, "path")
    assert refusal(template, {}) == FILLED_MISSING
    assert refusal(template, {}, fills={"tenant": None}) == FILLED_MISSING
    assert refusal(filled(OMIT, "path"), {}) == FILLED_MISSING


def test_a_missing_fill_is_told_before_a_missing_path_value() -> None:
    template = get(ID, slot("query", "t", required=True, fill=FROM_TENANT), route="/{id}")
    assert refusal(template, {}) == FILLED_MISSING


def test_an_omitted_slot_writes_nothing() -> None:
    assert url(compose(filled(OMIT), {})) == "/a"


@pytest.mark.parametrize(
    ("template", "value"),
    [
        (filled(FROM_TENANT, "path"), "5/../admin"),
        (filled(FROM_TENANT, "path"), ""),
        (filled(FROM_TENANT, "path"), 5),
        (filled(FROM_TENANT, "path", array=True), []),
        (filled(FROM_TENANT, "path", array=True), "a"),
        (filled(FROM_TENANT, kinds=INTEGER), "5"),
        (filled(FROM_TENANT), object()),
        (filled(FROM_TENANT, array=True), "a"),
        (filled(FROM_TENANT, array=True), [None]),
        (filled(FROM_TENANT, content_type="application/json"), object()),
        (filled(FROM_TENANT, "header"), "a\r\nb: c"),
        (filled(FROM_TENANT, "cookie", style="cookie"), "a b"),
        (post(fields(field("a", fill=FROM_TENANT))), {1, 2}),
        (post(fields(field("a", fill=FROM_TENANT), field("b", fill=Constant(1)))), [float("inf")]),
        (post(fields(field("a", STRING, fill=FROM_TENANT), content_type=FORM)), None),
        (post(fields(field("a", STRING, fill=FROM_TENANT), content_type=MULTIPART)), 5),
        (post(fields(field("a", file=True, fill=FROM_TENANT), content_type=MULTIPART)), {}),
        (post(fields(root="body", fill=FROM_TENANT)), b""),
        (post(fields(root="body", fill=FROM_TENANT, content_type="text/plain")), None),
        (post(fields(field("a"), root="body", fill=FROM_TENANT, content_type=FORM)), {"b": 1}),
    ],
)
def test_a_fill_that_does_not_fit_blames_nothing_the_agent_sees(
    template: RequestTemplate, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "sezzlee_py"):
        assert refusal(template, {}, fills={"tenant": value}) == FILLED_INVALID
    assert len(caplog.records) == 1
    assert "tenant" in caplog.text


def test_a_filled_cookie_with_a_carriers_name_is_the_hosts_fault() -> None:
    template = filled(Constant("x"), "cookie")
    assert refusal(template, {}, carrier_cookies="v=1") == FILLED_INVALID


def test_a_null_fill_is_written_where_json_has_one() -> None:
    in_fields = post(fields(field("a", fill=FROM_TENANT)))
    in_root = post(fields(root="body", fill=FROM_TENANT))
    for template, data in ((in_fields, b'{"a":null}'), (in_root, b"null")):
        composed = compose(template, {}, fills={"tenant": None})
        assert composed.content is not None
        assert composed.content.data == data


def test_an_absent_fill_of_the_root_sends_no_body() -> None:
    optional = post(fields(root="body", required=False, fill=FROM_TENANT))
    assert compose(optional, {}).content is None
    assert refusal(post(fields(root="body", fill=FROM_TENANT)), {}) == FILLED_MISSING


def test_composing_twice_makes_the_same_request() -> None:
    composer = Composer(post(OPEN, GROUP))
    arguments = {"note": [1.5], "filter": {"min": 1}, "x": "y"}
    assert composer.compose(arguments) == composer.compose(arguments)


def test_the_error_carries_its_code_and_message() -> None:
    with pytest.raises(CompositionError) as caught:
        compose(get(), {"x": 1})
    assert (caught.value.code, caught.value.retryable) == (ErrorCode.UNKNOWN_ARGUMENT, False)


@pytest.mark.parametrize(
    "name",
    [
        *("isAdmin", "is_admin", "IS_ADMIN", "is-admin", "isadmin"),
        *("Is Admin", "is.admin", "isAdmin[]", " isAdmin", "isAdmin\u200b"),
    ],
)
def test_an_open_body_refuses_a_hidden_field_in_every_spelling(name: str) -> None:
    body = BodySlot(
        fields=(BodyField(name="isAdmin", agent_name="isAdmin", fill=OMIT),),
        additional_properties=True,
    )
    template = RequestTemplate(method="POST", route="/users", body=body)
    assert refusal(template, {name: True})[0] == ErrorCode.UNKNOWN_ARGUMENT


def test_an_open_body_takes_other_spellings_of_names_that_hide_no_field() -> None:
    body = fields(field("tid", agent_name="tenant"), additional_properties=True)
    template = post(body, slot("query", "user_id", fill=OMIT), slot("header", "x", agent_name="y"))
    composed = compose(template, {"tenant": 1, "TID": 2, "userId": 3, "X": 4})
    assert composed.content is not None
    assert composed.content.data == b'{"tid":1,"TID":2,"userId":3,"X":4}'
