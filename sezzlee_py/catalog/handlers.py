"""What any Python handler tells about itself: its functions, its source, its docstring."""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Hashable, Iterator, Sequence
from typing import Final, TypeGuard

# A chain longer than this is a loop or an accident.
_MAX_LAYERS = 64

# Of sphinxcontrib-httpdomain: `.. http:get:: /orders`.
_DIRECTIVE: Final = ".. http:"
_SLOTS: Final = (types.MethodWrapperType, types.WrapperDescriptorType)
_ROUTINES: Final = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    *_SLOTS,
)
_STARS: Final = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n")


def layers(endpoint: object) -> Iterator[object]:
    """Yield `endpoint` and every callable below it: `__wrapped__`, `partial.func`, `__func__`."""
    for _ in range(_MAX_LAYERS):
        yield endpoint
        if issubclass(type(endpoint), functools.partial):
            below: object = attribute(endpoint, "func")
        else:
            # A class's own wrapped function says nothing about the class.
            if is_class(endpoint):
                return
            wrapped = attribute(endpoint, "__wrapped__")
            below = attribute(endpoint, "__func__") if wrapped is None else wrapped
        if below is None:
            return
        endpoint = below


def attribute(target: object, name: str) -> object | None:
    """Return an attribute of a foreign object, `None` where it has none or refuses to say."""
    # Handlers may be proxies or mocks that answer to any name with an error of their own.
    try:
        return getattr(target, name, None)
    except Exception:
        return None


def is_function(target: object) -> TypeGuard[types.FunctionType]:
    """Whether a foreign object is a Python function.

    Its own type is asked: a proxy finds what it stands for, and may raise, to tell its `__class__`.
    """
    return type(target) is types.FunctionType


def is_routine(target: object) -> bool:
    """Whether a foreign object is a function or method of Python's own.

    `inspect.isroutine` also says so of an object with a `__get__`, as a guard may be that is an
    instance of a class, and from Python 3.14 on of a `partial`.
    """
    return issubclass(type(target), _ROUTINES)


def is_class(target: object) -> TypeGuard[type]:
    """Whether a foreign object is a class, by its own type too."""
    return issubclass(type(target), type)


def unwrapped(endpoint: object) -> object:
    """Return the innermost callable of `endpoint`."""
    *_, innermost = layers(endpoint)
    return innermost


def speakers(endpoint: object) -> Iterator[object]:
    """Yield the layers of `endpoint`, and on through functions that took a name over by hand.

    Such a wrapper has nothing else of what it encloses: `wrapper.__name__ = view.__name__`.
    """
    below: object | None = endpoint
    for _ in range(_MAX_LAYERS):
        if below is None:
            return
        yield from layers(below)
        below = _enclosed_namesake(unwrapped(below))


def speaker(endpoint: object) -> object:
    """Return the callable whose docstring and source speak for `endpoint`, the innermost one."""
    *_, innermost = speakers(endpoint)
    return innermost


def _enclosed_namesake(function: object) -> object | None:
    alike = _enclosed_namesakes(function)
    return alike[0] if len(alike) == 1 else None


def _enclosed_namesakes(function: object) -> Sequence[object]:
    """Return the callables, each once, whose name a function took and which it may call."""
    if not is_function(function):
        return ()
    name = function.__name__
    if name == function.__code__.co_name:
        return ()
    cells = {id(found): found for found in map(_content, function.__closure__ or ())}
    # A class-based view of Flask encloses itself.
    cells.pop(id(function), None)
    named = (found for found in cells.values() if callable(found))
    return [found for found in named if attribute(found, "__name__") == name]


def _content(cell: types.CellType) -> object:
    try:
        content: object = cell.cell_contents
    except ValueError:
        # Not filled yet.
        return None
    return content


def is_decorated(endpoint: object) -> bool:
    """Whether another function stands around the handler: a `__wrapped__` chain, a taken name."""
    is_chain = any(attribute(layer, "__wrapped__") is not None for layer in layers(endpoint))
    # Of two by that name nobody knows which is the handler; the function is around it all the same.
    return is_chain or bool(_enclosed_namesakes(unwrapped(endpoint)))


def stands_alone(endpoint: object) -> bool:
    """Whether a handler is a function that nothing of the host's stands around."""
    # A method may be one of any callable, not of functions alone.
    is_plain = all(map(is_routine, layers(endpoint)))
    return is_plain and not is_decorated(endpoint) and not _hands_on(unwrapped(endpoint))


def method_stands_alone(cls: type, name: str) -> bool:
    """Whether a class has no such method, or one that nothing of the host's stands around."""
    # Asked for on the class, a descriptor may give the handler that it guards on an instance.
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    return found is None or stands_alone(found)


def is_made_plainly(cls: type) -> bool:
    """Whether Python alone makes the instances of a class and finds their methods."""
    return (
        attribute(type(cls), "__call__") is type.__call__
        and attribute(cls, "__new__") is object.__new__
        and attribute(cls, "__getattribute__") is object.__getattribute__
    )


def _hands_on(function: object) -> bool:
    """Whether a function takes whatever it is given and encloses something that takes it too."""
    if not is_function(function) or not function.__code__.co_flags & _STARS:
        return False
    cells = map(_content, function.__closure__ or ())
    # A class-based view of Flask encloses its class and itself.
    enclosed = [found for found in cells if not is_class(found) and found is not function]
    return any(map(callable, enclosed))


def is_marked_deprecated(endpoint: object) -> bool:
    """Whether the function carries the marker of `warnings.deprecated`."""
    return any(isinstance(attribute(layer, "__deprecated__"), str) for layer in layers(endpoint))


def source_of(endpoint: object) -> tuple[str | None, int | None]:
    """Return `module:qualname` of the handler and its first line, as far as each is known."""
    target = unwrapped(endpoint)
    named = target if attribute(target, "__qualname__") else type(target)
    module, qualname = attribute(named, "__module__"), attribute(named, "__qualname__")
    code = attribute(target, "__code__") or attribute(
        attribute(type(target), "__call__"), "__code__"
    )
    line = attribute(code, "co_firstlineno")
    source = f"{module}:{qualname}" if module and qualname else None
    return source, line if isinstance(line, int) else None


def docstring_of(endpoint: object) -> str:
    """Return the handler's cleaned docstring, `""` without one.

    An instance that is called is documented by its `__call__`, or else by its class.
    """
    for target in (speaker(endpoint), unwrapped(endpoint)):
        # Functions and classes have a name, their instances none.
        is_own = isinstance(attribute(target, "__name__"), str)
        for documented in (target if is_own else type(target).__call__, target):
            text = attribute(documented, "__doc__")
            # Of every call that is written in C it says the same.
            is_written = not issubclass(type(documented), _SLOTS)
            if isinstance(text, str) and is_written:
                return inspect.cleandoc(text)
    return ""


def first_paragraph(text: str) -> str | None:
    """Return `text` up to its first blank line as one line, `None` when nothing is left.

    A line of `---` ends it too: below it documentation tools keep YAML. Where the docstring is a
    directive of Sphinx (`.. http:get:: /orders`), its text is what stands in there.
    """
    paragraph: list[str] = []
    for line in _in_directive(text.strip()).splitlines():
        if line.strip() in ("", "---"):
            break
        paragraph.append(line.strip())
    return " ".join(paragraph) or None


def _in_directive(text: str) -> str:
    """Return what a directive about an operation holds, below its options; other text as it is."""
    if not text.startswith(_DIRECTIVE):
        return text
    inner = _BLANK_LINE.split(text, maxsplit=1)[-1].strip()
    return "" if inner.startswith((":", "..")) else inner


class Identity:
    """An object compared by identity, whatever its own equality says; it keeps the object alive."""

    __slots__ = ("target",)

    def __init__(self, target: object) -> None:
        self.target = target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.target is other.target

    def __hash__(self) -> int:
        return id(self.target)

    def __repr__(self) -> str:
        return f"Identity({self.target!r})"


def function_key(endpoint: object) -> Hashable:
    """Return the identity of a handler: equal for one function, distinct for two closures.

    A bound method is a new object at each access; its function and its owner are not.
    """
    if inspect.ismethod(endpoint):
        return (Identity(endpoint.__func__), Identity(endpoint.__self__))
    return Identity(endpoint)
