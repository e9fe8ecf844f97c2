from __future__ import annotations

import pytest

pytest.importorskip("psycopg")

from hypothesis import given
from hypothesis import strategies as st

from sezzlee_postgres.documents import (
    DocumentReader,
    Indexed,
    catalog_digest,
    clean,
    cut,
    digest,
    quoted,
    storable,
    text_to_embed,
)
from sezzlee_py.search import ToolDocument

ORDER = ToolDocument(
    "get_order",
    "Orders by id.",
    search_terms=("purchase",),
    tags=("shop",),
    route="/orders/{id}",
    parameters=(("id", "Which order."),),
)


def test_a_document_is_stored_as_terms_with_their_fields_and_those_of_its_name() -> None:
    assert DocumentReader().read(ORDER, b"d") == Indexed(
        digest=b"d",
        name="get_order",
        terms=(
            "'get':1A '=get' 'order':2A,3B,8C,12B '=order' 'by':4B 'id':5B,9C,10B"
            " 'purchase':6B 'shop':7C 'which':11B"
        ),
        named=2,
    )


def test_every_field_changes_the_digest_and_the_order_of_a_catalog_does_not() -> None:
    changed = [
        ToolDocument("a"),
        ToolDocument("b"),
        ToolDocument("a", "d"),
        ToolDocument("a", search_terms=("d",)),
        ToolDocument("a", tags=("d",)),
        ToolDocument("a", tags=("d", "e")),
        ToolDocument("a", tags=("d e",)),
        ToolDocument("a", route="d"),
        ToolDocument("a", alternate_routes=("d",)),
        ToolDocument("a", parameters=(("d", ""),)),
        ToolDocument("a", "\ud800"),
    ]
    digests = [*(digest(each, "") for each in changed), digest(changed[0], "model")]
    assert len(set(digests)) == len(digests)
    assert catalog_digest(digests) == catalog_digest(reversed(digests))
    assert catalog_digest(digests) != catalog_digest(digests[1:])


def test_long_texts_keep_to_what_a_tsvector_holds() -> None:
    long = ToolDocument(
        "n" * 1_000, " ".join(f"word{at}" for at in range(100_000)), tags=("x " * 99,)
    )
    stored = DocumentReader().read(long, b"")
    assert len(stored.terms) < 2**20
    assert all(len(each) < 80 for each in stored.terms.split())


def test_a_name_without_terms_is_shared_by_none() -> None:
    assert DocumentReader().read(ToolDocument("_"), b"").named == 1


@pytest.mark.parametrize(
    ("text", "fits"), [("a", True), ("é", True), ("a\0", False), ("é\0", False), ("\ud800", False)]
)
def test_what_postgresql_cannot_hold_is_known(text: str, fits: bool) -> None:
    assert storable(text) is fits


@given(st.text(alphabet=st.characters()))
def test_what_is_cleaned_can_be_stored(text: str) -> None:
    assert storable(clean(text))


def test_a_lexeme_is_quoted_and_cut() -> None:
    assert quoted("it's \\") == "'it''s \\\\'"
    assert len(cut("x" * 1_000)) == 64


def test_a_model_reads_the_name_in_words_the_description_and_the_terms() -> None:
    assert text_to_embed(ORDER) == "get order. Orders by id. purchase"
