"""Runs the commands on the guides' pages and writes what they print: `python -m tests.cli.pages`.

A block of a page is `$ sezzlee ...` and the output below it; `[exit 1]` ends the output of a
command that does not exit with 0. A comment `<!-- shop.py: OLD -> NEW -->` changes the page's own
copy of the shop before the next block.
"""

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.running import run

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs" / "guides"
PAGES = [GUIDES / f"{name}.md" for name in ("command-line", "evaluate-search", "test-your-tools")]
SHOP = ROOT / "examples" / "command_line"

_STEP = re.compile(
    r"<!-- shop\.py: (?P<old>.*?) -> (?P<new>.*?) -->|```console\n(?P<block>.*?)```", re.DOTALL
)


def replayed(page: Path) -> str:
    """Return the text of a page with the output of every command as it is now."""
    with in_a_copy_of_the_shop() as folder:
        return _STEP.sub(lambda step: _replay(step, folder), page.read_text(encoding="utf-8"))


@contextmanager
def in_a_copy_of_the_shop() -> Iterator[Path]:
    here, path = Path.cwd(), [*sys.path]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "shop"
        shutil.copytree(SHOP, folder, ignore=shutil.ignore_patterns("__pycache__"))
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(here)
            sys.path[:] = path
            sys.modules.pop("shop", None)


def _replay(step: re.Match[str], folder: Path) -> str:
    if step["block"] is None:
        shop = folder / "shop.py"
        text = shop.read_text()
        assert step["old"] in text, step["old"]
        shop.write_text(text.replace(step["old"], step["new"]))
        return step[0]
    commands = [line[2:] for line in step["block"].splitlines() if line.startswith("$ ")]
    return "```console\n" + "\n".join(map(_output, commands)) + "```"


def _output(command: str) -> str:
    name, *arguments = shlex.split(command)
    assert name == "sezzlee", command
    # The module is read anew: the page may have changed it.
    sys.modules.pop("shop", None)
    sys.dont_write_bytecode = True
    result = run(*arguments)
    ended = f"[exit {result.exit_code}]\n" if result.exit_code else ""
    return f"$ {command}\n{result.output}{ended}"


def main() -> None:
    """Write every page anew."""
    for page in PAGES:
        page.write_text(replayed(page), encoding="utf-8")


if __name__ == "__main__":
    main()
