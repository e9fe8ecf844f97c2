"""Checks of what decorators are given: return what is kept, or raise with what was expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from sezzlee_py.model import AnnotationHints, Arg, ArgumentCuration
from sezzlee_py.model.curation_checks import checked_arguments

Item = TypeVar("Item")

# Values that are certainly neither a type nor a schema; numbers include True and False.
_PLAIN: Final = (list, tuple, set, frozenset, int, float, bytes)

_STATUS: Final = re.compile(r"[1-5](?:\d\d|XX)|default")
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+*-]+(?:\s*;.*)?", re.ASCII)


def text(keyword: str, value: Any) -> str | None:
    """Check for a string; `None` means not declared."""
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{keyword}=: expected a string, got {value!r}")


def filled_text(keyword: str, value: Any) -> str:
    """Check for a string that says something."""
    if not isinstance(value, str):
        raise TypeError(f"{keyword}=: expected a string, got {value!r}")
    if not value.strip():
        raise ValueError(f"{keyword}=: expected a string that is not empty")
    return value


def texts(keyword: str, value: Any) -> tuple[str, ...] | None:
    """Check for a list of strings; an empty one is a declaration, `None` is none."""
    if value is None:
        return None
    # A bare string is iterable, and a set has no order to publish.
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{keyword}=: expected a list of strings, got {value!r}")
    return tuple(value)


def instances(keyword: str, value: Any, kind: type[Item]) -> tuple[Item, ...]:
    """Check for a list of one type."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, kind) for item in value):
        raise TypeError(f"{keyword}=: expected a list of {kind.__name__}, got {value!r}")
    return tuple(value)


def hints(*, read_only: Any, destructive: Any, idempotent: Any) -> AnnotationHints:
    """Check for three hints, each `True`, `False` or not declared."""
    given = {"read_only": read_only, "destructive": destructive, "idempotent": idempotent}
    for keyword, value in given.items():
        if value is not None and not isinstance(value, bool):
            raise TypeError(f"{keyword}=: expected True or False, got {value!r}")
    return AnnotationHints(**given)


def arguments(value: Any) -> Mapping[str, Arg] | None:
    """Check for a mapping of wire names to `Arg`."""
    return None if value is None else checked_arguments(value)


def curations(checked: Mapping[str, Arg] | None) -> tuple[ArgumentCuration, ...]:
    """Return the records that a mapping of wire names to `Arg` stands for, in its order."""
    return tuple(
        ArgumentCuration(
            name=name, agent_name=arg.agent_name, description=arg.description, hidden=arg.hidden
        )
        for name, arg in (checked or {}).items()
    )


def query(value: Any) -> Any:
    """Check for a type, a schema, or one of the two groupings."""
    if isinstance(value, str) and value not in {"group", "flat"}:
        raise ValueError(f"query=: expected a type, a schema, 'group' or 'flat', got {value!r}")
    return _annotation("query", "a type or schema whose fields are the parameters", value)


def body(value: Any, files: Any = None) -> Any:
    """Check for a type, a schema, or `False` for no body at all, hence no files."""
    if value is False and files:
        raise ValueError(f"body=False says that there is no body; drop it, or files={files!r}")
    if value is False:
        return value
    return _annotation("body", "a type, a JSON Schema, or False for no body", value)


def responses(value: Any) -> Mapping[str, Any] | None:
    """Check for a mapping of statuses to types or schemas; statuses are kept as text."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeError(f"responses=: expected a mapping of statuses to types, got {value!r}")
    return MappingProxyType({_status(status): kind for status, kind in value.items()})


def media_type(value: Any) -> str | None:
    """Check for one media type."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"consumes=: expected one media type, got {value!r}")
    if not _MEDIA_TYPE.fullmatch(value):
        raise ValueError(f"consumes=: expected one media type like 'text/csv', got {value!r}")
    return value


def _annotation(keyword: str, expected: str, value: Any) -> Any:
    """Check for what can be a type: a list of names, for instance, is none."""
    if isinstance(value, _PLAIN):
        raise TypeError(f"{keyword}=: expected {expected}; got {value!r}")
    return value


def _status(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError(f"responses=: expected a status, '2XX' or 'default', got {value!r}")
    # `http.HTTPStatus` is an int whose text is its name.
    status = str(int(value)) if isinstance(value, int) else value
    if not _STATUS.fullmatch(status):
        raise ValueError(f"responses=: expected a status, '2XX' or 'default', got {value!r}")
    return status
