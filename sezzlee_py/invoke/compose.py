"""Flat arguments to an HTTP request: the order of steps (spec: arguments 2).

What depends on the template alone is compiled once, into a `Composer` that a tool keeps; a call
then only looks values up and writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from sezzlee_py.errors import CompositionError
from sezzlee_py.invoke import faults
from sezzlee_py.invoke.admission import admission
from sezzlee_py.invoke.bodies import BodyPlan, Values, body_plan, inline_bytes
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.encoding import encode_path_literal
from sezzlee_py.invoke.fills import MISSING
from sezzlee_py.invoke.parameters import (
    cookie_names,
    cookie_writer,
    header_writer,
    is_absent_in_path,
    path_writer,
)
from sezzlee_py.invoke.query import query_writer, querystring_writer
from sezzlee_py.invoke.slots import HiddenSlot, ValueKey, guarded, hidden_slots, value_key
from sezzlee_py.model import (
    ComposedRequest,
    Constant,
    Headers,
    JSONValue,
    ParameterLocation,
    ParameterSlot,
    Provider,
    RequestContent,
    RequestTemplate,
)
from sezzlee_py.model.routes import route_pieces

MAX_INLINE_FILE_BYTES: Final = 1_048_576
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})
_TO_QUERY: Final = {
    ParameterLocation.QUERY: query_writer,
    ParameterLocation.QUERYSTRING: querystring_writer,
}


_Keyed: TypeAlias = list[tuple[ValueKey, ParameterSlot]]


class Composer:
    """Composes the requests of one tool; build it once per template and keep it.

    Attributes:
        template: the compiled template.
        sources: the fill sources it needs values of, each once.
    """

    def __init__(self, template: RequestTemplate) -> None:
        self.template = template
        keyed = [
            (value_key(p.agent_name, f"{p.location} {p.name!r}", p.fill), p)
            for p in template.parameters
        ]
        self._admission = admission(template)
        self._path = _PathPlan(template.route, _at(keyed, ParameterLocation.PATH))
        self._query = [
            (key, guarded(_TO_QUERY[slot.location](slot), key))
            for key, slot in keyed
            if slot.location in _TO_QUERY
        ]
        self._headers = [
            (key, slot.name.lower(), guarded(header_writer(slot), key))
            for key, slot in _at(keyed, ParameterLocation.HEADER)
        ]
        self._cookies = _CookiePlan(_at(keyed, ParameterLocation.COOKIE))
        self._writes_no_header = not any(
            slot.location in (ParameterLocation.HEADER, ParameterLocation.COOKIE)
            for _, slot in keyed
        )
        self._body = body_plan(template.body) if template.body is not None else None
        self._hidden = _parameters_hidden(keyed) + (self._body.hidden if self._body else ())
        self.sources = _sources(self._hidden)

    def compose(
        self,
        arguments: JSONValue,
        *,
        fills: Mapping[str, object] = _NOTHING,
        carrier_cookies: str | None = None,
        max_inline_file_bytes: int = MAX_INLINE_FILE_BYTES,
    ) -> ComposedRequest:
        """Return the request that `arguments` make: the same bytes for the same input.

        Args:
            arguments: the agent's flat arguments.
            fills: the values of `sources`; `MISSING` or no entry where there is none.
            carrier_cookies: the `Cookie` header that carries the caller's identity.
            max_inline_file_bytes: budget of all base64 files of the call, decoded.

        Raises:
            CompositionError: the arguments, or a fill, do not fit the operation.
        """
        extras = self._admission.admit(arguments)
        values = self._with_fills(arguments, fills) if self._hidden else arguments
        path, path_values = self._path.compose(values)
        return ComposedRequest(
            method=self.template.method,
            path=path,
            path_values=path_values,
            query="&".join(_written(self._query, values)) if self._query else "",
            headers=self._data_headers(values, carrier_cookies),
            content=None
            if self._body is None
            else self._content(self._body, values, extras, max_inline_file_bytes),
        )

    def _data_headers(self, values: Values, carrier_cookies: str | None) -> Headers:
        if self._writes_no_header and not carrier_cookies:
            return ()
        headers = [
            (name, text)
            for key, name, write in self._headers
            if key in values and (text := write(values[key])) is not None
        ]
        cookie = self._cookies.write(values, carrier_cookies)
        if cookie:
            headers.append(("cookie", cookie))
        return tuple(headers)

    def _with_fills(
        self, arguments: Mapping[str, JSONValue], fills: Mapping[str, object]
    ) -> Values:
        values: dict[Any, JSONValue] = dict(arguments)
        for slot in self._hidden:
            value = _fill_value(slot, fills)
            if value is not MISSING:
                values[slot.key] = value
            elif slot.required:
                LOGGER.warning("fill of %s from %s has no value", slot.key.place, slot.key.source)
                raise faults.fill_missing()
        return values

    def _content(
        self, body: BodyPlan, values: Values, extras: list[str], limit: int
    ) -> RequestContent | None:
        content = body.write(values, extras)
        if content is not None and content.data is None:
            total = inline_bytes(content)
            if total > limit:
                refs_offered = body.refs_offered
                raise faults.inline_files_too_large(total, limit, refs_offered=refs_offered)
        return content


def compose(
    template: RequestTemplate,
    arguments: JSONValue,
    *,
    fills: Mapping[str, object] = _NOTHING,
    carrier_cookies: str | None = None,
    max_inline_file_bytes: int = MAX_INLINE_FILE_BYTES,
) -> ComposedRequest:
    """Return what `Composer(template).compose` would, for a template that is used once."""
    return Composer(template).compose(
        arguments,
        fills=fills,
        carrier_cookies=carrier_cookies,
        max_inline_file_bytes=max_inline_file_bytes,
    )


class _PathPlan:
    """A route cut into fixed text, encoded once, and the parameters between."""

    def __init__(self, route: str, keyed: _Keyed) -> None:
        pieces = route_pieces(route)
        names = [slot.name for _, slot in keyed]
        self._literals = [encode_path_literal(text) for text in pieces[::2]]
        self._order = [names.index(name) for name in pieces[1::2]]
        self._slots = [
            (key, slot.agent_name, guarded(path_writer(slot), key)) for key, slot in keyed
        ]
        self._names = names
        # Whether a value may hold what separates it from its neighbour, so that the path alone
        # does not say which value is which.
        self._is_ambiguous = len(self._order) > 1 and (
            any("/" not in text for text in pieces[2:-1:2])
            or any(slot.spans_segments for _, slot in keyed)
        )

    def compose(self, values: Values) -> tuple[str, Mapping[str, str] | None]:
        """Return the path, and the values in it as a router reads them where it is ambiguous."""
        if not self._slots:
            return self._literals[0], None
        written = self._write(values)
        return self._join(written), self._named(written) if self._is_ambiguous else None

    def _write(self, values: Values) -> list[str]:
        missing = [
            name
            for key, name, _ in self._slots
            if isinstance(key, str) and is_absent_in_path(values.get(key))
        ]
        if missing:
            raise faults.path_missing(missing)
        return [write(values[key]) for key, _, write in self._slots]

    def _join(self, written: list[str]) -> str:
        pieces = [self._literals[0]]
        for literal, position in zip(self._literals[1:], self._order, strict=True):
            pieces += (written[position], literal)
        return "".join(pieces)

    def _named(self, written: list[str]) -> Mapping[str, str]:
        return dict(zip(self._names, map(unquote, written), strict=True))


class _CookiePlan:
    """Every cookie pair of a request in one header, behind those that carry identity."""

    def __init__(self, keyed: _Keyed) -> None:
        self._slots = [
            (key, slot.name, slot.agent_name, guarded(cookie_writer(slot), key))
            for key, slot in keyed
        ]

    def write(self, values: Values, carried: str | None) -> str | None:
        taken = cookie_names(carried) if carried and self._slots else frozenset()
        pairs = [carried] if carried else []
        for key, name, agent_name, write in self._slots:
            pair = write(values[key]) if key in values else None
            if pair is None:
                continue
            if name in taken:
                raise _cookie_fault(key, agent_name)
            pairs.append(pair)
        return "; ".join(pairs)


def _cookie_fault(key: ValueKey, agent_name: str) -> CompositionError:
    if isinstance(key, str):
        return faults.cookie_taken(agent_name)
    # An agent can leave out only what it can see.
    LOGGER.warning("fill of %s from %s has a carrier's name", key.place, key.source)
    return faults.fill_invalid()


def _at(keyed: _Keyed, location: ParameterLocation) -> _Keyed:
    return [(key, slot) for key, slot in keyed if slot.location is location]


def _parameters_hidden(keyed: _Keyed) -> tuple[HiddenSlot, ...]:
    return hidden_slots(
        [
            (key, slot.fill, slot.required or slot.location is ParameterLocation.PATH)
            for key, slot in keyed
        ],
        keeps_null=False,
    )


def _sources(hidden: Iterable[HiddenSlot]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(slot.fill.source for slot in hidden if isinstance(slot.fill, Provider))
    )


def _fill_value(slot: HiddenSlot, fills: Mapping[str, object]) -> Any:
    if isinstance(slot.fill, Constant):
        value: Any = slot.fill.value
    elif isinstance(slot.fill, Provider):
        value = fills.get(slot.fill.source, MISSING)
    else:
        return MISSING
    return MISSING if value is None and not slot.keeps_null else value


def _written(slots: list[tuple[ValueKey, Callable[[JSONValue], str]]], values: Values) -> list[str]:
    return [text for key, write in slots if key in values and (text := write(values[key]))]
