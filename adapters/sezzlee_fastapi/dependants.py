"""FastAPI's dependency trees: what a route asks for, at any depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fastapi.dependencies.models import Dependant
from fastapi.security.base import SecurityBase

from sezzlee_py.catalog.handlers import unwrapped

# The order in which FastAPI writes parameters.
LOCATIONS: Final = ("path", "query", "header", "cookie")


def tree(dependant: Dependant) -> Iterator[Dependant]:
    """Yield a dependant and everything below it, each callable's dependant where it stands."""
    waiting = [dependant]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.dependencies)


def scheme_of(dependant: Dependant) -> SecurityBase | None:
    """Return the security scheme that a dependant stands for, if it stands for one."""
    scheme = unwrapped(dependant.call)
    return scheme if isinstance(scheme, SecurityBase) else None


def scopes_of(dependant: Dependant) -> tuple[str, ...]:
    """Return the OAuth scopes that `Security(..., scopes=[...])` asks for at a dependant."""
    # One attribute up to 0.122, in which those of the parents are counted in; another since.
    found = getattr(dependant, "own_oauth_scopes", None) or getattr(
        dependant, "security_scopes", None
    )
    return tuple(found or ())


def wire_name(location: str, field: Any) -> str:
    """Return the name under which a parameter travels."""
    alias = str(field.alias)
    if location != "header" or alias != field.name:
        return alias
    converts = getattr(field.field_info, "convert_underscores", True)
    return alias.replace("_", "-") if converts else alias
