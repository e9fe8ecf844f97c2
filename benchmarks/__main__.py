"""Runs every suite that is quick enough to run together: `make bench`."""

import runpy

SUITES = (
    "benchmarks.endpoint",
    "benchmarks.flask",
    "benchmarks.compose",
    "benchmarks.mapping",
    "benchmarks.visibility",
    "benchmarks.memory",
)

for suite in SUITES:
    print(f"\n# {suite}", flush=True)
    runpy.run_module(suite, run_name="__main__")
