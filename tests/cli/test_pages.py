"""What the guides show of the command line is what it prints."""

import re
from pathlib import Path

import pytest

from sezzlee_py.cli.root import sezzlee
from tests.cli.pages import GUIDES, PAGES, SHOP, replayed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_outputs_of_a_page_are_those_of_the_commands(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == replayed(page)


def test_the_shop_on_the_page_is_the_one_that_is_looked_at() -> None:
    text = (GUIDES / "command-line.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert block == (SHOP / "shop.py").read_text()


def test_every_command_has_its_section() -> None:
    text = (GUIDES / "command-line.md").read_text(encoding="utf-8")
    named = re.findall(r"^### `sezzlee (\w+)`$", text, re.MULTILINE)
    assert named == sezzlee.list_commands(
        sezzlee.make_context("sezzlee", [], resilient_parsing=True)
    )
