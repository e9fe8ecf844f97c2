"""Which entry of the route tables a request reaches, asked of the framework's own `matches`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from starlette.routing import Host, Match, Mount, Route

from sezzlee_starlette.routes import Entry, Node, Table

# A placeholder as Starlette's path compiler reads it.
PLACEHOLDER = re.compile(r"{([a-zA-Z_][a-zA-Z0-9_]*)(?::([a-zA-Z_][a-zA-Z0-9_]*))?}")
# Converters of the framework that never cross a segment.
_ONE_SEGMENT = frozenset({None, "str", "int", "float", "uuid"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """The first full match: a leaf, another framework's application, or an opaque entry.

    A mount that matches and holds nothing for the request is a match too: the framework does not
    come back from it. `path` is what is left of the path behind the mounts that were passed.
    """

    entry: Entry
    path: str


# What answers for an entry, and the path that was left when it matched.
Passed: TypeAlias = tuple[Any, str]


def captured(trail: Iterable[Passed]) -> dict[str, str] | None:
    """Return the text of every placeholder on a trail, `None` where an entry hides its own."""
    found: dict[str, str] = {}
    for view, path in trail:
        # A host is no part of the path.
        if isinstance(view, Host):
            continue
        match = getattr(view, "path_regex", _UNKNOWN).match(path)
        if match is None:
            return None
        values = match.groupdict()
        if isinstance(view, Mount):
            values.pop("path", None)
        found |= values
    return found


_UNKNOWN = re.compile(r"(?!)")


class _Branch:
    """One segment of the index: what follows a literal, what follows a placeholder, what ends."""

    __slots__ = ("ends", "literal", "rest", "wild")

    def __init__(self) -> None:
        self.literal: dict[str, _Branch] = {}
        self.wild: _Branch | None = None
        self.ends: list[int] = []
        self.rest: list[int] = []


class Router:
    """Finds the first full match in a table without trying every regex of it.

    The index only leaves out entries whose literal segments cannot match; what it keeps is asked
    in order, so the answer is the framework's own.
    """

    def __init__(self, table: Table) -> None:
        self._entries = table.entries
        self._root = _Branch()
        self._inner: dict[int, Router] = {}
        for number, entry in enumerate(table.entries):
            self._add(number, entry.node)
            if isinstance(entry.target, Table):
                self._inner[number] = Router(entry.target)

    def find(
        self, scope: dict[str, Any], path: str, trail: list[Passed] | None = None
    ) -> Hit | None:
        """Return the first full match of `scope`, of which `path` is left to be matched.

        `trail` is given every entry on the way to it.
        """
        for number in self._candidates(path):
            entry, inner = self._entries[number], self._inner.get(number)
            if inner is not None and isinstance(entry.node.route, Host) and not scope["headers"]:
                # Nobody said which host is asked for: it is this one where something answers.
                before = len(trail or ())
                hit = inner.find(scope, path, trail)
                if hit is not None and not isinstance(hit.entry.target, Table):
                    return hit
                if trail is not None:
                    del trail[before:]
                continue
            match, child = entry.node.view.matches(scope)
            if match is not Match.FULL:
                continue
            if trail is not None:
                trail.append((entry.node.view, path))
            left = path[len(child.get("root_path", scope["root_path"])) - len(scope["root_path"]) :]
            deeper = None if inner is None else inner.find({**scope, **child}, left, trail)
            return deeper or Hit(entry=entry, path=left)
        return None

    def _add(self, number: int, node: Node) -> None:
        segments = _segments(node)
        branch = self._root
        for segment in segments or ():
            if segment is _REST:
                break
            if segment is _WILD:
                branch.wild = branch.wild or _Branch()
                branch = branch.wild
            else:
                branch = branch.literal.setdefault(segment, _Branch())
        else:
            if segments is not None:
                branch.ends.append(number)
                return
        branch.rest.append(number)

    def _candidates(self, path: str) -> list[int]:
        parts = path.split("/")
        found: list[int] = []
        level = [self._root]
        for part in parts:
            following: list[_Branch] = []
            for branch in level:
                found += branch.rest
                if part in branch.literal:
                    following.append(branch.literal[part])
                if branch.wild is not None:
                    following.append(branch.wild)
            level = following
            if not level:
                break
        for branch in level:
            found += branch.rest
            found += branch.ends
        found.sort()
        return found


_WILD = "\0wild"
_REST = "\0rest"


def _segments(node: Node) -> list[str] | None:
    """Return the segments an index can rely on, `None` when a match does not follow the path."""
    view = node.view
    if isinstance(node.route, Mount):
        return [*_spelled(view.path), _REST]
    if not isinstance(node.route, Route) or not _follows_path(node):
        return None
    return list(_spelled(view.path))


def _spelled(path: str) -> Iterator[str]:
    for segment in path.split("/"):
        converters = [match[2] for match in PLACEHOLDER.finditer(segment)]
        if not converters:
            yield segment
        elif all(converter in _ONE_SEGMENT for converter in converters):
            yield _WILD
        else:
            yield _REST


def _follows_path(node: Node) -> bool:
    # A host may make a route ignore case, or match by something else than its path.
    matcher = getattr(type(node.route).matches, "__module__", "")
    flags = getattr(getattr(node.view, "path_regex", None), "flags", re.IGNORECASE)
    return matcher.startswith(("starlette.", "fastapi.")) and not flags & re.IGNORECASE


def request_scope(method: str, path: str, host: str | None) -> dict[str, Any]:
    """Return the least scope that every `matches` of the framework reads."""
    headers = [] if host is None else [(b"host", host.encode("latin-1", "replace"))]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("utf-8", "replace"),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "path_params": {},
        "client": None,
        "server": None,
        "state": {},
        "extensions": {},
    }
