"""The sizing table of the production page holds what the page's own formula gives."""

import re
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).parents[2] / "docs" / "production.md").read_text(encoding="utf-8")
HEAD = "| calls a second | handler's CPU ms | workers | replicas of 4 cores | memory GB |"


def test_each_row_of_the_sizing_table_is_worked_out_by_the_formula() -> None:
    (code,) = re.findall(r"^```python\n(from math.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    lines = PAGE.partition(HEAD)[2].splitlines()[2:]
    rows = [
        [float(cell.replace(",", "")) for cell in line.strip("| ").split("|")]
        for line in lines[: lines.index("")]
    ]
    assert max(calls for calls, *_ in rows) == 10_000
    worked_out = [
        [calls, handler, *namespace["sized"](int(calls), handler, redis=True)]
        for calls, handler, *_ in rows
    ]
    assert rows == worked_out


def test_the_formula_takes_the_cpu_times_of_the_table_of_figures() -> None:
    (line,) = re.findall(r"^CPU_MS = \{(.*)\}$", PAGE, re.MULTILINE)
    used = {name: float(ms) for name, ms in re.findall(r'"(\w+)": ([\d.]+)', line)}
    table = PAGE.partition("| FastAPI under uvicorn")[2].partition("\n\n")[0]
    shown = {
        name: float(row.split("|")[4])
        for name, row in re.findall(r"^\| `(\w+)`[^|]*(\|.*)$", table, re.MULTILINE)
    }
    assert used == shown
