"""Rules of one handler that are answered differently, although the same function answers them."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from werkzeug.routing import Rule

from sezzlee_flask.sources.view_source import function_of, source_of_view, sources_of
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.aliases import Alike, is_named, marks_of
from sezzlee_py.catalog.function_source import names_used
from sezzlee_py.catalog.handlers import Identity, is_function, layers, unwrapped
from sezzlee_py.catalog.name_parts import route_body
from sezzlee_py.model.routes import placeholder_names

# What tells a handler by which rule it was reached, and what tells it the endpoint only. The URL
# does too, but is read to be shown.
_OF_RULE: Final = ("path", "full_path", "url_rule")
_OF_ENDPOINT: Final = ("endpoint", "blueprint", "blueprints")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A rule by which one method of a handler is reached, with the same inputs as by others.

    Attributes:
        rule: of the application.
        operation: what it makes of the handler.
        guards: what a call passes before the view, as far as rules may differ in it.
    """

    rule: Rule
    operation: DiscoveredOperation
    guards: Hashable

    @property
    def route(self) -> str:
        """The rule as a template."""
        return self.operation.descriptor.route


def told_apart(reached: Sequence[Reached]) -> list[Hashable]:
    """Return for each rule what tells it from those that are no aliases of it.

    That are the values which a rule supplies beside its path, the guards of its blueprints and,
    where the handler asks for it, the path or the endpoint's name. Routes that would give tools one
    name are always aliases.
    """
    if len(reached) == 1:
        return [None]
    operation = reached[0].operation
    asked, by_guards = _asked(operation), not is_named(operation.endpoint)
    return marks_of(
        [
            Alike(
                route=one.route,
                method=operation.descriptor.method,
                difference=(_difference(one, asked), one.guards if by_guards else None),
            )
            for one in reached
        ]
    )


def united(operations: Sequence[DiscoveredOperation]) -> list[Hashable]:
    """Return the key of each operation, one for those of a function that would get one name.

    A function beside a decorated one of it (`/orders-new`, and `/orders/new`, which warns that it
    is old) are two handlers with one name, and no route would tell them apart either.
    """
    groups: defaultdict[Hashable, list[DiscoveredOperation]] = defaultdict(list)
    for operation in operations:
        groups[_name_of(operation)].append(operation)
    kept = {name: min(group, key=_brevity).descriptor for name, group in groups.items()}
    return [kept[_name_of(operation)].endpoint_key for operation in operations]


def _name_of(operation: DiscoveredOperation) -> Hashable:
    """Return what gives an operation its name, the function included."""
    descriptor, endpoint = operation.descriptor, operation.endpoint
    owners = tuple(Identity(each.__self__) for each in layers(endpoint) if inspect.ismethod(each))
    names = frozenset(placeholder_names(descriptor.route))
    body = route_body(descriptor.method, descriptor.route)
    function = Identity(unwrapped(endpoint))
    return function, owners, descriptor.container_key, descriptor.method, names, body


def _brevity(operation: DiscoveredOperation) -> tuple[int, str]:
    return len(operation.descriptor.route), operation.descriptor.route


def _difference(one: Reached, asked: Collection[str]) -> Hashable:
    rule = one.rule
    supplied = rule.defaults or {}
    hidden = {name: repr(supplied[name]) for name in supplied if f"{name}>" not in rule.rule}
    path = one.route if not set(_OF_RULE).isdisjoint(asked) else None
    name = rule.endpoint if not set(_OF_ENDPOINT).isdisjoint(asked) else None
    return tuple(sorted(hidden.items())), path, name


def _asked(operation: DiscoveredOperation) -> frozenset[str]:
    """Return what a view reads of the request's route, by itself or through what stands near it.

    Near are the functions of its module that it names, and the methods of its class that it calls.
    """
    facts = (*_OF_RULE, *_OF_ENDPOINT)
    view = function_of(operation)
    if not is_function(view):
        return frozenset()
    called = (view.__globals__.get(name) for name in names_used(view.__code__))
    near = (found for found in called if is_function(found))
    helpers = filter(None, (source_of_view(found, facts) for found in near))
    sources = (*sources_of(operation, facts), *helpers)
    return frozenset(fact for source in sources for fact in source.asked_of_request(facts))
