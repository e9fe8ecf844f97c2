"""Writes docs/reference/diagnostics.md from the codes: `python -m tests.docs.diagnostics_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sezzlee_py import Severity
from sezzlee_py.model.codes import CONSISTENCY_CODES, DIAGNOSTIC_CODES
from sezzlee_py.model.ways_out import WAYS_OUT
from tests.catalog.provokers import RESERVED

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "diagnostics.md"

_EFFECTS = {
    Severity.FATAL: "The catalog is not served: the application's startup fails, and a reload "
    "keeps the catalog that was served before.",
    Severity.ENDPOINT_DROPPED: "The operation yields no tool; every other one is sound.",
    Severity.WARNING: "The tool can be called; something is weaker than it could be, or likely "
    "not what you meant.",
    Severity.INFO: "As designed, and worth knowing.",
}

_INTRODUCTION = """\
# Diagnostics

What the SDK finds about your application when it builds the catalog. Agents never see any of it.
The table is written from the code (`python -m tests.docs.diagnostics_page`).

Only operations that are offered report anything. Each finding names the operation, the function
that handles it as `module:qualname` with its first line, and what to do:

```python
from fastapi import FastAPI
from sezzlee_fastapi import mount_mcp
from sezzlee_py import mcp_tool

app = FastAPI()


@app.get("/orders")
@app.get("/v1/orders")
@mcp_tool(tags=["Orders", "ORDERS"])
def list_orders() -> list[str]:
    return []


sezzlee = mount_mcp(app)
assert [str(found).partition(":")[0] for found in sezzlee.catalog.diagnostics] == [
    "warning duplicate_tag",
    "info route_folded",
]
```

At startup they are logged, one line per code with a count and the first five places, and then one
line with the numbers of operations discovered and selected, of tools, and of findings by severity.
They are records of the logger `sezzlee_py`: warnings and what is graver appear without any setting,
infos and the line with the numbers at level `INFO`. A server such as uvicorn sets up its own
loggers alone, and then Python prints the bare text of a warning. One line in the application,
`logging.basicConfig(level="INFO")`, gives all of them with level and logger.

## Change a severity

`escalate` only raises and `downgrade` only lowers. `silence` keeps warnings and infos out of the
log; they stay in `catalog.diagnostics`. Lowering a finding mends nothing: an operation that cannot
become a tool stays dropped.

```python
from sezzlee_py import CatalogError, Options

strict = Options(diagnostics={"escalate": {"duplicate_tag": "fatal"}, "silence": ["route_folded"]})
again = FastAPI()
again.get("/orders")(list_orders)
try:
    mount_mcp(again, options=strict).build()
except CatalogError as refused:
    assert "duplicate_tag" in str(refused)
else:
    raise AssertionError("a fatal finding was served")
```
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([_INTRODUCTION, *_sections(), *_contradictions(), *_reserved(), ""])


def _sections() -> Iterator[str]:
    for severity, effect in _EFFECTS.items():
        yield f"## {severity}\n\n{effect}\n"
        yield "| Code | Meaning | What to do |\n| --- | --- | --- |"
        for code, (own, meaning) in DIAGNOSTIC_CODES.items():
            if own is severity and code not in RESERVED:
                yield f"| `{code}` | {_cell(meaning)} | {_cell(WAYS_OUT[code])} |"
        yield ""


def _contradictions() -> Iterator[str]:
    codes = ", ".join(f"`{code}`" for code in sorted(CONSISTENCY_CODES))
    yield (
        f"{codes} say that parts of the catalog contradict each other. They can go down to\n"
        "`endpointDropped` only, and then drop every operation involved.\n"
    )


def _reserved() -> Iterator[str]:
    yield "## Reserved\n\nShared with other SDKs; no application of this one is told them.\n"
    yield "| Code | Reason |\n| --- | --- |"
    yield from (f"| `{code}` | {reason} |" for code, reason in RESERVED.items())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
