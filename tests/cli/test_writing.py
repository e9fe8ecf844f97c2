"""Sheets and documents: what reaches a terminal, and what a machine reads."""

import io
import json
import sys
from types import ModuleType
from typing import Any

import pytest

from sezzlee_py import explorer
from sezzlee_py.cli.console import Console, claimed_stdout, json_text
from sezzlee_py.cli.rich_sheet import render
from sezzlee_py.cli.sheet import Sheet, printable
from tests.cli.running import APP, run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def sheet() -> Sheet:
    made = Sheet()
    made.line("first\nsecond")
    made.heading("Title [bold]x[/bold]")
    made.table(("a", "long column"), [("1", "x\ty"), ("22", "two\nlines")])
    made.table(("never", "shown"), [])
    made.facts({"name": "value", "longer name": "v", "nothing": ""})
    return made


def test_plain_sheets_align_and_cut_nothing() -> None:
    assert sheet().plain() == (
        "first\nsecond\n\nTitle [bold]x[/bold]\n"
        "  a   long column\n  1   x y\n  22  two lines\n"
        "  name         value\n  longer name  v\n"
    )


def test_rich_sheets_say_the_same_and_read_no_markup() -> None:
    shown = render(sheet(), width=80)
    assert "Title [bold]x[/bold]" in shown
    assert "\x1b[1m" in shown
    assert "two lines" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x1b[31mred", "a�[31mred"),
        ("bell\a\r\x00", "bell���"),
        ("a\u00a0b\tc\nd", "a b c\nd"),
        ("right\u202eleft", "right�left"),
        ("größe 中", "größe 中"),
    ],
)
def test_nothing_reaches_a_terminal_as_control(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_terminal_gets_rich_and_a_pipe_gets_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, pipe = Terminal(), io.StringIO()
    Console(terminal, as_json=False).result({}, sheet())
    Console(pipe, as_json=False).result({}, sheet())
    assert "\x1b[" in terminal.getvalue()
    assert pipe.getvalue() == sheet().plain()
    missing: Any = None
    monkeypatch.setitem(sys.modules, "rich", missing)
    bare = Terminal()
    Console(bare, as_json=False).result({}, sheet())
    assert bare.getvalue() == sheet().plain()


def test_notes_are_for_somebody_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, told in ((Terminal(), "reading\n"), (io.StringIO(), "")):
        monkeypatch.setattr(sys, "stderr", stream)
        Console(io.StringIO(), as_json=False).note("reading")
        assert stream.getvalue() == told


def test_documents_are_json_whatever_is_in_them() -> None:
    text = json_text({"a": {1, 2}, "b": float("inf"), "c": ModuleType("m"), "d": ("ü",)})
    assert text.isascii()
    document = json.loads(text)
    assert (document["a"], document["b"], document["d"]) == ([1, 2], "Infinity", ["ü"])


def test_standard_output_without_a_descriptor_is_claimed_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with claimed_stdout() as stream:
        print("from the application")
        stream.write("result")
    assert (out.getvalue(), err.getvalue()) == ("result", "from the application\n")


def test_the_descriptor_itself_is_claimed(capfd: pytest.CaptureFixture[str]) -> None:
    import os

    with open(1, "w", closefd=False) as real, pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stdout", real)
        with claimed_stdout() as stream:
            os.write(1, b"from a process\n")
            stream.write("result\n")
        os.write(1, b"after\n")
    assert capfd.readouterr() == ("result\nafter\n", "from a process\n")


def test_the_explorer_is_given_the_application_and_the_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served: list[tuple[Any, int]] = []
    monkeypatch.setattr(explorer, "serve", lambda host, port: served.append((host.app, port)))
    assert run("explore", APP, "--port", "8123").exit_code == 0
    from tests.cli import shop

    assert served == [(shop.app, 8123)]
