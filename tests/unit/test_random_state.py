"""Nothing draws from the host's own sequence of random numbers."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "sezzlee_py").rglob("*.py"), *(ROOT / "adapters").rglob("*.py")])


def test_only_generators_of_its_own_are_drawn_from() -> None:
    """A host may have seeded the shared one, and its tests may watch it."""
    drawn = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "random"
        and node.attr not in ("Random", "SystemRandom")
    ]
    assert drawn == []
