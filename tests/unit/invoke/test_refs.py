"""Refs of files, resolved by the host."""

import logging
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from sezzlee_py.errors import CompositionError, ErrorCode
from sezzlee_py.invoke.compose import compose
from sezzlee_py.invoke.fills import Operation
from sezzlee_py.invoke.refs import (
    FileRefusal,
    FileRequest,
    ResolvedFile,
    aresolve_refs,
    resolve_refs,
)
from sezzlee_py.model import ComposedRequest, FileContent, FileSource, Part, RequestContent
from tests.unit.invoke.templates import MULTIPART, STRING, field, fields, get, post

SOURCES = (FileSource.TEXT, FileSource.REF)
OPERATION = Operation(method="POST", route="/items")
CANCELLED = Event()
FACTS: dict[str, Any] = {
    "operation": OPERATION,
    "caller": "caller",
    "max_file_bytes": 4,
    "cancelled": CANCELLED,
}

NO_BYTES: Any = "r-1"

REQUEST = compose(
    post(
        fields(
            field("doc", file=True, agent_name="document"),
            field("n", STRING),
            field("more", file=True, array=True, media_type="image/png"),
            content_type=MULTIPART,
            file_sources=SOURCES,
        )
    ),
    {
        "document": {"ref": "r-1"},
        "n": "1",
        "more": [{"text": "t"}, {"ref": "r-2", "name": "agent.png", "mediaType": "image/gif"}],
    },
)
RAW = compose(
    post(
        fields(root="body", content_type="image/png", media_type="image/png", file_sources=SOURCES)
    ),
    {"body": {"ref": "r-1"}},
)


def asked(field_: str, ref: str) -> FileRequest:
    return FileRequest(
        ref=ref,
        field=field_,
        operation=OPERATION,
        caller="caller",
        max_bytes=4,
        cancelled=CANCELLED,
    )


class Resolver:
    """Answers with the same for every ref and keeps what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[FileRequest] = []

    def __call__(self, request: FileRequest) -> Any:
        self.asked.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def later(self, request: FileRequest) -> Any:
        return self(request)


async def both(request: ComposedRequest, answer: Any) -> ComposedRequest | tuple[str, str, bool]:
    """What plain and async resolvers lead to, on a loop and in a thread: all the same."""
    outcomes: list[Any] = []
    for take in ("__call__", "later"):
        resolver = Resolver(answer)
        try:
            outcomes.append(await aresolve_refs(request, getattr(resolver, take), **FACTS))
        except CompositionError as fault:
            outcomes.append((fault.code, fault.message, fault.retryable))
        try:
            outcomes.append(resolve_refs(request, getattr(resolver, take), **FACTS))
        except CompositionError as fault:
            outcomes.append((fault.code, fault.message, fault.retryable))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    outcome: ComposedRequest | tuple[str, str, bool] = outcomes[0]
    return outcome


async def test_refs_are_asked_for_in_order_under_the_agents_names() -> None:
    resolver = Resolver(ResolvedFile(data=b"1234"))
    await aresolve_refs(REQUEST, resolver, **FACTS)
    assert resolver.asked == [asked("document", "r-1"), asked("more", "r-2")]


async def test_a_resolved_file_is_named_by_agent_then_host_then_field() -> None:
    resolved = await both(
        REQUEST, ResolvedFile(data=b"1234", name="host.txt", media_type="text/csv")
    )
    assert isinstance(resolved, ComposedRequest)
    assert resolved.content is not None
    assert resolved.content.parts is not None
    first, second, third, fourth = resolved.content.parts
    assert REQUEST.content is not None
    assert REQUEST.content.parts is not None
    assert (second, third) == REQUEST.content.parts[1:3]
    shown = [
        (part.file.filename, part.file.media_type, part.file.data, part.file.byte_length)
        for part in (first, fourth)
        if part.file is not None
    ]
    assert shown == [("host.txt", "text/csv", b"1234", 4), ("agent.png", "image/gif", b"1234", 4)]


@pytest.mark.parametrize(
    "answer",
    [
        ResolvedFile(data=b""),
        ResolvedFile(data=b"", name="../x", media_type="a\r\nb"),
        ResolvedFile(data=b"", name="", media_type="image/*"),
    ],
)
async def test_what_a_host_names_badly_falls_back_to_the_field(answer: ResolvedFile) -> None:
    resolved = await both(RAW, answer)
    assert RAW.content is not None
    assert RAW.content.file is not None
    file = replace(
        RAW.content.file, filename="body", media_type="image/png", byte_length=0, data=b""
    )
    assert resolved == replace(RAW, content=replace(RAW.content, file=file))


NOT_RESOLVED = (
    ErrorCode.FILE_UNRESOLVED,
    "File argument 'body' names a ref that could not be resolved."
    " Retrying with the same ref will not help.",
    False,
)
UNAVAILABLE = (
    ErrorCode.FILE_UNRESOLVED,
    "File argument 'body' could not be resolved right now. Retry the call.",
    True,
)
TOO_LARGE = (
    ErrorCode.FILE_TOO_LARGE,
    "File argument 'body' is over the limit of 4 bytes and was not sent.",
    False,
)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (FileRefusal.NOT_FOUND, NOT_RESOLVED),
        (FileRefusal.FORBIDDEN, NOT_RESOLVED),
        (FileRefusal.UNAVAILABLE, UNAVAILABLE),
        (FileRefusal.TOO_LARGE, TOO_LARGE),
        (ResolvedFile(data=b"12345"), TOO_LARGE),
        (RuntimeError("r-1 leaked"), UNAVAILABLE),
        (StopIteration(), UNAVAILABLE),
        (None, UNAVAILABLE),
        (b"bytes", UNAVAILABLE),
        ("not_found", UNAVAILABLE),
        (ResolvedFile(data=NO_BYTES), UNAVAILABLE),
    ],
)
async def test_a_ref_without_bytes_is_refused_and_leaks_nowhere(
    answer: Any, outcome: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "sezzlee_py"):
        assert await both(RAW, answer) == outcome
    assert "r-1" not in caplog.text
    # Both twins, with a plain and an async resolver, tell the host.
    assert len(caplog.records) == (
        4 if outcome is UNAVAILABLE and not isinstance(answer, FileRefusal) else 0
    )


async def test_a_request_without_refs_asks_nobody() -> None:
    for request in (
        compose(get(), {}),
        compose(post(fields()), {}),
        ComposedRequest(method="GET", path="/"),
        ComposedRequest(
            method="POST",
            path="/",
            content=RequestContent(
                content_type=MULTIPART,
                parts=(Part(name="a", file=FileContent(source=FileSource.TEXT, value="x")),),
            ),
        ),
    ):
        assert await both(request, RuntimeError()) == request
