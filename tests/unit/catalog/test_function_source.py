"""The source of functions that are odd, huge, or nested beyond reading."""

import ast
import time
import types
from pathlib import Path
from typing import Any

import pytest

from sezzlee_py.catalog.function_source import body_nodes, names_used, source_of_function


def made_of(text: str, path: Path, **names: Any) -> dict[str, Any]:
    """Return what a file defines."""
    path.write_text(text)
    space: dict[str, Any] = {"__name__": "host", **names}
    exec(compile(text, str(path), "exec"), space)
    return space


def names_in(function: types.FunctionType) -> list[str]:
    return [node.id for node in body_nodes(function) or () if isinstance(node, ast.Name)]


def test_functions_are_read_wherever_they_stand(tmp_path: Path) -> None:
    text = (
        "def plain(): return first\n"
        "class Owner:\n"
        "\tdef method(self):\n"
        "\t\ttext = '''\n"
        "at the margin'''\n"
        "\t\treturn second\n"
        "if True:\n"
        "    @staticmethod\n"
        "    @(lambda function: function)\n"
        "    def plain_again(a=1,\n"
        "b=2): return third\n"
        "async def later(): return fourth"
    )
    found = made_of(text, tmp_path / "host.py")
    functions = (found["plain"], found["Owner"].method, found["plain_again"], found["later"])
    plain = [f.__func__ if isinstance(f, staticmethod) else f for f in functions]
    assert [names_in(function)[-1] for function in plain] == ["first", "second", "third", "fourth"]


@pytest.mark.parametrize(
    "expression",
    [
        "given" + ".copy()" * 1_000,
        "given" + ".a" * 1_000,
        "given" + "['a']" * 1_000,
        " + ".join(["given"] * 1_000),
    ],
)
def test_an_expression_that_is_nested_too_deep_is_not_read(expression: str, tmp_path: Path) -> None:
    function = made_of(f"def view():\n    return {expression}", tmp_path / "host.py")["view"]
    assert body_nodes(function) is None


def test_statements_may_follow_each_other_as_deep_as_people_write_them(tmp_path: Path) -> None:
    branches = "".join(f"    elif kind == {at}:\n        return found\n" for at in range(400))
    text = f"def view(kind):\n    if kind is None:\n        return\n{branches}"
    function = made_of(text, tmp_path / "host.py")["view"]
    assert names_in(function).count("found") == 400


class Loader:
    def __init__(self, source: Any) -> None:
        self.source = source

    def get_source(self, name: str) -> Any:
        if isinstance(self.source, Exception):
            raise self.source
        return self.source


@pytest.mark.parametrize("source", [KeyError("host"), 42, None, ""])
def test_a_loader_that_fails_tells_no_source(source: Any, tmp_path: Path) -> None:
    path = tmp_path / "host.py"
    function = made_of("def view(): pass", path, __loader__=Loader(source))["view"]
    path.unlink()
    assert source_of_function(function) is None


@pytest.mark.parametrize("name", ["/nul\0.py", "/surrogate\ud800.py", "/", "<string>", ""])
def test_a_name_of_no_file_tells_no_source(name: str) -> None:
    def view() -> None: ...

    view.__code__ = view.__code__.replace(co_filename=name)
    assert source_of_function(view) is None


def test_names_are_those_of_all_code_inside() -> None:
    nested = "lambda: " * 400 + "innermost"
    space: dict[str, Any] = {}
    exec(f"def view():\n    first\n    inner = {nested}\n    (lambda: second)\n    third", space)
    assert names_used(space["view"].__code__) == ("first", "third", "innermost", "second")


def test_a_huge_file_is_parsed_once(tmp_path: Path) -> None:
    text = "".join(f"def view_{at}():\n{'    given.get(1)' + chr(10)}\n" for at in range(10_000))
    functions = [
        found for name, found in made_of(text, tmp_path / "host.py").items() if "view" in name
    ]
    body_nodes(functions[0])
    began = time.process_time()
    assert all(body_nodes(function) for function in functions[:500])
    # To go through its text for each would be more than a second.
    assert time.process_time() - began < 0.5


def test_many_names_of_one_mapping_are_told_in_linear_time(tmp_path: Path) -> None:
    lines = "".join(f"    x{at} = given\n    x{at}['k']\n" for at in range(3_000))
    source = source_of_function(made_of(f"def view():\n{lines}", tmp_path / "host.py")["view"])
    assert source is not None
    began = time.process_time()
    assert all(map(source.is_only_read, source.assigned_once()))
    assert time.process_time() - began < 1
