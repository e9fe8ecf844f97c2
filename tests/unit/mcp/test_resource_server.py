"""The metadata document and the two layers (spec: transport 6 and 7)."""

import json
from collections.abc import Iterable
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from sezzlee_py.errors import OptionsError
from sezzlee_py.mcp.resource_server import (
    ProtectedResource,
    ResourceServerASGI,
    ResourceServerWSGI,
    document_url,
    protected_resource,
)
from sezzlee_py.options import ResourceServerOptions

METADATA = {
    "resource": "https://api.example/mcp",
    "authorization_servers": ["https://login.example"],
    "scopes_supported": ["read"],
    "resource_name": "Shop Größe",
    "x_own": 1,
}
DOCUMENT = "/.well-known/oauth-protected-resource/mcp"
CHALLENGE = f'Bearer resource_metadata="https://api.example{DOCUMENT}"'


def resource(path: str = "/mcp", **options: Any) -> ProtectedResource:
    found = protected_resource(ResourceServerOptions(metadata=METADATA, **options), path)
    assert found is not None
    return found


def test_without_metadata_there_is_nothing() -> None:
    assert protected_resource(ResourceServerOptions(), "/mcp") is None


@pytest.mark.parametrize(
    ("url", "document"),
    [
        ("https://a.example/mcp", "https://a.example/.well-known/oauth-protected-resource/mcp"),
        ("https://a.example", "https://a.example/.well-known/oauth-protected-resource"),
        ("https://a.example/", "https://a.example/.well-known/oauth-protected-resource"),
        ("http://a:8/x/y/", "http://a:8/.well-known/oauth-protected-resource/x/y"),
        ("https://a.example/m?t=1", "https://a.example/.well-known/oauth-protected-resource/m?t=1"),
    ],
)
def test_the_well_known_part_goes_before_the_path(url: str, document: str) -> None:
    assert document_url(url) == document


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"resource": None}, "resource"),
        ({"resource": "/mcp"}, "resource"),
        ({"resource": "api.example/mcp"}, "resource"),
        ({"resource": "https://api.example/mcp#x"}, "resource"),
        ({"resource": "https://api.example/größe"}, "resource"),
        ({"resource": "https://api.example/a\r\nb"}, "resource"),
        ({"resource": "https://[::1/mcp"}, "resource"),
        ({"authorization_servers": []}, "authorization_servers"),
        ({"authorization_servers": None}, "authorization_servers"),
        ({"authorization_servers": "https://login.example"}, "authorization_servers"),
        ({"authorization_servers": [7]}, "authorization_servers"),
        ({"scopes_supported": "read"}, "scopes_supported"),
        ({"resource_name": ["x"]}, "resource_name"),
    ],
)
def test_metadata_that_cannot_be_served_fail_at_startup(
    changed: dict[str, Any], place: str
) -> None:
    options = ResourceServerOptions(metadata=METADATA | changed)
    with pytest.raises(OptionsError, match=rf"options\.resource_server\.metadata\['{place}'\]"):
        protected_resource(options, "/mcp")


def test_a_scope_that_no_header_carries_fails_at_startup() -> None:
    for scope in ('a"b', "größe", "a\r\nb", ""):
        with pytest.raises(OptionsError, match="challenge_scope"):
            resource(challenge_scope=scope)


def test_the_endpoint_is_its_path_and_what_is_below() -> None:
    paths = ["/mcp", "/mcp/", "/mcp/x", "/mcpx", "/", "/x/mcp", DOCUMENT]
    assert [path for path in paths if resource().covers(path)] == ["/mcp", "/mcp/", "/mcp/x"]


# --- both layers on one application -------------------------------------------------------------

Answer = tuple[int, list[tuple[str, str]], bytes]


def ask_asgi(
    found: ProtectedResource,
    path: str,
    status: int,
    headers: Iterable[tuple[str, str]],
    method: str,
    root: str,
) -> Answer:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": b"app"})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "root_path": root}
    run = ResourceServerASGI(app, found)(scope, None, send)  # type: ignore[arg-type]  # not read
    with pytest.raises(StopIteration):
        run.send(None)
    start, body = sent
    fields = [(name.decode(), value.decode("latin-1")) for name, value in start["headers"]]
    return start["status"], fields, body["body"]


def ask_wsgi(
    found: ProtectedResource,
    path: str,
    status: int,
    headers: Iterable[tuple[str, str]],
    method: str,
    root: str,
) -> Answer:
    started: list[Any] = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        start_response(f"{status} Whatever", list(headers))
        return [b"app"]

    def start_response(line: str, fields: Any, exc_info: Any = None) -> None:
        started.append((int(line[:3]), [(name.lower(), value) for name, value in fields]))

    environ: dict[str, Any] = {}
    setup_testing_defaults(environ)
    inner = path.removeprefix(root)
    environ |= {"REQUEST_METHOD": method, "SCRIPT_NAME": root, "PATH_INFO": inner}
    body = b"".join(ResourceServerWSGI(app, found)(environ, start_response))
    return *started[0], body


@pytest.fixture(params=[ask_asgi, ask_wsgi])
def ask(request: pytest.FixtureRequest) -> Any:
    def asked(
        path: str,
        status: int = 200,
        headers: Iterable[tuple[str, str]] = (),
        *,
        method: str = "GET",
        root: str = "",
        found: ProtectedResource | None = None,
    ) -> Answer:
        answer: Answer = request.param(found or resource(), path, status, headers, method, root)
        return answer

    return asked


def test_the_document_is_served_to_everybody(ask: Any) -> None:
    status, fields, body = ask(DOCUMENT, 401)
    assert (status, json.loads(body)) == (200, METADATA)
    assert fields == [
        ("content-type", "application/json"),
        ("cache-control", "public, max-age=300"),
        ("content-length", str(len(body))),
    ]
    head_status, head_fields, nothing = ask(DOCUMENT, 401, method="HEAD")
    assert (head_status, head_fields, nothing) == (200, fields, b"")


def test_other_methods_and_the_hosts_own_route_go_to_the_application(ask: Any) -> None:
    assert ask(DOCUMENT, 405, method="POST") == (405, [], b"app")
    own = protected_resource(
        ResourceServerOptions(metadata=METADATA), "/mcp", serves_document=False
    )
    assert ask(DOCUMENT, 200, found=own) == (200, [], b"app")


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/deeper"])
def test_a_401_of_the_endpoint_names_the_document(ask: Any, path: str) -> None:
    others = [("content-length", "3"), ("x-a", "1"), ("x-a", "2")]
    assert ask(path, 401, others, method="POST") == (
        401,
        [*others, ("www-authenticate", CHALLENGE)],
        b"app",
    )


def test_an_existing_challenge_is_completed(ask: Any) -> None:
    fields = [("WWW-Authenticate", "Basic"), ("WWW-Authenticate", 'Bearer realm="a"')]
    _, merged, _ = ask("/mcp", 401, fields)
    added = CHALLENGE.removeprefix("Bearer ")
    assert merged == [
        ("www-authenticate", "Basic"),
        ("www-authenticate", f'Bearer realm="a", {added}'),
    ]


def test_a_scope_of_the_options_is_asked_for(ask: Any) -> None:
    _, merged, _ = ask("/mcp", 401, found=resource(challenge_scope="orders:read"))
    assert merged == [("www-authenticate", f'{CHALLENGE}, scope="orders:read"')]


@pytest.mark.parametrize(("path", "status"), [("/mcp", 200), ("/mcp", 403), ("/orders", 401)])
def test_nothing_else_is_touched(ask: Any, path: str, status: int) -> None:
    fields = [("www-authenticate", "Bearer")]
    assert ask(path, status, fields) == (status, fields, b"app")


def test_an_applications_prefix_does_not_count(ask: Any) -> None:
    assert ask("/api/mcp", 401, root="/api")[1] == [("www-authenticate", CHALLENGE)]


def test_an_endpoint_at_the_root_has_its_document_at_the_root(ask: Any) -> None:
    found = resource("/")
    assert found.document_path == "/.well-known/oauth-protected-resource"
    assert ask("/", 401, found=found)[1] == [("www-authenticate", CHALLENGE)]


async def test_other_connections_pass_the_layer() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope)

    await ResourceServerASGI(app, resource())({"type": "lifespan"}, None, None)  # type: ignore[arg-type]  # not called
    assert seen == [{"type": "lifespan"}]
