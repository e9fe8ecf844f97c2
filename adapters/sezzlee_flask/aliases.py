"""Rules of one handler that are answered differently, although the same function answers them."""

from __future__ import annotations

import types
from collections.abc import Hashable
from typing import Final

from werkzeug.routing import Rule

from sezzlee_py.catalog.handlers import unwrapped

# What tells a handler under which name it was asked. The path does too, but is read for links.
_ROUTE_FACTS: Final = frozenset({"endpoint", "url_rule", "blueprint", "blueprints"})


def difference_of(rule: Rule, endpoint: object) -> Hashable:
    """Return what tells a rule apart from others of its handler with the same inputs.

    That are the values which the rule supplies beside its path and, where the handler asks for it,
    the endpoint's name. Rules without a difference are aliases.
    """
    supplied = rule.defaults or {}
    hidden = {name: repr(supplied[name]) for name in supplied if f"{name}>" not in rule.rule}
    asked = rule.endpoint if _asks_for_its_route(endpoint) else None
    return tuple(sorted(hidden.items())), asked


def _asks_for_its_route(endpoint: object) -> bool:
    """Whether a function, or one of its module that it calls, looks at the route of a request."""
    function = unwrapped(endpoint)
    if not isinstance(function, types.FunctionType):
        return False
    called = (function.__globals__.get(name) for name in function.__code__.co_names)
    near = (found for found in called if isinstance(found, types.FunctionType))
    return any(map(_reads_route, (function, *near)))


def _reads_route(function: types.FunctionType) -> bool:
    names = function.__code__.co_names
    return "request" in names and not _ROUTE_FACTS.isdisjoint(names)
