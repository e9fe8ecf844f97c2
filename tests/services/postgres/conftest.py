from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from tests.services.postgres.server import Server, running
from tests.services.postgres.shop import namespace_of


@pytest.fixture
def own_folder() -> Iterator[Path]:
    # The server is another user's: no directory above may be closed to it.
    with TemporaryDirectory(prefix="sezzlee") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder) / "server"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server of all tests that do it no harm."""
    with TemporaryDirectory(prefix="sezzlee") as folder:
        os.chmod(folder, 0o755)
        with running(Path(folder) / "server") as server:
            yield server


@pytest.fixture
def own_server(own_folder: Path) -> Iterator[Server]:
    """A server of this test alone."""
    with running(own_folder) as server:
        yield server


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    return namespace_of(request.node.name)


@pytest.fixture
def connection(server: Server) -> Iterator[psycopg.Connection]:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        yield connection
