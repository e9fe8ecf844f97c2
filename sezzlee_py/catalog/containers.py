"""Containers: what groups operations, its key (identity) and its name (spec: naming 5)."""

from __future__ import annotations

import enum
import inspect
from typing import Final, NamedTuple

from sezzlee_py.catalog.handlers import layers, unwrapped

_GENERIC_MODULES: Final = frozenset(
    {"__main__", "main", "app", "application", "asgi", "wsgi", "server", "__init__"}
)


class Container(NamedTuple):
    """The identity of a container, never shown, and the source of prefix and default tag."""

    key: str
    name: str


def class_container(cls: type) -> Container:
    """Return the container that a class-based view is."""
    return Container(f"{cls.__module__}.{cls.__qualname__}", cls.__name__)


def bound_class(endpoint: object) -> type | None:
    """Return the class whose bound method `endpoint` is, however decorated, or `None`."""
    for layer in layers(endpoint):
        if inspect.ismethod(layer):
            owner = layer.__self__
            return owner if isinstance(owner, type) else type(owner)
    return None


def tag_container(tag: str | enum.Enum) -> Container:
    """Return the container that the first OpenAPI tag of a route is."""
    name = str(tag.value if isinstance(tag, enum.Enum) else tag)
    return Container(name, name)


def blueprint_container(name: str) -> Container:
    """Return the container that a blueprint is, by its dotted name."""
    return Container(name, name)


def module_container(function: object) -> Container | None:
    """Return the container that a function's module is, `None` for a generic module."""
    # A partial object's own module is functools.
    target = unwrapped(function)
    module = getattr(target, "__module__", None)
    if not isinstance(module, str):
        return None
    name = module.rpartition(".")[2]
    # `main_read_item` says nothing about a resource.
    return None if name in _GENERIC_MODULES else Container(module, name)
