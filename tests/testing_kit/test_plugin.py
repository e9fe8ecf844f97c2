"""The pytest plugin, in a host's own suite."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sezzlee_py.testing.pytest_plugin import AgentFactory, LockCheck
from tests.cli import shop

ROOT = Path(__file__).parents[2]

SUITE = """
import pytest
from tests.cli import shop
from sezzlee_py.testing import assert_found


@pytest.fixture
def app():
    return shop.make_fastapi()


def test_search(agent):
    assert_found(agent(), "say hello", "greet")


def test_tools(tool_lock):
    import sezzlee_flask

    tool_lock(sezzlee_flask.mount_mcp(shop.bare_flask()), "tools.lock.json")
"""


def suite(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_shop.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_a_host_gets_the_fixtures_and_updates_its_lock(tmp_path: Path) -> None:
    without = suite(tmp_path)
    assert "1 failed, 1 passed" in without.stdout, without.stdout
    assert "there is no lock file" in without.stdout
    assert "2 passed" in suite(tmp_path, "--sezzlee-update-lock").stdout
    assert (tmp_path / "tools.lock.json").exists()
    assert "2 passed" in suite(tmp_path).stdout


def test_agents_are_opened_for_any_application_and_closed(
    agent: AgentFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    customer = agent(shop.app, headers={"authorization": shop.TOKEN})
    stranger = agent(shop.app, "/mcp", revision="2025-06-18")
    flask = agent(shop.flask_app)
    totals = [each.search()["total"] for each in (customer, stranger, flask)]
    assert totals == [4, 3, 1]


def test_the_lock_fixture_compares(tool_lock: LockCheck, tmp_path: Path) -> None:
    import sezzlee_flask
    from sezzlee_py.testing import lock_of, write_lock

    sezzlee = sezzlee_flask.mount_mcp(shop.bare_flask())
    write_lock(lock_of(sezzlee), tmp_path / "lock.json")
    assert tool_lock(sezzlee, tmp_path / "lock.json") == lock_of(sezzlee)


def test_the_plugin_imports_nothing_a_run_may_not_need() -> None:
    script = (
        "import sys, pytest, sezzlee_py.testing.pytest_plugin\n"
        "print(sorted({'pydantic', 'sezzlee_py.options', 'starlette'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT
    )
    assert result.stdout == "[]\n"
