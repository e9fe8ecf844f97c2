"""Import strings: what is wrong is told, with what was meant."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli import shop
from tests.cli.running import SHOP, run, run_json


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["shop"],
            "wrong_import_string",
            "'shop' is no import string: expected module:attribute, such as shop.main:app",
        ),
        (
            ["tests/cli/shop.py"],
            "wrong_import_string",
            "'tests/cli/shop.py' is no import string: expected module:attribute, such as "
            "shop.main:app; did you mean 'tests.cli.shop:app'?",
        ),
        (
            ["tests.cli.shopp:app"],
            "no_module",
            "there is no module 'tests.cli.shopp' in tests.cli; did you mean 'shop'?",
        ),
        (
            [f"{SHOP}:ap"],
            "no_attribute",
            "tests.cli.shop has no attribute 'ap'; did you mean 'app'?",
        ),
        (
            [f"{SHOP}:Space.iner"],
            "no_attribute",
            "tests.cli.shop:Space has no attribute 'iner'; did you mean 'inner'?",
        ),
        ([f"{SHOP}:nothing"], "no_application", "tests.cli.shop:nothing is int, no application"),
        (
            [f"{SHOP}:Space"],
            "no_application",
            "tests.cli.shop:Space is the class Space, no application",
        ),
        (
            [f"{SHOP}:make_fastapi"],
            "is_a_factory",
            "tests.cli.shop:make_fastapi is a function; if it makes the app, add --factory",
        ),
        (
            [f"{SHOP}:nothing", "--factory"],
            "not_a_factory",
            "tests.cli.shop:nothing is int, no factory; leave out --factory",
        ),
        (
            [f"{SHOP}:async_factory", "--factory"],
            "not_a_factory",
            "tests.cli.shop:async_factory is asynchronous; a factory returns the application",
        ),
        (
            [f"{SHOP}:foreign_app"],
            "unknown_framework",
            "builtins.function is no FastAPI, Starlette or Flask application, and wraps none",
        ),
    ],
)
def test_a_wrong_import_string_is_explained(arguments: list[str], code: str, message: str) -> None:
    assert run_json("catalog", *arguments, exit_code=2) == {"error": code, "message": message}


def test_people_are_told_on_standard_error() -> None:
    result = run("catalog", f"{SHOP}:ap")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == ("Error: tests.cli.shop has no attribute 'ap'; did you mean 'app'?\n")


def test_a_factory_that_raises_is_named_with_its_line() -> None:
    message = run_json("catalog", f"{SHOP}:broken_factory", "--factory", exit_code=2)["message"]
    assert message.startswith("tests.cli.shop:broken_factory() failed: KeyError: 'SHOP_DATABASE' (")
    assert "shop.py, line " in message


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import no_such_package_at_all\n", "No module named 'no_such_package_at_all' (broken"),
        ("raise SystemExit('set SHOP_KEY')\n", "SystemExit: set SHOP_KEY (broken"),
        ("1 / 0\n", "ZeroDivisionError: division by zero (broken"),
        ("def f(:\n", "SyntaxError"),
    ],
)
def test_a_module_that_does_not_import_is_named_with_its_line(
    source: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_shop.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    document = run_json("catalog", "broken_shop:app", exit_code=2)
    assert document["error"] == "import_failed"
    assert told in document["message"]


def test_modules_of_the_working_directory_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nearby_shop.py").write_text("app = None\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    message = run_json("catalog", "nearby_shp:app", exit_code=2)["message"]
    assert message.endswith("or among installed packages; did you mean 'nearby_shop'?")


def test_an_application_that_does_not_start_is_named_with_its_reason() -> None:
    document = run_json("catalog", f"{SHOP}:make_closed", "--factory", exit_code=2)
    assert document["error"] == "start_failed"
    assert "ConnectionError: the database is away (shop.py, line " in document["message"]


def test_wrong_options_of_the_host_are_named() -> None:
    from sezzlee_py.cli import host as hosts
    from tests.cli import shop

    host = hosts.Host(shop.make_flask())
    host.engine.options.selection.rules.append("not a rule")  # type: ignore[arg-type]
    shop.wrongly_set = host.app  # type: ignore[attr-defined]
    document = run_json("catalog", f"{SHOP}:wrongly_set", exit_code=2)
    assert document["error"] == "wrong_options"
    assert "options.selection.rules" in document["message"]


def test_a_wrong_command_is_named_with_a_near_one() -> None:
    result = run("catalogue")
    assert result.exit_code == 2
    assert "there is no command 'catalogue'; did you mean 'catalog'?" in result.stderr


@pytest.mark.parametrize("make", [shop.make_fastapi, shop.bare_flask])
def test_a_declaration_that_says_nothing_is_told(
    make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken() -> object:
        app = make()
        for handler in (app, *(getattr(route, "endpoint", None) for route in routes_of(app))):
            if handler is not None:
                handler.__mcp_auth__ = "no"
        return app

    def routes_of(app: Any) -> tuple[Any, ...]:
        return tuple(getattr(app, "routes", ()))

    monkeypatch.setattr(shop, "mistaken", mistaken, raising=False)
    told = run_json("catalog", f"{SHOP}:mistaken", "--factory", exit_code=2)
    assert told["error"] == "wrong_declaration"
    assert told["message"].endswith("expected a mapping such as {'anonymous': 'no'}, got 'no'")
