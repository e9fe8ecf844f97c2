import pytest

from sezzlee_py.catalog.annotations import build_annotations
from sezzlee_py.model import AnnotationHints

READS = {"readOnlyHint": True, "idempotentHint": True}


@pytest.mark.parametrize(
    ("method", "hints"),
    [
        ("GET", READS),
        ("HEAD", READS),
        ("OPTIONS", READS),
        ("QUERY", READS),
        ("POST", {"destructiveHint": False}),
        ("PUT", {"destructiveHint": True, "idempotentHint": True}),
        ("PATCH", {"destructiveHint": True}),
        ("DELETE", {"destructiveHint": True, "idempotentHint": True}),
    ],
)
def test_the_method_decides_where_nothing_is_declared(method: str, hints: dict[str, bool]) -> None:
    assert build_annotations(method) == hints
    assert build_annotations(method, AnnotationHints()) == hints


def test_declarations_win_key_by_key_and_the_last_most() -> None:
    assert build_annotations(
        "POST",
        AnnotationHints(read_only=True, idempotent=True),
        AnnotationHints(idempotent=False),
    ) == {"destructiveHint": False, "readOnlyHint": True, "idempotentHint": False}
