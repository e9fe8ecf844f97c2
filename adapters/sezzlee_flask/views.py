"""What answers a Flask rule: its methods, the handler of each, and where it was declared."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass
from typing import Final

import flask
from flask import Flask
from flask.sansio.blueprints import Blueprint
from flask.views import MethodView
from werkzeug.routing import Rule

from sezzlee_flask.sources.traces import closure_of
from sezzlee_py.catalog.adapter import METHODS
from sezzlee_py.catalog.containers import (
    Container,
    blueprint_container,
    bound_class,
    class_container,
)
from sezzlee_py.catalog.handlers import (
    Identity,
    attribute,
    function_key,
    is_decorated,
    layers,
)
from sezzlee_py.declaration import read_record

_SENDERS: Final = (Flask.send_static_file, flask.Blueprint.send_static_file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One method of a rule and what handles it.

    Attributes:
        method: upper-case, perhaps one that no tool can have.
        endpoint: a class-based view's method for it, else the view function.
        key: the identity of the handler.
        inner: what `endpoint` only leads to, of a class that chooses by itself what answers.
        cls: the class-based view.
        has_method: whether `endpoint` is the class's own method for this verb.
    """

    method: str
    endpoint: object
    key: Hashable
    inner: object = None
    cls: type | None = None
    has_method: bool = False


def self_dispatching(app: Flask) -> frozenset[type]:
    """Return the class-based views that choose by themselves what answers a request.

    A class that has no handler for any method of one of its rules cannot dispatch by verb, whatever
    its other methods are called: `delete` is a name that many classes use.
    """
    reached = (
        (view_class(app.view_functions.get(rule.endpoint)), _declared_methods(rule))
        for rule in app.url_map.iter_rules()
        if not rule.build_only
    )
    return frozenset(
        cls
        for cls, methods in reached
        if cls is not None
        and not issubclass(cls, MethodView)
        and not any(_handler(cls, method) for method in methods)
    )


def served_verbs(rule: Rule, view: object, without_verbs: Collection[type]) -> tuple[Verb, ...]:
    """Return the methods that a rule answers and a developer wrote down, known ones first.

    Args:
        rule: of the application.
        view: what is registered for it.
        without_verbs: the classes that are `self_dispatching`.
    """
    cls = view_class(view)
    methods = _declared_methods(rule)
    ordered: list[str] = [method for method in METHODS if method in methods]
    ordered += sorted(methods.difference(METHODS))
    if cls is None:
        return tuple(Verb(method=m, endpoint=view, key=function_key(view)) for m in ordered)
    if cls in without_verbs:
        # The name given to `as_view` tells more than `dispatch_request`.
        inner = attribute(cls, "dispatch_request")
        return tuple(
            Verb(method=m, endpoint=view, key=function_key(view), inner=inner, cls=cls)
            for m in ordered
        )
    return tuple(_class_verbs(cls, view, ordered))


def view_class(view: object) -> type | None:
    """Return the class behind a view function, however decorated, or `None`."""
    for layer in layers(view):
        cls = attribute(layer, "view_class")
        if isinstance(cls, type):
            return cls
    return None


def is_made_alike(first: object, second: object) -> bool:
    """Whether two views are of one class and got the same arguments for it."""
    cls = view_class(first)
    arguments = _class_arguments(first)
    is_known = cls is not None and arguments is not None
    return is_known and cls is view_class(second) and arguments == _class_arguments(second)


def _class_arguments(view: object) -> Hashable | None:
    """Return what a view makes its class with, `None` where it does not tell."""
    for layer in layers(view):
        enclosed = closure_of(layer, "flask")
        args, named = enclosed.get("class_args"), enclosed.get("class_kwargs")
        if isinstance(args, tuple) and isinstance(named, dict):
            each = frozenset((name, Identity(value)) for name, value in named.items())
            return (tuple(map(Identity, args)), each)
    return None


def is_guarded(view: object, cls: type | None) -> bool:
    """Whether something stands around the view that may be a guard."""
    if cls is None:
        return is_decorated(view)
    dispatches = attribute(cls, "dispatch_request")
    return is_decorated(view) or is_decorated(dispatches) or bool(attribute(cls, "decorators"))


def blueprints_of(app: Flask, endpoint: str) -> tuple[tuple[str, Blueprint], ...]:
    """Return the blueprints that an endpoint is in with their dotted names, innermost first."""
    found: list[tuple[str, Blueprint]] = []
    name = endpoint.rpartition(".")[0]
    while name:
        if name in app.blueprints:
            found.append((name, app.blueprints[name]))
        name = name.rpartition(".")[0]
    return tuple(found)


def guards_of(app: Flask, endpoint: str) -> Hashable:
    """Return what the blueprints of an endpoint run before its view."""
    before = (
        (*app.url_value_preprocessors.get(name, ()), *app.before_request_funcs.get(name, ()))
        for name, _ in blueprints_of(app, endpoint)
    )
    return tuple(Identity(function) for functions in before for function in functions)


def owner_of(verb: Verb) -> type | None:
    """Return the class that a handler belongs to: a class-based view, or that of a bound method."""
    return verb.cls or bound_class(verb.endpoint)


def container_of(owner: type | None, blueprint: str | None) -> Container | None:
    """Return the container of a handler: its class, else its blueprint, else none."""
    if owner is not None:
        return class_container(owner)
    return None if blueprint is None else blueprint_container(blueprint)


def is_static(rule: Rule, view: object) -> bool:
    """Whether a rule serves a folder of static files, Flask's or one that the host serves itself.

    The host's is called so, and answers GET for a variable at the end of a path that says so too,
    or for a whole path at the end of any. A declaration of the host's on it says otherwise.
    """
    if read_record(view) is not None:
        return False
    name = rule.endpoint.rpartition(".")[2]
    if name == "static" and rule.arguments - _domain_arguments(rule) == {"filename"}:
        return True
    if attribute(view, "__func__") in _SENDERS:
        return True
    last = rule.rule.rpartition("<")[2]
    says_so = "static" in rule.rule.partition("<")[0] or last.startswith("path:")
    is_folder = says_so and last.endswith(">") and _declared_methods(rule) == {"GET"}
    return is_folder and "static" in name.lower().split("_")


def _domain_arguments(rule: Rule) -> set[str]:
    return {name for name in rule.arguments if f"{name}>" not in rule.rule}


def _declared_methods(rule: Rule) -> set[str]:
    methods = set(rule.methods or ("GET",))
    # Werkzeug adds HEAD to every GET, Flask answers OPTIONS by itself unless told otherwise.
    if "GET" in methods:
        methods.discard("HEAD")
    if attribute(rule, "provide_automatic_options"):
        methods.discard("OPTIONS")
    return methods


def _class_verbs(cls: type, view: object, methods: list[str]) -> Iterator[Verb]:
    # Views of one class act alike unless the class takes arguments that tell them apart.
    owner = cls if attribute(cls, "__init__") is object.__init__ else view
    for method in methods:
        handler = _handler(cls, method)
        if handler is not None:
            yield Verb(
                method=method,
                endpoint=handler,
                key=(function_key(handler), Identity(owner)),
                cls=cls,
                has_method=True,
            )


def _handler(cls: type, method: str) -> object | None:
    handler = attribute(cls, method.lower())
    return handler if callable(handler) else None
