"""Discovery of Starlette applications: routes, methods, shadows, mounts, pinning."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from starlette.applications import Starlette
from starlette.authentication import requires
from starlette.convertors import CONVERTOR_TYPES, Convertor, register_url_convertor
from starlette.endpoints import HTTPEndpoint, WebSocketEndpoint
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Host, Match, Mount, Route, Router, WebSocketRoute
from starlette.staticfiles import StaticFiles

from sezzlee_py.catalog.adapter import OWN_ROUTE_MARKER, DiscoveredOperation
from sezzlee_py.model import Anonymous, Auth, EndpointDescriptor, Parameter, ParameterLocation
from sezzlee_starlette.discovery import StarletteAdapter
from tests.adapters.walks import codes, served


async def first(request: Request) -> PlainTextResponse:
    return PlainTextResponse("first")


async def second(request: Request) -> PlainTextResponse:
    return PlainTextResponse("second")


def walk(app: object, **options: Any) -> list[DiscoveredOperation]:
    return served(StarletteAdapter(app, **options).discover())


def operations(app: object, **options: Any) -> list[str]:
    return [found.descriptor.operation for found in walk(app, **options)]


def only(app: object) -> DiscoveredOperation:
    (found,) = walk(app)
    return found


def routed(*routes: BaseRoute) -> Starlette:
    return Starlette(routes=list(routes))


class Wrapper:
    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


class Orders(HTTPEndpoint):
    """All orders."""

    async def get(self, request: Request) -> PlainTextResponse:
        """List orders."""
        return PlainTextResponse("get")

    async def post(self, request: Request) -> PlainTextResponse:
        return PlainTextResponse("post")


class PagedOrders(Orders):
    async def options(self, request: Request) -> PlainTextResponse:
        return PlainTextResponse("options")


# -- one route -------------------------------------------------------------------------------


def test_a_function_route_is_one_operation_with_everything_it_tells() -> None:
    async def read_item(request: Request) -> PlainTextResponse:
        """Read one item
        of the shop.

        Not part of it.
        """
        return PlainTextResponse("")

    app = routed(Route("/items/{item_id:int}/{rest:path}", read_item))

    found = only(app)

    assert found == DiscoveredOperation(
        descriptor=EndpointDescriptor(
            method="GET",
            route="/items/{item_id}/{rest}",
            auth=Auth(),
            container="test_starlette_discovery",
            container_key=__name__,
            description="Read one item of the shop.",
            parameters=(
                Parameter(
                    name="item_id",
                    location=ParameterLocation.PATH,
                    schema={"type": "integer", "minimum": 0},
                    required=True,
                ),
                Parameter(
                    name="rest",
                    location=ParameterLocation.PATH,
                    schema={"type": "string"},
                    required=True,
                    spans_segments=True,
                ),
            ),
            endpoint_key=found.descriptor.endpoint_key,
            source=f"{__name__}:{read_item.__qualname__}",
            line=read_item.__code__.co_firstlineno,
        ),
        endpoint=read_item,
        containers=(app.router, app),
    )


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("/thumb/{width:int}x{height:int}.{format}", "/thumb/{width}x{height}.{format}"),
        ("/r/{{project_id}}/x", "/r/{{project_id}}/x"),
        ("/Users/Me/", "/Users/Me/"),
        ("/a.b-c/{x}", "/a.b-c/{x}"),
        ("/files/{path:path}/raw", "/files/{path}/raw"),
        ("/", "/"),
    ],
)
def test_a_path_is_kept_exactly_as_it_is_matched(path: str, template: str) -> None:
    assert operations(routed(Route(path, first))) == [f"GET {template}"]


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        (None, ["GET"]),
        (["get"], ["GET"]),
        (["POST", "GET", "DELETE"], ["GET", "POST", "DELETE"]),
        (["HEAD"], ["HEAD"]),
        (["OPTIONS"], ["OPTIONS"]),
        (["OPTIONS", "PUT"], ["PUT"]),
        (["QUERY"], ["QUERY"]),
    ],
)
def test_methods_are_those_a_tool_can_have_without_their_twins(
    methods: list[str] | None, expected: list[str]
) -> None:
    app = routed(Route("/x", first, methods=methods))

    assert operations(app) == [f"{method} /x" for method in expected]


def test_a_method_without_counterpart_is_reported_and_left_out() -> None:
    found = StarletteAdapter(
        routed(Route("/x", first, methods=["TRACE", "PURGE", "POST"]))
    ).discover()

    assert [op.descriptor.operation for op in served(found)] == ["POST /x"]
    assert codes(found) == [("unsupported_method", "PURGE /x"), ("unsupported_method", "TRACE /x")]


def test_literal_text_that_reads_like_a_placeholder_is_reported_and_left_out() -> None:
    app = routed(*(Route(path, first) for path in ("/x/{order-id}", "/y/{ü}", "/z/{a b}/{id}")))
    found = StarletteAdapter(app).discover()

    assert served(found) == []
    assert codes(found) == [
        ("template_rejected", "GET /x/{order-id}"),
        ("template_rejected", "GET /y/{ü}"),
        ("template_rejected", "GET /z/{a b}/{id}"),
    ]


def test_head_and_options_of_a_path_with_another_method_are_twins_whatever_serves_them() -> None:
    app = routed(
        Route("/x/{a}", second, methods=["HEAD"]),
        Route("/x/{b}", first, methods=["POST"]),
        Route("/y", second, methods=["OPTIONS"]),
    )

    assert operations(app) == ["POST /x/{b}", "OPTIONS /y"]


class Callable_:  # noqa: N801 - read as a class that is called
    """Calls."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Called."""


class Views:
    async def index(self, request: Request) -> PlainTextResponse:
        """Index of it."""
        return PlainTextResponse("")

    @classmethod
    async def made(cls, request: Request) -> PlainTextResponse:
        return PlainTextResponse("")


async def with_more(request: Request, more: int) -> PlainTextResponse:
    """With more."""
    return PlainTextResponse("")


@pytest.mark.parametrize(
    ("endpoint", "description", "container", "source"),
    [
        (lambda request: None, None, "test_starlette_discovery", f"{__name__}:<lambda>"),
        (
            functools.partial(with_more, more=1),
            "With more.",
            "test_starlette_discovery",
            f"{__name__}:with_more",
        ),
        (Views().index, "Index of it.", "Views", f"{__name__}:Views.index"),
        (Views.made, None, "Views", f"{__name__}:Views.made"),
        (Callable_(), "Called.", "test_starlette_discovery", f"{__name__}:Callable_"),
    ],
    ids=["lambda", "partial", "bound method", "class method", "callable object"],
)
def test_any_callable_can_handle_a_route(
    endpoint: Callable[..., Any], description: str | None, container: str, source: str
) -> None:
    found = only(routed(Route("/x", endpoint, methods=["POST"])))

    assert (found.descriptor.description, found.descriptor.container) == (description, container)
    assert (found.descriptor.source, found.endpoint) == (source, endpoint)


def test_an_asgi_application_in_the_place_of_a_handler_is_asked_for_its_methods() -> None:
    unlisted = routed(Route("/x", Callable_()))
    [found] = StarletteAdapter(unlisted).discover().operations
    [finding] = found.diagnostics
    assert (found.descriptor.operation, operations(unlisted)) == ("* /x", [])
    assert (finding.code, finding.message) == (
        "unsupported_method",
        "the route lists no methods; name those it serves, as in Route(..., methods=['POST']) "
        "to offer it",
    )
    listed = Route("/x", Callable_(), methods=["POST"])
    assert only(routed(listed)).descriptor.operation == "POST /x"


def test_a_class_has_an_operation_for_each_verb_it_handles() -> None:
    app = routed(Route("/orders", PagedOrders))

    found = walk(app)

    assert [
        (op.descriptor.operation, op.endpoint, op.class_view, op.descriptor.container)
        for op in found
    ] == [
        ("GET /orders", PagedOrders.get, True, "PagedOrders"),
        ("POST /orders", PagedOrders.post, True, "PagedOrders"),
    ]
    assert found[0].descriptor.container_key == f"{__name__}.PagedOrders"
    assert found[0].descriptor.description == "List orders."
    assert found[0].containers == (PagedOrders, app.router, app)


def test_a_class_serves_no_verb_that_its_route_does_not_list() -> None:
    assert operations(routed(Route("/orders", Orders, methods=["POST", "PUT"]))) == ["POST /orders"]


def test_a_class_that_dispatches_by_itself_serves_what_its_route_lists() -> None:
    class Switch(HTTPEndpoint):
        async def dispatch(self) -> None:
            """Decide."""

    found = only(routed(Route("/x", Switch, methods=["PUT"])))

    assert (found.descriptor.operation, found.endpoint) == ("PUT /x", Switch.dispatch)
    assert operations(routed(Route("/x", Switch))) == []


def test_query_is_a_verb_of_a_class_only_where_the_framework_serves_it() -> None:
    class Search(HTTPEndpoint):
        async def query(self, request: Request) -> PlainTextResponse:
            return PlainTextResponse("")

    served = "QUERY" in HTTPEndpoint({"type": "http"}, None, None)._allowed_methods or (  # type: ignore[arg-type]
        "QUERY" in Search({"type": "http"}, None, None)._allowed_methods  # type: ignore[arg-type]
    )

    assert operations(routed(Route("/x", Search))) == (["QUERY /x"] if served else [])


def test_a_deprecated_function_is_told() -> None:
    async def old(request: Request) -> PlainTextResponse:
        return PlainTextResponse("")

    old.__deprecated__ = "use the other one"  # type: ignore[attr-defined]

    assert only(routed(Route("/x", old))).descriptor.deprecated is True


class Broken:
    """A handler that answers any unknown name with an error."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...


def test_a_handler_that_raises_on_unknown_names_is_still_an_operation() -> None:
    assert operations(routed(Route("/x", Broken(), methods=["GET"], name="x"))) == ["GET /x"]


# -- callers ---------------------------------------------------------------------------------


def marked(function: Any, **marker: Any) -> Any:
    function.__mcp_auth__ = marker
    return function


def guard(function: Any) -> Any:
    @functools.wraps(function)
    async def guarded(request: Request) -> Any:
        return await function(request)

    return guarded


async def plain(request: Request) -> PlainTextResponse:
    return PlainTextResponse("")


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        (plain, Auth()),
        (guard(plain), Auth(imperative=True)),
        (requires("admin")(plain), Auth(imperative=True)),
        (
            marked(guard(plain), anonymous="no", policies=["roles:a"], imperative=False),
            Auth(anonymous=Anonymous.NO, policies=("roles:a",)),
        ),
        (
            guard(marked(guard(plain), anonymous="yes")),
            Auth(anonymous=Anonymous.YES, imperative=True),
        ),
        (
            marked(guard(plain), anonymous="yes", policies=["p"]),
            Auth(policies=("p",), imperative=True),
        ),
        (marked(guard(plain), anonymous=None, imperative=None), Auth(imperative=True)),
    ],
)
def test_callers_are_read_from_markers_and_wrappers(endpoint: Any, expected: Auth) -> None:
    assert only(routed(Route("/x", endpoint))).descriptor.auth == expected


def test_a_class_marks_all_its_verbs() -> None:
    class Secret(HTTPEndpoint):
        __mcp_auth__: ClassVar[dict[str, Any]] = {"anonymous": "no", "policies": ["p"]}

        async def get(self, request: Request) -> PlainTextResponse:
            return PlainTextResponse("")

    assert only(routed(Route("/x", Secret))).descriptor.auth == Auth(
        anonymous=Anonymous.NO, policies=("p",)
    )


# -- mounts, hosts, what is never an operation -------------------------------------------------


def test_mounts_of_any_depth_and_wrapping_are_walked_with_their_full_path() -> None:
    inner = routed(Route("/deep", first))
    inner_mount = Mount("/{tenant}", app=Wrapper(Wrapper(inner)))
    outer_mount = Mount("/outer", routes=[inner_mount])
    with_middleware = Mount("/m", app=routed(Route("/n", second)), middleware=[Middleware(Wrapper)])
    app = routed(outer_mount, with_middleware, Mount("", app=Router([Route("/root", first)])))

    found = walk(app)

    assert [op.descriptor.operation for op in found] == [
        "GET /outer/{tenant}/deep",
        "GET /m/n",
        "GET /root",
    ]
    assert [parameter.name for parameter in found[0].descriptor.parameters] == ["tenant"]
    assert found[0].containers[:3] == (inner.router, inner, inner_mount)
    assert found[0].containers[-2:] == (app.router, app)
    assert outer_mount in found[0].containers


def test_a_wrapped_application_and_a_bare_router_are_read_too() -> None:
    app = routed(Route("/x", first))

    assert operations(Wrapper(app)) == ["GET /x"]
    assert operations(Router([Route("/x", first)])) == ["GET /x"]
    assert operations(object()) == []


def test_routes_behind_a_host_are_found_and_shadow_nothing_outside() -> None:
    app = routed(
        Host("api.{domain}.org", app=Router([Route("/x", first)])),
        Route("/x", second),
        Host("late.org", app=Router([Route("/x", plain)])),
    )
    adapter = StarletteAdapter(app)
    found = adapter.discover()

    assert [(op.descriptor.operation, op.endpoint) for op in served(found)] == [
        ("GET /x", first),
        ("GET /x", second),
    ]
    assert codes(found) == [("route_shadowed", "GET /x")]
    keys = [op.descriptor.endpoint_key for op in served(found)]
    assert adapter.resolve("GET", "/x", host="api.example.org") == keys[0]
    assert adapter.resolve("GET", "/x", host="elsewhere.org") == keys[1]
    assert adapter.resolve("GET", "/x") == keys[0]
    assert adapter.resolve("GET", "/y") is None


def test_what_is_no_operation_is_never_found(tmp_path: Any) -> None:
    class Socket(WebSocketEndpoint):
        pass

    async def own(scope: Any, receive: Any, send: Any) -> None: ...

    setattr(own, OWN_ROUTE_MARKER, True)
    marked_route = Route("/own", first)
    setattr(marked_route, OWN_ROUTE_MARKER, True)
    given = Route("/mcp", first, methods=["POST"])

    class Odd(BaseRoute):
        def matches(self, scope: Any) -> tuple[Match, Any]:
            return Match.NONE, {}

    app = routed(
        given,
        marked_route,
        Mount("/mounted-own", app=own),
        Mount("/static", app=StaticFiles(directory=str(tmp_path))),
        Mount("/opaque", app=lambda scope, receive, send: None),
        WebSocketRoute("/ws", Socket),
        Odd(),
        Route("/x", first),
    )

    assert operations(app, own_routes=[given]) == ["GET /x"]


def test_an_application_mounted_in_itself_ends() -> None:
    app = routed(Route("/x", first))
    app.mount("/again", app)

    assert operations(app) == ["GET /x"]


def test_a_wrapper_around_itself_ends() -> None:
    wrapper = Wrapper(None)
    wrapper.app = wrapper

    assert operations(routed(Mount("/x", app=wrapper))) == []


def test_routes_of_another_kind_are_not_taken_for_starlettes() -> None:
    class Elsewhere:
        routes: ClassVar[list[str]] = ["/x", "/y"]

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...

    assert operations(routed(Mount("/x", app=Elsewhere()))) == []


# -- shadows -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("routes", "kept", "taken"),
    [
        pytest.param(
            [Route("/jobs", first), Mount("", routes=[Route("/jobs", second)])],
            ["GET /jobs"],
            ["GET /jobs"],
            id="a route before a mount at the root",
        ),
        pytest.param(
            [Mount("/a", app=Wrapper(None)), Route("/a/b", first), Route("/a", second)],
            ["GET /a"],
            ["GET /a/b"],
            id="an opaque mount before what it covers, which is not its bare prefix",
        ),
        pytest.param(
            [Mount("/{tenant}", app=Wrapper(None)), Route("/x/y", first), Route("/x", second)],
            ["GET /x"],
            ["GET /x/y"],
            id="a mount with a parameter",
        ),
        pytest.param(
            [Route("/u/{a}", first), Route("/u/{b}", second)],
            ["GET /u/{a}"],
            ["GET /u/{b}"],
            id="the same path but for the name of its parameter",
        ),
        pytest.param(
            [Route("/u/{a}", first), Route("/u/me", second)],
            ["GET /u/{a}"],
            ["GET /u/me"],
            id="a literal below an earlier parameter",
        ),
        pytest.param(
            [Route("/u/{a:int}", first), Route("/u/me", second), Route("/u/{b}", second)],
            ["GET /u/{a}", "GET /u/me", "GET /u/{b}"],
            [],
            id="an earlier parameter that takes only some",
        ),
        pytest.param(
            [Route("/u/{a}", first), Route("/u/{b:int}", second), Route("/u/{c:uuid}", second)],
            ["GET /u/{a}"],
            ["GET /u/{b}", "GET /u/{c}"],
            id="a narrower parameter later",
        ),
        pytest.param(
            [Route("/u/{a}.{b}", first), Route("/u/{c}", second), Route("/u/{d}-{e}", second)],
            ["GET /u/{a}.{b}", "GET /u/{c}"],
            ["GET /u/{d}-{e}"],
            id="a pattern inside the segment takes only some",
        ),
        pytest.param(
            [Route("/f/{a}", first), Route("/f/{b:path}", second), Route("/f/{c:path}", first)],
            ["GET /f/{a}", "GET /f/{b}"],
            ["GET /f/{c}"],
            id="a path parameter reaches further",
        ),
        pytest.param(
            [Route("/x", first, methods=["POST"]), Route("/x", second)],
            ["POST /x", "GET /x"],
            [],
            id="another method",
        ),
        pytest.param(
            [Route("/x", Orders), Route("/x", second, methods=["PUT", "GET"])],
            ["GET /x", "POST /x"],
            ["GET /x", "PUT /x"],
            id="a class takes every method, also those it refuses",
        ),
        pytest.param(
            [Route("/x", first), Route("/x/", second), Route("/X", second)],
            ["GET /x", "GET /x/", "GET /X"],
            [],
            id="a slash and the case of letters make another path",
        ),
        pytest.param(
            [Route("/x/{a}", first), Route("/x/{a}", first)],
            ["GET /x/{a}"],
            [],
            id="one function registered twice",
        ),
        pytest.param(
            [
                Route("/{rest:path}", first),
                Route("/x", second),
                Route("/y", second, methods=["PUT"]),
            ],
            ["GET /{rest}", "PUT /y"],
            ["GET /x"],
            id="a catch-all of one method",
        ),
    ],
)
def test_a_route_that_no_call_reaches_is_no_operation(
    routes: list[BaseRoute], kept: list[str], taken: list[str]
) -> None:
    found = StarletteAdapter(routed(*routes)).discover()

    assert [op.descriptor.operation for op in served(found)] == kept
    assert codes(found) == [("route_shadowed", operation) for operation in taken]


def test_a_shadow_names_both() -> None:
    found = StarletteAdapter(
        routed(
            Route("/a/{x}", first),
            Route("/a/b", second),
            Mount("/m", routes=[]),
            Route("/m/x", first),
        )
    ).discover()

    messages = [
        (str(finding.source), finding.message)
        for op in found.operations
        for finding in op.diagnostics
    ]
    assert [source for source, _ in messages] == [f"{__name__}:second", f"{__name__}:first"]
    assert f"'/a/{{x}}' ({__name__}:first)" in messages[0][1]
    assert "mount '/m'" in messages[1][1]


def test_a_shadow_may_be_the_endpoint_itself() -> None:
    own = Route("/mcp", Callable_(), methods=["POST"])
    app = routed(own, Route("/mcp", second, methods=["POST"]))

    found = StarletteAdapter(app, own_routes=[own]).discover()

    assert codes(found) == [("route_shadowed", "POST /mcp")]
    message = found.operations[0].diagnostics[0].message
    assert f"the route '/mcp' ({__name__}:Callable_) stands earlier" in message


def test_a_shadow_may_be_a_host() -> None:
    everywhere = Host("{any:path}", app=Router([]))

    found = StarletteAdapter(routed(everywhere, Route("/x", first))).discover()

    assert codes(found) == [("route_shadowed", "GET /x")]
    assert "host '{any:path}'" in found.operations[0].diagnostics[0].message


def test_a_placeholder_of_a_host_that_no_converter_knows_is_not_judged() -> None:
    late = Route("/x/{a}", second)
    # A path can be replaced after the converters were read.
    late.path = "/x/{a:gone}"

    found = StarletteAdapter(routed(Route("/x/{a}", first), late)).discover()

    assert codes(found) == []


class Year(Convertor[int]):
    regex = "[0-9]{4}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


class Fussy(Year):
    def convert(self, value: str) -> int:
        raise ValueError(value)


class Rare(Year):
    regex = "only-this"


@pytest.fixture
def convertors() -> Any:
    before = dict(CONVERTOR_TYPES)
    for name, convertor in {"year": Year(), "fussy": Fussy(), "rare": Rare()}.items():
        register_url_convertor(name, convertor)
    yield
    CONVERTOR_TYPES.clear()
    CONVERTOR_TYPES.update(before)


@pytest.mark.usefixtures("convertors")
def test_converters_of_the_host_are_judged_by_what_they_match() -> None:
    app = routed(
        Route("/y/{a:year}", first),
        Route("/y/{b}", second),
        Route("/y/{c:year}", second),
        Route("/f/{a:fussy}", first),
        Route("/f/{b:fussy}", second),
        Route("/r/{a:rare}", first),
        Route("/r/{b:rare}", second),
    )
    adapter = StarletteAdapter(app)
    found = adapter.discover()

    # What cannot be filled in, or raises, is not claimed to be taken.
    assert codes(found) == [("route_shadowed", "GET /y/{c}")]
    assert [p.schema for p in served(found)[0].descriptor.parameters] == [{"type": "string"}]
    assert adapter.resolve("GET", "/f/2024") is None


# -- pinning -------------------------------------------------------------------------------------


class CaseBlind(Route):
    def __init__(self, path: str, endpoint: Callable[..., Any]) -> None:
        super().__init__(path, endpoint)
        self.path_regex = re.compile(self.path_regex.pattern, re.IGNORECASE)


class ByHeader(Route):
    def matches(self, scope: Any) -> tuple[Match, Any]:
        return (Match.FULL, {}) if scope["path"].endswith("!") else (Match.NONE, {})


def test_resolve_gives_the_key_of_the_function_that_the_router_picks() -> None:
    app = routed(
        Route("/u/me", first),
        Route("/u/{id:int}", second),
        Route("/u/{name}", Orders),
        CaseBlind("/Case", first),
        Mount(
            "/m/{x}", routes=[Route("/deep/{rest:path}", second), Mount("/n", app=Wrapper(None))]
        ),
        ByHeader("/anything", second),
        Mount("/m", routes=[Route("/never", first)]),
    )
    adapter = StarletteAdapter(app)
    keys = {
        found.endpoint: found.descriptor.endpoint_key for found in adapter.discover().operations
    }

    asked = {
        ("GET", "/u/me"): first,
        ("GET", "/u/7"): second,
        ("GET", "/u/7x"): Orders.get,
        ("POST", "/u/7x"): Orders.post,
        ("POST", "/u/me"): Orders.post,
        ("GET", "/cASE"): first,
        ("GET", "/m/a/deep/b/c"): second,
        ("GET", "/m/a/other"): None,
        ("GET", "/hey!"): second,
        ("GET", "/m/never"): first,
        ("GET", ""): None,
        ("GET", "no-slash"): None,
        ("GET", "/" * 5000): None,
        ("GET", "/u/\ud800"): Orders.get,
    }

    answers = {request: adapter.resolve(*request) for request in asked}
    assert answers == {
        request: None if function is None else keys[function] for request, function in asked.items()
    }
    # A verb that the class lacks, and an application that nothing is known of.
    for request in (("DELETE", "/u/7x"), ("GET", "/m/a/n/x")):
        assert adapter.resolve(*request) not in (None, *keys.values())


def test_resolve_refuses_what_the_router_itself_would_fail_on() -> None:
    adapter = StarletteAdapter(routed(Route("/u/{id:int}", first)))

    assert adapter.resolve("GET", "/u/" + "9" * 6000) is None


def factory() -> Any:
    async def made(request: Request) -> PlainTextResponse:
        return PlainTextResponse("")

    return made


def test_keys_tell_functions_apart_and_nothing_else() -> None:
    made, also_made, views = factory(), factory(), Views()
    shared = routed(Route("/x", first))
    app = routed(
        Route("/a", made),
        Route("/b", also_made),
        Route("/c", made),
        Route("/d", views.index),
        Route("/e", views.index),
        Route("/f", Views().index),
        Mount("/v1", app=shared),
        Mount("/v2", app=shared),
        Mount("/v3", app=routed(Route("/x", first))),
        Mount("/v4", routes=[Route("/x", made)]),
    )

    keys = {op.descriptor.route: op.descriptor.endpoint_key for op in walk(app)}
    again = {op.descriptor.route: op.descriptor.endpoint_key for op in walk(app)}

    assert keys == again
    groups: dict[object, list[str]] = {}
    for route, key in keys.items():
        groups.setdefault(key, []).append(route)
    assert list(groups.values()) == [
        ["/a", "/c", "/v4/x"],
        ["/b"],
        ["/d", "/e"],
        ["/f"],
        ["/v1/x", "/v2/x"],
        ["/v3/x"],
    ]


def test_a_walk_sees_the_application_as_it_is_then() -> None:
    app = routed(Route("/x", first))
    adapter = StarletteAdapter(app)
    before = [found.descriptor.operation for found in adapter.discover().operations]
    app.router.routes.append(Route("/y", second))
    unseen = adapter.resolve("GET", "/y")
    after = [found.descriptor.operation for found in adapter.discover().operations]

    assert (before, unseen, after) == (["GET /x"], None, ["GET /x", "GET /y"])
    assert adapter.resolve("GET", "/y") is not None
