"""What a Flask application hands requests on to before it looks at its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Flask

from sezzlee_py.catalog.handlers import attribute

# Where WSGI middleware keeps what it wraps.
_WRAPPED = ("app", "_app", "wsgi_app", "application", "wrapped")
_MAX_WRAPPERS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One application below a prefix; `app` is `None` where it is not a Flask application."""

    prefix: str
    app: Flask | None

    def covers(self, path: str) -> bool:
        """Whether a request for `path` goes to this mount."""
        return path == self.prefix or path.startswith(f"{self.prefix}/")

    def below(self, path: str) -> str:
        """Return the path that the mounted application is asked for."""
        return path[len(self.prefix) :] or "/"


def mounts_of(outermost: object) -> tuple[Mount, ...]:
    """Return what dispatchers around a Flask application mount, longest prefix first.

    A dispatcher keeps its mounts in the mapping `mounts`, as Werkzeug's `DispatcherMiddleware`
    does; of two prefixes that fit it takes the longer one.
    """
    found: dict[str, Mount] = {}
    layer: object | None = outermost
    for _ in range(_MAX_WRAPPERS):
        if layer is None or isinstance(layer, Flask):
            break
        mounts = attribute(layer, "mounts")
        if isinstance(mounts, Mapping):
            for prefix, mounted in mounts.items():
                if isinstance(prefix, str) and prefix not in found:
                    found[prefix] = Mount(prefix=prefix, app=flask_below(mounted))
        layer = _below(layer)
    return tuple(sorted(found.values(), key=lambda mount: -len(mount.prefix)))


def flask_below(wrapper: object) -> Flask | None:
    """Return the Flask application that WSGI middleware leads to, or `None`."""
    layer: object | None = wrapper
    for _ in range(_MAX_WRAPPERS):
        if layer is None or isinstance(layer, Flask):
            return layer
        # The bound `wsgi_app` of an application that was mounted without the object itself.
        owner = attribute(layer, "__self__")
        layer = owner if isinstance(owner, Flask) else _below(layer)
    return None


def _below(wrapper: object) -> object | None:
    for name in _WRAPPED:
        wrapped = attribute(wrapper, name)
        if callable(wrapped) and wrapped is not wrapper:
            return wrapped
    return None
