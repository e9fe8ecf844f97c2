"""The seam to the application: what a dispatcher owes, and the marks of a synthetic request."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextvars import Context, ContextVar
from typing import Any, Final, Protocol

from sezzlee_py.model import BackendRequest, BackendResponse

LOGGER: Final = logging.getLogger("sezzlee_py")

REQUEST_MARK: Final = "sezzlee.request"
PROBE_MARK: Final = "sezzlee.probe"

# Object identities, because a client can write any string into a header but no object into a scope.
_REQUEST: Final = object()
_PROBE: Final = object()

# How much of a body that was cut off is kept: enough to tell what it begins with.
PEEKED_BYTES: Final = 1_024

_BODILESS: Final = frozenset({204, 304})

_inside: ContextVar[bool] = ContextVar("sezzlee_inside_dispatch", default=False)


class DeadlineExpired(Exception):  # noqa: N818 - an outcome of waiting, not a fault
    """The application did not answer in time; the call was abandoned."""


class NeverStarted(DeadlineExpired):
    """The deadline passed before the application was called; nothing can have been applied."""


class Dispatcher(Protocol):
    """Sends one request through the application and collects its answer."""

    async def send(
        self,
        request: BackendRequest,
        *,
        max_bytes: int,
        deadline: float | None,
        context: Context,
        probe: bool = False,
    ) -> BackendResponse:
        """Return the application's answer.

        Args:
            request: the request in its final form.
            max_bytes: bytes of body to read before reading stops.
            deadline: `time.monotonic()` at which waiting ends, or `None`.
            context: the context the application runs in.
            probe: mark the request as a probe (spec: visibility 4).

        Raises:
            DeadlineExpired: the deadline passed; the application was told to stop.
            NeverStarted: it passed before the application was called.
        """


def backend_response(
    request: BackendRequest,
    status: int,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    *,
    cut_off_at: int | None = None,
) -> BackendResponse:
    """Return what counts of an application's answer (spec: identity 5).

    Args:
        request: what it answers.
        status: its status.
        headers: lower-case names; cookies of a replayed call belong to nobody else.
        body: its bytes; of a body that was cut off the beginning.
        cut_off_at: bytes read when reading was stopped.
    """
    if request.method == "HEAD" or status in _BODILESS:
        body, cut_off_at, counted = b"", None, False
    else:
        counted = cut_off_at is None
    kept = []
    for pair in headers:
        name, value = pair
        if name == "content-length" and counted and value.strip() != str(len(body)):
            _log_length(request, value, body)
        if name != "set-cookie":
            kept.append(pair)
    return BackendResponse(status=status, headers=tuple(kept), body=body, oversized=cut_off_at)


def _log_length(request: BackendRequest, declared: str, body: bytes) -> None:
    LOGGER.warning(
        "%s %s declared a content-length of %s and sent %d bytes; the bytes win",
        request.method,
        request.path,
        declared,
        len(body),
    )


def marks(*, probe: bool) -> dict[str, object]:
    """Return the keys that mark a scope or environ as the SDK's own."""
    if probe:
        return {REQUEST_MARK: _REQUEST, PROBE_MARK: _PROBE}
    return {REQUEST_MARK: _REQUEST}


def is_sezzlee_request(scope_or_environ: Mapping[str, Any]) -> bool:
    """Whether the SDK made this request; an outside client cannot make this true."""
    return scope_or_environ.get(REQUEST_MARK) is _REQUEST


def is_sezzlee_probe(scope_or_environ: Mapping[str, Any]) -> bool:
    """Whether this request is a probe, which is cut off before the endpoint runs."""
    return scope_or_environ.get(PROBE_MARK) is _PROBE


def fresh_context(carried: tuple[ContextVar[Any], ...] = ()) -> Context:
    """Return an empty context holding only `carried` variables (spec: identity 6).

    A copy would let the outer request's user, or Flask's pushed application context, become the
    inner one's.
    """
    context = Context()
    context.run(_inside.set, True)
    for variable in carried:
        try:
            value = variable.get()
        except LookupError:
            continue
        context.run(variable.set, value)
    return context


def is_inside_dispatch() -> bool:
    """Whether the current code runs inside a dispatched call of this SDK."""
    return _inside.get()
