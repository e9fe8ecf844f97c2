"""The load test, shortened: no wrong answer, none lost, and no memory that stays behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.services.deploy.cluster import ROOT

CALLS = 10_000
# Of a worker: its bounded caches fill, and the allocator keeps some. The long run, `make load`,
# shows whether it goes on.
MOST_GROWTH_KB = 6_144


def test_under_load_no_call_goes_wrong_and_the_memory_stays_flat(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    short = ["--rounds", "1", "--seconds", "1", "--calls", str(CALLS), "--json", str(figures)]
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.load", *short],
        cwd=ROOT,
        check=True,
        timeout=300,
    )
    for server, given in json.loads(figures.read_text()).items():
        rows = {**given["load"], "memory": given["memory"]}
        failed = {name: row for name, row in rows.items() if row["wrong"] or row["lost"]}
        assert failed == {}, server
        assert all(row["answers"] for row in rows.values()), server
        assert rows["memory"]["answers"] >= CALLS, server
        assert max(rows["memory"]["growth_kb"]) < MOST_GROWTH_KB, server
