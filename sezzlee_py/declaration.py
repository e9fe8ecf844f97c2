"""Decorators that say what is offered to agents, and how: metadata only, nothing is wrapped."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Protocol, TypeAlias, TypedDict, TypeVar, cast, overload

from typing_extensions import Unpack

from sezzlee_py import declaration_checks as check
from sezzlee_py.declaration_record import (
    DeclarationRecord,
    FamilyDeclaration,
    Member,
    attach,
    container_records,
    declared_keywords,
    declared_objects,
    read_record,
    store,
)
from sezzlee_py.model import Arg, Variant
from sezzlee_py.option_checks import near_name

__all__ = [
    "Arg",
    "DeclarationRecord",
    "FamilyDeclaration",
    "Member",
    "container_records",
    "declare",
    "declared_objects",
    "mcp_family",
    "mcp_ignore",
    "mcp_tool",
    "mcp_variant",
    "read_record",
]

# A string is a sequence of strings to a type checker, so the two real spellings are named.
Texts: TypeAlias = list[str] | tuple[str, ...]
Responses: TypeAlias = Mapping[int, Any] | Mapping[str, Any] | Mapping[int | str, Any]
Target = TypeVar("Target", bound=Callable[..., Any])
Function = TypeVar("Function", bound=Callable[..., Any])

_ON_FUNCTIONS_ONLY = frozenset({"name", "description", "body", "query", "responses", "files"})
_FUNCTIONS = (
    *(FunctionType, MethodType, BuiltinFunctionType),
    *(functools.partial, staticmethod, classmethod),
)


class ToolKeywords(TypedDict, total=False):
    """The keywords of `mcp_tool`, for `declare`."""

    name: str | None
    prefix: str | None
    description: str | None
    tags: Texts | None
    search_terms: Texts | None
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    arguments: Mapping[str, Arg] | None
    body: Any
    query: Any
    responses: Responses | None
    consumes: str | None
    files: Texts | None


def _suggesting(function: Function) -> Function:
    """Have a misspelt keyword refused with the one that was meant, which Python does from 3.13."""
    known = tuple(inspect.signature(function).parameters)

    @functools.wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        _check_known(function.__name__, keywords, known)
        return function(*args, **keywords)

    return cast("Function", checked)


def _check_known(name: str, keywords: Iterable[str], known: Iterable[str]) -> None:
    known = sorted(known)
    for keyword in keywords:
        if keyword not in known:
            near = near_name(keyword, known)
            raise TypeError(f"{name}() got an unexpected keyword argument {keyword!r}{near}")


class Decorator(Protocol):
    """Takes a function or class and returns the same object."""

    def __call__(self, target: Target, /) -> Target:
        """Return `target` itself."""


@overload
def mcp_tool(target: Target, /) -> Target: ...


@overload
def mcp_tool(
    name: str | None = None,
    *,
    prefix: str | None = None,
    description: str | None = None,
    tags: Texts | None = None,
    search_terms: Texts | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    arguments: Mapping[str, Arg] | None = None,
    body: Any = None,
    query: Any = None,
    responses: Responses | None = None,
    consumes: str | None = None,
    files: Texts | None = None,
) -> Decorator: ...


@_suggesting
def mcp_tool(
    name: Any = None,
    *,
    prefix: str | None = None,
    description: str | None = None,
    tags: Texts | None = None,
    search_terms: Texts | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    arguments: Mapping[str, Arg] | None = None,
    body: Any = None,
    query: Any = None,
    responses: Responses | None = None,
    consumes: str | None = None,
    files: Texts | None = None,
) -> Any:
    """Offer a function, or the operations of a class, to agents; the object comes back as it is.

    Works bare (`@mcp_tool`) and called (`@mcp_tool("export_orders", tags=["orders"])`). What is
    left `None` is not declared here: the class, the router and the options speak next.

    Args:
        name: full tool name, used as written; functions only.
        prefix: first word of derived names; an empty string means no prefix.
        description: what the agent reads about the tool; functions only.
        tags: replaces the tags of the class, router and framework; `[]` means no tags.
        search_terms: further words that find the tool; never shown.
        read_only: declares the hint that nothing is changed.
        destructive: declares the hint that something may be lost.
        idempotent: declares the hint that a repeated call changes nothing more.
        arguments: how arguments are shown or filled, by wire name.
        body: type or JSON Schema of the body, where the framework does not tell; `False` says that
            the operation reads none.
        query: type whose fields are the query parameters, or `"group"` / `"flat"`.
        responses: type or JSON Schema of the answer, by status.
        consumes: the media type the body is written in.
        files: names of the file fields of a multipart body.

    Raises:
        TypeError: a value of a wrong type, or a keyword that has no meaning on this target.
        ValueError: a value of the right type that cannot be used.
        DeclarationError: the function is declared twice and the two contradict each other.
    """
    target = name if callable(name) else None
    record = _record(
        _caller(),
        name=None if target is not None else name,
        prefix=prefix,
        description=description,
        tags=tags,
        search_terms=search_terms,
        read_only=read_only,
        destructive=destructive,
        idempotent=idempotent,
        arguments=arguments,
        body=body,
        query=query,
        responses=responses,
        consumes=consumes,
        files=files,
    )
    return _decorator("mcp_tool", record) if target is None else _mark("mcp_tool", target, record)


def mcp_ignore(target: Target, /) -> Target:
    """Keep a function, or the operations of a class, from agents; a nearer `@mcp_tool` wins.

    Raises:
        TypeError: the target is neither a function nor a class.
    """
    return _mark("mcp_ignore", target, DeclarationRecord(exclude=True).at(_caller()))


@_suggesting
def mcp_variant(
    name: str,
    *,
    description: str,
    arguments: Mapping[str, Arg] | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
) -> Decorator:
    """Offer a function as one tool per variant; repeatable, read from top to bottom.

    Args:
        name: full name of this tool.
        description: what the agent reads about it.
        arguments: how its arguments are shown or filled; `Arg()` restores an argument.
        read_only: declares the hint that nothing is changed.
        destructive: declares the hint that something may be lost.
        idempotent: declares the hint that a repeated call changes nothing more.

    Raises:
        TypeError: a value of a wrong type, or the target is not a function.
        ValueError: an empty name or description.
    """
    variant = Variant(
        name=check.filled_text("name", name),
        description=check.filled_text("description", description),
        arguments=check.curations(check.arguments(arguments)),
        annotations=check.hints(
            read_only=read_only, destructive=destructive, idempotent=idempotent
        ),
    )
    record = DeclarationRecord(include=True, variants=(variant,)).at(_caller())
    return _decorator("mcp_variant", record)


@_suggesting
def mcp_family(
    parameter: str, *, members: Sequence[Member] | None = None, source: str | None = None
) -> Decorator:
    """Offer a dispatching function as one tool per value of `parameter`.

    Args:
        parameter: wire name of the argument that says what the call means.
        members: the tools, written in code.
        source: name in `options.families` of the callable that lists them.

    Raises:
        TypeError: a value of a wrong type, neither or both of `members` and `source`, or the
            target is not a function.
        DeclarationError: the function already is another family.
    """
    if (members is None) == (source is None):
        raise TypeError("mcp_family() takes either members= or source=")
    family = FamilyDeclaration(
        parameter=check.filled_text("parameter", parameter),
        members=None if members is None else check.instances("members", members, Member),
        source=None if source is None else check.filled_text("source", source),
    )
    return _decorator("mcp_family", DeclarationRecord(include=True, family=family).at(_caller()))


def declare(target: object, *, ignore: bool = False, **keywords: Unpack[ToolKeywords]) -> None:
    """Declare what cannot carry a decorator: a router, blueprint, mount, application, or function.

    The keywords are those of `mcp_tool`; `ignore=True` stands alone and keeps the target from
    agents. The object is left as it is and is not kept alive.

    Raises:
        TypeError: a value of a wrong type, a keyword that has no meaning on this target, or a
            target that nothing can be kept beside.
        ValueError: a value of the right type that cannot be used.
        DeclarationError: the target is declared already and the two contradict each other.
    """
    _check_known("declare", keywords, (*ToolKeywords.__optional_keys__, "ignore"))
    place = _caller()
    record = _record(place, **keywords)
    given = declared_keywords(record)
    if ignore and given:
        raise TypeError(f"declare(ignore=True) stands alone; drop {', '.join(given)}")
    _check_keywords("declare", target, record)
    store(target, DeclarationRecord(exclude=True).at(place) if ignore else record)


def _record(place: str, **given: Any) -> DeclarationRecord:
    """The checked record of one `mcp_tool` or `declare`, with where it was written."""
    record = DeclarationRecord(
        include=True,
        name=check.text("name", given.get("name")),
        prefix=check.text("prefix", given.get("prefix")),
        description=check.text("description", given.get("description")),
        tags=check.texts("tags", given.get("tags")),
        search_terms=check.texts("search_terms", given.get("search_terms")),
        hints=check.hints(
            read_only=given.get("read_only"),
            destructive=given.get("destructive"),
            idempotent=given.get("idempotent"),
        ),
        arguments=check.arguments(given.get("arguments")),
        body=check.body(given.get("body"), given.get("files")),
        query=check.query(given.get("query")),
        responses=check.responses(given.get("responses")),
        consumes=check.media_type(given.get("consumes")),
        files=check.texts("files", given.get("files")),
    )
    return record.at(place)


def _caller() -> str:
    """Where the host wrote the declaration: `module:line`, never a path of the machine."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals is globals():
        frame = frame.f_back
    return f"{frame.f_globals.get('__name__', '?')}:{frame.f_lineno}"


def _decorator(decorator: str, record: DeclarationRecord) -> Decorator:
    def decorate(target: Target, /) -> Target:
        return _mark(decorator, target, record)

    return decorate


def _mark(decorator: str, target: Target, record: DeclarationRecord) -> Target:
    if not isinstance(target, type) and not _is_function(target):
        way_out = "use declare()" if hasattr(target, "__dict__") else "put it on a function"
        raise TypeError(f"@{decorator} takes a function or a class, got {target!r}; {way_out}")
    _check_keywords(decorator, target, record)
    attach(target, record)
    return target


def _check_keywords(decorator: str, target: object, record: DeclarationRecord) -> None:
    if _is_function(target):
        return
    kind = "class" if isinstance(target, type) else type(target).__name__
    if record.variants or record.family is not None:
        raise TypeError(f"@{decorator} takes a function, got the {kind} {target!r}")
    for keyword in declared_keywords(record):
        if keyword in _ON_FUNCTIONS_ONLY:
            raise TypeError(
                f"{decorator}({keyword}=) speaks about one operation and means nothing on the "
                f"{kind} {target!r}; put it on the function"
            )


def _is_function(target: object) -> bool:
    """Whether the target is one endpoint rather than what holds several."""
    if isinstance(target, _FUNCTIONS):
        return True
    # Routers, mounts and applications can be called too; what they have and endpoints have not
    # is a table of routes.
    holds_routes = hasattr(target, "routes") or hasattr(target, "url_map")
    return callable(target) and not isinstance(target, type) and not holds_routes
