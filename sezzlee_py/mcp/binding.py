"""An agent's meta-arguments as one call, or why they are refused (spec: tool-definition 10)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.mcp.meta_tools import (
    DEFAULT_LIMIT,
    INVOKE_TOOL,
    LOAD_TOOL,
    MAX_LIMIT,
    META_ARGUMENTS,
    REQUIRED_META_ARGUMENTS,
    SEARCH_TOOLS,
)
from sezzlee_py.model import JSONObject, JSONValue, json_kind, read_json
from sezzlee_py.model.quick import quick

LOGGER: Final = logging.getLogger("sezzlee_py")

Detail: TypeAlias = Literal["card", "schema"]

_SHOWN_NAMES: Final = 10
# No tool has so many tags; what follows is not read.
_MOST_TEXTS: Final = 100
_SHOWN_CHARACTERS: Final = 64


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCall:
    """A bound `search_tools`."""

    query: str
    limit: int = DEFAULT_LIMIT
    detail: Detail = "card"
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadCall:
    """A bound `load_tool`."""

    name: str


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class InvokeCall:
    """A bound `invoke_tool`; of a tool listed directly too, which states no version."""

    name: str
    arguments: JSONObject
    version: str | None = None


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call whose own arguments do not bind; it is answered with the envelope of `error`."""

    error: InvocationError


_BoundCall: TypeAlias = SearchCall | LoadCall | InvokeCall
MetaCall: TypeAlias = _BoundCall | RefusedCall


def bind(tool: str, arguments: JSONValue) -> _BoundCall:
    """Return the call that `arguments` make of the meta-tool `tool`.

    Raises:
        InvocationError: a meta-argument is missing, unknown or of the wrong type.
    """
    return _BINDERS[tool](_known(tool, bind_arguments(arguments)))


def bind_arguments(value: JSONValue) -> JSONObject:
    """Return an operation's arguments: the object, `{}` for null, or the object a text holds.

    Raises:
        InvocationError: `invalid_type` for everything else, naming the kind that arrived.
    """
    if value is None:
        return {}
    # A dict is told apart ten times faster than a mapping, and it is what JSON makes.
    if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101 - see above
        return value
    parsed = _object_in(value) if isinstance(value, str) else None
    if parsed is None:
        kind = json_kind(value)
        raise InvocationError(
            ErrorCode.INVALID_TYPE, f"Arguments must be a JSON object, not {kind}."
        )
    LOGGER.info("arguments arrived as JSON text and were read as the object it holds")
    return parsed


def _object_in(text: str) -> JSONObject | None:
    try:
        value = read_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _known(tool: str, arguments: JSONObject) -> JSONObject:
    taken = META_ARGUMENTS[tool]
    if not arguments.keys() <= taken.keys():
        unknown = [name for name in arguments if name not in taken]
        raise InvocationError(
            ErrorCode.UNKNOWN_ARGUMENT,
            f"Unknown argument(s): {_shown(unknown)}. Allowed: {', '.join(taken)}.",
        )
    if not REQUIRED_META_ARGUMENTS[tool] <= arguments.keys():
        missing = [name for name, required in taken.items() if required and name not in arguments]
        raise InvocationError(
            ErrorCode.UNKNOWN_ARGUMENT,
            f"Missing argument(s): {', '.join(missing)}. Allowed: {', '.join(taken)}.",
        )
    return arguments


def _shown(names: Iterable[str]) -> str:
    """The names as a message may hold them: an agent's own words, but not all of a flood."""
    listed = list(names)
    shown = [shorten(name) for name in listed[:_SHOWN_NAMES]]
    return ", ".join(shown) + (", …" if len(listed) > _SHOWN_NAMES else "")


def shorten(name: str) -> str:
    """Return a name from outside as it may stand in a message."""
    return name if len(name) <= _SHOWN_CHARACTERS else f"{name[: _SHOWN_CHARACTERS - 1]}…"


def _search(arguments: JSONObject) -> SearchCall:
    return SearchCall(
        query=_text("query", arguments["query"]),
        limit=clamp_limit(arguments.get("limit")),
        detail="schema" if arguments.get("detail") == "schema" else "card",
        tags=_texts("tags", arguments.get("tags")),
    )


def _load(arguments: JSONObject) -> LoadCall:
    return LoadCall(name=_text("name", arguments["name"]))


def _invoke(arguments: JSONObject) -> InvokeCall:
    version = arguments.get("version")
    return InvokeCall(
        name=_text("name", arguments["name"]),
        arguments=bind_arguments(arguments.get("arguments")),
        version=None if version is None else _text("version", version),
    )


_BINDERS: Final[Mapping[str, Callable[[JSONObject], _BoundCall]]] = {
    SEARCH_TOOLS: _search,
    LOAD_TOOL: _load,
    INVOKE_TOOL: _invoke,
}


def clamp_limit(value: JSONValue) -> int:
    """Return `value` within 1 and 50; what is no integer is the default."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return DEFAULT_LIMIT
    return min(max(value, 1), MAX_LIMIT)


def _text(name: str, value: JSONValue) -> str:
    if isinstance(value, str):
        return value
    raise InvocationError(ErrorCode.INVALID_TYPE, f"Argument '{name}' must be of type string.")


def _texts(name: str, value: JSONValue) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InvocationError(ErrorCode.INVALID_TYPE, f"Argument '{name}' must be an array.")
    if not all(isinstance(item, str) for item in value):
        raise InvocationError(
            ErrorCode.INVALID_TYPE, f"Argument '{name}' must be an array of strings."
        )
    return tuple(value[:_MOST_TEXTS])
