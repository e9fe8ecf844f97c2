"""Keys and names of containers."""

import enum
import functools

import pytest

from sezzlee_py.catalog.containers import (
    blueprint_container,
    bound_class,
    class_container,
    module_container,
    tag_container,
)


class Orders:
    class Items: ...

    def get(self): ...

    @classmethod
    def make(cls): ...

    def __call__(self): ...


class Special(Orders): ...


def in_module(module):
    def function(): ...

    function.__module__ = module
    return function


def test_a_class_is_known_by_its_qualified_name_and_named_by_its_own():
    key = f"{__name__}.Orders.Items"
    assert class_container(Orders.Items) == (key, "Items")


def test_a_tag_or_blueprint_is_its_own_key():
    class Tags(enum.Enum):
        ORDERS = "orders"
        SEVEN = 7

    assert tag_container("Order items") == ("Order items", "Order items")
    assert tag_container(Tags.ORDERS) == ("orders", "orders")
    assert tag_container(Tags.SEVEN) == ("7", "7")
    assert blueprint_container("shop.cart") == ("shop.cart", "shop.cart")


def test_a_module_is_named_by_its_last_segment():
    expected = ("app.routers.invoices", "invoices")
    function = in_module("app.routers.invoices")
    assert module_container(function) == expected
    assert module_container(functools.partial(function)) == expected
    assert module_container(Orders().get) == (__name__, __name__.rpartition(".")[2])
    assert module_container(Orders()) == (__name__, __name__.rpartition(".")[2])


@pytest.mark.parametrize(
    "name", ["__main__", "main", "app", "application", "asgi", "wsgi", "server", "__init__"]
)
def test_a_generic_module_is_no_container(name):
    assert module_container(in_module(name)) is None
    assert module_container(in_module(f"shop.{name}")) is None
    assert module_container(in_module(f"{name}.shop")) == (f"{name}.shop", "shop")


def test_a_function_of_no_module_has_no_container():
    assert module_container(in_module(None)) is None
    assert module_container(None) is None


def test_a_bound_method_leads_to_the_class_it_is_bound_to():
    @functools.wraps(Special().get)
    def wrapped(): ...

    methods = [Special().get, functools.partial(Special().get), wrapped, Special.make]
    assert [bound_class(method) for method in methods] == [Special] * 4
    assert [bound_class(e) for e in (Special.get, print, None, in_module("a"))] == [None] * 4
