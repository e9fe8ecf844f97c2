"""The pages of options, error codes and commands say what the code says."""

from types import ModuleType

import pytest

from sezzlee_py import Options
from tests.docs import commands_page, error_codes_page, options_page
from tests.docs.option_meanings import MEANINGS


@pytest.mark.parametrize("made", [commands_page, error_codes_page, options_page])
def test_the_page_is_what_the_code_gives(made: ModuleType) -> None:
    written = made.PAGE.read_text(encoding="utf-8")
    assert written == made.page(), f"write it anew: python -m {made.__name__}"


def test_every_option_is_explained_and_nothing_else() -> None:
    assert sorted(MEANINGS) == sorted(options_page.paths(Options()))
