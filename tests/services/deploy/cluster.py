"""Replicas of the shop behind nginx, set up as `docs/production.md` writes it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.services.processes import free_port, started, wait_until

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "production.md"
UPSTREAM = re.compile(r"^    server 127\.0\.0\.1:\d+;\n(?:    server 127\.0\.0\.1:\d+;\n)+", re.M)
LOCATION = re.compile(r"^    location / \{\n.*?^    \}\n", re.M | re.S)

# What a package's nginx.conf says around the page's part, in the test's own directory.
AROUND = """
{user}
daemon off;
worker_processes 1;
pid {place}/nginx.pid;
error_log {place}/error.log info;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    add_header X-Replica $upstream_addr always;
{page}
}}
"""


def blocks(language: str) -> list[str]:
    """Return the page's blocks of code in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def replaced(pattern: re.Pattern[str], text: str, by: str) -> str:
    """Return `text` with the one place that the pattern finds replaced."""
    changed, count = pattern.subn(lambda _: by, text)
    assert count == 1, (pattern.pattern, count)
    return changed


def site(port: int, replicas: Sequence[int], *, below: bool, changed: Mapping[str, str]) -> str:
    """Return the page's server for these ports.

    Args:
        port: where nginx listens.
        replicas: their ports.
        below: serve the page's location of a path instead of the root.
        changed: words of the page and what stands there instead.
    """
    server, location = blocks("nginx")
    lines = "".join(f"    server 127.0.0.1:{replica};\n" for replica in replicas)
    server = replaced(UPSTREAM, server, lines)
    server = replaced(re.compile(r"listen 80;"), server, f"listen 127.0.0.1:{port};")
    server = replaced(LOCATION, server, location) if below else server
    for line, instead in changed.items():
        server = replaced(re.compile(re.escape(line)), server, instead)
    return server


def server_options(program: str) -> list[str]:
    """Return the options that the page gives a server, without application and address."""
    (line,) = re.findall(rf"^{program} (.*)$", "\n".join(blocks("sh")), re.M)
    _, *options = shlex.split(line)
    for name in ("--port", "--workers", "--root-path", "--bind"):
        while name in options:
            at = options.index(name)
            del options[at : at + 2]
    return options


@dataclass
class Balancer:
    """A running nginx; `aim` puts other replicas behind it, as a deployment does."""

    port: int
    place: Path
    below: bool
    changed: Mapping[str, str]
    process: subprocess.Popen[bytes] = field(init=False)

    def write(self, replicas: Sequence[int]) -> None:
        user = f"user {os.environ.get('USER', 'root')};" if os.geteuid() == 0 else ""
        page = site(self.port, replicas, below=self.below, changed=self.changed)
        text = AROUND.format(user=user, place=self.place, page=page)
        (self.place / "nginx.conf").write_text(text)

    def aim(self, replicas: Sequence[int]) -> None:
        """Send new requests to these replicas; running ones end where they are."""
        self.write(replicas)
        loaded = self._started_workers()
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self._started_workers() > loaded)

    def _started_workers(self) -> int:
        return (self.place / "error.log").read_text().count("start worker process ")


@contextmanager
def balancer(
    place: Path,
    replicas: Sequence[int],
    *,
    below: bool = False,
    changed: Mapping[str, str] | None = None,
) -> Iterator[Balancer]:
    """Run nginx in front of these replicas, everything it writes below `place`."""
    place.mkdir()
    nginx = Balancer(port=free_port(), place=place, below=below, changed=changed or {})
    nginx.write(replicas)
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    files = ["-p", str(place), "-c", str(place / "nginx.conf"), "-e", str(place / "error.log")]
    with started([program, *files], port=nginx.port, log=place / "out.log") as nginx.process:
        yield nginx


class Replicas:
    """Servers of the shop, by port, and the release of each."""

    def __init__(self, place: Path) -> None:
        self.release: dict[int, str] = {}
        self.ledger = place / "ledger"
        self.ledger.touch()
        self._place = place
        self._running: dict[int, tuple[ExitStack, subprocess.Popen[bytes]]] = {}

    def start(self, release: str, *options: str) -> int:
        """Start one more under uvicorn; gives its port when it serves."""
        port = free_port()
        # A port that a stopped replica had would not tell them apart.
        while port in self.release:
            port = free_port()
        application = [f"tests.services.deploy.shop:{release}", "--factory", "--port", str(port)]
        # The module, because a checkout is not on the path of a console script.
        command = [sys.executable, "-m", "uvicorn", *application, *server_options("uvicorn")]
        stack = ExitStack()
        process = stack.enter_context(
            started(
                [*command, "--no-access-log", *options],
                port=port,
                log=self._place / f"replica-{port}.log",
                env={"SHOP_LEDGER": str(self.ledger), "PYTHONPATH": str(ROOT)},
            )
        )
        self.release[port] = release
        self._running[port] = stack, process
        return port

    def stop(self, port: int) -> None:
        """Stop one as a deployment does: it answers what it has, and takes nothing new."""
        _, process = self._running[port]
        process.terminate()
        assert process.wait(20) in (0, -signal.SIGTERM)
        self._running.pop(port)[0].close()

    def kill(self, port: int) -> None:
        """End one in the middle of whatever it does."""
        _, process = self._running[port]
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)
        self._running.pop(port)[0].close()

    def close(self) -> None:
        """Stop what still runs."""
        for stack, _ in self._running.values():
            stack.close()

    def executed(self) -> list[str]:
        """Return the ledger: a line per call that an operation ran."""
        return self.ledger.read_text().splitlines()

    def log_of(self, port: int) -> str:
        """Return what one wrote."""
        return (self._place / f"replica-{port}.log").read_text()
