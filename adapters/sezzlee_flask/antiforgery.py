"""Whether a CSRF check stands before a view, told from what Flask-WTF leaves on the application."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from flask import Flask

from sezzlee_py.catalog.handlers import attribute

# The values that Flask-WTF takes where the host sets none.
_METHODS = ("POST", "PUT", "PATCH", "DELETE")


def is_checked(app: Flask, endpoint: str, view: object, method: str) -> bool:
    """Whether a request of `method` needs a token that only a page of the application has."""
    extension = app.extensions.get("csrf")
    config = app.config
    if extension is None or not config.get("WTF_CSRF_ENABLED", True):
        return False
    if not config.get("WTF_CSRF_CHECK_DEFAULT", True):
        return False
    if method not in config.get("WTF_CSRF_METHODS", _METHODS):
        return False
    return not _is_exempt(app, extension, endpoint, view)


def _is_exempt(app: Flask, extension: Any, endpoint: str, view: object) -> bool:
    # The two sets are private to the extension; where they are not there, nothing is exempt.
    location = f"{attribute(view, '__module__')}.{attribute(view, '__name__')}"
    if location in _exempt(extension, "_exempt_views"):
        return True
    blueprint = endpoint.rpartition(".")[0]
    # The set held names before it held the blueprints themselves.
    exempt = _exempt(extension, "_exempt_blueprints")
    return bool(blueprint) and (blueprint in exempt or app.blueprints.get(blueprint) in exempt)


def _exempt(extension: Any, name: str) -> Collection[object]:
    found = attribute(extension, name)
    return found if isinstance(found, set | frozenset | list | tuple) else ()
