"""What always holds of names: legal or reported, unique or reported, the same in any order."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.catalog.folding import fold_routes
from sezzlee_py.catalog.name_parts import is_legal_name, route_body, snake_case
from sezzlee_py.catalog.naming import assign_names
from sezzlee_py.model import EndpointDescriptor, Variant

ids = st.sampled_from(["List", "list", "get_a", "GetAById", "Save", "2x", "Ö"]) | st.text(
    max_size=8
)
routes = st.sampled_from(["/", "/a", "/a/", "/b", "/a/{id}", "/a/{x}/b/{y}", "/ö"])
names = st.sampled_from(["list", "get_a", "save", "a_list", "Bad"])
variants = st.lists(names, max_size=2).map(
    lambda found: tuple(Variant(name=name, description="Text.") for name in found)
)
endpoints = st.builds(
    EndpointDescriptor,
    method=st.sampled_from(["GET", "POST"]),
    route=routes,
    operation_id=st.none() | ids,
    container=st.none() | st.sampled_from(["a", "AView", "b.a", "Ö"]),
    container_prefix=st.none() | st.sampled_from(["", "p", "P"]),
    tool_name=st.none() | st.none() | names,
    endpoint_key=st.none() | st.integers(0, 2),
    variants=st.just(()) | st.just(()) | variants,
)
options = st.fixed_dictionaries(
    {
        "prefix_mode": st.sampled_from(["always", "on_collision"]),
        "on_collision": st.sampled_from(["route", "error"]),
    }
)


def catalog_names(descriptors, given_options):
    """Names per kept operation as a multiset, and the findings as a set of texts."""
    kept = [descriptors[operation.kept] for operation in fold_routes(descriptors).operations]
    naming = assign_names(kept, **given_options)
    findings = Counter((str(f.diagnostic), len(f.involved)) for f in naming.findings)
    return Counter(zip(map(repr, kept), naming.names, strict=True)), findings


@given(st.lists(endpoints, max_size=8), options, st.randoms(use_true_random=False))
def test_any_order_of_discovery_gives_the_same_names_and_findings(found, given_options, random):
    shuffled = random.sample(found, len(found))
    assert catalog_names(found, given_options) == catalog_names(shuffled, given_options)


@given(st.lists(endpoints, max_size=8), options)
def test_names_are_legal_and_unique_once_reported_operations_are_dropped(found, given_options):
    naming = assign_names(found, **given_options)
    fatal = [f for f in naming.findings if f.diagnostic.severity == "fatal"]
    dropped = {index for finding in fatal for index in finding.involved}
    served = [
        name for index, found in enumerate(naming.names) if index not in dropped for name in found
    ]
    assert all(map(is_legal_name, served))
    assert len(set(served)) == len(served)


@given(st.lists(endpoints, max_size=8), options)
def test_only_fatal_findings_leave_a_name_unserved(found, given_options):
    naming = assign_names(found, **given_options)
    every = [name for names in naming.names for name in names]
    sound = all(map(is_legal_name, every)) and len(set(every)) == len(every)
    fatal = any(f.diagnostic.severity == "fatal" for f in naming.findings)
    assert sound is not fatal


@given(st.lists(endpoints, max_size=6), endpoints)
def test_a_neighbour_renames_only_tools_that_would_share_a_name_and_says_so(found, neighbour):
    before = assign_names(found).names
    after = assign_names([*found, neighbour])
    warned = {
        index
        for finding in after.findings
        if finding.diagnostic.code == "name_disambiguated"
        for index in finding.involved
    }
    changed = {index for index, names in enumerate(before) if after.names[index] != names}
    assert changed <= warned


@given(st.text())
def test_snake_case_settles_and_has_only_single_inner_underscores(text):
    snake = snake_case(text)
    assert snake_case(snake) == snake or not snake.isascii()
    assert not snake.startswith("_")
    assert not snake.endswith("_")
    assert "__" not in snake


@given(st.sampled_from(["GET", "POST"]), st.text("abcXYZ09_-./{}", max_size=20))
def test_a_route_of_ascii_letters_always_gives_a_legal_body(method, path):
    assert is_legal_name(route_body(method, f"/{path}"))
