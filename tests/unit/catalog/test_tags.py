"""Who declares tags and terms, and which entries stay."""

import pytest

from sezzlee_py.catalog.tags import derived_tags, resolve_search_terms, resolve_tags
from sezzlee_py.errors import OptionsError
from sezzlee_py.model import EndpointDescriptor


def descriptor(**facts):
    return EndpointDescriptor(method="GET", route="/a", **facts)


TAGGED = descriptor(tags=("Orders", "v1"), container="Orders", container_key="Orders")
SHOP = descriptor(container="shop.cart", container_key="shop.cart")
VIEW = descriptor(container="OrderMethodView", container_key="app.OrderMethodView")


@pytest.mark.parametrize(
    ("known", "tags"),
    [
        (TAGGED, ("Orders", "v1")),
        (SHOP, ("shop.cart",)),
        (descriptor(container="AdminView", container_key="AdminView"), ("AdminView",)),
        (VIEW, ("Order",)),
        (descriptor(container="View", container_key="app.View"), ("View",)),
        (descriptor(container="OrdersController"), ("Orders",)),
        (descriptor(container="invoices", container_key="app.invoices"), ("invoices",)),
        (descriptor(), ()),
    ],
)
def test_derived_tags_are_the_frameworks_or_the_containers_name(known, tags):
    assert derived_tags(known) == tags
    assert resolve_tags([None, None], None, known) == (tags, ())


@pytest.mark.parametrize(
    ("levels", "host", "tags"),
    [
        ([("a",), ("b",)], lambda name: ["c"], ("a",)),
        ([None, ("b",)], lambda name: ["c"], ("b",)),
        ([None, None], lambda name: [name, "c"], ("Orders", "c")),
        ([None, None], lambda name: None, ("Orders", "v1")),
        ([(), ("b",)], lambda name: ["c"], ()),
        ([None], lambda name: (), ()),
    ],
)
def test_the_nearest_declaration_of_tags_replaces_all_others(levels, host, tags):
    assert resolve_tags(levels, host, TAGGED) == (tags, ())


def test_search_terms_climb_the_same_ladder_but_are_not_derived():
    assert resolve_search_terms([None], None, TAGGED) == ((), ())
    assert resolve_search_terms([("x",)], lambda name: ["y"], TAGGED) == (("x",), ())
    assert resolve_search_terms([None], lambda name: ["y"], TAGGED) == (("y",), ())
    documented = descriptor(search_terms=("z",))
    assert resolve_search_terms([None], None, documented) == (("z",), ())
    assert resolve_search_terms([()], None, documented) == ((), ())


def test_the_host_is_not_asked_where_there_is_no_container():
    def never(name):
        raise AssertionError(name)

    assert resolve_tags([None], never, descriptor()) == ((), ())
    assert resolve_search_terms([None], never, descriptor()) == ((), ())


def test_entries_that_fold_alike_or_to_nothing_are_left_out_and_reported():
    tags, findings = resolve_tags([("Sipariş", "SIPARIS", "", "\u0301", " ", "b")], None, SHOP)
    assert tags == ("Sipariş", " ", "b")
    assert [code for code, _ in findings] == ["duplicate_tag", "empty_tag", "empty_tag"]
    assert "'SIPARIS' is 'Sipariş' again" in findings[0][1]
    terms, findings = resolve_search_terms([("a", "A", "")], None, SHOP)
    assert terms == ("a",)
    assert [code for code, _ in findings] == ["duplicate_search_term", "empty_search_term"]


def test_derived_duplicates_are_left_out_without_a_report():
    known = descriptor(tags=("Orders", "orders", "Orders", "v1"), search_terms=("a", "A"))
    assert resolve_tags([None], None, known) == (("Orders", "v1"), ())
    assert resolve_search_terms([None], None, known) == (("a",), ())


@pytest.mark.parametrize("value", ["billing", 7, [1]])
def test_an_option_that_returns_no_list_of_strings_is_named(value):
    with pytest.raises(OptionsError, match=r"options\.tags: .*'shop.cart'"):
        resolve_tags([None], lambda name: value, SHOP)
    with pytest.raises(OptionsError, match=r"options\.search_terms"):
        resolve_search_terms([None], lambda name: value, SHOP)
