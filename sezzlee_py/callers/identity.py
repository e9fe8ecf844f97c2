"""Who is calling: the carriers of the outer request, projected once (spec: identity 1 and 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.settle import Settle
from sezzlee_py.model import Headers, OuterRequest
from sezzlee_py.model.quick import quick

_FORBIDDEN: Final = frozenset("\r\n\0")
_NO_ATTRIBUTES: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Projection:
    """What a host's `identity.project` may return: carrier values, and facts for its own use.

    `headers` replaces carrier values by name, `None` removes; names it leaves out stay.
    `attributes` travels to fills, resolvers and policies, never to the application.
    """

    headers: Mapping[str, str | None] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class McpCaller:
    """The caller as fills, resolvers and policies see it: carriers only, after projection.

    `fields` keeps repeated headers apart; `headers` joins them. `received` is what they were
    before a projection. `environ` holds what else of a WSGI request travels with a call because
    the host named it (`identity.environ`). `scope_key` tells callers apart without holding a
    credential.
    """

    fields: Headers
    client: tuple[str, int] | None = None
    attributes: Mapping[str, Any] = field(default_factory=lambda: _NO_ATTRIBUTES)
    carriers: tuple[str, ...] = ("authorization",)
    received: Headers | None = None
    environ: Mapping[str, Any] = field(default_factory=lambda: _NO_ATTRIBUTES)

    @property
    def headers(self) -> Mapping[str, str]:
        """Carrier values by lower-case name, repeated ones joined."""
        return joined(self.fields)

    @property
    def is_bare(self) -> bool:
        """Whether no carrier has a value, so that a call would run without any identity."""
        return not any(value.strip() for _, value in self.fields)

    @property
    def scope_key(self) -> str:
        """Lower-case hex SHA-256 of the carriers (spec: visibility 7).

        A projection's result is part of it: one that looks at more than the carriers must not make
        two callers one. So is what travels of the environ: `REMOTE_USER` is a caller too.
        """
        text = _digest_text(self.fields, self.carriers)
        if self.received is not None and self.received != self.fields:
            text = _digest_text(self.received, self.carriers) + text
        # Written as Python has them, because a certificate has lines of its own.
        text += "".join(f"{name}={value!r}\n" for name, value in sorted(self.environ.items()))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def joined(fields: Headers) -> dict[str, str]:
    """Return one value per header name: `; ` between cookies, `, ` between others."""
    values: dict[str, str] = {}
    for name, value in fields:
        separator = "; " if name == "cookie" else ", "
        values[name] = f"{values[name]}{separator}{value}" if name in values else value
    return values


def digest_input(request: OuterRequest, carriers: Iterable[str] = ("authorization",)) -> str:
    """Return the text a caller's key is digested from (spec: visibility 7).

    One line per carrier, names sorted; an absent carrier keeps its line with an empty value.
    """
    names = tuple(name.lower() for name in carriers)
    return _digest_text(carried(request, names), names)


def _digest_text(fields: Headers, carriers: Iterable[str]) -> str:
    lines = []
    for carrier in sorted(name.lower() for name in carriers):
        value = ",".join(value for name, value in fields if name == carrier)
        lines.append(f"{carrier}={value}\n")
    return "".join(lines)


def carried(outer: OuterRequest, carriers: tuple[str, ...]) -> Headers:
    """Return the carrier headers of the outer request, repeated fields kept, in order."""
    if dict(outer.headers).keys().isdisjoint(carriers):
        return ()
    fields = tuple([pair for pair in outer.headers if pair[0] in carriers])
    if "cookie" not in carriers:
        return fields
    cookies = [value for name, value in fields if name == "cookie"]
    if len(cookies) < 2:
        return fields
    others = tuple(pair for pair in fields if pair[0] != "cookie")
    return (*others, ("cookie", "; ".join(cookies)))


async def identify(
    outer: OuterRequest,
    carriers: tuple[str, ...],
    project: Callable[[OuterRequest], Any] | None,
    settle: Settle,
    *,
    environ: tuple[str, ...] = (),
) -> McpCaller:
    """Return the caller of an MCP request; the one composition for invoke, facts and probe.

    Args:
        outer: the MCP request.
        carriers: names of its headers that travel with a call.
        project: the host's `identity.project`.
        settle: waits for what that gives.
        environ: names of the keys of a WSGI request that travel as well.

    Raises:
        InvocationError: `internal_error` when the projection fails or names a header that is not
            a declared carrier.
    """
    if project is None:
        return unprojected(outer, carriers, environ)
    try:
        answer = await settle(project(outer))
    except (Exception, SystemExit) as fault:
        raise _refused("identity.project raised", fault) from fault
    return project_onto(outer, carriers, answer, environ)


def unprojected(
    outer: OuterRequest, carriers: tuple[str, ...], environ: tuple[str, ...] = ()
) -> McpCaller:
    """Return the caller of an MCP request where the host projects nothing."""
    return McpCaller(
        fields=carried(outer, carriers),
        client=outer.client,
        attributes=_NO_ATTRIBUTES,
        carriers=carriers,
        environ=_named(outer, environ),
    )


def _named(outer: OuterRequest, environ: tuple[str, ...]) -> Mapping[str, Any]:
    if not environ:
        return _NO_ATTRIBUTES
    return MappingProxyType({name: outer.native[name] for name in environ if name in outer.native})


def project_onto(
    outer: OuterRequest, carriers: tuple[str, ...], answer: object, environ: tuple[str, ...] = ()
) -> McpCaller:
    """Apply a projection's answer to the carried headers; never adds an undeclared name."""
    projection = answer if isinstance(answer, Projection) else Projection(_as_mapping(answer))
    replaced: dict[str, str | None] = {}
    for name, value in projection.headers.items():
        lowered = name.lower()
        if lowered not in carriers:
            raise _refused(f"identity.project returned {name!r}, which is not a declared carrier")
        replaced[lowered] = _clean(lowered, value)
    received = carried(outer, carriers)
    kept = [pair for pair in received if pair[0] not in replaced]
    added = [(name, value) for name, value in replaced.items() if value is not None]
    return McpCaller(
        fields=(*kept, *added),
        client=outer.client,
        attributes=MappingProxyType(dict(projection.attributes)),
        carriers=carriers,
        received=received,
        environ=_named(outer, environ),
    )


def _as_mapping(answer: object) -> Mapping[str, str | None]:
    if answer is None:
        return {}
    if not isinstance(answer, Mapping) or not all(isinstance(name, str) for name in answer):
        raise _refused("identity.project returned neither a mapping nor a Projection")
    return answer


def _clean(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or _FORBIDDEN & set(value) or max(value, default="") > "\xff":
        LOGGER.warning("identity.project gave %r a value no header can carry; it is removed", name)
        return None
    return value


def _refused(reason: str, fault: BaseException | None = None) -> InvocationError:
    LOGGER.error("the caller could not be composed: %s", reason, exc_info=fault)
    return InvocationError(
        ErrorCode.INTERNAL_ERROR, "The tool layer failed while handling the call."
    )
