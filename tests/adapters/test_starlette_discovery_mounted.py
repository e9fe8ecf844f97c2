"""Applications of other frameworks mounted in a Starlette application."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Host, Mount, Route

from sezzlee_py.catalog.adapter import Adapter, DiscoveredOperation, Discovery
from sezzlee_py.model import Diagnostic, EndpointDescriptor, Parameter, ParameterLocation, Severity
from sezzlee_starlette import mounted
from sezzlee_starlette.discovery import StarletteAdapter
from tests.adapters.walks import codes, served


class WSGIWrapper:
    """WSGI inside ASGI, as such wrappers keep it."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...


class Elsewhere:
    """An application of a framework of its own."""

    def __call__(self, environ: Any, start_response: Any) -> None: ...


def found_by(code: str) -> Diagnostic:
    return Diagnostic(
        code=code, severity=Severity.INFO, message="m", operation="GET /a/{x}", route="/a/{x}"
    )


class ElsewhereAdapter:
    """Knows three operations, one of which its own framework never reaches."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str | None]] = []

    def discover(self) -> Discovery:
        x = Parameter(name="x", location=ParameterLocation.PATH, schema={}, required=True)
        about_all = Diagnostic(code="long_tool_name", severity=Severity.WARNING, message="m")
        return Discovery(
            operations=(
                DiscoveredOperation(
                    descriptor=EndpointDescriptor(
                        method="GET", route="/a/{x}", parameters=(x,), endpoint_key="a"
                    ),
                    endpoint=len,
                    containers=("blueprint",),
                    diagnostics=(found_by("annotation_removed"),),
                ),
                DiscoveredOperation(
                    descriptor=EndpointDescriptor(method="GET", route="/b", endpoint_key="b"),
                    endpoint=max,
                ),
                DiscoveredOperation(
                    descriptor=EndpointDescriptor(method="GET", route="/c", endpoint_key="c"),
                    endpoint=min,
                    reachable=False,
                ),
            ),
            diagnostics=(found_by("route_folded"), about_all),
        )

    def resolve(self, method: str, path: str, *, host: str | None = None) -> str | None:
        self.asked.append((method, path, host))
        return {"/a/1": "a", "/b": "b"}.get(path)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> ElsewhereAdapter:
    """Pretend that another framework's adapter is installed."""
    adapter = ElsewhereAdapter()
    module = ModuleType("elsewhere_discovery")

    def mounted_adapter(app: object) -> Adapter | None:
        return adapter if isinstance(app, Elsewhere) else None

    module.mounted_adapter = mounted_adapter  # type: ignore[attr-defined]
    monkeypatch.setattr(mounted, "neighbour", lambda name: module if name == "flask" else None)
    return adapter


async def own(request: Request) -> PlainTextResponse:
    return PlainTextResponse("")


def test_another_frameworks_application_is_moved_below_its_mount(
    elsewhere: ElsewhereAdapter,
) -> None:
    wrapped = WSGIWrapper(Elsewhere())
    mount = Mount("/t/{tenant}", app=wrapped)
    app = Starlette(routes=[Route("/t/{any}/b", own), mount, Route("/t/x/y", own)])
    adapter = StarletteAdapter(app)

    found = adapter.discover()

    assert [
        (op.descriptor.operation, [p.name for p in op.descriptor.parameters], op.reachable)
        for op in found.operations
    ] == [
        ("GET /t/{any}/b", ["any"], True),
        ("GET /t/{tenant}/a/{x}", ["tenant", "x"], True),
        ("GET /t/{tenant}/b", ["tenant"], False),
        ("GET /t/{tenant}/c", ["tenant"], False),
        ("GET /t/x/y", [], False),
    ]
    moved = found.operations[1]
    assert moved.containers == ("blueprint", mount, app.router, app)
    assert [(d.code, d.operation, d.route) for d in moved.diagnostics] == [
        ("annotation_removed", "GET /t/{tenant}/a/{x}", "/t/{tenant}/a/{x}")
    ]
    assert [(d.code, d.operation) for d in found.diagnostics] == [
        ("route_folded", "GET /t/{tenant}/a/{x}"),
        ("long_tool_name", None),
    ]
    assert adapter.resolve("GET", "/t/q/a/1", host="h") == moved.descriptor.endpoint_key
    assert adapter.resolve("GET", "/t/q/zzz") is None
    assert elsewhere.asked == [("GET", "/a/1", "h"), ("GET", "/zzz", None)]


def test_one_application_mounted_twice_keeps_the_identity_of_its_functions(
    elsewhere: ElsewhereAdapter,
) -> None:
    shared = Elsewhere()
    app = Starlette(
        routes=[
            Mount("/v1", app=WSGIWrapper(shared)),
            Mount("/v2", app=shared),
            Mount("/unknown", app=WSGIWrapper(own)),
            Host("other.org", app=WSGIWrapper(Elsewhere())),
        ]
    )

    keys = [
        (op.descriptor.route, op.descriptor.endpoint_key)
        for op in served(StarletteAdapter(app).discover())
    ]

    assert [route for route, _ in keys] == [
        "/v1/a/{x}",
        "/v1/b",
        "/v2/a/{x}",
        "/v2/b",
        "/a/{x}",
        "/b",
    ]
    assert len({key for _, key in keys}) == 4


def test_a_real_flask_application_is_found_and_pinned() -> None:
    flask = pytest.importorskip("flask")
    inner = flask.Flask("inner")

    @inner.get("/items/<int:item_id>")
    def read_item(item_id: int) -> str:
        """Read one item."""
        return str(item_id)

    app = Starlette(routes=[Mount("/old", app=WSGIWrapper(inner))])
    adapter = StarletteAdapter(app)

    found = adapter.discover()

    (operation,) = served(found)
    assert operation.descriptor.operation == "GET /old/items/{item_id}"
    assert operation.descriptor.description == "Read one item."
    assert operation.endpoint is read_item
    assert codes(found) == []
    assert adapter.resolve("GET", "/old/items/7") == operation.descriptor.endpoint_key
    assert adapter.resolve("GET", "/old/items/x") is None


def test_without_its_adapter_an_application_is_opaque(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ModuleType:
        raise ImportError(name)

    monkeypatch.setitem(sys.modules, "flask", ModuleType("flask"))
    monkeypatch.setattr(importlib, "import_module", missing)

    assert mounted.neighbour("flask") is None
    assert mounted.foreign_adapter(Elsewhere()) is None


def test_a_framework_that_nobody_imported_has_no_neighbour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "fastapi", raising=False)

    assert mounted.neighbour("fastapi") is None
    assert [
        op.descriptor.route
        for op in StarletteAdapter(Starlette(routes=[Route("/x", own)])).discover().operations
    ] == ["/x"]


def test_resolve_walks_by_itself_when_nothing_was_discovered() -> None:
    app = Starlette(routes=[Route("/x", own)])
    key = StarletteAdapter(app).discover().operations[0].descriptor.endpoint_key

    assert StarletteAdapter(app).resolve("GET", "/x") == key


def test_wrappers_end_somewhere() -> None:
    innermost: Any = Starlette(routes=[Route("/x", own)])
    for _ in range(100):
        innermost = WSGIWrapper(innermost)

    assert StarletteAdapter(innermost).discover() == Discovery(operations=())
