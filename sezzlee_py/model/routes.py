"""Route templates: one spelling for every framework's placeholders (spec: naming 7)."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Innermost braces only, as Starlette's own pattern reads them: `{{id}}` is `{id}` between
# literal braces.
_BRACES = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?::([^{}]*))?\}")
# Werkzeug: `<name>`, `<int:name>`, `<string(length=2):name>`.
_ANGLES = re.compile(r"<(?:([A-Za-z_][A-Za-z0-9_]*)(\([^<>]*\))?:)?([A-Za-z_][A-Za-z0-9_]*)>")
# A descriptor written by hand may name `{order-id}`, as OpenAPI does, though no framework would.
_PLACEHOLDER = re.compile(r"\{([^{}/:]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placeholder:
    """A path parameter as the route spells it; `converter` is `None` where none is named."""

    name: str
    converter: str | None = None
    arguments: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalizedRoute:
    """A template with every placeholder as `{name}`, and what the spelling said about each."""

    template: str
    placeholders: tuple[Placeholder, ...]


def normalize_route(route: str) -> NormalizedRoute:
    """Return the template of `route` with its converters taken out.

    Reads Starlette (`{id:int}`) and Werkzeug (`<int:id>`) spellings; a template that is already
    normal comes back as it is.
    """
    found: list[Placeholder] = []

    def brace(match: re.Match[str]) -> str:
        found.append(Placeholder(name=match[1], converter=match[2]))
        return f"{{{match[1]}}}"

    def angle(match: re.Match[str]) -> str:
        arguments = match[2][1:-1] if match[2] else None
        found.append(Placeholder(name=match[3], converter=match[1], arguments=arguments))
        return f"{{{match[3]}}}"

    # One framework uses one spelling; a route holds the other's signs only as literal text.
    pattern, spell = (_BRACES, brace) if _BRACES.search(route) else (_ANGLES, angle)
    return NormalizedRoute(template=pattern.sub(spell, route), placeholders=tuple(found))


def placeholder_names(template: str) -> tuple[str, ...]:
    """Return the names of the placeholders of a normalised template, in order."""
    return tuple(_PLACEHOLDER.findall(template))


def route_pieces(template: str) -> tuple[str, ...]:
    """Return literal text and placeholder names of a template in turn, literals first and last."""
    return tuple(_PLACEHOLDER.split(template))


def is_root_catch_all(template: str, spanning: frozenset[str] | set[str]) -> bool:
    """Whether the route is one path-kind parameter after the root and nothing else.

    Args:
        template: a normalised template.
        spanning: names of the parameters whose converter accepts `/`.
    """
    match = _PLACEHOLDER.fullmatch(template.removeprefix("/"))
    return match is not None and match[1] in spanning
