"""References of a document: where they point and which of them lie on a cycle."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

COMPONENTS_PREFIX: Final = "#/components/schemas/"


def escape_token(token: str) -> str:
    """Return `token` as a step of a JSON Pointer (RFC 6901)."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape_token(token: str) -> str:
    """Return the key that a step of a JSON Pointer in a URI fragment names."""
    return unquote(token).replace("~1", "/").replace("~0", "~")


def pointer_to(base: str, *tokens: str | int) -> str:
    """Return `base` extended by `tokens`."""
    return base + "".join(f"/{escape_token(str(token))}" for token in tokens)


def step(node: Any, token: str) -> Any:
    """Return the member of `node` that `token` names.

    Raises:
        LookupError: when there is none.
    """
    if isinstance(node, Mapping):
        return node[token]
    if isinstance(node, list) and token.isdecimal():
        return node[int(token[:9])]
    raise LookupError(token)


def follow_pointer(document: Any, pointer: str) -> Any:
    """Return what the fragment `pointer` (`#/a/b`) names inside `document`.

    Raises:
        LookupError: when nothing is there, or the fragment is not a pointer.
    """
    if pointer == "#":
        return document
    if not pointer.startswith("#/"):
        raise LookupError(pointer)
    node = document
    for token in pointer[2:].split("/"):
        node = step(node, unescape_token(token))
    return node


def references_in(node: Any) -> Iterator[str]:
    """Yield every `$ref` text below `node`; more than schemas hold, never less."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, Mapping):
            reference = current.get("$ref")
            if isinstance(reference, str):
                yield reference
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)


class ReferenceGraph:
    """Which references reach which, found as far as they are asked for.

    Strongly connected parts are found with Tarjan's algorithm, without recursion, because a
    document may chain thousands of components.
    """

    def __init__(self, resolve: Callable[[str], Any]) -> None:
        self._resolve = resolve
        self._index: dict[str, int] = {}
        self._low: dict[str, int] = {}
        self._stack: list[str] = []
        self._part: dict[str, int] = {}
        self._cyclic: set[str] = set()
        self._parts = 0
        self._targets: dict[str, tuple[str, ...]] = {}

    def is_cyclic(self, reference: str) -> bool:
        """Whether following references from `reference` leads back to it."""
        self._explore(reference)
        return reference in self._cyclic

    def part_of(self, reference: str) -> int:
        """The number of the strongly connected part that holds `reference`."""
        self._explore(reference)
        return self._part[reference]

    def dependencies_first(self, reference: str, known: Container[str]) -> list[str]:
        """Return `reference` and what it reaches, uses last; nothing below what is `known`."""
        self._explore(reference)
        order: list[str] = []
        entered = {reference}
        trail = [(reference, iter(self._targets[reference]))]
        while trail:
            node, targets = trail[-1]
            for target in targets:
                if target not in entered and target not in known:
                    entered.add(target)
                    trail.append((target, iter(self._targets[target])))
                    break
            else:
                order.append(node)
                trail.pop()
        return order

    def _explore(self, start: str) -> None:
        if start in self._index:
            return
        trail = [(start, self._enter(start))]
        while trail:
            node, targets = trail[-1]
            for target in targets:
                if target not in self._index:
                    trail.append((target, self._enter(target)))
                    break
                if target == node:
                    self._cyclic.add(node)
                if target not in self._part:
                    self._low[node] = min(self._low[node], self._index[target])
            else:
                trail.pop()
                if trail:
                    parent = trail[-1][0]
                    self._low[parent] = min(self._low[parent], self._low[node])
                if self._low[node] == self._index[node]:
                    self._close(node)

    def _enter(self, reference: str) -> Iterator[str]:
        self._index[reference] = self._low[reference] = len(self._index)
        self._stack.append(reference)
        self._targets[reference] = tuple(dict.fromkeys(references_in(self._resolve(reference))))
        return iter(self._targets[reference])

    def _close(self, root: str) -> None:
        members: list[str] = []
        while not members or members[-1] != root:
            members.append(self._stack.pop())
        for member in members:
            self._part[member] = self._parts
        if len(members) > 1:
            self._cyclic.update(members)
        self._parts += 1
