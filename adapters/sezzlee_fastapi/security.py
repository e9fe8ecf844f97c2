"""What a FastAPI route says about its callers (spec: visibility 3, tiers T0 and T1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from fastapi.dependencies.models import Dependant
from fastapi.security.base import SecurityBase

from sezzlee_fastapi.dependants import scheme_of, scopes_of, tree
from sezzlee_py.catalog.auth_marker import (
    AuthMarker,
    merged_anonymous,
    merged_policies,
    read_marker,
    read_markers,
    settled_anonymous,
)
from sezzlee_py.model import Anonymous, Auth, Carrier, ParameterLocation


def route_auth(
    endpoint: object, owner: type | None, dependant: Dependant, outside: Sequence[Any]
) -> Auth:
    """Return what the dependency tree and the markers of a route declare.

    Args:
        endpoint: the handler as registered.
        owner: the class whose bound method it is.
        dependant: the route's tree, router and application dependencies included.
        outside: the `Depends` of router, application and decorator level.
    """
    dependants = tuple(tree(dependant))
    schemes = tuple(s for s in map(scheme_of, dependants) if s is not None)
    views = read_markers(target for target in (endpoint, owner) if target is not None)
    below = read_markers(found.call for found in dependants[1:] if found.call is not None)
    policies = merged_policies(
        (*views, *below), (f"scope:{name}" for found in dependants for name in scopes_of(found))
    )
    anonymous = _anonymous(views, below, dependant)
    said = next((m.imperative for m in views if m.imperative is not None), None)
    return Auth(
        anonymous=settled_anonymous(anonymous, policies),
        policies=policies,
        imperative=_is_imperative(dependant, outside) if said is None else said,
        carriers=scheme_carriers(schemes),
    )


def scheme_carriers(schemes: Iterable[SecurityBase]) -> tuple[Carrier, ...]:
    """Return the slots in which security schemes read identity, each once."""
    return tuple(dict.fromkeys(_carrier(scheme) for scheme in schemes))


def with_carriers(auth: Auth, more: Sequence[Carrier]) -> Auth:
    """Return `auth` with further slots of identity, each slot once."""
    if all(carrier in auth.carriers for carrier in more):
        return auth
    found = {_slot(carrier): carrier for carrier in reversed((*auth.carriers, *more))}
    return replace(auth, carriers=tuple(reversed(found.values())))


def _slot(carrier: Carrier) -> tuple[str, str]:
    # Header names compare without case.
    is_header = carrier.location is ParameterLocation.HEADER
    return carrier.location, carrier.name.lower() if is_header else carrier.name


def _carrier(scheme: SecurityBase) -> Carrier:
    model = getattr(scheme, "model", None)
    if _text(getattr(model, "type_", None)) != "apiKey":
        return Carrier(location=ParameterLocation.HEADER, name="authorization")
    location = ParameterLocation(_text(getattr(model, "in_", "header")))
    name = str(getattr(model, "name", ""))
    return Carrier(
        location=location, name=name.lower() if location is ParameterLocation.HEADER else name
    )


def _text(value: Any) -> str:
    return str(getattr(value, "value", value))


def _anonymous(
    views: Sequence[AuthMarker], below: Sequence[AuthMarker], dependant: Dependant
) -> Anonymous | None:
    said = merged_anonymous((*views, *below))
    if said is Anonymous.NO or merged_anonymous(views) is not None:
        return said
    # A scheme that lets everybody pass says nothing about who may call.
    refuses = any(
        getattr(scheme, "auto_error", False) is True for scheme in _unmarked_schemes(dependant)
    )
    return Anonymous.NO if refuses else said


def _unmarked_schemes(dependant: Dependant) -> Iterator[SecurityBase]:
    """Yield the schemes that no dependency above them speaks for.

    A database that is open to everybody opens no route with a guard beside it.
    """
    waiting = [*dependant.dependencies]
    while waiting:
        current = waiting.pop()
        marker = read_marker(current.call)
        if marker is not None and marker.anonymous is not None:
            continue
        scheme = scheme_of(current)
        if scheme is not None:
            yield scheme
        waiting += current.dependencies


def _is_imperative(dependant: Dependant, outside: Sequence[Any]) -> bool:
    """Whether code of the application decides: a guard outside, or a parameter that authenticates.

    A marker on a dependency speaks for that dependency.
    """
    guards = {id(depends.dependency) for depends in outside}
    for child in dependant.dependencies:
        marker = read_marker(child.call) or AuthMarker()
        if marker.imperative is not None:
            if marker.imperative:
                return True
        elif id(child.call) in guards or any(scheme_of(found) for found in tree(child)):
            return True
    return False
