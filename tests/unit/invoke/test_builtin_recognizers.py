"""Each row of the table on its own: what it reads, and what it leaves to the next."""

import json
from typing import Any

import pytest

from sezzlee_py.invoke.field_names import FieldNames, NamedInput, Place
from sezzlee_py.invoke.mapping import map_response
from sezzlee_py.model import BackendResponse

NAMES = FieldNames.build(
    [
        NamedInput(wire="quantity", agent="quantity"),
        NamedInput(wire="items", agent="items"),
        NamedInput(wire="title", agent="title"),
        NamedInput(wire="q", agent="keyword"),
        NamedInput(wire="tenantId", agent=None),
    ]
)
ROOT = FieldNames.build([NamedInput(wire="id", agent="id")], root_mode=True, root="body")


def told(
    body: Any, *, status: int = 400, media_type: str = "application/json", names: FieldNames = NAMES
) -> Any:
    """What the agent is told: a list of (name, message), one message, or None for nothing."""
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    response = BackendResponse(status=status, headers=(("content-type", media_type),), body=content)
    payload = map_response(response, names).payload
    if "fields" in payload:
        return [(field.get("name"), field["message"]) for field in payload["fields"]]
    standard = map_response(BackendResponse(status=status), names).payload["message"]
    return None if payload["message"] == standard else payload["message"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"errors": {"quantity": ["a", "b"], "q": "c"}}, ["quantity a", "quantity b", "keyword c"]),
        ({"errors": {"$.items[0].sku": ["a"]}}, ["items[0].sku a"]),
        ({"errors": {"items.0.sku": ["a"]}}, ["items[0].sku a"]),
        ({"errors": {"quantity": [], "items": ["a"]}}, ["items a"]),
        ({"errors": {"": ["a"]}}, [" a"]),
        ({"errors": {"$": ["a"]}}, [" a"]),
    ],
)
def test_a_field_map_is_read(body: Any, expected: list[str]) -> None:
    assert [f"{name or ''} {message}" for name, message in told(body)] == expected


@pytest.mark.parametrize(
    "body",
    [
        {"errors": {}},
        {"errors": {"quantity": []}},
        {"errors": {"quantity": [1]}},
        {"errors": {"quantity": None}},
        {"errors": "x"},
        {"errors": []},
    ],
)
def test_what_is_no_field_map_is_not_read_as_one(body: Any) -> None:
    assert told(body) is None


@pytest.mark.parametrize("status", [403, 404, 409, 415, 418, 429])
def test_fields_are_kept_beside_the_code_of_another_status(status: int) -> None:
    assert told({"errors": {"quantity": ["a"]}}, status=status) == [("quantity", "a")]


def located(*loc: Any, **more: Any) -> dict[str, Any]:
    return {"loc": list(loc), "msg": "m", "input": "s3cret", "ctx": {}, "url": "u", **more}


@pytest.mark.parametrize(
    ("loc", "name"),
    [
        (("body", "quantity"), "quantity"),
        (("body", "payload", "quantity"), "quantity"),
        (("form", "quantity"), "quantity"),
        (("quantity",), "quantity"),
        (("items", 0, "sku"), "items[0].sku"),
        (("query", "voucher"), "voucher"),
        (("query",), None),
        (("body",), None),
        (("body", 3), None),
        ((), None),
        (("query", "tenantId"), None),
        (("json", "voucher"), "voucher"),
    ],
)
def test_a_location_names_an_argument(loc: tuple[Any, ...], name: str | None) -> None:
    assert told({"detail": [located(*loc)]}, status=422) == [(name, "m")]
    assert told({"errors": [located(*loc)]}, status=422) == [(name, "m")]


def test_a_list_of_located_errors_alone_is_read_where_arguments_are_at_fault() -> None:
    """As flask-openapi3 and spectree answer."""
    errors = [{"type": "missing", "loc": ["quantity"], "msg": "Field required", "input": {}}]
    assert told(errors, status=422) == [("quantity", "Field required")]
    assert told(errors, status=400) == [("quantity", "Field required")]
    assert told(errors, status=404) is None
    assert told([], status=422) is None
    assert told([{"msg": "Field required"}], status=422) is None


def test_a_word_for_a_location_may_be_an_argument_where_fastapi_writes_no_such_location() -> None:
    names = FieldNames.build([NamedInput(wire="files", agent="files")])
    assert told({"detail": [located("files", 0)]}, names=names) == [("files[0]", "m")]


def test_a_syntax_error_has_no_name() -> None:
    body = {"detail": [located("body", 7, type="json_invalid")]}
    assert told(body, names=ROOT) == [(None, "m")]


@pytest.mark.parametrize(
    "detail",
    [
        [],
        [{"loc": ["body"]}],
        [{"msg": "m"}],
        [{"loc": "body", "msg": "m"}],
        [{"loc": [True], "msg": "m"}],
        [{"loc": [None], "msg": "m"}],
        [located("body"), "x"],
        ["x"],
    ],
)
def test_a_list_with_another_item_is_not_read(detail: Any) -> None:
    assert told({"detail": detail}, status=400) is None


def test_groups_of_flask_pydantic_tell_the_place() -> None:
    body = {
        "validation_error": {"path_params": [located("id")], "body_params": [located("id", "x")]}
    }
    assert told(body, names=ROOT) == [("id", "m"), ("body.id.x", "m")]
    assert told({"validation_error": {"other": [located("quantity")]}}) == [("quantity", "m")]
    assert told({"validation_error": {"query_params": ["x"]}}) is None
    assert told({"validation_error": {}}) is None


@pytest.mark.parametrize("key", ["errors", "messages", "detail"])
@pytest.mark.parametrize("status", [400, 409, 422])
def test_nested_maps_are_read_under_their_keys(key: str, status: int) -> None:
    body = {key: {"json": {"items": {"0": {"sku": ["a"]}}, "_schema": ["b"]}, "query": ["c"]}}
    assert told(body, status=status) == [("items[0].sku", "a"), (None, "b"), (None, "c")]


def test_the_first_key_with_a_nested_map_is_read() -> None:
    body = {"detail": {"items": ["d"]}, "messages": {"items": ["m"]}, "errors": {"items": ["e"]}}
    assert told(body) == [("items", "e")]
    assert told(body | {"errors": {}}) == [("items", "m")]


def test_a_whole_body_of_nested_maps_is_read_on_422_alone() -> None:
    body = {"json": {"voucher": {"code": ["a"]}}}
    assert told(body, status=422) == [("voucher.code", "a")]
    assert told(body, status=400) is None


def test_location_keys_are_unwrapped_only_where_all_keys_are() -> None:
    assert told({"json": {"x": ["a"]}, "y": ["b"]}, status=422) == [("json.x", "a"), ("y", "b")]


def test_the_body_of_root_mode_is_a_place() -> None:
    body = {"errors": {"json_or_form": {"id": ["a"], "_schema": ["b"]}, "view_args": {"id": ["c"]}}}
    assert told(body, status=422, names=ROOT) == [("body.id", "a"), ("body", "b"), ("id", "c")]


@pytest.mark.parametrize(
    "body", [{"json": {"x": "a"}}, {"json": {"x": [1]}}, {"json": {}}, {"json": {"x": []}}, []]
)
def test_maps_with_other_ends_are_not_read(body: Any) -> None:
    assert told(body, status=422) is None


def test_maps_as_deep_as_the_parser_reads_are_walked() -> None:
    depth = 400
    body = '{"x":' * depth + '["a"]' + "}" * depth
    assert told(body, status=422) == [(".".join("x" * depth), "a")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"quantity": "a", "ITEMS": ["b"], "keyword": ["c"]}, ["quantity", "items", "keyword"]),
        ({"error": {"quantity": "a"}}, ["quantity"]),
        ({"detail": {"items": {"0": "a", "sku": ["b"]}}}, ["items[0]", "items.sku"]),
        ({"title": ["a"]}, ["title"]),
        ({"tenantId": "a", "__all__": "b"}, [None, None]),
        ({"message": {"nothing": "x"}, "error": {"quantity": "a"}}, ["quantity"]),
    ],
)
def test_a_map_of_known_names_is_read(body: Any, expected: list[str | None]) -> None:
    assert [name for name, _ in told(body)] == expected
    assert [name for name, _ in told(body, status=422)] == expected


@pytest.mark.parametrize(
    "body",
    [
        {"quantity": ["a"], "code": 3},
        {"quantity": 3},
        {"quantity": {"a": {"b": "c"}}},
        {"quantity": {"a": 3}},
        {"quantity": []},
        {"quantity": {}},
        {},
    ],
)
def test_one_other_key_or_value_makes_it_no_map(body: Any) -> None:
    assert told(body) is None


def test_a_plain_string_under_a_message_key_makes_an_envelope() -> None:
    assert told({"title": "a", "quantity": ["b"]}) == "a"
    assert told({"message": {"title": "a"}}) == "a"


def test_the_whole_body_is_a_map_of_known_names_on_400_and_422_alone() -> None:
    assert told({"quantity": ["a"]}, status=409) is None


PROBLEM = "application/problem+json"


@pytest.mark.parametrize(
    ("body", "media_type", "expected"),
    [
        ({"title": "t", "detail": "d", "status": 400}, PROBLEM, "d"),
        ({"title": "t", "detail": " ", "status": 400}, PROBLEM, "t"),
        ({"title": "t", "detail": 3}, PROBLEM, "t"),
        ({"message": "m", "title": "t"}, PROBLEM, "t"),
        ({"message": "m", "title": "t", "status": 400}, "application/json", "t"),
        ({"message": "m", "title": "t", "status": "fail"}, "application/json", "m"),
        ({"message": "m", "title": "t", "status": True}, "application/json", "m"),
        ({"message": "m"}, PROBLEM, "m"),
        ({"type": "about:blank"}, PROBLEM, None),
        ([], PROBLEM, None),
    ],
)
def test_a_problem_tells_its_detail_or_title(
    body: Any, media_type: str, expected: str | None
) -> None:
    assert told(body, media_type=media_type) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"status_code": 400, "detail": "d", "extra": [{"message": "m", "key": "items.0"}]},
            [("items[0]", "m")],
        ),
        ({"code": 1, "extra": [{"message": "m"}]}, [(None, "m")]),
        ({"code": 1, "extra": [{"message": "m", "key": 3}], "message": "n"}, "n"),
        ({"code": 1, "extra": [], "detail": "d"}, "d"),
        ({"code": 1, "extra": {}, "message": ["quantity a"]}, [("quantity", "quantity a")]),
        ({"statusCode": 1, "title": "t", "message": "m"}, "m"),
        ({"statusCode": 1, "message": ["quantity a", "q b", "tenantId c", "x d"]}, "list"),
        ({"statusCode": 1, "message": [], "error": "e"}, "e"),
        ({"statusCode": 1, "message": ["a", 1], "error": "e"}, "e"),
        ({"statusCode": 1, "message": " ", "error": "e"}, "e"),
        ({"message": ["quantity a"]}, None),
    ],
)
def test_an_exception_object_tells_fields_or_a_message(body: Any, expected: Any) -> None:
    if expected == "list":
        expected = [
            ("quantity", "quantity a"),
            ("keyword", "q b"),
            (None, "tenantId c"),
            (None, "x d"),
        ]
    assert told(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"REASON": "r", "Title": "t"}, "t"),
        ({"detail": "d", "message": ""}, "d"),
        ({"error": {"code": 1, "Message": "m"}}, "m"),
        ({"error": {"message": {"detail": "too deep"}}, "title": "t"}, "t"),
        ({"message": None, "error_description": "e"}, "e"),
        ({"message": "first", "Message": "second"}, "first"),
        ({"Message": True, "message": "m", "detail": "d"}, "m"),
        ({"error": {"detail": " ", "DETAIL": "d"}}, "d"),
        ({"description": "d"}, None),
        ('"just text"', "just text"),
        ('" "', None),
        ('["a"]', None),
        ("3", None),
        ("null", None),
    ],
)
def test_an_envelope_tells_its_first_message(body: Any, expected: str | None) -> None:
    assert told(body) == expected


def test_the_rows_are_tried_in_their_order() -> None:
    rows: list[tuple[dict[str, Any], Any]] = [
        ({"errors": {"items": "a"}}, [("items", "a")]),
        ({"detail": [{"loc": ["query", "items"], "msg": "b"}]}, [("items", "b")]),
        ({"messages": {"items": {"0": ["c"]}}}, [("items[0]", "c")]),
        ({"message": {"items": "d"}}, [("items", "d")]),
        ({"title": "e", "status": 400}, "e"),
        ({"code": 1, "extra": [{"message": "f"}]}, [(None, "f")]),
        ({"reason": "g"}, "g"),
    ]
    for first, (_, expected) in enumerate(rows):
        body = {key: value for row, _ in reversed(rows[first:]) for key, value in row.items()}
        assert told(body) == expected


PLACED = FieldNames.build(
    NamedInput(wire="id", agent=f"id_{place}", place=place) for place in reversed(Place)
)


@pytest.mark.parametrize(
    ("word", "agent"),
    [
        *((word, "id_body") for word in ("json", "form", "files", "json_or_form", "body")),
        *((word, "id_query") for word in ("query", "querystring")),
        *((word, "id_path") for word in ("path", "view_args")),
        ("headers", "id_header"),
        ("cookies", "id_cookie"),
    ],
)
def test_a_location_key_tells_which_of_equal_names_is_meant(word: str, agent: str) -> None:
    assert told({"messages": {word: {"id": ["a"]}}}, names=PLACED) == [(agent, "a")]


def test_the_keys_of_an_envelope_have_an_order_of_their_own() -> None:
    keys = ["message", "detail", "error_description", "error", "title", "reason"]
    bodies = [{key: key for key in reversed(keys[first:])} for first in range(len(keys))]
    assert [told(body) for body in bodies] == keys
    assert [told({"error": body}) for body in bodies] == keys


def test_the_keys_that_hold_a_map_of_known_names_have_an_order_too() -> None:
    keys = ["message", "errors", "error", "detail"]
    # One object deep, so that no earlier row reads it.
    bodies = [
        {key: {"items": {"sku": key}} for key in reversed(keys[first:])}
        for first in range(len(keys))
    ]
    assert [told(body) for body in bodies] == [[("items.sku", key)] for key in keys]


@pytest.mark.parametrize(
    ("body", "media_type", "expected"),
    [
        ("plain", "text/plain", "plain"),
        ("plain", "text/html", "plain"),
        ("<a/>", "text/xml", "<a/>"),
        ("{oops", "text/json", "{oops"),
        ("{oops", "application/json", None),
        ("a=b", "application/x-www-form-urlencoded", None),
        (" \n", "text/plain", None),
        ("plain", "", "plain"),
        ("plain", "application/octet-stream", None),
    ],
)
def test_plain_text_is_a_message(body: str, media_type: str, expected: str | None) -> None:
    assert told(body, media_type=media_type) == expected
