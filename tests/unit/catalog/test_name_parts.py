"""Snake case, route bodies and prefixes."""

import pytest

from sezzlee_py.catalog.name_parts import (
    derived_prefix,
    is_legal_name,
    route_body,
    snake_case,
    strip_class_suffix,
    with_prefix,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GetOrder", "get_order"),
        ("GetQRDetails", "get_qr_details"),
        ("WS_GetTree", "ws_get_tree"),
        ("GetMappingDTOProperties", "get_mapping_dto_properties"),
        ("list_orders_v2", "list_orders_v2"),
        ("v2Orders", "v2_orders"),
        ("OAuth2Token", "o_auth2_token"),
        ("iOSDevice", "i_os_device"),
        ("X", "x"),
        ("ABC", "abc"),
        ("a.b-c d__e", "a_b_c_d_e"),
        ("__init__", "init"),
        ("", ""),
        ("--", ""),
        ("Ödeme", "ödeme"),
        ("O\u0308deme", "ödeme"),
        ("注文List", "注文list"),
    ],
)
def test_snake_case_splits_at_case_and_separators_and_transliterates_nothing(text, expected):
    assert snake_case(text) == expected


@pytest.mark.parametrize("text", ["İstanbul", "x̂y", "Straße", "ΟΔΟΣ", "注文"])
def test_letters_outside_ascii_never_make_a_legal_name(text):
    assert not is_legal_name(snake_case(text))


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("a", True),
        ("a_1", True),
        ("a" * 256, True),
        ("a" * 257, False),
        ("", False),
        ("1a", False),
        ("_a", False),
        ("aB", False),
        ("a-b", False),
        ("a\n", False),
        ("ä", False),
        ("a٣", False),
    ],
)
def test_the_pattern_of_names(name, legal):
    assert is_legal_name(name) is legal


@pytest.mark.parametrize(
    ("method", "route", "body"),
    [
        ("GET", "/", "get"),
        ("GET", "/ping", "get_ping"),
        ("GET", "/orders/", "get_orders"),
        ("GET", "/orders/{id}", "get_orders_by_id"),
        ("POST", "/orders/{orderId}/items", "post_orders_items_by_order_id"),
        ("PUT", "/{tenant}/users/{userId}", "put_users_by_tenant_user_id"),
        ("GET", "/{path}", "get_by_path"),
        ("GET", "/img/{width}x{height}.{format}", "get_img_x_by_width_height_format"),
        ("GET", "/t/{{id}}", "get_t_by_id"),
        ("GET", "/api/v1.0/getThings", "get_api_v1_0_get_things"),
        ("GET", "/a/{_}", "get_a_by"),
        ("GET", "/orders/{order-id}/{x.y}", "get_orders_by_order_id_x_y"),
        ("GET", "/orders/{order:id}/{}", "get_orders_order_id"),
    ],
)
def test_a_route_gives_its_method_fixed_segments_and_parameters(method, route, body):
    assert route_body(method, route) == body


@pytest.mark.parametrize(
    ("name", "stripped"),
    [
        ("OrderController", "Order"),
        ("OrderViewSet", "Order"),
        ("OrderMethodView", "Order"),
        ("OrderView", "Order"),
        ("OrderResource", "Order"),
        ("OrderEndpoint", "Order"),
        ("OrderViewController", "OrderView"),
        ("ControllerOrder", "ControllerOrder"),
        ("View", "View"),
        ("MethodView", "MethodView"),
        ("Orderview", "Orderview"),
    ],
)
def test_one_suffix_goes_but_never_the_whole_name(name, stripped):
    assert strip_class_suffix(name) == stripped


@pytest.mark.parametrize(
    ("container", "prefix"),
    [
        ("Web.Controllers.PushProviderConfigController", "push_provider_config"),
        ("shop.cart", "cart"),
        ("orders", "orders"),
        ("Order items", "order_items"),
        ("Orders etc.", "orders_etc"),
        ("View", "view"),
        ("", ""),
        ("🛒", ""),
    ],
)
def test_a_container_gives_its_last_segment(container, prefix):
    assert derived_prefix(container) == prefix


@pytest.mark.parametrize(
    ("prefix", "body", "name"),
    [
        ("orders", "list", "orders_list"),
        ("orders", "list_order", "list_order"),
        ("order", "list_orders_now", "list_orders_now"),
        ("task_activities", "save_task_activity", "task_activities_save_task_activity"),
        ("bus", "get_buses", "bus_get_buses"),
        ("ids", "get_id", "ids_get_id"),
        ("support_request", "get_support_ticket_request", None),
        ("support_request", "create_support_request", "create_support_request"),
        ("order", "reorder", "order_reorder"),
        ("a_b_c", "b_c", "a_b_c_b_c"),
        ("", "list", "list"),
        ("orders", "", ""),
        ("ödeme", "list", "ödeme_list"),
        ("Cfg", "get_cfg", "get_cfg"),
        ("-", "list", "-_list"),
    ],
)
def test_a_prefix_is_left_out_where_the_body_says_it(prefix, body, name):
    assert with_prefix(prefix, body) == (name or f"{prefix}_{body}" if body else "")
