"""Routes of one handler that it answers differently, because it asks by which it was reached."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Final, TypeAlias

from sezzlee_py.catalog.aliases import Alike, is_named, marks_of
from sezzlee_py.catalog.function_source import body_nodes
from sezzlee_py.catalog.handlers import is_function, speaker
from sezzlee_py.model.routes import normalize_route, placeholder_names
from sezzlee_starlette.facts import Verb, served_verbs
from sezzlee_starlette.request_names import is_of_request, request_names
from sezzlee_starlette.routes import Leaf

# What of the scope tells a handler by which route it was reached. The URL as a whole does too, but
# is read to be shown.
_FACTS: Final = frozenset({"path", "raw_path", "route"})

LeafKeys: TypeAlias = Mapping[Leaf, Mapping[str, Hashable]]
_Reached: TypeAlias = tuple[Leaf, Verb]


def endpoint_keys(leaves: Sequence[Leaf], guards: Callable[[Leaf], Hashable]) -> LeafKeys:
    """Return the endpoint key of each method of each route.

    Routes of one handler with the same parameters share it and become one tool, except where the
    handler asks for the path, or where a call passes other guards. Routes that would give tools one
    name share it in any case.

    Args:
        leaves: the routes of an application.
        guards: see `Dialect.guards`.
    """
    groups: defaultdict[Hashable, list[_Reached]] = defaultdict(list)
    keys: dict[Leaf, dict[str, Hashable]] = {}
    for leaf in leaves:
        names = frozenset(placeholder_names(normalize_route(leaf.path).template))
        keys[leaf] = {}
        for verb in served_verbs(leaf):
            keys[leaf][verb.method] = key = leaf.key(verb.endpoint)
            groups[key, verb.cls, verb.method, names].append((leaf, verb))
    for group in groups.values():
        for (leaf, verb), mark in zip(group, _marks(group, guards), strict=True):
            if mark is not None:
                keys[leaf][verb.method] = (keys[leaf][verb.method], mark)
    return keys


def _marks(
    group: Sequence[_Reached], guards: Callable[[Leaf], Hashable]
) -> Sequence[Hashable | None]:
    """Return for each route what tells it from those that are no aliases of it."""
    if len(group) == 1:
        return [None]
    endpoint = group[0][1].endpoint
    by_path, by_guards = _asks_for_path(endpoint), not is_named(endpoint)
    routes = [normalize_route(leaf.path).template for leaf, _ in group]
    return marks_of(
        [
            Alike(
                route=route,
                method=verb.method,
                difference=(
                    route if by_path else None,
                    guards(leaf) if by_guards else None,
                ),
            )
            for (leaf, verb), route in zip(group, routes, strict=True)
        ]
    )


def _asks_for_path(endpoint: object) -> bool:
    """Whether a function itself reads the path of its request.

    Functions that it calls do so to make links, so theirs does not count.
    """
    function = speaker(endpoint)
    if not is_function(function):
        return False
    requests = frozenset(request_names(function))
    return any(_is_path(node, requests) for node in body_nodes(function) or ())


def _is_path(node: ast.AST, requests: Collection[str]) -> bool:
    """Whether a node is `request.url.path`, or one of the facts out of the request's scope."""
    if isinstance(node, ast.Attribute):
        return node.attr == "path" and is_of_request(node.value, "url", requests)
    if isinstance(node, ast.Subscript):
        return _is_fact(node.slice) and _is_scope(node.value, requests)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        asked = node.func.attr == "get" and _is_fact(node.args[0])
        return asked and _is_scope(node.func.value, requests)
    return False


def _is_fact(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in _FACTS


def _is_scope(node: ast.AST, requests: Collection[str]) -> bool:
    # A request is a mapping of its scope.
    bare = isinstance(node, ast.Name) and node.id in requests
    return bare or is_of_request(node, "scope", requests)
