"""What `mount_mcp` was given, where it is no application of its framework."""

from __future__ import annotations

import inspect
from typing import Final

# By top-level package and class, so that nothing is imported to recognise one.
_ADAPTERS: Final = {
    ("fastapi", "FastAPI"): "sezzlee_fastapi",
    ("starlette", "Starlette"): "sezzlee_starlette",
    ("flask", "Flask"): "sezzlee_flask",
}
_PARTS: Final = frozenset({"APIRouter", "Router", "Mount", "Host", "Blueprint"})


def check_application(call: str, app: object, kind: type) -> None:
    """Check that `app` is an application of `kind`.

    Args:
        call: the function that was called, for the message.
        app: what it was given.
        kind: the framework's class.

    Raises:
        TypeError: it is something else; the message says what, and what to pass.
    """
    if not isinstance(app, kind):
        got = f"{_shown(app)}{_way_out(app, call)}"
        raise TypeError(f"{call}: expected a {kind.__name__} application, got {got}")


def _shown(app: object) -> str:
    if app is None or isinstance(app, str):
        return repr(app)
    if inspect.isclass(app):
        return f"the class {app.__name__}"
    if inspect.isroutine(app):
        return f"the function {app.__name__}"
    return f"an object of {type(app).__module__}.{type(app).__qualname__}"


def _way_out(app: object, call: str) -> str:
    if isinstance(app, str):
        return "; import the application and pass the object"
    if inspect.isclass(app) or inspect.isroutine(app):
        return "; call it and pass the application it makes"
    for base in type(app).__mro__:
        adapter = _ADAPTERS.get((base.__module__.partition(".")[0], base.__name__))
        if adapter is not None:
            return f"; {adapter}.{call} takes it"
        if base.__name__ in _PARTS:
            return "; pass the application that it is a part of"
    if callable(app):
        return "; pass the application itself, and what wraps it as dispatch_app"
    return ""
