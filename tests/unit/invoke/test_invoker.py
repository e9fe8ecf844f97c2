"""One call of one tool, from arguments to what is emitted; the application is a value."""

import asyncio
import dataclasses
import gzip
import json
import logging
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from contextvars import Context, ContextVar
from dataclasses import dataclass
from typing import Any

import pytest

from sezzlee_py import Options
from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.invoke.dispatch import DeadlineExpired, NeverStarted
from sezzlee_py.invoke.fills import FillContext, Operation
from sezzlee_py.invoke.invoker import READ_FACTOR, Invoker
from sezzlee_py.invoke.refs import FileRequest, ResolvedFile
from sezzlee_py.invoke.runtime import LoopRuntime, Runtime, ThreadRuntime
from sezzlee_py.invoke.settle import drive
from sezzlee_py.model import (
    BackendRequest,
    BackendResponse,
    Constant,
    FileSource,
    Headers,
    OuterRequest,
    Provider,
    RequestTemplate,
    ToolDefinition,
)
from tests.unit.invoke.templates import (
    MULTIPART,
    STRING,
    field,
    fields,
    get,
    post,
    slot,
)

OUTER = OuterRequest(headers=(("host", "shop.example"), ("authorization", "Bearer t")))
JSON: Headers = (("content-type", "application/json"),)


@dataclass(frozen=True)
class Caller:
    fields: Headers = (("authorization", "Bearer t"),)
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)


async def as_ada(outer: OuterRequest) -> Caller:
    return Caller()


@dataclass
class Backend:
    """A dispatcher that keeps what it was asked and answers what it was given."""

    answer: BackendResponse | BaseException = dataclasses.field(
        default_factory=lambda: BackendResponse(status=200, headers=JSON, body=b'{"id": 7}')
    )
    requests: list[BackendRequest] = dataclasses.field(default_factory=list)
    limits: list[tuple[int, bool]] = dataclasses.field(default_factory=list)
    contexts: list[Context] = dataclasses.field(default_factory=list)

    async def send(
        self,
        request: BackendRequest,
        *,
        max_bytes: int,
        deadline: float | None,
        context: Context,
        probe: bool = False,
    ) -> BackendResponse:
        assert not probe
        self.requests.append(request)
        self.limits.append((max_bytes, deadline is not None))
        self.contexts.append(context)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def tool_of(template: RequestTemplate | None, **more: Any) -> ToolDefinition:
    return ToolDefinition(
        name="tool",
        description="d",
        input_schema=more.pop("schema", {"type": "object", "properties": {}}),
        annotations={},
        method="GET" if template is None else template.method,
        route="/" if template is None else template.route,
        template=template,
        endpoint_key="own",
        **more,
    )


Resolve = Callable[..., Hashable | None]


def nothing_known(method: str, path: str, *, host: str | None = None) -> Hashable | None:
    return None


def invoker_of(
    backend: Backend,
    options: Options | None = None,
    *,
    resolve: Resolve = nothing_known,
    identify: Callable[[OuterRequest], Awaitable[Any]] = as_ada,
    runtime: Runtime | None = None,
) -> Invoker:
    return Invoker(backend, runtime or LoopRuntime(), options or Options(), identify, resolve)


async def invoke(
    template: RequestTemplate,
    arguments: Any = None,
    backend: Backend | None = None,
    options: Options | None = None,
    *,
    schema: Mapping[str, Any] | None = None,
    **parts: Any,
) -> dict[str, Any]:
    invoker = invoker_of(backend or Backend(), options, **parts)
    plan = invoker.plan(tool_of(template, **({"schema": schema} if schema else {})))
    assert plan is not None
    emission = await invoker.invoke(plan, arguments or {}, OUTER)
    answer = json.loads(emission.text)
    assert (answer, "error" in answer) == (emission.payload, emission.is_error)
    return dict(answer)


# --- the request -----------------------------------------------------------------------------


async def test_arguments_become_a_request_and_its_answer_an_envelope() -> None:
    backend = Backend()
    template = post(
        fields(field("note", STRING)), slot("path", "id"), slot("query", "q"), route="/a/{id}"
    )
    answer = await invoke(template, {"id": "ä b", "q": "x&y", "note": "hi"}, backend)
    assert answer == {"status": 200, "body": {"id": 7}}
    [request] = backend.requests
    assert (request.method, request.path, request.query, request.body, request.outer) == (
        "POST",
        "/a/%C3%A4%20b",
        "q=x%26y",
        b'{"note":"hi"}',
        OUTER,
    )
    assert dict(request.headers)["authorization"] == "Bearer t"
    assert dict(request.headers)["content-length"] == "13"


async def test_a_tool_without_a_template_has_no_plan() -> None:
    assert invoker_of(Backend()).plan(tool_of(None)) is None


async def test_arguments_that_do_not_fit_never_reach_the_application() -> None:
    backend = Backend()
    answer = await invoke(get(slot("query", "q")), {"q": 5}, backend)
    assert (answer["error"], backend.requests) == ("invalid_type", [])


# --- limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("invoke_options", "limit", "timed"),
    [
        ({}, 262_144, True),
        ({"max_response_bytes": 1_000, "timeout_ms": 0}, 1_000, False),
        ({"max_response_bytes_for": lambda operation: 50}, 50, True),
        ({"max_response_bytes_for": lambda operation: None}, 262_144, True),
        ({"timeout_ms_for": lambda operation: 0}, 262_144, False),
        ({"timeout_ms": 0, "timeout_ms_for": lambda operation: 5}, 262_144, True),
        ({"timeout_ms": 0, "timeout_ms_for": lambda operation: None}, 262_144, False),
    ],
)
async def test_limits_are_the_operations_own_or_those_of_all(
    invoke_options: dict[str, Any], limit: int, timed: bool
) -> None:
    backend = Backend()
    await invoke(get(), {}, backend, Options(invoke=invoke_options))
    assert backend.limits == [(limit * READ_FACTOR, timed)]


async def test_a_limit_is_asked_for_by_operation() -> None:
    asked: list[Operation] = []

    def limit(operation: Operation) -> int:
        asked.append(operation)
        return 60

    invoker = invoker_of(Backend(), Options(invoke={"max_response_bytes_for": limit}))
    tool = tool_of(get(route="/a"), container="shop", operation_id="list_a")
    plan = invoker.plan(tool)
    assert plan is not None
    for _ in range(2):
        await invoker.invoke(plan, {}, OUTER)
    assert asked == [Operation(container="shop", operation_id="list_a", method="GET", route="/a")]


async def test_an_answer_over_the_limit_names_what_narrows_it() -> None:
    properties = {"limit": {"description": "How many."}, "q": {}, "id": {}}
    answer = await invoke(
        get(slot("query", "limit"), slot("query", "q"), slot("query", "id")),
        {},
        Backend(BackendResponse(status=200, headers=JSON, body=b"[" + b"1," * 50 + b"1]")),
        Options(invoke={"max_response_bytes": 100}),
        schema={"type": "object", "properties": properties},
    )
    assert answer["fields"] == [{"name": "limit", "message": "How many."}]
    assert answer["payload"] == {
        "bytes": 125,
        "limit": 100,
        "shape": {"kind": "array", "count": 51},
    }


# --- pinning ---------------------------------------------------------------------------------


async def test_a_compressed_answer_is_inflated_no_further_than_a_plain_one_is_read() -> None:
    headers: Headers = (*JSON, ("content-encoding", "gzip"))
    packed = gzip.compress(b'["' + b"a" * 1_000_000 + b'"]')
    backend = Backend(BackendResponse(status=200, headers=headers, body=packed))
    options = Options(invoke={"max_response_bytes": 1_000})
    answer = await invoke(get(), {}, backend, options)
    # Cut off, it was not parsed: of a parsed array the items are counted.
    assert (answer["error"], answer["payload"]) == (
        "response_too_large",
        {"bytes": 1_000 * READ_FACTOR + 1, "limit": 1_000, "shape": {"kind": "array"}},
    )


def resolving(key: Hashable | None, asked: list[Any]) -> Resolve:
    def resolve(method: str, path: str, *, host: str | None = None) -> Hashable | None:
        asked.append((method, path, host))
        return key

    return resolve


@pytest.mark.parametrize(
    ("key", "code"), [("own", None), (None, None), ("other", "invalid_path_type")]
)
async def test_a_path_goes_to_the_tools_own_endpoint_or_nowhere(
    key: Hashable | None, code: str | None
) -> None:
    backend = Backend()
    asked: list[Any] = []
    answer = await invoke(
        get(slot("path", "id", agent_name="who"), route="/users/{id}"),
        {"who": "m%e"},
        backend,
        resolve=resolving(key, asked),
    )
    assert asked == [("GET", "/users/m%e", "shop.example")]
    assert (answer.get("error"), len(backend.requests)) == (code, code is None)
    if code is not None:
        assert answer["message"] == (
            "Argument 'who' holds a value that does not address this operation."
        )


async def test_a_hidden_path_value_that_leads_elsewhere_is_no_fault_of_the_agent() -> None:
    template = get(slot("path", "id", fill=Constant("me")), route="/users/{id}")
    answer = await invoke(template, {}, resolve=resolving("other", []))
    assert answer["error"] == "deferred_value_invalid"
    assert "id" not in answer["message"].split()


@pytest.mark.parametrize(
    ("fill", "reads", "code"),
    [
        (None, True, None),
        (None, False, "invalid_path_type"),
        (Constant("a%b"), False, "deferred_value_invalid"),
    ],
)
async def test_a_value_that_the_router_reads_otherwise_is_refused(
    fill: Constant | None, reads: bool, code: str | None
) -> None:
    asked: list[Any] = []

    def answer_reads(*request: Any, host: str | None) -> bool:
        asked.append((*request, host))
        return reads

    template = get(
        slot("path", "tenant", fill=Constant("acme")),
        slot("path", "id", agent_name="who", fill=fill),
        route="/t/{tenant}-{id}",
    )
    backend = Backend()
    invoker = Invoker(backend, LoopRuntime(), Options(), as_ada, resolving("own", []), answer_reads)
    plan = invoker.plan(tool_of(template))
    assert plan is not None
    arguments = {"who": "a%b"} if fill is None else {}
    payload = (await invoker.invoke(plan, arguments, OUTER)).payload
    assert asked == [("GET", "/t/acme-a%b", {"tenant": "acme", "id": "a%b"}, "shop.example")]
    assert (payload.get("error"), len(backend.requests)) == (code, code is None)


async def test_a_path_without_arguments_is_not_looked_up() -> None:
    asked: list[Any] = []
    await invoke(get(), {}, resolve=resolving("other", asked))
    assert asked == []


# --- what the host plugs in --------------------------------------------------------------------


HIDDEN = get(
    slot("path", "tenant", fill=Provider("tenant")),
    slot("query", "also", fill=Provider("tenant")),
    route="/{tenant}",
)


async def test_a_source_is_asked_once_per_call_with_the_caller() -> None:
    asked: list[FillContext] = []

    async def tenant(context: FillContext) -> str:
        asked.append(context)
        return "a b"

    backend = Backend()
    await invoke(HIDDEN, {}, backend, Options(fills={"tenant": tenant}))
    assert [(c.tool, c.operation.route, c.caller) for c in asked] == [
        ("tool", "/{tenant}", Caller())
    ]
    assert (backend.requests[0].path, backend.requests[0].query) == ("/a%20b", "also=a%20b")


async def test_a_hidden_argument_cannot_be_supplied() -> None:
    options = Options(fills={"tenant": lambda context: "a"})
    for name in ("tenant", "also"):
        assert (await invoke(HIDDEN, {name: "x"}, options=options))["error"] == "unknown_argument"


async def test_a_provider_that_raises_is_a_missing_value_and_its_fault_stays_inside(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def tenant(context: FillContext) -> str:
        raise RuntimeError("postgresql://a:b@c")

    backend = Backend()
    answer = await invoke(HIDDEN, {}, backend, Options(fills={"tenant": tenant}))
    assert (answer["error"], backend.requests) == ("deferred_value_missing", [])
    assert "postgresql" not in str(answer)
    assert "postgresql" in caplog.text


def hanging_options(log: list[str], timeout_ms: int = 20) -> Options:
    async def tenant(context: FillContext) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            log.append("ended")
        raise AssertionError

    return Options(fills={"tenant": tenant}, invoke={"timeout_ms": timeout_ms})


async def test_a_provider_that_hangs_ends_at_the_deadline() -> None:
    log: list[str] = []
    backend = Backend()
    answer = await invoke(HIDDEN, {}, backend, hanging_options(log))
    assert (answer["error"], answer["retryable"], backend.requests) == ("invoke_timeout", True, [])
    assert "within 20 ms" in answer["message"]
    assert log == ["ended"]


UPLOAD = post(
    fields(
        field("file", file=True),
        content_type=MULTIPART,
        file_sources=(FileSource.TEXT, FileSource.BASE64, FileSource.REF),
    )
)


async def test_a_ref_is_resolved_for_the_caller_before_it_is_sent() -> None:
    asked: list[FileRequest] = []

    def resolver(request: FileRequest) -> ResolvedFile:
        asked.append(request)
        return ResolvedFile(data=b"bytes of it", name="a.txt")

    backend = Backend()
    options = Options(files={"resolver": resolver}, invoke={"max_file_bytes": 77})
    await invoke(UPLOAD, {"file": {"ref": "r-1"}}, backend, options)
    assert b"bytes of it" in (backend.requests[0].body or b"")
    [question] = asked
    assert (question.ref, question.field, question.max_bytes, question.caller) == (
        "r-1",
        "file",
        77,
        Caller(),
    )
    assert question.cancelled.is_set()


async def test_bytes_in_a_call_and_bytes_behind_a_ref_have_a_limit_each() -> None:
    backend = Backend()
    limits = {"max_inline_file_bytes": 3, "max_file_bytes": 77}
    for content, sent in (("Zm91cg==", 0), ("dHdv", 1)):
        await invoke(UPLOAD, {"file": {"base64": content}}, backend, Options(invoke=limits))
        assert len(backend.requests) == sent


async def test_a_resolver_is_asked_for_refs_alone() -> None:
    def resolver(request: FileRequest) -> ResolvedFile:
        raise AssertionError

    backend = Backend()
    options = Options(files={"resolver": resolver})
    await invoke(UPLOAD, {"file": {"text": "here"}}, backend, options)
    await invoke(UPLOAD, {}, backend, options)
    await invoke(get(), {}, backend, options)
    assert len(backend.requests) == 3


async def test_a_resolver_that_hangs_is_told_that_nobody_waits() -> None:
    asked: list[FileRequest] = []

    async def resolver(request: FileRequest) -> ResolvedFile:
        asked.append(request)
        assert not request.cancelled.is_set()
        await asyncio.Event().wait()
        raise AssertionError

    backend = Backend()
    options = Options(files={"resolver": resolver}, invoke={"timeout_ms": 20})
    answer = await invoke(UPLOAD, {"file": {"ref": "r-1"}}, backend, options)
    assert (answer["error"], backend.requests) == ("invoke_timeout", [])
    assert asked[0].cancelled.is_set()


async def test_a_template_that_takes_no_ref_refuses_one_unasked() -> None:
    plain = post(fields(field("file", file=True), content_type=MULTIPART))
    answer = await invoke(
        plain, {"file": {"ref": "r-1"}}, options=Options(files={"resolver": print})
    )
    assert answer["error"] == "invalid_file_argument"
    assert "ref" not in answer["message"].replace("'file'", "")


async def test_a_caller_that_cannot_be_composed_is_an_internal_error() -> None:
    async def refuse(outer: OuterRequest) -> Caller:
        raise InvocationError(ErrorCode.INTERNAL_ERROR, "why it failed")

    backend = Backend()
    answer = await invoke(get(), {}, backend, identify=refuse)
    assert (answer["error"], backend.requests) == ("internal_error", [])
    assert "why" not in answer["message"]


async def test_carried_cookies_meet_those_of_the_agent_in_one_header() -> None:
    async def with_cookies(outer: OuterRequest) -> Caller:
        return Caller(fields=(("x", "1"), ("cookie", "sid=1")))

    backend = Backend()
    template = get(slot("cookie", "theme"), slot("cookie", "sid2"))
    await invoke(template, {"theme": "dark"}, backend, identify=with_cookies)
    assert [pair for pair in backend.requests[0].headers if pair[0] == "cookie"] == [
        ("cookie", "sid=1; theme=dark")
    ]


# --- what comes back -------------------------------------------------------------------------


async def test_a_deadline_of_the_dispatcher_is_told_with_its_limit() -> None:
    answer = await invoke(
        get(), {}, Backend(DeadlineExpired()), Options(invoke={"timeout_ms": 1_234})
    )
    assert answer == {
        "error": "invoke_timeout",
        "message": "The backend did not answer within 1234 ms and the call was abandoned."
        " The operation may already have been applied; re-read before retrying.",
        "retryable": True,
    }


async def test_a_call_that_never_started_is_not_said_to_have_been_applied() -> None:
    answer = await invoke(get(), {}, Backend(NeverStarted()), Options(invoke={"timeout_ms": 12}))
    assert answer == {
        "error": "invoke_timeout",
        "message": "The backend did not answer within 12 ms and the call was abandoned."
        " It was never started.",
        "retryable": True,
    }


async def test_a_fault_of_the_layer_itself_is_one_fixed_sentence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR, logger="sezzlee_py"):
        answer = await invoke(get(), {}, Backend(RuntimeError("/srv/app secret")))
    assert answer == {
        "error": "internal_error",
        "message": "The tool layer failed while handling the call.",
        "retryable": False,
    }
    assert "/srv/app secret" in caplog.text


async def test_a_cancelled_call_emits_nothing() -> None:
    with pytest.raises(asyncio.CancelledError):
        await invoke(get(), {}, Backend(asyncio.CancelledError()))


async def test_the_mapping_options_are_the_hosts() -> None:
    page = BackendResponse(status=200, headers=(("content-type", "text/html"),), body=b"<p>x</p>")
    answer = await invoke(get(), {}, Backend(page), Options(invoke={"forward_html": True}))
    assert answer["body"] == "<p>x</p>"


VARIABLE: ContextVar[str] = ContextVar("variable")


async def test_only_named_context_variables_are_carried() -> None:
    VARIABLE.set("v")
    backend = Backend()
    for carried in ((), (VARIABLE,)):
        await invoke(get(), {}, backend, Options(identity={"carry_context": carried}))
    assert [context.get(VARIABLE) for context in backend.contexts] == [None, "v"]


# --- in a thread -----------------------------------------------------------------------------


def invoke_in_thread(
    template: RequestTemplate, arguments: Any, backend: Backend, options: Options
) -> Any:
    return drive(invoke(template, arguments, backend, options, runtime=ThreadRuntime()))


def test_the_same_pipeline_runs_in_a_thread() -> None:
    async def tenant(context: FillContext) -> str:
        await asyncio.sleep(0)
        return "t"

    def resolver(request: FileRequest) -> ResolvedFile:
        return ResolvedFile(data=b"bytes of it")

    backend = Backend()
    options = Options(fills={"tenant": tenant}, files={"resolver": resolver})
    assert invoke_in_thread(HIDDEN, {}, backend, options)["status"] == 200
    assert invoke_in_thread(UPLOAD, {"file": {"ref": "r"}}, backend, options)["status"] == 200
    assert backend.requests[0].path == "/t"
    assert b"bytes of it" in (backend.requests[1].body or b"")


def test_a_provider_that_hangs_in_a_thread_frees_the_caller() -> None:
    backend, begun = Backend(), time.monotonic()
    answer = invoke_in_thread(HIDDEN, {}, backend, hanging_options([]))
    assert (answer["error"], backend.requests) == ("invoke_timeout", [])
    assert time.monotonic() - begun < 5
