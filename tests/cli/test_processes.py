"""The command as a process: its streams, its exit codes, its ends."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sezzlee_py._version import __version__
from tests.cli.running import APP, SHOP

ROOT = Path(__file__).parents[2]
SEZZLEE = [sys.executable, "-m", "sezzlee_py"]


def sezzlee(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SEZZLEE, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, **options
    )


def test_standard_output_holds_the_document_alone_whatever_the_application_prints() -> None:
    result = sezzlee("catalog", APP, "--json")
    assert result.returncode == 0
    assert len(json.loads(result.stdout)["tools"]) == 4
    assert "the shop opens" in result.stderr
    assert "the shop prints from a process" in result.stderr


def test_exit_codes_tell_fine_findings_and_usage() -> None:
    codes = [
        sezzlee(*arguments).returncode
        for arguments in (
            ("check", APP),
            ("check", f"{SHOP}:make_fatal", "--factory"),
            ("check", f"{SHOP}:nothing"),
            ("check",),
        )
    ]
    assert codes == [0, 1, 2, 2]


def test_help_names_every_command_and_imports_none() -> None:
    script = (
        "import sys\n"
        "sys.argv = ['sezzlee', '--help']\n"
        "from sezzlee_py.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    heavy = {'pydantic', 'starlette', 'flask', 'rich', 'asyncio'} & set(sys.modules)\n"
        "    print(sorted(heavy), file=sys.stderr)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.stderr == "[]\n"
    commands = ["catalog", "show", "search", "why", "check", "eval", "invoke", "stdio", "explore"]
    assert all(f"\n  {name} " in result.stdout for name in commands)


def test_the_version_is_told() -> None:
    assert sezzlee("--version").stdout == f"sezzlee, version {__version__}\n"


def test_without_click_the_way_out_is_told() -> None:
    script = "import sys; sys.modules['click'] = None; from sezzlee_py.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert 'pip install "sezzlee-py[cli]"' in result.stderr


def test_stdio_answers_what_was_asked_before_the_end_of_input() -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    result = sezzlee("stdio", APP, input=f"{ping}\n")
    assert (result.returncode, json.loads(result.stdout)["id"]) == (0, 1)


@pytest.mark.parametrize("app", ["app", "flask_app"])
def test_stdio_ends_when_it_is_told_to_terminate(app: str) -> None:
    process = subprocess.Popen(
        [*SEZZLEE, "stdio", f"{SHOP}:{app}"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.terminate()
        assert process.wait(20) == 0


def test_stdio_of_an_application_that_does_not_start_is_a_usage_error() -> None:
    result = sezzlee("stdio", f"{SHOP}:make_closed", "--factory", input="")
    assert (result.returncode, result.stdout) == (2, "")
    assert "ConnectionError: the database is away" in result.stderr
