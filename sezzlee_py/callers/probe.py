"""Asking the application itself whether a caller may use a tool, without running it (visibility 4).

A probe runs the application's whole pipeline and is cut off right before the endpoint. Where that
cut is not proven, only reads with declared authorization are asked, and an endpoint that may have
run is never probed again before the next reload.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import unquote

from sezzlee_py.callers.cache import CallerCache
from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.scope import CallerScope, read_verdict, write_verdict
from sezzlee_py.callers.visibility import Decision
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.invoke.dispatch import LOGGER, DeadlineExpired, Dispatcher, fresh_context
from sezzlee_py.invoke.encoding import encode_path_literal
from sezzlee_py.invoke.parameters import path_writer
from sezzlee_py.invoke.probing import ProbeRun
from sezzlee_py.invoke.request_headers import request_headers
from sezzlee_py.invoke.runtime import Runtime
from sezzlee_py.model import (
    Anonymous,
    BackendRequest,
    BackendResponse,
    Constant,
    OuterRequest,
    ParameterLocation,
    ParameterSlot,
    ScalarKind,
    ToolDefinition,
)
from sezzlee_py.model.routes import route_pieces
from sezzlee_py.options import Options

Proven: TypeAlias = Callable[[], Container[CutKey]]

_DEADLINE_MS: Final = 2_000
_MAX_BYTES: Final = 65_536
_SAFE: Final = frozenset({"GET", "HEAD"})
_BY_FORMAT: Final[Mapping[str, Any]] = {
    "uuid": "00000000-0000-0000-0000-000000000000",
    "date": "2000-01-01",
}
_BY_KIND: Final[Mapping[ScalarKind, Any]] = {
    ScalarKind.INTEGER: 1,
    ScalarKind.NUMBER: 1,
    ScalarKind.BOOLEAN: True,
}


class Resolve(Protocol):
    """The adapter's `resolve`."""

    def __call__(self, method: str, path: str, *, host: str | None = None) -> Hashable | None:
        """Return the endpoint that the application's router picks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """On whose behalf is probed, over which catalog, and when what is known was current.

    `disabled` are the endpoints that are not probed again while that catalog is served.
    """

    caller: McpCaller
    outer: OuterRequest
    scope: CallerScope | None
    epoch: int
    disabled: set[CutKey]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a probe's answer says; `why` it must not be repeated before the next reload."""

    decision: Decision
    why: str | None = None
    may_have_run: bool = False


def verdict_of(response: BackendResponse, *, reached: bool) -> Verdict:
    """Return what an answer says; `reached` when the cut gave it."""
    status = response.status
    if status in (401, 403):
        return Verdict(decision=Decision.DENY)
    if reached:
        return Verdict(decision=Decision.ALLOW if 200 <= status < 300 else Decision.UNKNOWN)
    if status == 404:
        why = "the application answered 404; options.visibility.probe_values gives it real values"
        return Verdict(decision=Decision.UNKNOWN, why=why)
    if status in (400, 422):
        why = f"the application answered {status} before its endpoint"
        return Verdict(decision=Decision.UNKNOWN, why=why)
    why = f"the application answered {status} and the endpoint may have run"
    return Verdict(decision=Decision.UNKNOWN, why=why, may_have_run=True)


class Prober:
    """Probes tools through the application.

    Args:
        dispatcher: the seam to the application.
        runtime: where probes run.
        options: the host's.
        cache: keeps certain verdicts.
        resolve: tells which endpoint a path leads to.
        cut: installs what is missing of the cuts, and returns the endpoints whose cut is proven.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        runtime: Runtime,
        options: Options,
        cache: CallerCache,
        *,
        resolve: Resolve,
        cut: Proven,
    ) -> None:
        self._dispatcher = dispatcher
        self._runtime = runtime
        self._options = options
        self._cache = cache
        self._resolve = resolve
        self._cut = cut
        self._lock = Lock()

    async def verdicts(
        self, tools: Iterable[ToolDefinition], asker: Asker
    ) -> Mapping[str, Decision]:
        """Return what probes say of `tools`, no more of them than the budget; certain ones only."""
        visibility = self._options.visibility
        chosen = [tool for _, tool in zip(range(visibility.probe_top_k), tools, strict=False)]
        if not chosen:
            return {}
        # Once per round, and only where something is probed at all: routes that came since the last
        # one may have replaced what was cut.
        proven = cache(self._cut)
        answers = await self._runtime.each(
            [partial(self._verdict, tool, asker, proven) for tool in chosen],
            at_once=visibility.probe_concurrency,
        )
        certain = (
            (tool.name, read_verdict(text)) for tool, text in zip(chosen, answers, strict=True)
        )
        return {name: verdict for name, verdict in certain if verdict is not None}

    async def _verdict(self, tool: ToolDefinition, asker: Asker, proven: Proven) -> str:
        async def compute() -> str:
            return write_verdict(await self._probe(tool, asker, proven))

        return await self._cache.through(
            asker.scope,
            f"probe:{tool.name}",
            asker.epoch,
            compute,
            is_usable=_is_certain,
            is_lasting=_is_certain,
        )

    async def _probe(self, tool: ToolDefinition, asker: Asker, proven: Proven) -> Decision:
        key: CutKey = (tool.endpoint_key, tool.method)
        is_proven = key in proven()
        path = self._path(tool)
        if path is None or not (is_proven or _may_run(tool)):
            return Decision.UNKNOWN
        # A value may lead to a neighbour's route, whose endpoint nobody has cut.
        picked = self._resolve(tool.method, unquote(path), host=asker.outer.header("host"))
        if (
            picked is None
            or picked != tool.endpoint_key
            or not self._enter(key, is_proven, asker.disabled)
        ):
            return Decision.UNKNOWN
        verdict = Verdict(
            decision=Decision.UNKNOWN,
            why="the probe did not end and the endpoint may have run",
            may_have_run=not is_proven,
        )
        try:
            verdict = await self._send(tool, path, asker)
        finally:
            self._leave(key, is_proven, asker.disabled, verdict)
            _log(tool, verdict)
        return verdict.decision

    async def _send(self, tool: ToolDefinition, path: str, asker: Asker) -> Verdict:
        run = ProbeRun((tool.endpoint_key, tool.method))
        request = BackendRequest(
            method=tool.method,
            path=path,
            query="",
            headers=request_headers(asker.outer, asker.caller.fields, (), None, None),
            body=None,
            outer=asker.outer,
        )
        try:
            response = await self._dispatcher.send(
                request,
                max_bytes=_MAX_BYTES,
                deadline=time.monotonic() + _DEADLINE_MS / 1_000,
                context=run.enter(fresh_context(self._options.identity.carry_context)),
                probe=True,
            )
        except DeadlineExpired:
            if run.reached:
                return Verdict(decision=Decision.UNKNOWN)
            return Verdict(
                decision=Decision.UNKNOWN,
                why=f"no answer within {_DEADLINE_MS} ms and the endpoint may have run",
                may_have_run=True,
            )
        # A search must not fail because a guess at its answer did.
        except Exception as fault:
            LOGGER.error("probing %r failed in the tool layer", tool.name, exc_info=fault)
            return Verdict(
                decision=Decision.UNKNOWN,
                why="the probe failed and the endpoint may have run",
                may_have_run=True,
            )
        return verdict_of(response, reached=run.reached)

    def _enter(self, key: CutKey, is_proven: bool, disabled: set[CutKey]) -> bool:
        """Whether an endpoint may be probed; an unproven one only by one caller at a time."""
        with self._lock:
            if key in disabled:
                return False
            if not is_proven:
                # Taken back when the answer shows that it did not run.
                disabled.add(key)
            return True

    def _leave(self, key: CutKey, is_proven: bool, disabled: set[CutKey], verdict: Verdict) -> None:
        with self._lock:
            if verdict.why is not None:
                disabled.add(key)
            elif not is_proven:
                disabled.discard(key)

    def _path(self, tool: ToolDefinition) -> str | None:
        """Return the path a probe asks for; `None` where no value can stand in it."""
        template = tool.template
        if template is None:
            return None
        slots = {
            slot.name: slot
            for slot in template.parameters
            if slot.location is ParameterLocation.PATH
        }
        try:
            written = {
                name: path_writer(slot)(self._value(tool, slot)) for name, slot in slots.items()
            }
        # The host's values may be of any kind.
        except Exception as fault:
            LOGGER.warning("tool %r cannot be probed", tool.name, exc_info=fault)
            return None
        return "".join(
            written[piece] if at % 2 else encode_path_literal(piece)
            for at, piece in enumerate(route_pieces(template.route))
        )

    def _value(self, tool: ToolDefinition, slot: ParameterSlot) -> Any:
        if isinstance(slot.fill, Constant):
            return slot.fill.value
        given = self._options.visibility.probe_values
        if slot.name in given:
            return given[slot.name]
        schema = tool.input_schema.get("properties", {}).get(slot.agent_name, {})
        value = _BY_FORMAT.get(schema.get("format", "")) if slot.fill is None else None
        if value is None:
            value = next((_BY_KIND[kind] for kind in slot.kinds if kind in _BY_KIND), "probe")
        return [value] if slot.array else value


def _log(tool: ToolDefinition, verdict: Verdict) -> None:
    if verdict.why is not None:
        level = logging.WARNING if verdict.may_have_run else logging.INFO
        LOGGER.log(
            level,
            "tool %r is not probed again before the next reload: %s",
            tool.name,
            verdict.why,
        )


def _is_certain(text: str) -> bool:
    return read_verdict(text) is not None


def _may_run(tool: ToolDefinition) -> bool:
    """Whether a probe whose cut is unproven may reach the endpoint."""
    is_declared = tool.auth.anonymous is Anonymous.NO or bool(tool.auth.policies)
    return tool.method in _SAFE and is_declared
