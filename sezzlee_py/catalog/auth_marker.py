"""What a handler declares about its callers through `__mcp_auth__` (spec: visibility 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from sezzlee_py.catalog.handlers import attribute, is_decorated, layers
from sezzlee_py.errors import DeclarationError
from sezzlee_py.model import Anonymous, Auth
from sezzlee_py.option_checks import near_name

AUTH_MARKER: Final = "__mcp_auth__"

_KEYS: Final = ("anonymous", "policies", "imperative")
# What somebody writes who means the marker; an object that answers to any name gives others.
_WRITTEN: Final = (str, bool, int, list, tuple, set, frozenset)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthMarker:
    """One marker; `None` means that it is silent on it."""

    anonymous: Anonymous | None = None
    policies: tuple[str, ...] = ()
    imperative: bool | None = None


def read_marker(target: object) -> AuthMarker | None:
    """Return the marker of a view, class or dependency, looked up through its wrappers.

    Raises:
        DeclarationError: the marker is written in a way that says nothing; read as silence, it
            would leave a tool in sight of those whom it should keep away.
    """
    for layer in layers(target):
        raw = attribute(layer, AUTH_MARKER)
        if isinstance(raw, Mapping):
            return _marker(layer, raw)
        if isinstance(raw, _WRITTEN):
            _refuse(layer, f"expected a mapping such as {{'anonymous': 'no'}}, got {raw!r}")
    return None


def _marker(target: object, raw: Mapping[object, object]) -> AuthMarker:
    for key in raw:
        if key not in _KEYS:
            _refuse(target, f"unknown key {key!r}{near_name(str(key), _KEYS)}")
    anonymous, policies, imperative = map(raw.get, _KEYS)
    if anonymous not in (None, "yes", "no"):
        _refuse(target, f"'anonymous' is 'yes' or 'no', got {anonymous!r}")
    if not isinstance(imperative, bool | None):
        _refuse(target, f"'imperative' is True or False, got {imperative!r}")
    return AuthMarker(
        anonymous=None if anonymous is None else Anonymous(anonymous),
        policies=_policies(target, policies),
        imperative=imperative,
    )


def _policies(target: object, given: object) -> tuple[str, ...]:
    names = () if given is None else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        _refuse(target, f"'policies' is a list of names, got {given!r}")
    return tuple(names)


def _refuse(target: object, reason: str) -> NoReturn:
    raise DeclarationError(f"{AUTH_MARKER} of {_named(target)}: {reason}")


def _named(target: object) -> str:
    qualname = attribute(target, "__qualname__")
    if isinstance(qualname, str):
        return f"{attribute(target, '__module__')}:{qualname}"
    # Applications and blueprints have a name of their own.
    name = attribute(target, "name")
    return f"{type(target).__name__} {name!r}" if isinstance(name, str) else type(target).__name__


def read_markers(targets: Iterable[object]) -> tuple[AuthMarker, ...]:
    """Return the markers of `targets`, those without one left out."""
    return tuple(marker for target in targets if (marker := read_marker(target)) is not None)


def merged_anonymous(markers: Iterable[AuthMarker]) -> Anonymous | None:
    """Return what the markers say together: levels combine by AND, so one `no` settles it."""
    said = {marker.anonymous for marker in markers}
    return next((value for value in (Anonymous.NO, Anonymous.YES) if value in said), None)


def merged_policies(markers: Iterable[AuthMarker], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Return every policy once, in the order found."""
    names = [name for marker in markers for name in marker.policies]
    return tuple(dict.fromkeys([*names, *more]))


def settled_anonymous(anonymous: Anonymous | None, policies: tuple[str, ...]) -> Anonymous:
    """Return a value that fits the policies: `yes` requires that there are none."""
    if anonymous is None or (anonymous is Anonymous.YES and policies):
        return Anonymous.UNKNOWN
    return anonymous


def view_auth(endpoint: object, *owners: object, decorated: bool = False) -> Auth:
    """Return what a view without framework facts declares.

    Without a marker nothing is known, and a decorated view may be guarded by its wrapper.

    Args:
        endpoint: the handler as registered.
        owners: its class and other objects around it that may be marked.
        decorated: whether the framework knows of a wrapper that the handler itself does not show.
    """
    own, *outer = (read_marker(target) for target in (endpoint, *owners))
    markers = tuple(marker for marker in (own, *outer) if marker is not None)
    policies = merged_policies(markers)
    said = next((m.imperative for m in markers if m.imperative is not None), None)
    return Auth(
        anonymous=settled_anonymous(merged_anonymous(markers), policies),
        policies=policies,
        imperative=(decorated or is_decorated(endpoint)) if said is None else said,
    )
