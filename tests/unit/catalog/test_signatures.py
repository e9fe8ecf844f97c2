"""What a function's annotations say where not all of them can be evaluated."""

import functools
import inspect
import sys
import textwrap
from typing import Any

import pytest

from sezzlee_flask import FlaskAdapter
from sezzlee_py.catalog.signatures import annotations_of, parameters_of

# As a module has it whose `Money` is imported for type checkers alone.
SOURCE = """
from flask import Flask

app = Flask("shop")

@app.get("/orders/<number>")
def order(number: int, total: Money = None, lines: list[Money] = ()) -> Money:
    return str(number)
"""


def module(head: str = "") -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "shop"}
    exec(compile(textwrap.dedent(head) + SOURCE, "shop.py", "exec", dont_inherit=True), namespace)
    return namespace


AS_TEXT = pytest.param("from __future__ import annotations\n", id="text")
AS_ASKED = pytest.param(
    "",
    id="asked",
    marks=pytest.mark.skipif(sys.version_info < (3, 14), reason="evaluated at once before 3.14"),
)


@pytest.mark.parametrize("head", [AS_TEXT, AS_ASKED])
def test_a_name_for_type_checkers_alone_costs_no_other_annotation(head: str) -> None:
    order = module(head)["order"]
    told = annotations_of(order)
    assert list(told) == ["number", "total", "lines"]
    assert told["number"] in (int, "int")
    assert told["total"] == "Money"
    assert "Money" in str(told["lines"])
    assert [parameter.name for parameter in parameters_of(order)] == ["number", "total", "lines"]


@pytest.mark.parametrize("head", [AS_TEXT, AS_ASKED])
def test_an_application_with_such_a_view_is_walked(head: str) -> None:
    (operation,) = FlaskAdapter(module(head)["app"]).discover().operations
    (number,) = operation.descriptor.parameters
    assert number.schema == {"type": "integer"}


class Refusing:
    """A callable whose signature is the host's own affair."""

    @property
    def __signature__(self) -> inspect.Signature:
        raise LookupError("no signature")

    def __call__(self) -> None: ...


@pytest.mark.parametrize("target", [Refusing(), dict, 7, functools.partial(dict)])
def test_what_cannot_be_asked_says_nothing(target: object) -> None:
    assert annotations_of(target) == {}
