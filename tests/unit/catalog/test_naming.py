"""Names of operations, equal in any order, and what happens to equal names."""

import itertools

import pytest

from sezzlee_py.catalog.naming import assign_names
from sezzlee_py.errors import OptionsError
from sezzlee_py.model import EndpointDescriptor, Family, Variant


def operation(operation_id=None, route="/x", method="GET", *, variants=(), **facts):
    return EndpointDescriptor(
        method=method,
        route=route,
        operation_id=operation_id,
        variants=tuple(Variant(name=name, description="Text.") for name in variants),
        **facts,
    )


def named(*operations, sourced=(), **options):
    """The names, and (code, involved operations, message) of each finding; alike in any order."""
    results = set()
    for order in itertools.permutations(range(len(operations))):
        naming = assign_names(
            [operations[index] for index in order],
            sourced={order.index(index) for index in sourced},
            **options,
        )
        names = tuple(naming.names[order.index(index)] for index in range(len(operations)))
        findings = frozenset(
            (
                f.diagnostic.code,
                tuple(sorted(order[at] for at in f.involved)),
                f.diagnostic.operation,
                f.diagnostic.message,
            )
            for f in naming.findings
        )
        results.add((names, findings))
    assert len(results) == 1
    names, findings = results.pop()
    return list(names), sorted((code, involved) for code, involved, *_ in findings)


def message(*operations, code, **options):
    findings = assign_names(operations, **options).findings
    (found,) = [f.diagnostic for f in findings if f.diagnostic.code == code]
    return found.message


def one(*names):
    return [(name,) for name in names]


# --- prefixes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({}, "list"),
        ({"container": "OrdersController"}, "orders_list"),
        ({"container": "orders", "container_prefix": "shop"}, "shop_list"),
        ({"container": "orders", "container_prefix": ""}, "list"),
        ({"container_prefix": "cfg"}, "cfg_list"),
        ({"container": "hosted"}, "host_list"),
        ({"container": "hosted", "container_prefix": "own"}, "own_list"),
        ({"container": "bare"}, "list"),
        ({"tool_name": "as_written", "container": "orders"}, "as_written"),
    ],
)
def test_the_nearest_prefix_stands_before_the_body(facts, name):
    host = {"hosted": "host", "bare": ""}.get
    assert named(operation("List", **facts), prefix=host) == (one(name), [])


def test_the_host_is_asked_once_per_container():
    asked = []
    operations = [operation("a", container="c"), operation("b", container="c"), operation("d")]
    assign_names(operations, prefix=asked.append)
    assert asked == ["c"]


def test_the_prefix_of_a_container_without_a_name_reaches_no_operation_outside_it():
    operations = [operation("List", container=""), operation("Save")]
    assert named(*operations, prefix={"": "root"}.get) == (one("root_list", "save"), [])


def test_a_host_prefix_that_is_no_string_is_named():
    with pytest.raises(OptionsError, match=r"options\.naming\.prefix: .*'c'.*7"):
        assign_names([operation("a", container="c")], prefix=lambda name: 7)


def test_in_collision_mode_only_equal_bodies_are_prefixed_and_all_of_them():
    names, findings = named(
        operation("List", container="orders"),
        operation("List", container="users"),
        operation("List"),
        operation("Ping", container="health"),
        prefix_mode="on_collision",
    )
    assert names == one("orders_list", "users_list", "list", "ping")
    assert findings == [("name_disambiguated", (0, 1, 2))]


def test_in_collision_mode_a_declared_name_needs_no_prefix_beside_it():
    names, findings = named(
        operation("List", route="/orders", container="orders"),
        operation("B", tool_name="list"),
        prefix_mode="on_collision",
    )
    assert names == one("get_orders", "list")
    assert findings == [("name_disambiguated", (0, 1))]


def test_bodies_that_no_prefix_tells_apart_are_reported_once():
    names, findings = named(
        operation("List", route="/a"), operation("List", route="/b"), prefix_mode="on_collision"
    )
    assert names == one("get_a", "get_b")
    assert findings == [("name_disambiguated", (0, 1))]


def test_prefixes_report_nothing_when_they_always_stand():
    assert named(operation("List", container="a"), operation("List", container="b")) == (
        one("a_list", "b_list"),
        [],
    )


# --- variants ---------------------------------------------------------------------------------


def test_variants_bear_their_own_names_and_the_operation_none():
    operations = [
        operation("List", container="orders", variants=["find_open", "find_all"]),
        operation("Rpc", family=Family(parameter="key"), variants=["close"]),
        operation("Empty", family=Family(parameter="key")),
        operation("Named", tool_name="named", variants=["other"]),
    ]
    assert named(*operations) == ([("find_open", "find_all"), ("close",), (), ("other",)], [])


# --- the pattern ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "part"),
    [
        ({"operation_id": "注文"}, "declare @mcp_tool(name="),
        ({"operation_id": "2FactorEnable"}, "declare @mcp_tool(name="),
        ({"operation_id": "--", "container": "orders"}, "declare @mcp_tool(name="),
        ({"operation_id": "List", "container": "Ödeme"}, "prefix=\"...\" on the container 'Ödeme'"),
        ({"operation_id": "List", "container_prefix": "My-Cfg"}, 'declare prefix="..."'),
        ({"operation_id": "a" * 257}, "257 characters"),
        ({"tool_name": "deleteIt"}, "did you mean 'delete_it'?"),
        ({"tool_name": "löschen"}, "declare another name"),
        ({"variants": ["List-Orders"]}, "did you mean 'list_orders'?"),
        ({"tool_name": ""}, "declare another name"),
    ],
)
def test_an_illegal_name_is_fatal_and_the_message_names_the_way_out(facts, part):
    assert named(operation(**facts))[1] == [("invalid_name", (0,))]
    assert part in message(operation(**facts), code="invalid_name")


def test_a_collision_never_mends_an_illegal_name():
    names, findings = named(operation("注文", route="/a"), operation("注文", route="/b"))
    assert names == one("注文", "注文")
    assert findings == [("invalid_name", (0,)), ("invalid_name", (1,))]


def test_a_name_over_64_characters_is_reported_and_works():
    fits, long = "a" * 64, "b" * 65
    assert named(operation(fits), operation(tool_name=long)) == (
        one(fits, long),
        [("long_tool_name", (1,))],
    )
    assert named(operation("c" * 257))[1] == [("invalid_name", (0,))]


# --- collisions -------------------------------------------------------------------------------


def test_derived_equal_names_all_take_their_routes():
    operations = [
        operation("create", "/counter/apps", "POST", source="counter:create", line=3),
        operation("create", "/chatbot/apps", "POST", source="chatbot:create", line=9),
        operation("create", "/a/{id}", "PUT"),
        operation("list_apps"),
    ]
    names, findings = named(*operations)
    assert names == one("post_counter_apps", "post_chatbot_apps", "put_a_by_id", "list_apps")
    assert findings == [("name_disambiguated", (0, 1, 2))]
    assert message(*operations, code="name_disambiguated") == (
        "3 tools would be named 'create', so they are told apart: "
        "PUT /a/{id} is put_a_by_id; "
        "POST /chatbot/apps (chatbot:create, line 9) is post_chatbot_apps; "
        "POST /counter/apps (counter:create, line 3) is post_counter_apps. "
        "A new neighbour of that name would be renamed too; declare @mcp_tool(name=...) for names "
        "that must stay"
    )


def test_route_names_carry_no_prefix():
    operations = [
        operation("save", "/a", "POST", container="things"),
        operation("save", "/a", "PUT", container="things"),
    ]
    assert named(*operations)[0] == one("post_a", "put_a")


def test_a_derived_name_gives_way_to_a_declared_one():
    names, findings = named(
        operation("list_orders", "/orders"),
        operation("A", tool_name="list_orders"),
        operation("B", variants=["list_users"]),
        operation("list_users", "/users"),
    )
    assert names == one("get_orders", "list_orders", "list_users", "get_users")
    assert findings == [("name_disambiguated", (0, 1)), ("name_disambiguated", (2, 3))]


def test_the_warning_says_which_name_stays():
    found = message(
        operation("list_orders", "/orders"),
        operation("A", "/a", tool_name="list_orders"),
        code="name_disambiguated",
    )
    assert "GET /a stays list_orders; GET /orders is get_orders." in found


def test_two_declared_names_are_fatal_and_a_derived_one_still_gives_way():
    names, findings = named(
        operation("A", tool_name="export"),
        operation("B", tool_name="export"),
        operation("export", "/c"),
    )
    assert names == one("export", "export", "get_c")
    assert findings == [("name_collision", (0, 1)), ("name_disambiguated", (0, 1, 2))]


def test_a_route_name_that_is_taken_is_fatal_and_pushes_nobody():
    names, findings = named(
        operation("read", "/orders"), operation("read", "/users"), operation("GetUsers", "/people")
    )
    assert names == one("get_orders", "get_users", "get_users")
    assert findings == [("name_collision", (1, 2)), ("name_disambiguated", (0, 1))]


def test_two_route_names_that_are_equal_are_fatal():
    _, findings = named(operation("read", "/a"), operation("read", "/a/"))
    assert findings == [("name_collision", (0, 1)), ("name_disambiguated", (0, 1))]


def test_a_route_name_beside_its_equal_has_nowhere_to_go():
    names, findings = named(operation(None, "/ping"), operation("A", tool_name="get_ping"))
    assert names == one("get_ping", "get_ping")
    assert findings == [("name_collision", (0, 1))]


def test_a_name_that_came_from_the_route_may_stay_while_its_neighbour_moves():
    names, findings = named(operation(None, "/ping"), operation("GetPing", "/v2/ping"))
    assert names == one("get_ping", "get_v2_ping")
    assert findings == [("name_disambiguated", (0, 1))]


def test_a_name_left_by_one_group_may_be_taken_by_another():
    names, _ = named(
        operation("get_a", "/b"),
        operation("get_a", "/c"),
        operation("read", "/a"),
        operation("read", "/d"),
    )
    assert names == one("get_b", "get_c", "get_a", "get_d")


def test_a_route_that_gives_no_legal_name_is_fatal():
    names, findings = named(operation("read", "/bücher"), operation("read", "/books"))
    assert names == one("get_bücher", "get_books")
    assert findings == [("invalid_name", (0,)), ("name_disambiguated", (0, 1))]


def test_a_sourced_member_pushes_nobody_out():
    member = operation("rpc", variants=["list_orders", "close"])
    names, findings = named(operation("list_orders", "/orders"), member, sourced=[1])
    assert names == [("list_orders",), ("list_orders", "close")]
    assert findings == [("name_collision", (0, 1))]
    hint = message(operation("list_orders"), member, sourced={1}, code="name_collision")
    assert "in its source" in hint


def test_a_sourced_member_beside_names_that_move_anyway_stays():
    names, findings = named(
        operation("read", "/a"),
        operation("read", "/b"),
        operation("rpc", variants=["read"]),
        sourced=[2],
    )
    assert names == one("get_a", "get_b", "read")
    assert findings == [("name_disambiguated", (0, 1, 2))]


def test_in_error_mode_every_equal_name_is_fatal():
    names, findings = named(
        operation("create", "/a"),
        operation("create", "/b"),
        operation("export", "/c"),
        operation("D", tool_name="export"),
        on_collision="error",
    )
    assert names == one("create", "create", "export", "export")
    assert findings == [("name_collision", (0, 1)), ("name_collision", (2, 3))]


def test_two_variants_of_one_operation_may_not_share_a_name():
    twice = operation("list", variants=["find", "find"])
    assert named(twice)[1] == [("name_collision", (0,))]
    assert "each variant" in message(twice, code="name_collision")


@pytest.mark.parametrize(
    ("keys", "part"),
    [
        (("f", "f"), "split the function, or drop name="),
        (("f", "g"), "change one of the declared names"),
        ((None, None), "change one of the declared names"),
    ],
)
def test_a_declared_name_on_several_operations_of_one_function_says_what_to_do(keys, part):
    operations = [
        operation("a", "/orders", tool_name="orders", endpoint_key=keys[0], source="m:f", line=1),
        operation("b", "/orders/{id}", tool_name="orders", endpoint_key=keys[1]),
    ]
    assert named(*operations)[1] == [("name_collision", (0, 1))]
    found = message(*operations, code="name_collision")
    assert part in found
    assert "GET /orders (m:f, line 1) and GET /orders/{id}" in found


def test_a_collision_with_a_derived_name_says_to_declare_one():
    found = message(
        operation("a", "/a"), operation("a", "/b"), on_collision="error", code="name_collision"
    )
    assert "declare @mcp_tool(name=...) or prefix=" in found


def test_findings_point_at_the_first_operation_in_published_order():
    naming = assign_names(
        [operation("a", "/b", source="m:b", line=2), operation("a", "/a", source="m:a", line=None)],
        on_collision="error",
    )
    (finding,) = naming.findings
    diagnostic = finding.diagnostic
    assert (diagnostic.operation, diagnostic.route, diagnostic.source, diagnostic.line) == (
        "GET /a",
        "/a",
        "m:a",
        None,
    )
    assert (diagnostic.severity, finding.involved) == ("fatal", (0, 1))


def test_no_operations_have_no_names():
    assert named() == ([], [])
