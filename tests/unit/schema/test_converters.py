import re
from typing import Any

import pytest
from starlette.convertors import CONVERTOR_TYPES
from werkzeug.exceptions import NotFound
from werkzeug.routing import Map, Rule

from sezzlee_py.catalog.schema.converters import (
    converter_schema,
    demands_fraction,
    read_arguments,
)


@pytest.mark.parametrize(
    ("name", "arguments", "schema"),
    [
        (None, None, {"type": "string"}),
        ("string", None, {"type": "string"}),
        ("str", None, {"type": "string"}),
        ("path", None, {"type": "string"}),
        ("uuid", None, {"type": "string", "format": "uuid"}),
        ("int", None, {"type": "integer", "minimum": 0}),
        ("int", "min=1, max=9", {"type": "integer", "minimum": 1, "maximum": 9}),
        ("int", "min=-5", {"type": "integer", "minimum": 0}),
        ("int", "signed=True", {"type": "integer"}),
        ("int", "signed=True, min=-5", {"type": "integer", "minimum": -5}),
        ("int", "fixed_digits=4", {"type": "string", "pattern": "^[0-9]{4}$"}),
        ("int", "4", {"type": "string", "pattern": "^[0-9]{4}$"}),
        (
            "int",
            "fixed_digits=3, signed=True",
            {"type": "string", "pattern": "^(-[0-9]{2}|[0-9]{3})$"},
        ),
        ("float", None, {"type": "number", "minimum": 0}),
        ("float", "max=1.5", {"type": "number", "minimum": 0, "maximum": 1.5}),
        ("any", "a, 'b c', 3", {"type": "string", "enum": ["a", "b c", "3"]}),
        ("string", "length=2", {"type": "string", "minLength": 2, "maxLength": 2}),
        ("string", "2, 5", {"type": "string", "minLength": 2, "maxLength": 5}),
        ("default", "minlength=1", {"type": "string", "minLength": 1}),
        ("mine", "x=1", {"type": "string"}),
    ],
)
def test_a_converter_tells_what_it_accepts(
    name: str | None, arguments: str | None, schema: Any
) -> None:
    assert converter_schema(name, arguments) == schema


def test_arguments_are_read_as_werkzeug_writes_them() -> None:
    read = read_arguments("1, -2.5, True, None, word, \"a,b\", 'c', name=False, other = 'x'")
    assert read == ((1, -2.5, True, None, "word", "a,b", "c"), {"name": False, "other": "x"})
    assert read_arguments("a='unfinished") == ((), {})


def test_only_floats_demand_a_fraction() -> None:
    assert [name for name in ("int", "float", "path", None) if demands_fraction(name)] == ["float"]


@pytest.mark.parametrize("digits", ["-12", "123", "12", "1234", "-123"])
def test_fixed_digits_match_what_werkzeug_matches(digits: str) -> None:
    rules = Map([Rule("/<int(fixed_digits=3, signed=True):x>", endpoint="x")]).bind("localhost")
    try:
        matched = bool(rules.match(f"/{digits}"))
    except NotFound:
        matched = False
    pattern = converter_schema("int", "fixed_digits=3, signed=True")["pattern"]
    assert (re.search(pattern, digits) is not None) is matched


def test_every_starlette_converter_is_known() -> None:
    kinds = {"str": "string", "path": "string", "int": "integer", "float": "number"}
    known = {
        name
        for name in CONVERTOR_TYPES
        if converter_schema(name)["type"] == kinds.get(name, "string")
    }
    assert known >= {"str", "path", "int", "float", "uuid"}
