"""Every Python block of the documentation runs; the blocks of a page share one namespace."""

import linecache
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.extras import EXTRAS

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def blocks_of(page: Path) -> Iterator[tuple[int, str]]:
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start(1)), match[1]


def code_of(page: Path) -> str:
    """The page with its code alone, each line in its place."""
    text = ""
    for line, code in blocks_of(page):
        text += "\n" * (line - text.count("\n")) + code
    return text


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [p for p in PAGES if any(blocks_of(p))], ids=name_of)
def test_the_code_of_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    for package, needs in EXTRAS.items():
        if f"from {package} import" in text:
            pytest.importorskip(needs)
    # A module of its own, because frameworks resolve annotations in the handler's module; called
    # main, as a reader's would be, so that it lends no prefix to tool names.
    module = ModuleType(re.sub(r"\W", "_", name_of(page)) + ".main")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    # As for any code that is no file: what handlers read is found in their source.
    lines = code_of(page).splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, str(page), (0, None, lines, str(page)))
    for line, code in blocks_of(page):
        # Blank lines in front, so that a traceback shows the line of the page.
        source = "\n" * line + code
        exec(compile(source, str(page), "exec"), module.__dict__)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    missing = [target for target in local if not (page.parent / target).exists()]
    assert missing == []
