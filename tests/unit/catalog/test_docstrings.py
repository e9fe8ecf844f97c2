"""What a docstring says in one line, and whose docstring it is."""

import inspect

import pytest

from sezzlee_py.catalog.handlers import docstring_of, first_paragraph


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


def test_what_cannot_be_called_or_is_called_in_c_says_nothing_of_calls() -> None:
    class Silent:
        """Serves methods."""

        def __get__(self, instance: object, owner: type | None = None) -> object:
            return self

    class Speaking(Silent):
        def __call__(self) -> None:
            """Say it."""

    assert docstring_of(property(lambda view: None)) == ""
    assert docstring_of(Silent()) == "Serves methods."
    assert docstring_of(Speaking()) == "Say it."
