"""The code on the search pages runs as it is printed."""

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[3] / "docs" / "search").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), page.name, "exec"), {"__name__": page.stem})
