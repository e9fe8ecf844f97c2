"""One place names revisions."""

import re
from pathlib import Path

import sezzlee_py.mcp.revisions as revisions

PACKAGE = Path(revisions.__file__).parent.parent


def test_no_other_module_names_a_revision() -> None:
    named = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(re.search(rf"\b{date}\b", path.read_text("utf-8")) for date in revisions.REVISIONS)
    }
    assert named == {"mcp/revisions.py"}


def test_the_newest_stands_alone() -> None:
    assert sorted(revisions.REVISIONS) == list(revisions.REVISIONS)
    assert (*revisions.HANDSHAKE_REVISIONS, revisions.LATEST) == revisions.REVISIONS
    assert revisions.HANDSHAKE_REVISIONS[-1] == revisions.LATEST_HANDSHAKE
