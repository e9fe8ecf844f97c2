"""Tags and search terms: who declares them, and which entries stay (spec: tool-definition 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from sezzlee_py.catalog.faults import Finding
from sezzlee_py.catalog.name_parts import strip_class_suffix
from sezzlee_py.errors import OptionsError
from sezzlee_py.model import EndpointDescriptor
from sezzlee_py.model.text import fold

Texts: TypeAlias = tuple[str, ...]
HostTexts: TypeAlias = Callable[[str], Iterable[str] | None]


def derived_tags(descriptor: EndpointDescriptor) -> Texts:
    """Return the framework's own tags, or else the container's name, or else nothing."""
    if descriptor.tags:
        return descriptor.tags
    if descriptor.container is None:
        return ()
    # A blueprint is its own key and keeps its dotted name; a class loses its suffix.
    named_as_written = descriptor.container_key == descriptor.container
    name = descriptor.container
    return (name if named_as_written else strip_class_suffix(name),)


def resolve_tags(
    levels: Iterable[Texts | None], host: HostTexts | None, descriptor: EndpointDescriptor
) -> tuple[Texts, tuple[Finding, ...]]:
    """Return the tags of an operation and what was wrong with their declaration.

    Args:
        levels: what operation and containers declare, nearest first; the first that is not `None`
            replaces all others, an empty one included.
        host: `options.tags`.
        descriptor: the operation as its framework knows it.
    """
    declared = _declared(levels, host, descriptor.container, "options.tags")
    if declared is None:
        return _distinct(derived_tags(descriptor), "tag")[0], ()
    return _distinct(declared, "tag")


def resolve_search_terms(
    levels: Iterable[Texts | None], host: HostTexts | None, descriptor: EndpointDescriptor
) -> tuple[Texts, tuple[Finding, ...]]:
    """Return the search terms of an operation and what was wrong with their declaration.

    Without a declaration they are those the descriptor came with, which a document may hold.
    """
    declared = _declared(levels, host, descriptor.container, "options.search_terms")
    if declared is None:
        return _distinct(descriptor.search_terms, "search_term")[0], ()
    return _distinct(declared, "search_term")


def _declared(
    levels: Iterable[Texts | None], host: HostTexts | None, container: str | None, option: str
) -> Texts | None:
    nearest = next((level for level in levels if level is not None), None)
    if nearest is not None or host is None or container is None:
        return nearest
    value = host(container)
    return None if value is None else _host_texts(value, container, option)


def _host_texts(value: object, container: str, option: str) -> Texts:
    items = None if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise OptionsError(
            f"{option}: expected a list of strings or None for {container!r}, got {value!r}"
        )
    return items


def _distinct(entries: Sequence[str], what: str) -> tuple[Texts, tuple[Finding, ...]]:
    """The entries that say something new, and a finding for each of the others."""
    kept: dict[str, str] = {}
    findings: list[Finding] = []
    for entry in entries:
        folded = fold(entry)
        if not folded:
            findings.append((f"empty_{what}", f"{entry!r} says nothing and is left out; remove it"))
        elif folded in kept:
            message = f"{entry!r} is {kept[folded]!r} again and is left out; remove one of them"
            findings.append((f"duplicate_{what}", message))
        else:
            kept[folded] = entry
    return tuple(kept.values()), tuple(findings)
