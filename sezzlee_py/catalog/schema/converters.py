"""Converters of Starlette and Werkzeug routes as schemas (spec: schema 6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeGuard

_ARGUMENT: Final = re.compile(
    r"""\s*(?:(?P<name>\w+)\s*=\s*)?(?P<value>"[^"]*"|'[^']*'|[^,"']*?)\s*(?:,|$)"""
)
_WORDS: Final[Mapping[str, Any]] = MappingProxyType({"True": True, "False": False, "None": None})
# The order in which Werkzeug's own converters take positional arguments.
_POSITIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "string": ("minlength", "maxlength", "length"),
        "default": ("minlength", "maxlength", "length"),
        "int": ("fixed_digits", "min", "max", "signed"),
        "float": ("min", "max", "signed"),
    }
)


def converter_schema(name: str | None, arguments: str | None = None) -> dict[str, Any]:
    """Return the schema of the values that the converter `name` accepts.

    Args:
        name: as the route spells it (`int`, `path`, `any`); `None` where it names none.
        arguments: the text between its brackets, in Werkzeug's notation (`min=1, max=9`).

    Returns:
        The schema; a plain string for a converter of the host's own, whose expression is not
        published.

    Example:
        >>> converter_schema("int", "min=1")
        {'type': 'integer', 'minimum': 1}
    """
    schema = _CONVERTERS.get(name or "default")
    if schema is None:
        return {"type": "string"}
    positional, named = read_arguments(arguments or "")
    named = {**dict(zip(_POSITIONS.get(name or "default", ()), positional, strict=False)), **named}
    return schema(positional, named)


def demands_fraction(name: str | None) -> bool:
    """Whether Werkzeug's converter `name` refuses a number that is written without a fraction."""
    return name == "float"


def read_arguments(text: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the positional and the named arguments of a Werkzeug converter."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    at = 0
    while at < len(text):
        match = _ARGUMENT.match(text, at)
        if match is None or match.end() == at:
            break
        at = match.end()
        value = _read_value(match["value"])
        if match["name"]:
            named[match["name"]] = value
        else:
            positional.append(value)
    return tuple(positional), named


def _read_value(text: str) -> Any:
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounds(named: Mapping[str, Any]) -> dict[str, Any]:
    bounds: dict[str, Any] = {}
    lowest = named.get("min")
    if not named.get("signed"):
        # Without a sign the route matches digits only.
        bounds["minimum"] = max(lowest, 0) if _is_number(lowest) else 0
    elif _is_number(lowest):
        bounds["minimum"] = lowest
    if _is_number(named.get("max")):
        bounds["maximum"] = named["max"]
    return bounds


def _integer(_: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    digits = named.get("fixed_digits")
    if isinstance(digits, int) and digits > 0:
        # Werkzeug counts the sign as a digit.
        signed = f"(-[0-9]{{{digits - 1}}}|[0-9]{{{digits}}})"
        pattern = signed if named.get("signed") and digits > 1 else f"[0-9]{{{digits}}}"
        return {"type": "string", "pattern": f"^{pattern}$"}
    return {"type": "integer", **_bounds(named)}


def _number(_: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "number", **_bounds(named)}


def _string(_: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    length = named.get("length")
    if isinstance(length, int):
        return {"type": "string", "minLength": length, "maxLength": length}
    limits = {"minLength": named.get("minlength"), "maxLength": named.get("maxlength")}
    kept = {key: value for key, value in limits.items() if isinstance(value, int)}
    return {"type": "string", **kept}


def _uuid(*_: Any) -> dict[str, Any]:
    return {"type": "string", "format": "uuid"}


def _any(items: tuple[Any, ...], _: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "string", "enum": [str(item) for item in items]}


def _plain(*_: Any) -> dict[str, Any]:
    return {"type": "string"}


_Reader: TypeAlias = Callable[[tuple[Any, ...], Mapping[str, Any]], dict[str, Any]]
_CONVERTERS: Final[Mapping[str, _Reader]] = MappingProxyType(
    {
        "default": _string,
        "string": _string,
        "str": _plain,
        "path": _plain,
        "int": _integer,
        "float": _number,
        "uuid": _uuid,
        "any": _any,
    }
)
