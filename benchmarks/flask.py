"""The SDK's share of a call on Flask: invoke, search, catalog build."""

import io
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from flask import Flask, request

from benchmarks.endpoint import WORDS
from benchmarks.invocation import request_of
from benchmarks.measure import Figure, compare
from sezzlee_flask import FlaskAdapter, Sezzlee, mount_mcp
from sezzlee_py import Options, mcp_tool
from sezzlee_py.background.workers import Workers
from sezzlee_py.catalog.build import build_catalog

EVERYTHING = Options(selection={"default": "include"})


def environ(method: str, path: str, body: bytes, headers: dict[str, str]) -> dict[str, Any]:
    """What a server hands to an application."""
    return {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "REMOTE_PORT": "50000",
        "HTTP_HOST": "localhost",
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": headers.get("content-type", ""),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    } | {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in headers.items() if k[:7] != "content"}


def caller(
    app: Flask, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> Callable[[], bytes]:
    """One WSGI call, as a server makes it."""

    def call() -> bytes:
        statuses: list[str] = []

        def start_response(status: str, *_: object) -> Callable[[bytes], object]:
            statuses.append(status)
            return bytes

        answer = app(environ(method, path, body, headers or {}), start_response)
        content = b"".join(answer)
        answer.close()  # type: ignore[attr-defined]  # Flask's answers have it
        assert statuses[0] == "200 OK", content
        assert b'"isError"' not in content
        return content

    return call


def agent_call(app: Flask, tool: str, arguments: dict[str, Any]) -> Callable[[], bytes]:
    body, headers = request_of(tool, arguments)
    return caller(app, "POST", "/mcp", body, headers)


def trivial_app() -> Flask:
    app = Flask("bench")

    @app.get("/ping")
    @mcp_tool(name="ping")
    def ping() -> dict[str, str]:
        return {"pong": "yes"}

    mount_mcp(app)
    return app


def invoke_figures() -> list[Figure]:
    app = trivial_app()
    sezzlee = Sezzlee.of(app)
    bare = caller(app, "GET", "/ping")
    workers = Workers("bench")

    def waited_for() -> bytes:
        pending = workers.submit(bare)
        assert pending.wait(30)
        return pending.result()

    return [
        # Whoever waits with a deadline waits in another thread; how long the two changes of
        # threads take is the machine's affair.
        compare(
            "sezzlee.invoke() of a trivial view / the view, waited for with a deadline",
            lambda: sezzlee.invoke("ping"),
            waited_for,
            target=1.8,
            rounds=2_000,
        ),
        compare(
            "the view, waited for with a deadline / the bare view",
            waited_for,
            bare,
            target=1.8,
            rounds=2_000,
        ),
        compare(
            "sezzlee.invoke() of a trivial view / the bare view",
            lambda: sezzlee.invoke("ping"),
            bare,
            target=1.8,
            rounds=2_000,
        ),
        # Two requests pass the whole application: the agent's own, and the call.
        compare(
            "invoke_tool over the endpoint / twice the bare view",
            agent_call(app, "invoke_tool", {"name": "ping", "arguments": {}}),
            lambda: (bare(), bare()),
            target=1.8,
            rounds=2_000,
        ),
    ]


@contextmanager
def one_core() -> Iterator[None]:
    """Let every thread that is started meanwhile run on one core, where no other is woken."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def one_core_figures() -> list[Figure]:
    """Without what waking another core costs, which is the machine's affair."""
    if not hasattr(os, "sched_setaffinity"):
        return []
    with one_core():
        app = trivial_app()
        sezzlee = Sezzlee.of(app)
        return [
            compare(
                "sezzlee.invoke() of a trivial view / the bare view, one core",
                lambda: sezzlee.invoke("ping"),
                caller(app, "GET", "/ping"),
                target=1.8,
                rounds=4_000,
            )
        ]


@contextmanager
def served() -> Iterator[httpx.Client]:
    """Serve the trivial application by gunicorn; gives a client of it that keeps its connection."""
    with TemporaryDirectory() as place:
        door = Path(place, "socket")
        server = [
            "gunicorn",
            "--worker-class",
            "gthread",
            "--threads",
            "4",
            "--bind",
            f"unix:{door}",
        ]
        command = [sys.executable, "-W", "ignore", "-m", *server, "--log-level", "error"]
        with subprocess.Popen([*command, "benchmarks.flask:trivial_app()"]) as process:
            try:
                while not door.exists():
                    time.sleep(0.05)
                transport = httpx.HTTPTransport(uds=str(door))
                with httpx.Client(transport=transport, base_url="http://localhost") as client:
                    yield client
            finally:
                process.terminate()


def served_figures() -> list[Figure]:
    body, headers = request_of("invoke_tool", {"name": "ping", "arguments": {}})
    with served() as client:

        def call() -> None:
            answer = client.post("/mcp", content=body, headers=headers)
            assert b'"isError"' not in answer.content

        return [
            compare(
                "invoke_tool of a trivial view / the view, by gunicorn",
                call,
                lambda: client.get("/ping"),
                target=1.8,
                rounds=1_000,
            )
        ]


def big_app(count: int) -> Flask:
    """An app of `count` views, names and descriptions drawn from 150 words."""
    app = Flask("bench")
    draw = random.Random(7)

    @app.post("/bare")
    def bare() -> Any:
        return request.get_json()

    for number in range(count):
        name = "_".join(draw.sample(WORDS, 3))

        def view(item_id: int) -> dict[str, int]:
            return {"id": item_id}

        view.__name__ = name
        view.__doc__ = f"{' '.join(draw.sample(WORDS, 6)).capitalize()}."
        app.add_url_rule(f"/{draw.choice(WORDS)}/{name}{number}/<int:item_id>", str(number), view)
    return app


def search_figures() -> list[Figure]:
    app = big_app(1_000)
    mount_mcp(app, options=EVERYTHING)
    arguments = {"query": "babol cecher dant"}
    body, headers = request_of("search_tools", arguments)
    # As a client meets both, the same way as for FastAPI.
    transport = httpx.WSGITransport(app=app)
    with httpx.Client(transport=transport, base_url="http://localhost") as client:
        return [
            compare(
                "search_tools over 1,000 tools / a JSON POST",
                lambda: client.post("/mcp", content=body, headers=headers),
                lambda: client.post("/bare", json=arguments),
                target=2,
            )
        ]


def build_figures() -> list[Figure]:
    app = big_app(1_000)

    def build() -> None:
        assert build_catalog(FlaskAdapter(app).discover(), EVERYTHING).discovered == 1_001

    return [
        compare(
            "catalog of 1,000 views / registering them",
            build,
            lambda: big_app(1_000),
            target=10,
            rounds=5,
            warm_up=1,
        )
    ]


def main() -> None:
    takes = (one_core_figures, invoke_figures, served_figures, search_figures, build_figures)
    for take in takes:
        for figure in take():
            print(figure)


if __name__ == "__main__":
    main()
