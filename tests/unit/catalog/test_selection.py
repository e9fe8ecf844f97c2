"""Which level decides, what rules match, and what is contradictory."""

import itertools

import pytest

from sezzlee_py.catalog.declared import Declarations
from sezzlee_py.catalog.selection import Choice, compile_glob, select
from sezzlee_py.declaration import DeclarationRecord
from sezzlee_py.model import EndpointDescriptor, Parameter, ParameterLocation
from sezzlee_py.options import SelectionRule

OFFERED, IGNORED = DeclarationRecord(include=True), DeclarationRecord(exclude=True)
BOTH, SILENT = DeclarationRecord(include=True, exclude=True), DeclarationRecord()


def operation(route="/orders", method="GET", *, spanning=(), function=SILENT, containers=()):
    parameters = tuple(
        Parameter(name=n, location=ParameterLocation.PATH, schema={}, spans_segments=True)
        for n in spanning
    )
    descriptor = EndpointDescriptor(
        method=method, route=route, parameters=parameters, source="shop:view", line=3
    )
    return descriptor, Declarations(operation=function, containers=tuple(containers))


def rule(decision, route=None, method=None):
    return SelectionRule(route, method, decision=decision)


def codes(selection):
    return [(f.diagnostic.code, f.involved) for f in selection.findings]


@pytest.mark.parametrize(
    ("subject", "default", "rules", "choice"),
    [
        (operation(), "exclude", [], Choice(offered=False, level="global")),
        (operation(), "include", [], Choice(offered=True, level="global")),
        (operation(), "include", [rule("exclude")], Choice(offered=False, level="rules")),
        (
            operation(containers=[OFFERED]),
            "exclude",
            [rule("exclude")],
            Choice(offered=True, level="container"),
        ),
        (
            operation(containers=[IGNORED, OFFERED]),
            "include",
            [],
            Choice(offered=False, level="container"),
        ),
        (
            operation(containers=[SILENT, OFFERED]),
            "exclude",
            [],
            Choice(offered=True, level="container"),
        ),
        (
            operation(function=IGNORED, containers=[OFFERED]),
            "include",
            [rule("include")],
            Choice(offered=False, level="operation"),
        ),
        (
            operation(function=OFFERED, containers=[IGNORED]),
            "exclude",
            [rule("exclude")],
            Choice(offered=True, level="operation"),
        ),
    ],
)
def test_the_most_specific_level_with_a_marker_decides(subject, default, rules, choice):
    selection = select([subject], default=default, rules=rules)
    assert selection.choices == (choice,)
    assert selection.findings == ()


def test_the_more_fields_a_rule_names_the_sharper_it_is_in_any_order():
    rules = [
        rule("include", "/admin/**", "get"),
        rule("exclude", "/admin/**"),
        rule("include"),
    ]
    subjects = [operation("/admin/a"), operation("/admin/a", "POST"), operation("/a")]
    for order in itertools.permutations(rules):
        selection = select(subjects, default="exclude", rules=order)
        assert (selection.selected, selection.findings) == ((0, 2), ())


@pytest.mark.parametrize(
    ("glob", "matching", "others"),
    [
        ("/a/*", ["/a/b", "/a/{id}", "/a/"], ["/a/b/c", "/a", "/A/b"]),
        ("/a/**", ["/a/b/c", "/a/"], ["/a", "/x/a/b"]),
        ("**", ["/", "/a/b", ""], []),
        ("*", ["", "a"], ["/", "/a"]),
        ("/*/x", ["/a/x", "//x"], ["/a/b/x"]),
        ("/v1.0/[a]", ["/v1.0/[a]"], ["/v1x0/[a]", "/v1.0/a"]),
        ("/a?", ["/a?"], ["/a", "/ab"]),
        ("/{id}", ["/{id}"], ["/7"]),
        ("/a***", ["/a", "/a/b/c"], ["/b"]),
        ("/a**", ["/a\n/b"], []),
        ("", [""], ["/"]),
    ],
)
def test_a_glob_is_literal_but_for_its_stars_and_matches_whole_routes(glob, matching, others):
    pattern = compile_glob(glob)
    found = [route for route in [*matching, *others] if pattern.fullmatch(route)]
    assert found == matching


@pytest.mark.parametrize(
    ("subject", "rules", "level"),
    [
        (operation(function=BOTH), [], "operation"),
        (operation(function=OFFERED, containers=[BOTH]), [], "container"),
        (operation(function=OFFERED, containers=[IGNORED, BOTH]), [], "container"),
        (operation(), [rule("include", "/o*"), rule("exclude", None, "get")], "rules"),
        (operation(function=IGNORED), [rule("include"), rule("exclude")], "rules"),
        # A sharper rule would decide, and would hide the contradiction until it is removed.
        (
            operation(),
            [rule("include", "**"), rule("exclude", "**"), rule("include", "**", "GET")],
            "rules",
        ),
    ],
)
def test_opposite_markers_on_one_level_are_ambiguous_whatever_decides(subject, rules, level):
    messages = set()
    for order in itertools.permutations(rules):
        selection = select([operation(), subject], default="include", rules=order)
        choice = selection.choices[1]
        assert (choice.offered, choice.level) == (False, level)
        finding = next(f for f in selection.findings if f.involved == (1,))
        diagnostic = finding.diagnostic
        assert (diagnostic.code, diagnostic.severity) == ("ambiguous_selection", "fatal")
        assert (diagnostic.operation, diagnostic.route) == ("GET /orders", "/orders")
        assert (diagnostic.source, diagnostic.line) == ("shop:view", 3)
        messages.add(diagnostic.message)
    assert len(messages) == 1


def test_ambiguous_rules_are_named_in_the_message():
    rules = [rule("include", "/o*"), rule("exclude", "/orders")]
    selection = select([operation()], default="include", rules=rules)
    message = selection.findings[0].diagnostic.message
    assert "SelectionRule(route='/o*', decision='include')" in message
    assert "SelectionRule(route='/orders', decision='exclude')" in message


@pytest.mark.parametrize(
    ("default", "rules", "containers"),
    [
        ("include", [], []),
        ("exclude", [rule("include", "**")], []),
        ("exclude", [], [OFFERED]),
        ("exclude", [rule("include", "/**"), rule("exclude", "/{p}")], []),
    ],
)
def test_a_root_catch_all_that_something_else_would_include_is_skipped_with_a_notice(
    default, rules, containers
):
    subject = operation("/{p}", spanning=["p"], containers=containers)
    selection = select([subject], default=default, rules=rules)
    assert selection.choices == (Choice(offered=False, level="catch_all", skipped=True),)
    assert codes(selection) == [("catch_all_skipped", (0,))]
    assert selection.findings[0].diagnostic.severity == "info"


@pytest.mark.parametrize(
    ("default", "function", "containers", "offered"),
    [
        ("exclude", SILENT, [], False),
        ("include", SILENT, [IGNORED], False),
        ("include", IGNORED, [], False),
        ("exclude", OFFERED, [], True),
        ("include", OFFERED, [IGNORED], True),
    ],
)
def test_a_root_catch_all_obeys_its_own_function_without_a_notice(
    default, function, containers, offered
):
    subject = operation("/{p}", spanning=["p"], function=function, containers=containers)
    selection = select([subject], default=default)
    assert ([c.offered for c in selection.choices], codes(selection)) == ([offered], [])


def test_only_a_spanning_parameter_alone_below_the_root_is_a_catch_all():
    subjects = [
        operation("/{p}"),
        operation("/files/{p}", spanning=["p"]),
        operation("/{a}/{p}", spanning=["p"]),
        operation("/{p}/", spanning=["p"]),
        operation("/"),
    ]
    selection = select(subjects, default="include")
    assert (selection.selected, codes(selection)) == ((0, 1, 2, 3, 4), [])
