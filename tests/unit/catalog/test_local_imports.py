from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sezzlee_py.catalog.function_source import source_of_function
from sezzlee_py.catalog.local_imports import imported_in, members_of
from tests.unit.catalog import builders


def outright() -> None:
    import os.path
    import sys as system
    from json import dumps as written
    from json import loads

    print(os, system, written, loads)


def nearby() -> None:
    from . import builders as near
    from .builders import __name__ as name

    print(near, name)


def not_there() -> None:
    from json import no_such_name  # type: ignore[attr-defined]

    import no_such_module  # type: ignore[import-not-found]

    print(no_such_module, no_such_name)


def at_two_places(fast: bool) -> None:
    if fast:
        from json import dumps as written
    else:
        from json import loads as written  # type: ignore[assignment]
    print(written)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            outright,
            {
                "os": sys.modules["os"],
                "system": sys,
                "written": sys.modules["json"].dumps,
                "loads": sys.modules["json"].loads,
            },
        ),
        (nearby, {"near": builders, "name": builders.__name__}),
        (not_there, {"no_such_module": None, "no_such_name": None}),
        (at_two_places, {}),
    ],
)
def test_an_import_in_a_function_tells_what_its_name_stands_for(
    function: Callable[..., None], expected: Mapping[str, Any]
) -> None:
    assert isinstance(function, types.FunctionType)
    source = source_of_function(function)

    assert source is not None
    assert imported_in(source) == expected


@pytest.mark.parametrize("package", ["lone", "", None])
def test_an_import_from_beyond_the_package_tells_nothing(
    tmp_path: Path, package: str | None
) -> None:
    file = tmp_path / "lone.py"
    file.write_text("def up():\n    from ..other import nothing\n    print(nothing)\n")
    namespace: dict[str, Any] = {"__package__": package}
    exec(compile(file.read_text(), str(file), "exec"), namespace)
    source = source_of_function(namespace["up"])

    assert source is not None
    assert imported_in(source) == {"nothing": None}


def test_what_stands_in_the_place_of_a_module_has_no_members() -> None:
    assert members_of(object()) == {}
    assert members_of(sys)["modules"] is sys.modules
