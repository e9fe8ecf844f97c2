import builtins
import datetime
import re
from types import MappingProxyType
from typing import Any

import pytest

from sezzlee_py.model import Severity
from sezzlee_py.openapi import ingest, yaml_reader
from sezzlee_py.openapi.parse import DocumentParseError, check_bounds, parse_document
from sezzlee_py.openapi.yaml_reader import read_yaml

LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{at}: &a{at} [{','.join([f'*a{at - 1}'] * 10)}]\n" for at in range(1, 10)
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "a: [",
        "[" * 100_000,
        "a: " + "[" * 100_000,
        "{" * 100_000,
        "a: &a [*a]",
        "openapi: 3.1.0\nopenapi: 3.1.0\n",
        "? [a, b]\n: 1\n",
        "a: !!python/object/apply:os.system ['ls']\n",
        "a: !mine 1\n",
        "a: !!timestamp 2020-01-01\n",
        "a: !!set {x}\n",
        "a: 1\n---\nb: 1\n",
        "a: 1e999\n",
        '{"openapi": "3.1.0", "x": 1e999}',
        "a: !!int word\n",
        "\x00",
        LAUGHS,
        b"\xff\xfe",
        {"a": float("nan")},
        {"a": object()},
    ],
    ids=lambda text: re.sub(r" at 0x\w+", "", str(text))[:30],
)
def test_a_broken_document_is_one_fatal_finding(text: Any) -> None:
    found = ingest(text)
    assert found.descriptors == ()
    assert [(d.code, d.severity) for d in found.diagnostics] == [
        ("openapi_document_unparseable", Severity.FATAL)
    ]


def test_a_mapping_that_contains_itself_or_is_too_deep_is_refused() -> None:
    loop: dict[str, Any] = {"openapi": "3.1.0"}
    loop["again"] = [loop]
    deep: Any = {}
    for _ in range(2_000):
        deep = {"a": deep}
    for source in (loop, deep):
        with pytest.raises(DocumentParseError):
            parse_document(source)
    shared = [1] * 1_000
    check_bounds([shared] * 900)
    with pytest.raises(DocumentParseError):
        check_bounds([[shared] * 40] * 40)


def test_a_mapping_becomes_plain_json() -> None:
    source: Any = {1: (1, 2), "d": datetime.date(2020, 1, 2), "m": MappingProxyType({"a": None})}
    assert parse_document(source).root == {"1": [1, 2], "d": "2020-01-02", "m": {"a": None}}


def test_of_keys_that_stand_twice_in_yaml_the_last_counts_on_demand() -> None:
    text = "a: 1\nb: {c: 1, c: 2}\na: 3"
    assert parse_document(text, takes_last=True).root == {"a": 3, "b": {"c": 2}}
    with pytest.raises(DocumentParseError, match="stands twice"):
        parse_document(text)


def test_keys_that_stand_twice_in_json_are_told() -> None:
    parsed = parse_document('{"a": {"b": 1, "b": 2, "c": 3}}')
    assert (parsed.root, parsed.repeated_keys) == ({"a": {"b": 2, "c": 3}}, ("b",))
    found = ingest('{"openapi": "3.1.0", "openapi": "3.1.0"}')
    assert [(d.code, d.pointer) for d in found.diagnostics] == [("openapi_document_invalid", "")]


def test_braces_may_hold_yaml() -> None:
    assert parse_document("{openapi: 3.1.0, paths: {}}").root == {"openapi": "3.1.0", "paths": {}}
    with pytest.raises(DocumentParseError):
        parse_document("{a: " + "x" * 200_000 + "}")


def test_yaml_values_are_those_of_the_core_schema() -> None:
    text = """
null_: [null, ~, Null, ]
bool_: [true, False, yes, on, off]
int_: [1, -2, 0o17, 0x1F, 012, 12:30]
float_: [1.5, -.5, 1e3, 1., .inf]
str_: [2020-01-01, "1", 'true', <<x]
200: ok
true: t
"""
    assert read_yaml(text) == {
        "null_": [None, None, None],
        "bool_": [True, False, "yes", "on", "off"],
        "int_": [1, -2, 15, 31, 12, "12:30"],
        "float_": [1.5, -0.5, 1000.0, 1.0, ".inf"],
        "str_": ["2020-01-01", "1", "true", "<<x"],
        "200": "ok",
        "true": "t",
    }


def test_merges_are_followed_and_own_keys_win() -> None:
    text = "a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  y: 3\nc:\n  <<: [*a, {z: 4}]\n"
    assert read_yaml(text) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 3},
        "c": {"x": 1, "y": 2, "z": 4},
    }


def test_merges_do_not_grow_beyond_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_reader, "MAX_ALIAS_NODES", 2)
    assert read_yaml("a: &a {x: 1}\nb: {<<: *a, y: 2}\n")["b"] == {"x": 1, "y": 2}
    with pytest.raises(DocumentParseError):
        read_yaml("a: &a {x: 1}\nb: {<<: *a, y: 2, z: 3}\n")


def test_without_pyyaml_a_yaml_document_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any) -> Any:
        if name.endswith("yaml_reader"):
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", refuse)
    (found,) = ingest("openapi: 3.1.0\n").diagnostics
    assert found.code == "openapi_document_unparseable"
    assert "sezzlee-py[openapi]" in found.message


def test_lone_surrogates_do_not_survive() -> None:
    assert parse_document('{"a": "\\ud800"}').root == {"a": "\ufffd"}
