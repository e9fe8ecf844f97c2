"""What a handler declares about its callers through `__mcp_auth__` (spec: visibility 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sezzlee_py.catalog.handlers import attribute, is_decorated, layers
from sezzlee_py.model import Anonymous, Auth

AUTH_MARKER = "__mcp_auth__"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthMarker:
    """One marker as far as it is well formed; `None` means the marker is silent on it."""

    anonymous: Anonymous | None = None
    policies: tuple[str, ...] = ()
    imperative: bool | None = None


def read_marker(target: object) -> AuthMarker | None:
    """Return the marker of a view, class or dependency, looked up through its wrappers."""
    for layer in layers(target):
        # The marker is the host's data: what is not a mapping is somebody else's attribute.
        raw = attribute(layer, AUTH_MARKER)
        if isinstance(raw, Mapping):
            return _marker(raw)
    return None


def _marker(raw: Mapping[str, object]) -> AuthMarker:
    anonymous, policies, imperative = (
        raw.get(key) for key in ("anonymous", "policies", "imperative")
    )
    return AuthMarker(
        anonymous=Anonymous(anonymous) if anonymous in ("yes", "no") else None,
        policies=tuple(name for name in policies if isinstance(name, str))
        if isinstance(policies, list | tuple)
        else (),
        imperative=imperative if isinstance(imperative, bool) else None,
    )


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
