"""A PostgreSQL server of one's own: made in a directory, killed, paused, started again, removed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.services.processes import free_port, wait_until

USER = "sezzlee"
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "full_page_writes": "off",
    "max_wal_size": "4GB",
    "max_connections": "40",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "256MB",
    "log_min_messages": "warning",
}


def binaries() -> Path:
    """Return where the newest PostgreSQL of the distribution has its programs."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"),
        key=lambda path: int(path.parent.parent.name),
    )
    if not found:
        raise RuntimeError("no PostgreSQL: tests/services/install.sh")
    return found[-1].parent


class Server:
    """One server on a loopback port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def conninfo(self) -> str:
        return f"host=127.0.0.1 port={self.port} user={USER} dbname=postgres"

    def make(self) -> None:
        """Make the directory of the server, owned by who runs it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            shutil.chown(self.folder, "postgres", "postgres")
        subprocess.run(
            [
                *_as_owner(),
                *(str(binaries() / "initdb"), "-D", str(self.folder / "data")),
                *("--auth=trust", f"--username={USER}", "--no-sync", "--encoding=UTF8"),
                *("--locale=C.UTF-8", "--wal-segsize=1"),
            ],
            check=True,
            cwd="/",
            stdout=subprocess.DEVNULL,
        )

    def start(self) -> None:
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *_as_owner(),
                    *(str(binaries() / "postgres"), "-D", str(self.folder / "data")),
                    *("-p", str(self.port), "-k", str(self.folder), *settings),
                ],
                cwd="/",
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_until(self._answers, within_s=60)

    def stop(self) -> None:
        if self._process is not None:
            self.signal(signal.SIGCONT)
            # Fast: what is open is rolled back, clients are not waited for.
            self._process.send_signal(signal.SIGINT)
            self._ended()

    def kill(self) -> None:
        """End every process of the server at once."""
        self.signal(signal.SIGKILL)
        self._ended()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server and to everything it has started."""
        # The postmaster first: it would tell the others to end in order, or start them anew.
        for pid in self.processes():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def limit_files(self, most_bytes: int | None) -> None:
        """Let no file grow beyond a size, as on a full disk; `None` lifts it."""
        size = "unlimited" if most_bytes is None else str(most_bytes)
        for pid in self.processes():
            limit = ["prlimit", f"--pid={pid}", f"--fsize={size}:"]
            subprocess.run([*_as_owner(), *limit], check=False, cwd="/")

    def processes(self) -> list[int]:
        """Return the server's process, and those that it has started."""
        assert self._process is not None
        return [self._process.pid, *_children(self._process.pid)]

    def _ended(self) -> None:
        assert self._process is not None
        self._process.wait(30)
        self._process = None

    def _answers(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise RuntimeError((self.folder / "log").read_text()[-2000:])
        try:
            psycopg.connect(self.conninfo, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """Run a new server in `folder` until the block ends."""
    server = Server(folder)
    server.make()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _as_owner() -> list[str]:
    if os.geteuid() != 0:
        return []
    owner = pwd.getpwnam("postgres")
    return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
