"""The endpoint under load, beside the bare routes, and its memory: `python -m benchmarks.load`.

wrk calls a running server over loopback: FastAPI under uvicorn with two workers, then Flask under
gunicorn with two workers of four threads. The phases of a round follow one another, so that each
meets the same machine; the figures are medians over the rounds. CPU time is that of the workers
alone, read before and after each phase: it says what a core serves, whatever else runs beside.
Memory is the resident size of each worker before and after calls that are all different: every
search has a word, every caller a token and every argument a value that was never seen before.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.endpoint import WORDS
from benchmarks.invocation import REVISION, request_of

HERE = Path(__file__).parent
CONNECTIONS = 32
WARM_UP_S = 2
BOUND_S = 60
SERVERS = {
    "FastAPI under uvicorn, 2 workers": [
        *("uvicorn", "benchmarks.load_apps:fastapi_app", "--factory", "--workers", "2"),
        *("--port", "{port}", "--no-access-log", "--log-level", "warning"),
    ],
    "Flask under gunicorn, 2 workers of 4 threads": [
        *("gunicorn", "benchmarks.load_apps:flask_app()", "--workers", "2", "--threads", "4"),
        *("--bind", "127.0.0.1:{port}", "--log-level", "error"),
    ],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """What is called: a path, and the calls posted to it; without any the path is fetched."""

    name: str
    path: str = "/mcp"
    calls: tuple[tuple[str, str], ...] = ()
    shall_fail: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one phase gave."""

    answers: int
    seconds: float
    median_ms: float
    p99_ms: float
    wrong: int
    lost: int
    cpu_ms: float = 0.0

    @property
    def per_s(self) -> float:
        return self.answers / self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server: its port and its worker processes."""

    port: int
    workers: tuple[int, ...]

    def cpu_s(self) -> float:
        return sum(_cpu_s(worker) for worker in self.workers)

    def resident_kb(self) -> list[int]:
        return [_resident_kb(worker) for worker in self.workers]


def call(tool: str, arguments: dict[str, Any]) -> tuple[str, str]:
    """One line of the file that the script reads."""
    return tool, request_of(tool, arguments)[0].decode()


def phases() -> list[Phase]:
    queries = [" ".join(WORDS[n : n + 600 : 200]) for n in range(64)]
    bare = tuple(("-", json.dumps({"query": query})) for query in queries)
    invoke = {"name": "ping", "arguments": {"number": "7"}}
    return [
        Phase(name="GET of the route", path="/ping/7"),
        Phase(name="invoke_tool of it", calls=(call("invoke_tool", invoke),)),
        Phase(name="bare POST of a query", path="/bare", calls=bare),
        Phase(
            name="search_tools",
            calls=tuple(call("search_tools", {"query": query}) for query in queries),
        ),
        Phase(name="load_tool", calls=(call("load_tool", {"name": "ping"}),)),
    ]


# Beside which phase each stands.
BESIDE = {"invoke_tool of it": "GET of the route", "search_tools": "bare POST of a query"}

NEVER_SEEN = Phase(
    name="calls that are all different",
    calls=(
        call("search_tools", {"query": f"{WORDS[3]} @@"}),
        call("search_tools", {"query": f"{WORDS[5]} @@", "detail": "schema"}),
        call("load_tool", {"name": "ping"}),
        *[call("invoke_tool", {"name": "ping", "arguments": {"number": "@@"}})] * 4,
    ),
)
REFUSED = Phase(
    name="refusals that are all different",
    calls=(
        call("load_tool", {"name": "tool_@@"}),
        call("search_tools", {"query": "x", "word_@@": 1}),
        call("invoke_tool", {"name": "ping", "arguments": {"number": "7", "a_@@": 1}}),
        call("invoke_tool", {"name": "ping", "version": "@@"}),
        call("invoke_tool", {"name": "tool_@@"}),
    ),
    shall_fail=True,
)


def wrk(server: Server, phase: Phase, *, seconds: float, mark: str) -> Measured:
    """Return what wrk measured in one phase; `mark` makes its texts unlike those of others."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines(f"{name}\t{body}\n" for name, body in phase.calls)
        file.flush()
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": REVISION,
            "Mcp-Method": "tools/call",
        }
        command = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS)]
        command += ["--duration", f"{max(1, round(seconds))}s", "--timeout", "10s"]
        command += ["--script", str(HERE / "load.lua")]
        for name, value in headers.items():
            command += ["--header", f"{name}: {value}"]
        command += [f"http://127.0.0.1:{server.port}{phase.path}", "--"]
        command += [file.name if phase.calls else "-", "error" if phase.shall_fail else "ok"]
        before = server.cpu_s()
        run = subprocess.run([*command, mark], check=True, capture_output=True, text=True)
        used_s = server.cpu_s() - before
    given = json.loads(run.stdout.splitlines()[-1])
    return Measured(**given, cpu_ms=1_000 * used_s / max(given["answers"], 1))


def throughput(server: Server, *, rounds: int, seconds: float) -> dict[str, list[Measured]]:
    """Return what each phase gave in each round."""
    given: dict[str, list[Measured]] = {phase.name: [] for phase in phases()}
    for phase in phases():
        wrk(server, phase, seconds=1, mark="warm-up")
    for number in range(rounds):
        for phase in phases():
            measured = wrk(server, phase, seconds=seconds, mark=f"round{number}")
            given[phase.name].append(measured)
    return given


def memory(server: Server, *, calls: int) -> tuple[list[list[int]], list[Measured]]:
    """Return the workers' sizes, first after a warm-up, then after each fifth of the calls."""
    warm_up = [run for phase in (NEVER_SEEN, REFUSED) for run in enough(server, phase, calls // 10)]
    sizes, given = [server.resident_kb()], warm_up[:0]
    for _ in range(5):
        given += enough(server, NEVER_SEEN, calls * 9 // 50)
        given += enough(server, REFUSED, calls // 50)
        sizes.append(server.resident_kb())
    return sizes, given


def enough(server: Server, phase: Phase, calls: int) -> list[Measured]:
    """Call in slices of a few seconds until there are so many answers."""
    given: list[Measured] = []
    while (missing := calls - sum(run.answers for run in given)) > 0:
        # Every slice has texts of its own.
        slice_s = min(5.0, missing / given[-1].per_s) if given and given[-1].answers else 1.0
        given.append(wrk(server, phase, seconds=slice_s, mark=f"{time.monotonic_ns():x}"))
        if given[-1].lost or given[-1].wrong:
            break
    return given


def report(name: str, given: dict[str, list[Measured]]) -> dict[str, Any]:
    """Print a server's table; return it."""
    print(f"\n# {name}, {CONNECTIONS} connections")
    if name.startswith("FastAPI") and find_spec("uvloop") is None:
        print("without uvloop most answers of uvicorn's workers wait 40 ms for an acknowledgement")
    heads = ("", "calls/s", "beside", "p99 ms", "CPU ms", "beside", "answers", "wrong", "lost")
    print("{:<24}{:>9}{:>8}{:>9}{:>9}{:>8}{:>9}{:>7}{:>6}".format(*heads))
    table: dict[str, Any] = {}
    for phase, runs in given.items():
        row = {
            "per_s": statistics.median(run.per_s for run in runs),
            "p99_ms": statistics.median(run.p99_ms for run in runs),
            "cpu_ms": statistics.median(run.cpu_ms for run in runs),
            "answers": sum(run.answers for run in runs),
            "wrong": sum(run.wrong for run in runs),
            "lost": sum(run.lost for run in runs),
        }
        table[phase] = row
        bare = table[BESIDE.get(phase, phase)]
        slower, dearer = bare["per_s"] / row["per_s"], row["cpu_ms"] / bare["cpu_ms"]
        print(
            f"{phase:<24}{row['per_s']:>9.0f}{slower:>8.2f}{row['p99_ms']:>9.1f}"
            f"{row['cpu_ms']:>9.3f}{dearer:>8.2f}{row['answers']:>9}{row['wrong']:>7}{row['lost']:>6}"
        )
    return table


def report_memory(sizes: Sequence[Sequence[int]], given: Sequence[Measured]) -> dict[str, Any]:
    """Print how the workers grew; return it."""
    answers, wrong = sum(run.answers for run in given), sum(run.wrong for run in given)
    lost = sum(run.lost for run in given)
    growth = [after - before for before, after in zip(sizes[0], sizes[-1], strict=True)]
    print(f"memory of the workers over {answers:,} calls, {wrong} wrong, {lost} lost:")
    print("  KB: " + "  ".join("/".join(map(str, row)) for row in sizes))
    print("  growth in KB: " + "/".join(f"{kb:+}" for kb in growth))
    return {
        "answers": answers,
        "wrong": wrong,
        "lost": lost,
        "resident_kb": [list(row) for row in sizes],
        "growth_kb": growth,
    }


# --- the server ---------------------------------------------------------------------------------


@contextmanager
def served(command: Sequence[str], *, workers: int = 2) -> Iterator[Server]:
    """Run a server in a process group of its own until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [part.format(port=port) for part in command]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", *arguments],
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
    )
    try:
        yield Server(port=port, workers=_ready(process, port, workers))
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _ready(process: subprocess.Popen[bytes], port: int, workers: int) -> tuple[int, ...]:
    """Return the workers as soon as each has imported the application and the port answers."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        running = _workers_of(process.pid)
        if len(running) == workers and _answers(port):
            # Each builds its catalog before it serves; the last may still be at it.
            time.sleep(WARM_UP_S)
            return running
        time.sleep(0.05)
    raise TimeoutError(f"{workers} workers did not start")


def _workers_of(master: int) -> tuple[int, ...]:
    text = Path(f"/proc/{master}/task/{master}/children").read_text()
    children = [int(child) for child in text.split()]
    helper = b"resource_tracker"
    return tuple(c for c in children if helper not in Path(f"/proc/{c}/cmdline").read_bytes())


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_kb(process: int) -> int:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise ValueError(f"process {process} has no resident size")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3, help="of each phase of a round")
    parser.add_argument(
        "--calls", type=int, default=100_000, help="of the memory phase, 0 for none"
    )
    parser.add_argument("--json", type=Path, help="write the figures there too")
    asked = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed: apt-get install wrk")
    if (planned_s := len(phases()) * (1 + asked.rounds * asked.seconds)) > BOUND_S:
        sys.exit(f"{planned_s} s a server are more than {BOUND_S}: fewer rounds or seconds")
    figures: dict[str, Any] = {}
    for name, command in SERVERS.items():
        with served(command) as server:
            figures[name] = {
                "load": report(name, throughput(server, rounds=asked.rounds, seconds=asked.seconds))
            }
            if asked.calls:
                figures[name]["memory"] = report_memory(*memory(server, calls=asked.calls))
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
