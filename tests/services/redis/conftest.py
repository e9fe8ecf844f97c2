"""Redis servers of the tests' own, which they kill, pause, fill and start again."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from tests.services.processes import free_port, started

if TYPE_CHECKING:
    import redis

# The lowest lane has no client.
collect_ignore_glob = [] if find_spec("redis") else ["test_*.py"]


class RedisServer:
    """One server on loopback, at the same port however often it is started."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self._directory = directory
        self._arguments = arguments
        self._running = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        command = ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port)]
        command += ["--save", "", "--appendonly", "no", "--dir", str(self._directory)]
        self._process = self._running.enter_context(
            started(
                [*command, *self._arguments],
                port=self.port,
                log=self._directory / "redis.log",
            )
        )

    def kill(self) -> None:
        """End it as `kill -9` does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        """Let it be there and answer nothing, as a network that drops everything."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def close(self) -> None:
        self._running.close()

    def client(self, **more: Any) -> redis.Redis:
        import redis

        return redis.Redis.from_url(self.url, decode_responses=True, protocol=2, **more)

    def calls(self) -> dict[str, int]:
        """Return how often each command was called since the server began or was reset."""
        with self.client() as client:
            stats: Any = client.info("commandstats")
        return {name.removeprefix("cmdstat_"): told["calls"] for name, told in stats.items()}


@pytest.fixture(autouse=True)
def _all_levels(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.INFO, "sezzlee_py"):
        yield


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged about the server, without its name and the reasons."""
    about = [text for text in caplog.messages if text.startswith("redis://")]
    return [text.partition(" (")[0].partition(" ")[2] for text in about]


StartRedis: TypeAlias = Callable[..., RedisServer]


@pytest.fixture
def start_redis(tmp_path: Path) -> Iterator[StartRedis]:
    """Start servers with further arguments; they end with the test."""
    with ExitStack() as running:

        def start(*arguments: str) -> RedisServer:
            server = RedisServer(tmp_path, *arguments)
            running.callback(server.close)
            return server

        yield start


@pytest.fixture
def server(start_redis: StartRedis) -> RedisServer:
    """One server."""
    return start_redis()


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One server for the tests of a module that do it no harm."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.close()
