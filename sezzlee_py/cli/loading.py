"""An application by its import string, or why there is none."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from sezzlee_py.catalog.signatures import parameters_of
from sezzlee_py.cli.failure import Failure
from sezzlee_py.option_checks import near_name

_PACKAGE = Path(__file__).parents[1]
_STDLIB = Path(traceback.__file__).parent
_EXAMPLE = "expected module:attribute, such as shop.main:app"


def load_app(spec: str, *, factory: bool = False) -> Any:
    """Return the application that `module:attribute` names.

    Modules are looked for in the working directory first, as servers do.

    Raises:
        Failure: the string, the module, the attribute or the factory is wrong; the message says
            which, and what it may have been meant to be.
    """
    module_name, separator, path = spec.partition(":")
    if not (separator and module_name and path):
        raise Failure("wrong_import_string", f"{spec!r} is no import string: {_hint(spec)}")
    found: Any = _import(module_name)
    walked = module_name
    for name in path.split("."):
        found = _attribute(found, name, walked)
        walked = f"{walked}{'.' if ':' in walked else ':'}{name}"
    return _made(found, spec) if factory else _application(found, spec)


def _hint(spec: str) -> str:
    if spec.endswith(".py"):
        module = ".".join(Path(spec).with_suffix("").parts)
        return f"{_EXAMPLE}; did you mean {module + ':app'!r}?"
    return _EXAMPLE


def _import(name: str) -> ModuleType:
    here = str(Path.cwd())
    if sys.path[:1] != [here]:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name and (name == fault.name or name.startswith(f"{fault.name}.")):
            raise Failure("no_module", _no_module(name, fault.name)) from None
        raise _import_failed(name, fault) from fault
    # An application may end the process while it is imported.
    except (Exception, SystemExit) as fault:
        raise _import_failed(name, fault) from fault


def _no_module(name: str, missing: str) -> str:
    parent = missing.rpartition(".")[0]
    siblings = _modules_of(parent)
    near = near_name(missing.rpartition(".")[2], siblings)
    here = Path.cwd().name or "/"
    place = f"in {parent}" if parent else f"in {here!r} or among installed packages"
    return f"there is no module {missing!r} {place}{near}"


def _modules_of(package: str) -> Iterable[str]:
    paths = getattr(sys.modules.get(package), "__path__", None) if package else [str(Path.cwd())]
    return [module.name for module in pkgutil.iter_modules(paths or [])]


def _import_failed(name: str, fault: BaseException) -> Failure:
    return Failure("import_failed", f"importing {name} failed: {described(fault)}")


def _attribute(owner: Any, name: str, walked: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        known = [key for key in dir(owner) if not key.startswith("_")]
        message = f"{walked} has no attribute {name!r}{near_name(name, known)}"
        raise Failure("no_attribute", message) from None


def _made(factory: Any, spec: str) -> Any:
    if not callable(factory):
        kind = type(factory).__name__
        raise Failure("not_a_factory", f"{spec} is {kind}, no factory; leave out --factory")
    try:
        made = factory()
    except (Exception, SystemExit) as fault:
        raise Failure("factory_failed", f"{spec}() failed: {described(fault)}") from fault
    if inspect.iscoroutine(made):
        made.close()
        raise Failure("not_a_factory", f"{spec} is asynchronous; a factory returns the application")
    return _application(made, f"{spec}()")


def _application(found: Any, spec: str) -> Any:
    if inspect.isfunction(found) and not _takes_a_request(found):
        raise Failure("is_a_factory", f"{spec} is a function; if it makes the app, add --factory")
    if inspect.isclass(found) or not callable(found):
        kind = f"the class {found.__name__}" if inspect.isclass(found) else type(found).__name__
        raise Failure("no_application", f"{spec} is {kind}, no application")
    return found


def _takes_a_request(function: Any) -> bool:
    """Whether a function may be an application: WSGI takes two arguments, ASGI three."""
    wanted = [
        parameter for parameter in parameters_of(function) if parameter.default is parameter.empty
    ]
    return len(wanted) in (2, 3)


def described(fault: BaseException) -> str:
    """Return an exception in one line, with the place in the application's own code."""
    text = " ".join(str(fault).split())
    frames = traceback.extract_tb(fault.__traceback__)
    own = [frame for frame in frames if _is_own(frame.filename)]
    place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return f"{type(fault).__name__}{': ' if text else ''}{text}{place}"


def _is_own(filename: str) -> bool:
    path = Path(filename)
    is_installed = not {"site-packages", "dist-packages"}.isdisjoint(path.parts)
    foreign = is_installed or path.is_relative_to(_PACKAGE) or path.is_relative_to(_STDLIB)
    return path.exists() and not foreign
