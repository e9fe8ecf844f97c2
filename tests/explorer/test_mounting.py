"""The explorer in each framework: who is answered, and with what."""

from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Header, HTTPException
from flask import Flask, abort, request
from starlette.applications import Starlette

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import Options
from sezzlee_py.errors import OptionsError
from sezzlee_py.explorer.page import SECURITY_HEADERS, page_files
from tests.explorer.shop import MAKERS, PAGE, TOKEN, ask, make_fastapi, make_flask, send

framework = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


@framework
async def test_the_page_and_its_files_are_served_with_their_headers(make: Any) -> None:
    app = make()
    for path, name in [("/", "index.html"), ("/static/main.js", "main.js")]:
        answer = await send(app, "GET", f"/explorer{path}")
        assert (answer.status_code, answer.content) == (200, page_files()[name].body)
        assert {key: answer.headers[key] for key, _ in SECURITY_HEADERS} == dict(SECURITY_HEADERS)
    head = await send(app, "HEAD", "/explorer/")
    assert (head.status_code, head.content) == (200, b"")


@framework
async def test_the_bare_path_leads_to_the_folder(make: Any) -> None:
    app = make(path="/tools/ex plorer")
    answer = await send(app, "GET", "/tools/ex%20plorer")
    assert (answer.status_code, answer.headers["location"]) == (308, "./ex%20plorer/")
    assert (await send(app, "GET", "/tools/ex%20plorer/")).status_code == 200


@framework
async def test_what_there_is_not_is_not_found(make: Any) -> None:
    app = make()
    for path in ("/static/none.js", "/static/../explorer.py", "/other", "/api/none", "/static/"):
        assert (await send(app, "GET", f"/explorer{path}")).status_code == 404
    assert (await send(app, "GET", "/explorer/api/overview")).status_code == 405
    assert (await send(app, "POST", "/explorer/")).status_code == 405


@framework
async def test_only_this_machine_is_answered(make: Any) -> None:
    app = make()
    for peer in ("192.0.2.7", "10.0.0.1", "2001:db8::1", "::ffff:192.0.2.7", "testclient"):
        assert (await send(app, "GET", "/explorer/", peer=peer)).status_code == 403
    for peer in ("127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"):
        assert (await send(app, "GET", "/explorer/", peer=peer)).status_code == 200


@framework
async def test_what_a_proxy_passes_on_is_not_this_machine(make: Any) -> None:
    app = make()
    for name in ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"):
        answer = await send(app, "GET", "/explorer/", headers={name: "127.0.0.1"})
        assert answer.status_code == 403


@framework
async def test_a_name_that_was_rebound_to_this_machine_is_refused(make: Any) -> None:
    app = make()
    answer = await send(app, "GET", "/explorer/", base="http://evil.example:8000")
    assert answer.status_code == 403


@framework
async def test_named_hosts_are_answered_to_everybody(make: Any) -> None:
    app = make(allowed_hosts=["shop.example"])
    base = "https://shop.example"
    page = await send(app, "GET", "/explorer/", peer="192.0.2.7", base=base)
    assert page.status_code == 200
    origins = {"https://shop.example": 200, "https://evil.example": 403, "http://localhost": 403}
    for origin, status in origins.items():
        headers = {**PAGE, "origin": origin}
        answer = await send(
            app, "POST", "/explorer/api/overview", headers=headers, json={}, peer="192.0.2.7",
            base=base,
        )  # fmt: skip
        assert answer.status_code == status
    assert (await send(app, "GET", "/explorer/")).status_code == 403


@framework
async def test_other_sites_cannot_call(make: Any) -> None:
    app = make()
    body = {"name": "get_order", "arguments": {"order_id": 7}}

    async def status(headers: dict[str, str]) -> int:
        path = "/explorer/api/call"
        return (await send(app, "POST", path, headers=headers, json=body)).status_code

    json_only = {"content-type": "application/json"}
    assert await status(json_only) == 403
    assert await status({**PAGE, "content-type": "text/plain"}) == 415
    assert await status({**PAGE, "origin": "https://evil.example"}) == 403
    assert await status({**PAGE, "origin": "null"}) == 403
    assert await status({**PAGE, "sec-fetch-site": "cross-site"}) == 403
    assert await status({**PAGE, "sec-fetch-site": "same-site"}) == 403
    own = {"origin": "http://localhost:8000", "sec-fetch-site": "same-origin"}
    assert await status({**PAGE, **own}) == 200


@framework
async def test_a_caller_sees_and_calls_what_its_headers_allow(make: Any) -> None:
    app = make()
    sight = {tool["name"]: tool["sight"] for tool in (await ask(app, "overview"))["tools"]}
    assert sight["cancel_order"] == "deny"
    caller = {"Authorization": TOKEN}
    seen = await ask(app, "overview", {"headers": caller})
    assert seen["seen"]["hidden"] == 0
    call = {"name": "cancel_order", "arguments": {"order_id": 7}}
    refused = await ask(app, "call", call)
    assert (refused["is_error"], refused["payload"]["error"]) == (True, "unauthenticated")
    answered = await ask(app, "call", {**call, "headers": caller})
    assert answered["is_error"] is False
    assert answered["payload"]["body"] == {"cancelled": 7, "by": "ada"}


@framework
async def test_the_pages_own_credentials_are_nobodys(make: Any) -> None:
    call = {"name": "cancel_order", "arguments": {"order_id": 7}}
    answer = await ask(make(), "call", call, headers={"authorization": TOKEN})
    assert answer["payload"]["error"] == "unauthenticated"


@framework
async def test_the_explorer_is_no_tool(make: Any) -> None:
    app = make()
    overview = await ask(app, "overview")
    assert [t["route"] for t in overview["tools"] if "explorer" in t["route"]] == []
    assert [f for f in overview["findings"] if "/explorer" in str(f)] == []


@framework
async def test_too_large_a_body_is_refused(make: Any) -> None:
    app = make()
    path, body = "/explorer/api/search", b" " * (4_194_304 + 1)
    answer = await send(app, "POST", path, headers=PAGE, content=body)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("app", "mount"),
    [
        (FastAPI(), sezzlee_fastapi.mount_explorer),
        (Starlette(), sezzlee_starlette.mount_explorer),
        (Flask("bare"), sezzlee_flask.mount_explorer),
    ],
    ids=["fastapi", "starlette", "flask"],
)
def test_an_explorer_without_an_endpoint_is_a_mistake(app: Any, mount: Any) -> None:
    with pytest.raises(OptionsError, match="call mount_mcp"):
        mount(app)


@framework
def test_a_malformed_path_or_host_is_a_mistake(make: Any) -> None:
    for path in ("/", "", "explorer", "/explorer/"):
        with pytest.raises(OptionsError, match="mount_explorer"):
            make(path=path)
    with pytest.raises(OptionsError, match="allowed_hosts"):
        make(allowed_hosts=["https://shop.example"])


async def test_fastapi_dependencies_guard_the_explorer() -> None:
    def admin(x_admin: Annotated[str, Header()] = "") -> None:
        if x_admin != "yes":
            raise HTTPException(403, "admins only")

    app = make_fastapi(dependencies=[Depends(admin)])
    assert (await send(app, "GET", "/explorer/")).json() == {"detail": "admins only"}
    assert (await send(app, "GET", "/explorer/", headers={"x-admin": "yes"})).status_code == 200
    overview = await ask(app, "overview", headers={"x-admin": "yes"})
    assert len(overview["tools"]) == 4


async def test_what_guards_every_view_of_flask_guards_the_explorer() -> None:
    app = make_flask()

    @app.before_request
    def admins_only() -> None:
        if request.headers.get("x-admin") != "yes":
            abort(403, "admins only")

    assert b"admins only" in (await send(app, "GET", "/explorer/")).content
    assert (await send(app, "GET", "/explorer/", headers={"x-admin": "yes"})).status_code == 200


async def test_flask_serves_the_page_under_every_host_it_matches() -> None:
    app = Flask("shop", host_matching=True, static_folder=None)
    sezzlee_flask.mount_mcp(app)
    sezzlee_flask.mount_explorer(app)
    assert (await send(app, "GET", "/explorer/")).status_code == 200
    assert (await send(app, "GET", "/explorer/static/main.js")).status_code == 200
    assert (await ask(app, "overview"))["tools"] == []


async def test_a_mounted_application_has_its_explorer_below_its_prefix() -> None:
    outer = FastAPI()
    outer.mount("/shop", make_fastapi())
    page = await send(outer, "GET", "/shop/explorer/")
    assert page.content == page_files()["index.html"].body
    path = "/shop/explorer/api/call"
    call = {"name": "get_order", "arguments": {"order_id": 7}}
    answer = await send(outer, "POST", path, headers=PAGE, json=call)
    assert answer.json()["payload"]["body"] == {"id": 7}


async def test_a_call_that_a_tool_makes_is_refused() -> None:
    app = make_fastapi()

    @app.get("/loop")
    async def loop() -> dict[str, int]:
        answer = await send(app, "GET", "/explorer/")
        return {"status": answer.status_code}

    sezzlee_py_options(app).selection.default = "include"
    answer = await ask(app, "call", {"name": "loop"})
    assert answer["payload"]["body"] == {"status": 403}


async def test_a_flask_tool_cannot_call_the_explorer_either() -> None:
    app = make_flask()

    @app.get("/loop")
    def loop() -> dict[str, int]:
        return {"status": app.test_client().get("/explorer/").status_code}

    app.extensions["sezzlee"].engine.options.selection.default = "include"
    answer = await ask(app, "call", {"name": "loop"})
    assert answer["payload"]["body"] == {"status": 403}


async def test_a_connection_that_is_not_http_is_declined() -> None:
    from sezzlee_py.explorer import Explorer, ExplorerASGIApp

    app = make_fastapi()
    shell = ExplorerASGIApp(Explorer(app._sezzlee_installation.engine))  # type: ignore[attr-defined]
    sent: list[Any] = []

    async def send_message(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    await shell({"type": "websocket"}, receive, send_message)
    await shell({"type": "lifespan"}, receive, send_message)
    gone = {
        "type": "http", "method": "POST", "path": "/api/search", "client": ("127.0.0.1", 1),
        "headers": [(b"host", b"localhost"), *((k.encode(), v.encode()) for k, v in PAGE.items())],
    }  # fmt: skip
    await shell(gone, receive, send_message)
    assert sent == [{"type": "websocket.close", "code": 1000}]


def sezzlee_py_options(app: Any) -> Options:
    found: Options = app._sezzlee_installation.engine.options
    return found
