"""The operations that a document lists, one by one (spec: openapi 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.openapi.document import ApiDocument, FindingList, Located

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "query")
_ADDITIONAL: Final = "additionalOperations"
_OTHER_KEYS: Final = frozenset({"summary", "description", "servers", "parameters", "$ref"})
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentedOperation:
    """One operation with the path item around it.

    `path` is spelt as in the document, `route` is a template; `renamed` tells the placeholders
    whose documented name no template can have.
    """

    method: str
    path: str
    route: str
    operation: Located
    path_item: Located
    renamed: Mapping[str, str]


def documented_operations(
    document: ApiDocument, findings: FindingList
) -> Iterator[DocumentedOperation]:
    """Yield every operation that has a counterpart in the model, in the document's order."""
    paths = document.root.get("paths", {})
    if not isinstance(paths, Mapping):
        findings.invalid("paths is an object", "/paths")
        return
    for path, node in paths.items():
        pointer = pointer_to("/paths", path)
        if str(path).startswith("x-"):
            continue
        if not path.startswith("/"):
            findings.invalid("a path starts with /", pointer)
            continue
        path_item = document.resolve(node, pointer, findings)
        if path_item is not None:
            yield from _operations(path, path_item, findings)


def template_of(path: str) -> tuple[str, Mapping[str, str]]:
    """Return a path as a route template, and the placeholders that had to be renamed.

    A placeholder's name never travels, so one that is no identifier can have another.
    """
    renamed: dict[str, str] = {}

    def spell(match: re.Match[str]) -> str:
        name = match[1]
        plain = re.sub(r"[^0-9A-Za-z_]", "_", name)
        plain = f"_{plain}" if not plain or plain[0].isdigit() else plain
        while plain != name and (plain in renamed.values() or f"{{{plain}}}" in path):
            plain += "_"
        if plain != name:
            plain = renamed.setdefault(name, plain)
        return f"{{{plain}}}"

    return _PLACEHOLDER.sub(spell, path), MappingProxyType(renamed)


def _operations(
    path: str, path_item: Located, findings: FindingList
) -> Iterator[DocumentedOperation]:
    route, renamed = template_of(path)
    for method, node, pointer in _entries(path, path_item, findings):
        if not isinstance(node, Mapping):
            findings.invalid("an operation is an object", pointer)
            continue
        yield DocumentedOperation(
            method=method,
            path=path,
            route=route,
            operation=Located(node, pointer),
            path_item=path_item,
            renamed=renamed,
        )


def _entries(
    path: str, path_item: Located, findings: FindingList
) -> Iterator[tuple[str, Any, str]]:
    for key, node in path_item.node.items():
        pointer = pointer_to(path_item.pointer, key)
        if key in METHODS:
            yield key.upper(), node, pointer
        elif key == _ADDITIONAL and isinstance(node, Mapping):
            for method, operation in node.items():
                place = pointer_to(pointer, method)
                if str(method).lower() in METHODS:
                    yield str(method).upper(), operation, place
                else:
                    _refuse_method(str(method), path, place, findings)
        elif key not in _OTHER_KEYS and not key.startswith("x-"):
            _refuse_method(key.upper(), path, pointer, findings)


def _refuse_method(method: str, path: str, pointer: str, findings: FindingList) -> None:
    findings.add(
        "unsupported_method",
        f"{method} {path} has no counterpart among the methods of a tool",
        about=f"{method} {path}",
        pointer=pointer,
    )


def note_unused(root: Mapping[str, Any], findings: FindingList) -> None:
    """Note once per document that callbacks, links and webhooks are not offered."""
    for name, pointer in _unused(root):
        findings.add(f"{name}_ignored", f"{name} are not offered to agents", pointer=pointer)


def _unused(root: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    paths = root.get("paths")
    seen: set[str] = set()
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        for method, operation in item.items() if isinstance(item, Mapping) else ():
            for name, pointer in _unused_in(operation, pointer_to("/paths", path, method)):
                if name not in seen:
                    seen.add(name)
                    yield name, pointer
    components = root.get("components")
    shared = components.get("responses") if isinstance(components, Mapping) else None
    if "links" not in seen:
        yield from list(_links_in(shared, "/components/responses"))[:1]
    if root.get("webhooks"):
        yield "webhooks", "/webhooks"


def _unused_in(operation: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if not isinstance(operation, Mapping):
        return
    if operation.get("callbacks"):
        yield "callbacks", pointer_to(pointer, "callbacks")
    yield from _links_in(operation.get("responses"), pointer_to(pointer, "responses"))


def _links_in(responses: Any, pointer: str) -> Iterator[tuple[str, str]]:
    for status, response in responses.items() if isinstance(responses, Mapping) else ():
        if isinstance(response, Mapping) and response.get("links"):
            yield "links", pointer_to(pointer, status, "links")
