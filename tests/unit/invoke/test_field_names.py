import pytest

from sezzlee_py.invoke.field_names import (
    FieldNames,
    NamedInput,
    Path,
    Place,
    split_key,
    write_path,
)
from sezzlee_py.model import (
    BodyField,
    BodySlot,
    Constant,
    ParameterLocation,
    ParameterSlot,
    RequestTemplate,
)

FLAT = FieldNames.of(
    RequestTemplate(
        method="POST",
        route="/orders/{id}",
        parameters=(
            ParameterSlot(name="id", agent_name="id", location=ParameterLocation.PATH),
            ParameterSlot(name="id", agent_name="id_query", location=ParameterLocation.QUERY),
            ParameterSlot(name="q", agent_name="keyword", location=ParameterLocation.QUERY),
            ParameterSlot(
                name="X-Tenant", agent_name="X-Tenant", location=ParameterLocation.HEADER
            ),
            ParameterSlot(
                name="tenantId",
                agent_name="tenantId",
                location=ParameterLocation.QUERY,
                fill=Constant(1),
            ),
        ),
        body=BodySlot(
            fields=(
                BodyField(name="items", agent_name="items"),
                BodyField(name="qty", agent_name="quantity"),
                BodyField(name="secret", agent_name="secret", fill=Constant(1)),
            )
        ),
    )
)


def root_names(root: str = "body", fill: Constant | None = None) -> FieldNames:
    return FieldNames.of(
        RequestTemplate(
            method="POST",
            route="/orders/{id}",
            parameters=(
                ParameterSlot(name="id", agent_name="id", location=ParameterLocation.PATH),
                ParameterSlot(name="q", agent_name="keyword", location=ParameterLocation.QUERY),
            ),
            body=BodySlot(root=root, fill=fill),
        )
    )


@pytest.mark.parametrize(
    ("path", "place", "name"),
    [
        (("items", 0, "price"), Place.BODY, "items[0].price"),
        (("Items", 0), None, "items[0]"),
        (("payload", "qty"), Place.BODY, "quantity"),
        (("q",), Place.QUERY, "keyword"),
        (("x-tenant",), Place.HEADER, "X-Tenant"),
        (("id",), Place.PATH, "id"),
        (("id",), Place.QUERY, "id_query"),
        (("id",), None, "id"),
        (("id",), Place.COOKIE, "id"),
        (("tenantId",), Place.QUERY, None),
        (("secret", "inner"), None, None),
        (("voucher", "code"), None, "voucher.code"),
        (("keyword",), None, "keyword"),
        (("payload", "keyword"), None, "payload.keyword"),
        (("items", "_schema"), None, "items"),
        (("_schema",), Place.BODY, None),
        (("non_field_errors",), None, None),
        ((), Place.BODY, None),
        ((), None, None),
        ((0, 3), Place.BODY, None),
        ((0, "items"), Place.BODY, "items"),
        ((0, "voucher"), Place.BODY, "[0].voucher"),
    ],
)
def test_a_reported_path_becomes_an_argument(
    path: Path, place: Place | None, name: str | None
) -> None:
    assert FLAT.resolve(path, place) == name


@pytest.mark.parametrize(
    ("path", "place", "name"),
    [
        (("id",), Place.BODY, "body.id"),
        (("id",), Place.PATH, "id"),
        (("id",), None, "id"),
        (("q",), None, "keyword"),
        (("keyword",), None, "keyword"),
        (("lines", 0), None, "body.lines[0]"),
        ((0, "x"), None, "body[0].x"),
        ((), Place.BODY, "body"),
        ((), None, "body"),
        (("_schema",), None, "body"),
        ((), Place.QUERY, None),
        (("body", "x"), None, "body.x"),
        (("x",), Place.QUERY, "x"),
    ],
)
def test_in_root_mode_the_body_is_one_argument(
    path: Path, place: Place | None, name: str | None
) -> None:
    assert root_names().resolve(path, place) == name


def test_a_renamed_root_is_reported_under_its_own_name() -> None:
    names = root_names("order")
    assert [names.resolve(p) for p in [("x",), ("body", "x"), ("order",)]] == [
        "order.x",
        "order.x",
        "order",
    ]


def test_a_hidden_root_leaves_its_entries_without_a_name() -> None:
    names = root_names(fill=Constant({}))
    assert [names.resolve(("x",), place) for place in (Place.BODY, None)] == [None, None]
    assert names.resolve(("id",), Place.PATH) == "id"


def test_of_two_names_that_differ_in_case_the_exact_one_is_meant() -> None:
    names = FieldNames.build(
        [NamedInput(wire="ID", agent="ID"), NamedInput(wire="id", agent="id_2")]
    )
    assert [names.resolve((n,)) for n in ("ID", "id", "Id")] == ["ID", "id_2", "ID"]


def test_of_two_places_without_one_told_the_input_that_kept_its_name_is_meant() -> None:
    query = NamedInput(wire="id", agent="id_query", place=Place.QUERY)
    path = NamedInput(wire="id", agent="id", place=Place.PATH)
    for inputs in ([query, path], [path, query]):
        names = FieldNames.build(inputs)
        assert [names.resolve(("id",), place) for place in (None, *Place)] == [
            *("id", "id", "id_query", "id", "id", "id"),
        ]


def test_a_tool_without_a_body_has_no_root() -> None:
    names = FieldNames.of(RequestTemplate(method="GET", route="/"))
    assert names.resolve(("body", "x"), Place.BODY) == "body.x"
    assert names == FieldNames.build([])


def test_known_names_are_wire_agent_and_hidden_names() -> None:
    known = ["id", "ID_QUERY", "q", "keyword", "TENANTID", "Qty", "quantity", "secret"]
    assert [name for name in known if not FLAT.is_known(name)] == []
    assert [name for name in ("body", "voucher", "") if FLAT.is_known(name)] == []
    assert root_names().is_known("Body")


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Quantity must be positive", "quantity"),
        ("qty must be positive", "quantity"),
        ("x-tenant: missing", "X-Tenant"),
        ("id is odd", "id"),
        ("ids are odd", None),
        ("tenantId is odd", None),
        (" id is odd", None),
        ("'id' is odd", None),
        ("", None),
    ],
)
def test_a_message_may_begin_with_the_argument_it_is_about(message: str, name: str | None) -> None:
    assert FLAT.named_by(message) == name


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("a", ("a",)),
        ("a.b[0].c", ("a", "b", 0, "c")),
        ("$.a", ("a",)),
        ("$[0].a", (0, "a")),
        ("$", ()),
        ("$price", ("$price",)),
        ("", ()),
        ("a.0.b", ("a", 0, "b")),
        ("a[0][1]", ("a", 0, 1)),
        ("a[x]", ("a[x]",)),
        ("a..b.", ("a", "b")),
        ("x" * 2000, ("x" * 2000,)),
    ],
)
def test_a_key_is_read_as_a_path(key: str, path: Path) -> None:
    assert split_key(key) == path


def test_a_name_with_dots_of_its_own_is_one_step() -> None:
    names = FieldNames.build([NamedInput(wire="filter.name", agent="filter.name")])
    assert names.path_of("Filter.Name") == ("Filter.Name",)
    assert names.resolve(names.path_of("Filter.Name")) == "filter.name"
    assert names.path_of("filter.x") == ("filter", "x")


def test_a_path_is_written_as_an_agent_reads_it() -> None:
    paths: list[Path] = [("a", "b", 0, "c"), (0,), ()]
    assert [write_path(path) for path in paths] == ["a.b[0].c", "[0]", ""]
