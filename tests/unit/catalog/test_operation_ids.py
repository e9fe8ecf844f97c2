"""Ids from functions, their methods and the path parameters of their routes."""

import functools
import itertools

import pytest

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.operation_ids import assign_operation_ids, function_name
from sezzlee_py.model import EndpointDescriptor


def list_orders(): ...


def other(): ...


def get(self): ...


def bare(view):
    """A decorator that tells nothing of what it stands around."""

    def wrapper(self): ...

    return wrapper


class Orders:
    @bare
    def post(self): ...

    @bare
    def put(self): ...

    def cancel(self): ...

    delete = cancel


def operation(
    endpoint,
    method="GET",
    route="/orders",
    *,
    explicit=None,
    key=None,
    container=None,
    view=False,
    owner=None,
):
    descriptor = EndpointDescriptor(
        method=method,
        route=route,
        operation_id=explicit,
        endpoint_key=key,
        container=container,
        container_key=container,
    )
    containers = () if owner is None else (owner,)
    return DiscoveredOperation(
        descriptor=descriptor, endpoint=endpoint, class_view=view, containers=containers
    )


def ids(*operations):
    """The ids, equal in every order of discovery."""
    found = {assign_operation_ids(operations)}
    for order in itertools.permutations(range(len(operations))):
        shuffled = assign_operation_ids([operations[index] for index in order])
        found.add(tuple(shuffled[order.index(index)] for index in range(len(operations))))
    assert len(found) == 1
    return list(found.pop())


class Export:
    def __call__(self): ...


class Öffnung:
    def __call__(self): ...


def too_long(): ...


too_long.__name__ = "a" * 257


def underscore(): ...


underscore.__name__ = "_"


@pytest.mark.parametrize(
    ("endpoint", "name"),
    [
        (list_orders, "list_orders"),
        (functools.lru_cache(functools.partial(list_orders)), "list_orders"),
        (staticmethod(list_orders), "list_orders"),
        (Export(), "Export"),
        (functools.partial(Export()), "Export"),
        (Export().__call__, "__call__"),
        (Export, "Export"),
        (len, "len"),
        (lambda: None, None),
        (Öffnung(), None),
        (too_long, None),
        (underscore, None),
        (None, None),
    ],
)
def test_a_function_is_named_below_its_wrappers_and_an_object_by_its_class(endpoint, name):
    assert function_name(endpoint) == name


def test_one_function_on_one_route_has_its_own_name():
    assert ids(operation(list_orders), operation(other, "POST")) == ["list_orders", "other"]


def test_an_id_set_by_the_developer_stands_as_it_is():
    assert ids(
        operation(list_orders, "GET", explicit="allOrders"),
        operation(list_orders, "POST", explicit="allOrders"),
        operation(lambda: None, "GET", "/x", explicit="Äpfel"),
    ) == ["allOrders", "allOrders", "Äpfel"]


def test_several_methods_of_one_function_are_told_apart_by_method():
    assert ids(operation(list_orders), operation(list_orders, "POST"), operation(other, "PUT")) == [
        "get_list_orders",
        "post_list_orders",
        "other",
    ]


def test_a_function_told_by_method_is_told_so_on_all_its_routes():
    assert ids(
        operation(list_orders),
        operation(list_orders, "POST"),
        operation(list_orders, "GET", "/v1/orders"),
    ) == ["get_list_orders", "post_list_orders", "get_list_orders"]


def test_one_method_per_route_needs_no_telling_apart():
    assert ids(operation(list_orders), operation(list_orders, "POST", "/other")) == [
        "list_orders",
        "list_orders",
    ]


def test_routes_with_different_parameters_are_told_apart_by_them():
    assert ids(
        operation(get, route="/orders", view=True),
        operation(get, route="/orders/{id}", view=True),
        operation(get, route="/shops/{shop_id}/orders/{id}", view=True),
        operation(get, route="/v1/orders", view=True),
    ) == ["get", "get_by_id", "get_by_shop_id_id", "get"]


def test_a_verb_keeps_its_method_where_a_decorator_hides_the_name():
    assert ids(
        operation(Orders.post, "POST", view=True, owner=Orders),
        operation(Orders.put, "PUT", view=True, owner=Orders),
        operation(Orders.delete, "DELETE", view=True, owner=Orders),
    ) == ["post", "put", "cancel"]


def test_routes_with_the_same_parameters_stay_one_operation():
    assert ids(
        operation(list_orders, route="/orders/{id}"), operation(list_orders, route="/o/{id}")
    ) == ["list_orders", "list_orders"]


def test_the_parameters_of_a_set_stand_in_the_order_of_its_shortest_route():
    assert ids(
        operation(list_orders, route="/a"),
        operation(list_orders, route="/long/{b}/{a}"),
        operation(list_orders, route="/s/{a}/{b}"),
    ) == ["list_orders", "list_orders_by_a_b", "list_orders_by_a_b"]


def test_methods_and_parameters_are_told_together():
    assert ids(
        operation(list_orders),
        operation(list_orders, "POST"),
        operation(list_orders, "GET", "/orders/{id}"),
    ) == ["get_list_orders", "post_list_orders", "get_list_orders_by_id"]


def test_parameters_that_break_the_pattern_give_no_id():
    long = "p" * 250
    assert ids(
        operation(list_orders, route="/a"), operation(list_orders, route=f"/a/{{{long}}}")
    ) == ["list_orders", None]


def test_a_lambda_gives_no_id_however_often_it_is_routed():
    nameless = lambda: None  # noqa: E731 - a lambda with a name is still one
    assert ids(operation(nameless), operation(nameless, "POST")) == [None, None]


def test_two_closures_of_one_factory_are_two_functions():
    def make():
        def view(): ...

        return view

    assert ids(operation(make()), operation(make(), "POST")) == ["view", "view"]


def test_the_endpoint_key_decides_what_one_function_is():
    def make():
        def view(): ...

        return view

    assert ids(operation(make(), key="k"), operation(make(), "POST", key="k")) == [
        "get_view",
        "post_view",
    ]


def test_classes_that_inherit_one_verb_do_not_share_its_routes():
    inherited = {"endpoint": get, "key": "Base.get", "view": True}
    assert ids(
        operation(**inherited, route="/users", container="Users"),
        operation(**inherited, route="/orders/{id}", container="Orders"),
    ) == ["get", "get"]


def test_a_function_under_two_tags_is_one_function():
    assert ids(
        operation(list_orders, route="/items", container="items"),
        operation(list_orders, route="/users/{id}/items", container="users"),
    ) == ["list_orders", "list_orders_by_id"]


def test_operations_without_an_endpoint_have_no_id_and_are_not_one_function():
    assert ids(operation(None), operation(None, "POST", explicit="save")) == [None, "save"]


def test_a_slash_at_the_end_tells_two_nameless_functions_apart():
    here, there = operation(lambda: 0, route="/a", key=1), operation(lambda: 1, route="/a/", key=2)
    assert ids(here, there) == [None, "get_a_slash"]


def test_a_slash_counts_where_functions_share_a_name_or_have_none():
    shared = [operation(list_orders, route=f"/{n}", key=n) for n in range(2)]
    slashed = operation(list_orders, route="/0/", key=2)
    assert ids(*shared, slashed) == ["list_orders", "list_orders", "get_0_slash"]
    redirect = operation(lambda: 0, route="/0", method="POST", key=3)
    named = operation(other, route="/0/", method="POST", key=4)
    assert ids(redirect, named) == [None, "other"]


def test_a_slash_counts_for_one_function_without_a_name_since_nothing_folds_its_routes():
    one = [operation(lambda: 0, route=route, key=1) for route in ("/a", "/a/")]
    assert ids(*one) == [None, "get_a_slash"]


def test_a_slash_of_one_function_or_of_an_id_that_is_set_tells_nothing():
    one = [operation(list_orders, route=route, key=1) for route in ("/a", "/a/")]
    assert ids(*one) == ["list_orders", "list_orders"]
    shared = operation(list_orders, route="/b", key=2)
    assert ids(*one, shared) == ["list_orders", "list_orders", "list_orders"]
    given = operation(lambda: 0, route="/a", explicit="slashless", key=2)
    assert ids(given, operation(lambda: 0, route="/a/", key=3)) == ["slashless", None]


def test_the_root_of_a_mount_has_its_slash_too():
    bare, root = operation(lambda: 0, route="", key=1), operation(lambda: 0, route="/", key=2)
    assert ids(bare, root) == [None, "get_slash"]
