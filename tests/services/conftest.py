"""The services lane: tests against real servers that they start on loopback and stop again.

Outside the lane (`make services-test`) they are left out: a machine without Redis, PostgreSQL and
nginx runs the rest of the suite.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from tests.extras import EXTRAS

# What these import comes with an extra, which the oldest lane does without.
collect_ignore = [
    package.removeprefix("sezzlee_")
    for package, needs in EXTRAS.items()
    if find_spec(needs) is None
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("SEZZLEE_SERVICES") == "1":
        return
    here = os.path.dirname(__file__)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.skip(reason="needs servers: make services-test"))
