"""Writes docs/reference/options.md from the option tree: `python -m tests.docs.options_page`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from sezzlee_py import Options, options
from sezzlee_py.option_section import Section
from tests.docs.option_meanings import MEANINGS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "options.md"

_INTRODUCTION = """\
# Options

Every setting of `mount_mcp(app, options=...)` with its default. Names, types and defaults are
written from the code (`python -m tests.docs.options_page`).

A section is given as a mapping or changed by attribute. A wrong name or value is refused the moment
it is set, with the path and the nearest right name:

```python
from sezzlee_py import Options
from sezzlee_py.errors import OptionsError

options = Options(search={"floor": 0.4}, transport={"path": "/agents"})
options.invoke.timeout_ms = 5_000

try:
    options.search.flor = 0.4
except OptionsError as refused:
    assert "options.search.flor" in str(refused)
    assert "floor" in str(refused)
else:
    raise AssertionError("a wrong name was taken")
```

Where an option and a declaration on a handler disagree, the declaration wins; only a
`CurationRule` with `seal=True` beats it.
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([_INTRODUCTION, *_sections(Options())])


def paths(tree: Section, before: str = "") -> Iterator[str]:
    """Return the dotted path of every option that is no section."""
    for name in tree._options:
        value = getattr(tree, name)
        if isinstance(value, Section):
            yield from paths(value, f"{before}{name}.")
        else:
            yield f"{before}{name}"


def _sections(tree: Options) -> Iterator[str]:
    top = [name for name in tree._options if not isinstance(getattr(tree, name), Section)]
    yield "## Of the whole\n"
    yield _table(tree, top, "")
    for name in tree._options:
        section = getattr(tree, name)
        if isinstance(section, Section):
            yield f"## {name}\n\n{(type(section).__doc__ or '').strip()}\n"
            yield _table(section, section._options, f"{name}.")


def _table(section: Section, names: Any, before: str) -> str:
    rows = [_row(section, name, f"{before}{name}") for name in names]
    return "| Option | Type | Default | What it does |\n| --- | --- | --- | --- |\n" + "".join(rows)


def _row(section: Section, name: str, path: str) -> str:
    kind = _spelled(type(section).__annotations__[name])
    cells = (f"`{path}`", f"`{kind}`", f"`{getattr(section, name)!r}`", MEANINGS[path])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _spelled(annotation: str) -> str:
    """Return an annotation with its literal aliases written out."""

    def values(found: re.Match[str]) -> str:
        named = getattr(options, found[0], None)
        literal = [repr(value) for value in get_args(named) if isinstance(value, str)]
        return " | ".join(literal) or found[0]

    return re.sub(r"\b[A-Z]\w+", values, annotation)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
