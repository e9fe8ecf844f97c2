"""The page of diagnostics says what the code says."""

from tests.docs.diagnostics_page import PAGE, page


def test_the_page_is_what_the_codes_give() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert written == page(), "write it anew: python -m tests.docs.diagnostics_page"
