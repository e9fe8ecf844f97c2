"""The pages of options, error codes and commands say what the code says."""

import re
import runpy
from importlib import import_module
from types import ModuleType

import pytest

from sezzlee_py import Options
from tests.docs import commands_page, error_codes_page, options_page
from tests.docs.option_meanings import MEANINGS
from tests.extras import EXTRAS, is_installed


@pytest.mark.parametrize("made", [commands_page, error_codes_page, options_page])
def test_the_page_is_what_the_code_gives(made: ModuleType) -> None:
    written = made.PAGE.read_text(encoding="utf-8")
    assert written == made.page(), f"write it anew: python -m {made.__name__}"


def test_every_option_is_explained_and_nothing_else() -> None:
    assert sorted(MEANINGS) == sorted(options_page.paths(Options()))


def test_every_public_name_of_a_module_on_the_page_of_the_api_can_be_listed() -> None:
    """What `dir()` does not list, the page leaves out."""
    page = (commands_page.PAGE.parent / "api.md").read_text(encoding="utf-8")
    modules = re.findall(r"automodule:: (\S+)", page)
    public = ("sezzlee_py", "sezzlee_py.search", "sezzlee_py.testing")
    frameworks = ("sezzlee_fastapi", "sezzlee_starlette", "sezzlee_flask")
    assert modules == [*public, *frameworks, *EXTRAS]
    homes = [import_module(name) for name in modules if is_installed(name)]
    assert [sorted({*home.__all__} - {*dir(home)}) for home in homes] == [[]] * len(homes)


def test_every_page_is_in_the_tables_of_contents() -> None:
    docs = commands_page.PAGE.parents[1]
    index = (docs / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL)
    listed = [line for tree in trees for line in tree.splitlines() if line and line[0] != ":"]
    pages = [str(page.relative_to(docs).with_suffix("")) for page in docs.rglob("*.md")]
    assert sorted(["index", *listed]) == sorted(pages)


def test_the_page_of_the_api_leaves_out_what_only_contributors_can_read() -> None:
    conf = runpy.run_path(str(commands_page.PAGE.parents[1] / "conf.py"))
    lines = ["The option tree, checked when set (spec: README).", "Names (search 9).", "(as it is)"]
    conf["_for_readers"](None, "module", "m", None, None, lines)
    assert lines == ["The option tree, checked when set.", "Names.", "(as it is)"]
