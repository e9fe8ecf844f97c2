"""`check`: findings and the lock."""

import shlex
from pathlib import Path

import pytest

from tests.cli.running import APP, SHOP, run, run_json


def test_an_application_without_findings_is_fine() -> None:
    assert run_json("check", APP) == {
        "ok": True,
        "fail_on": "endpointDropped",
        "tools": 4,
        "findings": [],
        "below": 0,
        "oversights": [],
        "lock": None,
        "updated": False,
        "changes": [],
    }


@pytest.mark.parametrize(
    ("fail_on", "exit_code"), [("info", 1), ("WARNING", 1), ("endpointdropped", 0), ("fatal", 0)]
)
def test_findings_at_or_above_the_severity_fail(fail_on: str, exit_code: int) -> None:
    arguments = ("check", f"{SHOP}:make_warned", "--factory", "--fail-on", fail_on)
    document = run_json(*arguments, exit_code=exit_code)
    codes = [found["code"] for found in document["findings"]]
    assert (codes, document["below"]) == ((["name_disambiguated"], 0) if exit_code else ([], 1))


def test_a_tool_whose_credential_no_call_carries_is_told_once_and_fails_nothing() -> None:
    result = run("check", f"{SHOP}:make_keyed", "--factory", "--fail-on", "warning")
    assert (result.exit_code, result.output.splitlines()) == (
        0,
        [
            "1 tool, 0 failing findings",
            "",
            "Likely not meant; fails nothing",
            "  x-partner-key is no carrier, so calls of shop_statistics go without it; name it in "
            "Options(identity={'carriers': ('authorization', 'x-partner-key')}) to have it carried",
            "",
        ],
    )


def test_a_fatal_catalog_fails_whatever_the_lock_says(tmp_path: Path) -> None:
    lock = tmp_path / "tools.json"
    arguments = ("check", f"{SHOP}:make_fatal", "--factory", "--lock", str(lock), "--update-lock")
    document = run_json(*arguments, exit_code=1)
    assert [found["code"] for found in document["findings"]] == ["name_collision"]
    assert not lock.exists()


def test_an_unknown_severity_is_a_usage_error() -> None:
    assert run("check", APP, "--fail-on", "loud").exit_code == 2


def test_update_needs_a_file() -> None:
    result = run("check", APP, "--update-lock")
    assert (result.exit_code, "--update-lock needs --lock FILE" in result.stderr) == (2, True)


def test_a_lock_is_written_and_then_holds(tmp_path: Path) -> None:
    lock = str(tmp_path / "tools.json")
    written = run_json("check", APP, "--lock", lock, "--update-lock")
    assert (written["ok"], written["updated"], written["changes"]) == (True, True, [])
    assert run_json("check", APP, "--lock", lock)["ok"] is True
    assert f"agents are offered what {lock} says" in run("check", APP, "--lock", lock).stdout


def test_differences_from_the_lock_fail_and_read_well(tmp_path: Path) -> None:
    lock = tmp_path / "tools.json"
    run("check", APP, "--lock", str(lock), "--update-lock")
    text = lock.read_text().replace('"greet"', '"say_hello"').replace("Fetch one", "Get one")
    lock.write_text(text)
    document = run_json("check", APP, "--lock", str(lock), exit_code=1)
    assert document["changes"] == [
        {"tool": "greet", "kind": "tool_renamed", "text": "was say_hello", "breaking": True},
        {
            "tool": "get_order",
            "kind": "description",
            "text": "description 'Fetch one order.', was 'Get one order.'",
            "breaking": False,
        },
    ]
    result = run("check", APP, "--lock", str(lock))
    assert result.stdout.splitlines()[2:] == [
        "2 differences from the lock, as agents meet them",
        "~ greet",
        "    was say_hello  (breaking)",
        "~ get_order",
        "    description 'Fetch one order.', was 'Get one order.'",
        "",
        "If this is meant, run the same command with --update-lock.",
    ]


def test_an_update_shows_what_it_changes(tmp_path: Path) -> None:
    lock = tmp_path / "tools.json"
    run("check", APP, "--lock", str(lock), "--update-lock")
    lock.write_text(lock.read_text().replace("Fetch one", "Get one"))
    result = run("check", APP, "--lock", str(lock), "--update-lock")
    assert result.exit_code == 0
    assert "~ get_order" in result.stdout
    assert f"wrote {lock}" in result.stdout
    assert run("check", APP, "--lock", str(lock)).exit_code == 0


@pytest.mark.parametrize("text", ["{", "[]", '{"sezzlee_lock": 2, "tools": {}}'])
def test_a_file_that_is_no_lock_is_a_usage_error(text: str, tmp_path: Path) -> None:
    lock = tmp_path / "tools.json"
    lock.write_text(text)
    assert run_json("check", APP, "--lock", str(lock), exit_code=2)["error"] == "no_lock"
    assert run("check", APP, "--lock", str(lock), "--update-lock").exit_code == 0


def test_a_missing_lock_names_the_way_to_one(tmp_path: Path) -> None:
    lock = str(tmp_path / "of the shop.json")
    document = run_json("check", f"{SHOP}:make_fastapi", "--factory", "--lock", lock, exit_code=2)
    told, _, command = document["message"].partition(": ")
    assert told == f"there is no lock file {lock}; write it by updating the lock"
    name, *arguments = shlex.split(command)
    assert (name, run(*arguments).exit_code) == ("sezzlee", 0)
    assert run("check", f"{SHOP}:make_fastapi", "--factory", "--lock", lock).exit_code == 0


def test_a_lock_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    lock = tmp_path / "no" / "such" / "folder.json"
    document = run_json("check", APP, "--lock", str(lock), "--update-lock", exit_code=2)
    assert document["error"] == "lock_not_written"
