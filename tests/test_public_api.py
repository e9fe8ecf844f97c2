"""The public names; a new one is a decision with a line in the changelog."""

import subprocess
import sys
from importlib import import_module

import pytest

import sezzlee_py
import sezzlee_py.search
import sezzlee_py.testing
from tests.extras import EXTRAS

BLOCKED_IMPORTS = """
import importlib.abc, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"fastapi", "starlette", "flask", "werkzeug", "mcp", "httpx"}:
            raise ModuleNotFoundError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import pkgutil, importlib, sezzlee_py
for module in pkgutil.walk_packages(sezzlee_py.__path__, "sezzlee_py."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for name in sezzlee_py.__all__:
    getattr(sezzlee_py, name)
"""


def test_the_package_exports_these_names() -> None:
    assert sorted(sezzlee_py.__all__) == [
        "Arg",
        "Catalog",
        "CatalogError",
        "Constant",
        "CurationRule",
        "Diagnostic",
        "MISSING",
        "Member",
        "OMIT",
        "Options",
        "Provider",
        "RankRequest",
        "SelectionRule",
        "Severity",
        "Sezzlee",
        "SezzleeError",
        "ToolDefinition",
        "ToolRanker",
        "__version__",
        "declare",
        "is_sezzlee_probe",
        "is_sezzlee_request",
        "mcp_family",
        "mcp_ignore",
        "mcp_tool",
        "mcp_variant",
    ]


@pytest.mark.parametrize(
    ("package", "names"),
    [
        (
            "sezzlee_py.callers",
            [
                *("CallerScope", "CallerStore", "McpCaller", "MemoryStore", "Projection"),
                "digest_input",
            ],
        ),
        ("sezzlee_py.toolkit", ["Change", "ChangeBus", "Engine", "Sezzlee", "ThreadEngine"]),
        ("sezzlee_fastapi", ["FastAPIAdapter", "mount_explorer", "mount_mcp"]),
        ("sezzlee_starlette", ["StarletteAdapter", "mount_explorer", "mount_mcp"]),
        ("sezzlee_flask", ["FlaskAdapter", "Sezzlee", "mount_explorer", "mount_mcp"]),
        ("sezzlee_redis", ["RedisBus", "RedisStore"]),
        ("sezzlee_postgres", ["PostgresRanker"]),
    ],
)
def test_the_package_of_a_concern_exports_these_names(package: str, names: list[str]) -> None:
    if package in EXTRAS:
        pytest.importorskip(EXTRAS[package])
    assert sorted(import_module(package).__all__) == names


def test_every_exported_name_exists() -> None:
    for module in (sezzlee_py, sezzlee_py.search, sezzlee_py.testing):
        missing = [name for name in module.__all__ if not hasattr(module, name)]
        assert (module.__name__, missing) == (module.__name__, [])


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(sezzlee_py, "mcp_tol")


def test_dir_lists_what_is_not_imported_yet() -> None:
    assert set(sezzlee_py.__all__) <= set(dir(sezzlee_py))


def test_the_core_imports_with_no_framework_installed() -> None:
    run = subprocess.run(
        [sys.executable, "-c", BLOCKED_IMPORTS], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
