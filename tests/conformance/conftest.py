"""One test per conformance case, ids as given; known gaps fail once they start to pass."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
KNOWN_GAPS: dict[str, str] = tomllib.loads((HERE / "known_gaps.toml").read_text()).get("gaps", {})


def read_cases(folder: Path) -> list[Any]:
    """Every case of every `KIND.json` of a folder; what cannot be read becomes a failing case."""
    params = []
    for path in sorted(folder.glob("*.json")):
        if path.name == "schema.json":
            continue
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            kind, cases = document["kind"], document["cases"]
        except (ValueError, KeyError, TypeError) as fault:
            params.append(pytest.param(path.stem, {"unreadable": str(fault)}, id=path.stem))
            continue
        for number, case in enumerate(cases):
            name = (
                case.get("id", f"{kind}-{number}") if isinstance(case, dict) else f"{kind}-{number}"
            )
            marks = (
                [pytest.mark.xfail(reason=KNOWN_GAPS[name], strict=True)]
                if name in KNOWN_GAPS
                else []
            )
            params.append(pytest.param(kind, case, id=name, marks=marks))
    return params


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if {"kind", "case"} <= set(metafunc.fixturenames):
        folder = Path(metafunc.config.getoption("--cases") or HERE / "cases")
        cases = read_cases(folder)
        if not cases:
            pytest.fail(f"no conformance file in {folder}", pytrace=False)
        metafunc.parametrize(("kind", "case"), cases)
