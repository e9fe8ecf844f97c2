"""What of a function runs for one method, told by the calls that are left."""

import ast
import types
from typing import Any

import pytest

from sezzlee_py.catalog.function_source import FunctionSource, constant_text, source_of_function
from sezzlee_py.catalog.method_branches import for_method

METHODS = ("GET", "POST", "PUT")


def is_method(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "method"


def texts(source: FunctionSource) -> list[str]:
    """What the calls of `runs` say, in their order."""
    calls = [node for node in source.nodes if isinstance(node, ast.Call)]
    own = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "runs"]
    return [str(constant_text(call.args[0])) for call in own]


def runs(_: str) -> Any:
    """Called by what is looked at."""


def compared(request: Any) -> Any:
    if request.method == "POST":
        runs("POST")
    if request.method != "POST":
        runs("GET PUT")
    if "GET" == request.method:  # noqa: SIM300 - as some write it
        runs("GET")
    if request.method in ("POST", "PUT"):
        runs("POST PUT")
    if request.method not in {"POST", "PUT"}:
        runs("GET")


def combined(request: Any, other: bool) -> Any:
    if request.method == "GET" or request.method == "PUT":
        runs("GET PUT")
    if request.method == "GET" and other:
        runs("GET")
    if request.method == "GET" or other:
        runs("GET POST PUT")
    if not request.method == "GET":  # noqa: SIM201 - as some write it
        runs("POST PUT")
    return runs("GET") if request.method == "GET" else runs("POST PUT")


def chained(request: Any) -> Any:
    if request.method == "GET":
        runs("GET")
    elif request.method == "POST":
        runs("POST")
    else:
        runs("PUT")
    runs("GET POST PUT")


def ended(request: Any, other: bool) -> Any:
    if request.method == "GET":
        if other:
            return runs("GET")
        elif runs("GET"):  # noqa: RET505 - as some write it
            raise ValueError
        else:
            return None
    if request.method == "POST":
        if other:
            return runs("POST")
    elif other:
        return runs("PUT")
    return runs("POST PUT")


def inside(request: Any, other: bool) -> Any:
    for _ in range(3):
        try:
            if request.method == "GET":
                runs("GET")
                continue
            runs("POST PUT")
        except ValueError:
            if request.method == "POST":
                runs("POST")
        finally:
            with open("x") as _file:
                if request.method == "PUT":
                    runs("PUT")
    while request.method == "GET":
        runs("GET POST PUT")


def of_something_else(other: str, request: Any) -> Any:
    if other == "GET":
        runs("GET POST PUT")
    if request.method == other:
        runs("GET POST PUT")
    if request.method.startswith("P"):
        runs("GET POST PUT")
    if "P" in request.method:
        runs("GET POST PUT")
    if request.method < "POST" or "A" < request.method < "Z":
        runs("GET POST PUT")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "function", [compared, combined, chained, ended, inside, of_something_else]
)
def test_what_never_runs_for_a_method_is_left_out(
    function: types.FunctionType, method: str
) -> None:
    source = source_of_function(function)
    assert source is not None
    left = for_method(source, method, is_method)
    assert texts(left) == [text for text in texts(source) if method in text.split()]


def test_a_function_that_asks_for_no_method_is_left_as_it_is() -> None:
    source = source_of_function(runs)  # type: ignore[arg-type]
    assert source is not None
    assert for_method(source, "GET", is_method) is source
