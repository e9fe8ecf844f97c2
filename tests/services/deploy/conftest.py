"""Replicas that are stopped after each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.deploy.cluster import Replicas


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[Replicas]:
    running = Replicas(tmp_path)
    yield running
    running.close()
