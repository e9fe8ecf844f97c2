"""Refs of files, resolved by the host between composing and sending (spec: bodies 8)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from sezzlee_py.errors import CompositionError
from sezzlee_py.invoke import faults
from sezzlee_py.invoke.calls import Raised, acall_hosts, call_hosts
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.files import is_filename, is_media_type
from sezzlee_py.invoke.fills import Operation
from sezzlee_py.model import ComposedRequest, FileContent, FileSource, RequestContent


class Cancelled(Protocol):
    """Tells a resolver that nobody waits for it any more."""

    def is_set(self) -> bool:
        """Whether the call was abandoned."""


class Abandonment:
    """The `Cancelled` of one call; nobody waits for it, so it needs no lock."""

    __slots__ = ("_is_set",)

    def __init__(self) -> None:
        self._is_set = False

    def set(self) -> None:
        """Say that nobody waits any more."""
        self._is_set = True

    def is_set(self) -> bool:
        """Whether the call was abandoned."""
        return self._is_set


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest:
    """One ref to resolve. The agent wrote `ref`; holding it proves nothing.

    Attributes:
        ref: what the agent sent.
        field: the argument it came in.
        operation: the operation the file is for.
        caller: on whose behalf; the resolver checks that this caller may read the ref.
        max_bytes: more than this is refused.
        cancelled: set when the call was abandoned.
    """

    ref: str
    field: str
    operation: Operation
    caller: Any
    max_bytes: int
    cancelled: Cancelled


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedFile:
    """The bytes behind a ref, and what the host calls and labels them."""

    data: bytes
    name: str | None = None
    media_type: str | None = None


class FileRefusal(StrEnum):
    """Why a resolver gives no bytes; the first two read alike to an agent."""

    NOT_FOUND = "not_found"
    FORBIDDEN = "forbidden"
    UNAVAILABLE = "unavailable"
    TOO_LARGE = "too_large"


FileResolver: TypeAlias = Callable[[FileRequest], Any]
_Asking: TypeAlias = Generator[FileRequest, Any, ComposedRequest]


async def aresolve_refs(
    request: ComposedRequest,
    resolver: FileResolver,
    *,
    operation: Operation,
    caller: Any,
    max_file_bytes: int,
    cancelled: Cancelled,
) -> ComposedRequest:
    """Return `request` with the bytes of every ref in it, resolved in order.

    Raises:
        CompositionError: a ref gave no bytes, or too many.
    """
    asking = _ask_in_order(request, operation, caller, max_file_bytes, cancelled)
    answer = None
    while True:
        try:
            question = asking.send(answer)
        except StopIteration as done:
            return _composed(done)
        [answer] = await acall_hosts([resolver], question)


def resolve_refs(
    request: ComposedRequest,
    resolver: FileResolver,
    *,
    operation: Operation,
    caller: Any,
    max_file_bytes: int,
    cancelled: Cancelled,
) -> ComposedRequest:
    """Return what `aresolve_refs` would, from a thread without an event loop."""
    asking = _ask_in_order(request, operation, caller, max_file_bytes, cancelled)
    answer = None
    while True:
        try:
            question = asking.send(answer)
        except StopIteration as done:
            return _composed(done)
        [answer] = call_hosts([resolver], question)


def _composed(done: StopIteration) -> ComposedRequest:
    request: ComposedRequest = done.value
    return request


def _ask_in_order(
    request: ComposedRequest, operation: Operation, caller: Any, limit: int, cancelled: Cancelled
) -> _Asking:
    content = request.content
    if content is None:
        return request

    def ask(file: FileContent) -> Generator[FileRequest, Any, FileContent]:
        field = file.field or ""
        answer = yield FileRequest(
            ref=file.value,
            field=field,
            operation=operation,
            caller=caller,
            max_bytes=limit,
            cancelled=cancelled,
        )
        return _received(file, field, answer, limit)

    if content.file is not None and content.file.source is FileSource.REF:
        return _with(request, replace(content, file=(yield from ask(content.file))))
    if content.parts is None:
        return request
    parts = []
    for part in content.parts:
        if part.file is not None and part.file.source is FileSource.REF:
            part = replace(part, file=(yield from ask(part.file)))
        parts.append(part)
    return _with(request, replace(content, parts=tuple(parts)))


def _with(request: ComposedRequest, content: RequestContent) -> ComposedRequest:
    return replace(request, content=content)


def _received(file: FileContent, field: str, answer: Any, limit: int) -> FileContent:
    if isinstance(answer, ResolvedFile) and isinstance(answer.data, bytes):
        if len(answer.data) > limit:
            raise faults.file_too_large(field, limit)
        return _settled(file, answer)
    if isinstance(answer, FileRefusal):
        raise _refused(field, answer, limit)
    _log_failure(field, answer)
    raise faults.file_unavailable(field)


def _refused(field: str, refusal: FileRefusal, limit: int) -> CompositionError:
    if refusal is FileRefusal.TOO_LARGE:
        return faults.file_too_large(field, limit)
    if refusal is FileRefusal.UNAVAILABLE:
        return faults.file_unavailable(field)
    return faults.file_unresolved(field)


def _settled(file: FileContent, resolved: ResolvedFile) -> FileContent:
    name = resolved.name if is_filename(resolved.name) else None
    label = resolved.media_type if is_media_type(resolved.media_type) else None
    return replace(
        file,
        filename=file.filename or name or file.default_filename,
        media_type=file.media_type or label or file.default_media_type,
        byte_length=len(resolved.data),
        data=resolved.data,
    )


def _log_failure(field: str, answer: Any) -> None:
    # Types only: what a resolver raises is likely to quote the ref.
    kind = answer.fault if isinstance(answer, Raised) else answer
    LOGGER.error("file resolver failed for argument %r: %s", field, type(kind).__name__)
