from dataclasses import replace

from sezzlee_py.model import OMIT, AnnotationHints, Constant, RequestBody, Variant
from tests.unit.catalog.builders import (
    INTEGER,
    STRING,
    build,
    codes,
    dropped,
    endpoint,
    json_body,
    query,
    record,
)

OPEN = Variant(
    name="list_open",
    description="Open ones.",
    arguments=(record("status", hidden=Constant("open")),),
    annotations=AnnotationHints(idempotent=False),
)
ANY = Variant(name="list_any", description="Any state.")
LISTING = endpoint(
    query("status"),
    query("page", INTEGER),
    tags=("orders",),
    description="Ignored.",
    variants=(OPEN, ANY),
)


def test_each_variant_is_one_tool_and_there_is_no_other() -> None:
    result = build(LISTING, "list_open", "list_any")
    assert codes(result) == []
    assert [
        (t.name, t.description, list(t.input_schema["properties"]), t.annotations, t.tags)
        for t in result.tools
    ] == [
        (
            "list_open",
            "Open ones.",
            ["page"],
            {"readOnlyHint": True, "idempotentHint": False},
            ("orders",),
        ),
        (
            "list_any",
            "Any state.",
            ["status", "page"],
            {"readOnlyHint": True, "idempotentHint": True},
            ("orders",),
        ),
    ]


def test_a_record_of_a_variant_replaces_the_whole_record() -> None:
    reset = replace(ANY, arguments=(record("page"),))
    renamed = replace(OPEN, arguments=(record("page", text="Page."),))
    descriptor = replace(
        LISTING, arguments=(record("page", "number", hidden=OMIT),), variants=(reset, renamed, ANY)
    )
    result = build(descriptor, "a", "b", "c")
    assert [list(t.input_schema["properties"].items()) for t in result.tools] == [
        [("status", STRING), ("page", INTEGER)],
        [("status", STRING), ("page", {**INTEGER, "description": "Page."})],
        [("status", STRING)],
    ]


def test_a_sealed_record_beats_the_variants() -> None:
    reset = replace(ANY, arguments=(record("page"), record("status", "state")))
    descriptor = replace(LISTING, arguments=(record("page", hidden=OMIT),), variants=(reset,))
    result = build(descriptor, "list_any", sealed={"page"})
    assert list(result.tools[0].input_schema["properties"]) == ["state"]


def test_two_records_of_one_variant_for_one_argument_are_a_duplicate() -> None:
    twice = replace(ANY, arguments=(record("page"), record("page")))
    assert dropped(replace(LISTING, variants=(OPEN, twice)), "a", "b") == "duplicate_argument"


def test_one_bad_variant_drops_all() -> None:
    bad = replace(ANY, arguments=(record("ghost", hidden=OMIT),))
    assert dropped(replace(LISTING, variants=(OPEN, bad)), "a", "b") == "curation_unresolved"


def test_a_full_name_contradicts_variants() -> None:
    descriptor = replace(LISTING, tool_name="listing")
    assert dropped(descriptor, "a", "b") == "variant_declaration_conflict"


def test_a_plain_variant_has_no_body_of_its_own() -> None:
    own = replace(ANY, request_body=RequestBody(schema=STRING))
    assert dropped(replace(LISTING, variants=(own,)), "a") == "variant_body_without_family"


def test_variants_that_read_alike_are_reported() -> None:
    same_words = replace(OPEN, description=ANY.description)
    third = replace(ANY, name="third")
    result = build(replace(LISTING, variants=(ANY, same_words, third)), "a", "b", "c")
    assert codes(result) == ["variant_indistinguishable"]
    assert len(result.tools) == 3


def test_what_concerns_the_shape_is_reported_once() -> None:
    body = RequestBody(schema=json_body({"a": STRING}).schema, required=False)
    descriptor = replace(LISTING, method="POST", request_body=body)
    assert codes(build(descriptor, "a", "b")) == ["optional_body_argument"]
