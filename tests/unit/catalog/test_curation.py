from typing import Any

import pytest

from sezzlee_py.catalog.curation import ResolvedCuration, records_of, resolve_curation
from sezzlee_py.model import OMIT, Arg, ArgumentCuration, Constant, Severity
from sezzlee_py.options import CurationRule
from tests.unit.catalog.builders import endpoint

ORDERS = endpoint(route="/admin/orders", container="orders")
HIDDEN = Arg(hidden=OMIT)


def rule(arguments: dict[str, Arg], route: str | None = None, **facts: Any) -> CurationRule:
    return CurationRule(arguments=arguments, route=route, **facts)


def resolved(*arguments: Any, **options: Any) -> ResolvedCuration:
    return resolve_curation(ORDERS, *arguments, **options)


def names(found: ResolvedCuration) -> dict[str, str | None]:
    assert found.diagnostics == ()
    return {record.name: record.agent_name for record in found.records}


def codes(found: ResolvedCuration) -> list[str]:
    return [diagnostic.code for diagnostic in found.diagnostics]


def test_nothing_declared_resolves_to_nothing() -> None:
    assert resolved() == ResolvedCuration()
    assert resolved(None, [None], [rule({"a": HIDDEN}, "/other")]) == ResolvedCuration()


def test_the_nearest_level_wins_per_wire_name_and_whole() -> None:
    levels: list[Any] = [
        {"a": Arg("operation")},
        [{"a": Arg("inner"), "b": Arg("inner")}, {"b": Arg("outer"), "c": Arg("outer")}],
        [
            rule({x: Arg("both") for x in "abcd"}, "/admin/**", container="orders"),
            rule({x: Arg("route", description="D.") for x in "abcde"}, "/admin/*"),
            rule({x: Arg("any") for x in "abcdef"}),
        ],
    ]
    assert names(resolved(*levels)) == {
        "a": "operation",
        "b": "inner",
        "c": "outer",
        "d": "both",
        "e": "route",
        "f": "any",
    }
    assert resolved(*levels).records[4].description == "D."


def test_records_come_by_name_whatever_the_order_of_rules() -> None:
    rules = [rule({"b": HIDDEN}), rule({"a": HIDDEN}, container="orders")]
    assert resolved(None, (), rules) == resolved(None, (), rules[::-1])
    assert list(names(resolved(None, (), rules))) == ["a", "b"]


@pytest.mark.parametrize(
    ("facts", "applies"),
    [
        ({"route": "/admin/orders"}, True),
        ({"route": "/admin"}, False),
        ({"route": "/ADMIN/*"}, False),
        ({"method": "get"}, True),
        ({"method": "POST"}, False),
        ({"container": "orders"}, True),
        ({"container": "order"}, False),
        ({"route": "**", "container": "other"}, False),
    ],
)
def test_a_rule_matches_all_its_fields(facts: Any, applies: bool) -> None:
    found = resolved(None, (), [CurationRule(arguments={"a": HIDDEN}, **facts)])
    assert bool(found.records) is applies


def test_a_method_adds_no_specificity() -> None:
    rules = [rule({"a": Arg("x")}, method="GET"), rule({"a": Arg("y")})]
    assert codes(resolved(None, (), rules)) == ["ambiguous_curation"]


def test_two_different_records_of_one_level_are_ambiguous_and_equal_ones_fine() -> None:
    two = [rule({"a": Arg("x")}, "/admin/*"), rule({"a": Arg("y")}, "/admin/**")]
    found = resolved(None, (), two)
    assert [(d.code, d.severity) for d in found.diagnostics] == [
        ("ambiguous_curation", Severity.FATAL)
    ]
    assert codes(resolved({"a": Arg("z")}, (), two)) == ["ambiguous_curation"]
    equal = [rule({"a": Arg("x")}, "/admin/*"), rule({"a": Arg("x")}, "/admin/**")]
    assert names(resolved(None, (), equal)) == {"a": "x"}


def test_constants_are_equal_as_json() -> None:
    def pair(left: Any, right: Any) -> list[str]:
        return codes(
            resolved(
                None,
                (),
                [
                    rule({"a": Arg(hidden=Constant(left))}),
                    rule({"a": Arg(hidden=Constant(right))}, method="GET"),
                ],
            )
        )

    assert pair(1, 1.0) == []
    assert pair({"x": [1]}, {"x": [1]}) == []
    assert pair(1, True) == ["ambiguous_curation"]
    assert pair({"x": [0]}, {"x": [False]}) == ["ambiguous_curation"]


def test_a_sealed_record_may_not_be_overridden_from_any_nearer_level() -> None:
    sealed = rule({"tenant": HIDDEN}, seal=True)
    for override in (
        ({"tenant": Arg()}, (), [sealed]),
        (None, [{"tenant": Arg("t")}], [sealed]),
        (None, (), [sealed, rule({"tenant": Arg("t")}, "/admin/**")]),
    ):
        found = resolved(*override)
        assert [(d.code, d.severity) for d in found.diagnostics] == [
            ("sealed_curation_overridden", Severity.FATAL)
        ]
        assert found.records == (ArgumentCuration(name="tenant", hidden=OMIT),)


def test_an_identical_or_farther_record_overrides_nothing() -> None:
    sealed = rule({"tenant": HIDDEN}, "/admin/**", seal=True)
    found = resolved({"tenant": Arg(hidden=OMIT)}, (), [rule({"tenant": Arg("t")}), sealed])
    assert names(found) == {"tenant": None}
    assert found.sealed == {"tenant"}


def test_only_an_exact_route_and_the_operation_itself_insist_on_a_name() -> None:
    found = resolved(
        {"a": HIDDEN},
        [{"b": HIDDEN}],
        [
            rule({"c": HIDDEN}, "/admin/orders"),
            rule({"d": HIDDEN}, "/admin/*"),
            rule({"e": HIDDEN}, container="orders"),
        ],
    )
    assert found.optional == {"b", "d", "e"}


def test_a_rule_that_fits_only_a_folded_route_is_reported() -> None:
    rules = [rule({"a": HIDDEN}, "/v1/**"), rule({"a": HIDDEN})]
    found = resolved(None, (), rules, folded_routes=("/v1/admin/orders",))
    assert codes(found) == ["curation_unused_on_kept_route"]
    assert [record.name for record in found.records] == ["a"]


def test_declared_arguments_become_records() -> None:
    assert records_of(None) == ()
    assert records_of({"a": Arg("b", description="C.", hidden=OMIT)}) == (
        ArgumentCuration(name="a", agent_name="b", description="C.", hidden=OMIT),
    )
