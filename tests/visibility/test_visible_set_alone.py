"""Everything a caller receives is a function of its visible set alone."""

from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sezzlee_py.callers.answers import SearchQuestion, Served, load_answer, search_answer
from sezzlee_py.callers.visibility import CallerFacts, Decision, Identity, Viewer
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.invoke.settle import drive
from sezzlee_py.model import Anonymous, Auth, Envelope, ToolDefinition
from sezzlee_py.options import SearchOptions
from sezzlee_py.search import SearchIndex, documents_from_tools

WORDS = ["order", "orders", "cancel", "refund", "invoice", "user", "ban", "list", "get", "secret"]
TAGS = ["billing", "Billing", "admin", "público", "users"]

auths = st.builds(
    Auth,
    anonymous=st.sampled_from([*Anonymous]),
    policies=st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True).map(tuple),
    imperative=st.booleans(),
)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)


@st.composite
def catalogs(draw: st.DrawFn) -> list[ToolDefinition]:
    names = draw(
        st.lists(phrases.map("_".join), min_size=1, max_size=14, unique=True),
    )
    return [
        ToolDefinition(
            name=name,
            description=" ".join(draw(phrases)).capitalize() + ".",
            input_schema={
                "type": "object",
                "properties": {
                    draw(st.sampled_from(WORDS)): {"description": draw(st.sampled_from(WORDS))}
                },
            },
            annotations={},
            tags=tuple(draw(st.lists(st.sampled_from(TAGS), max_size=2, unique=True))),
            search_terms=tuple(draw(st.lists(st.sampled_from(WORDS), max_size=1))),
            version=name,
            method="GET",
            route=f"/{name}",
            auth=draw(auths),
        )
        for name in sorted(names)
    ]


facts = st.builds(
    CallerFacts,
    identity=st.sampled_from([*Identity]),
    policy_results=st.dictionaries(st.sampled_from("ab"), st.sampled_from([*Decision])),
)
questions = st.builds(
    SearchQuestion,
    query=st.one_of(
        phrases.map(" ".join),
        phrases.map("_".join),
        st.sampled_from(["", "?!", "secre", "klingon"]),
    ),
    limit=st.integers(1, 50),
    full=st.booleans(),
    tags=st.lists(st.sampled_from([*TAGS, "nobody"]), max_size=2).map(tuple),
)


def served(tools: Iterable[ToolDefinition]) -> Served:
    catalog = Catalog(tools=tuple(tools))
    index = SearchIndex(documents_from_tools(catalog.tools))
    return Served(catalog=catalog, index=index, viewer=Viewer(catalog.tools))


def search(
    place: Served, question: SearchQuestion, caller: CallerFacts, show_unknown: bool, **more: Any
) -> Envelope:
    view = place.viewer.view(caller, show_unknown=show_unknown)
    return drive(search_answer(place, question, view, SearchOptions(), **more))


def load(place: Served, name: str, caller: CallerFacts, show_unknown: bool) -> Envelope:
    view = place.viewer.view(caller, show_unknown=show_unknown)
    return drive(load_answer(place, name, view))


@settings(max_examples=150, deadline=None)
@given(catalogs(), facts, facts, st.booleans(), questions)
def test_what_search_answers_does_not_change_when_hidden_tools_are_not_there(
    tools: list[ToolDefinition],
    caller: CallerFacts,
    earlier: CallerFacts,
    show_unknown: bool,
    question: SearchQuestion,
) -> None:
    whole = served(tools)
    visible = whole.viewer.view(caller, show_unknown=show_unknown).visible
    alone = served(tool for tool in tools if tool.name in visible)
    # Somebody else asks first: what is remembered of that must not show either.
    search(whole, question, earlier, show_unknown)
    assert search(whole, question, caller, show_unknown) == search(
        alone, question, caller, show_unknown
    )


@settings(max_examples=80, deadline=None)
@given(catalogs(), facts, st.booleans(), st.data())
def test_what_load_answers_does_not_change_when_hidden_tools_are_not_there(
    tools: list[ToolDefinition], caller: CallerFacts, show_unknown: bool, data: st.DataObject
) -> None:
    whole = served(tools)
    visible = whole.viewer.view(caller, show_unknown=show_unknown).visible
    alone = served(tool for tool in tools if tool.name in visible)
    name = data.draw(st.sampled_from([*(tool.name for tool in tools), "nobody"]))
    assert load(whole, name, caller, show_unknown) == load(alone, name, caller, show_unknown)


@settings(max_examples=80, deadline=None)
@given(catalogs(), facts, st.booleans(), questions)
def test_naming_what_is_restricted_adds_names_of_denied_tools_and_nothing_else(
    tools: list[ToolDefinition], caller: CallerFacts, show_unknown: bool, question: SearchQuestion
) -> None:
    place = served(tools)
    denied = place.viewer.view(caller, show_unknown=show_unknown).denied
    hidden = dict(search(place, question, caller, show_unknown).payload)
    named = dict(search(place, question, caller, show_unknown, name_restricted=True).payload)
    restricted = named.pop("restricted", None)
    assert named == hidden
    if restricted is not None:
        assert set(restricted) == {"count", "names"}
        assert set(restricted["names"]) <= denied
        assert 0 < len(restricted["names"]) <= min(5, restricted["count"])
        assert restricted["count"] <= len(denied)
