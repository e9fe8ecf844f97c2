"""Writes docs/reference/error-codes.md from the codes: `python -m tests.docs.error_codes_page`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sezzlee_py.errors import BackendCode, ErrorCode
from tests.docs.test_error_pages import ANSWERS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "error-codes.md"

_INTRODUCTION = """\
# Error codes

What stands under `error` in the answer to a call that failed. Codes are stable; the sentences may
get better. The tables are written from the code (`python -m tests.docs.error_codes_page`), each row
with one answer that the product gives; each code links to
[the page that explains it](../concepts/errors.md).

*Retryable* says that the identical call can work later.
"""

_BACKEND = """
## Your application answered

The answer has a `status`.

| Code | Status in the example | Retryable | Message in the example |
| --- | --- | --- | --- |
"""

_OWN = """
## The SDK refused the call

Your application was not asked, or its answer could not be given. There is no `status`.

| Code | Retryable | Message in the example |
| --- | --- | --- |
"""


def page() -> str:
    """Return the whole page."""
    return f"{_INTRODUCTION}{_BACKEND}{_rows(BackendCode, True)}{_OWN}{_rows(ErrorCode, False)}"


def _rows(codes: Iterable[str], with_status: bool) -> str:
    return "".join(_row(str(code), with_status) for code in codes)


def _row(code: str, with_status: bool) -> str:
    answer = ANSWERS[code].payload
    cells = [f"[`{code}`](../concepts/errors.md#{code})"]
    if with_status:
        cells.append(str(answer["status"]))
    cells += ["yes" if answer.get("retryable") else "no", f"`{answer['message']}`"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
