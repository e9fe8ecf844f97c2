"""What a docstring says in one line."""

import inspect

import pytest

from sezzlee_py.catalog.handlers import first_paragraph


@pytest.mark.parametrize(
    ("docstring", "line"),
    [
        ("", None),
        ("List orders.", "List orders."),
        ("List\n    orders.\n\n    All of them.", "List orders."),
        ("List orders.\n---\ntags: [orders]", "List orders."),
        ("---\ntags: [orders]", None),
        # A directive of Sphinx holds the text.
        (
            ".. http:get:: /orders\n\n       The\n       orders.\n\n       :query a: b",
            "The orders.",
        ),
        (".. http:get:: /orders\n       :synopsis: x\n    \t\n       Orders.", "Orders."),
        (".. http:get:: /orders\n\n       :query a: b", None),
        (".. http:get:: /orders\n\n       .. note:: x", None),
        (".. http:get:: /orders", None),
        (".. note:: Slow.", ".. note:: Slow."),
    ],
)
def test_the_first_paragraph_is_one_line(docstring: str, line: str | None) -> None:
    assert first_paragraph(inspect.cleandoc(docstring)) == line
