"""Operation ids from functions, their methods and their routes (spec: naming 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.annotations import METHODS
from sezzlee_py.catalog.handlers import attribute, function_key, unwrapped
from sezzlee_py.catalog.name_parts import is_legal_name, route_body, snake_case
from sezzlee_py.model.routes import placeholder_names


def assign_operation_ids(operations: Sequence[DiscoveredOperation]) -> tuple[str | None, ...]:
    """Return the id of each operation, `None` where its name comes from its route.

    An id set by the developer stands as it is. All operations of an application are given at once,
    selected or not, because a function's methods and routes decide its ids together.
    """
    functions: defaultdict[Hashable, list[DiscoveredOperation]] = defaultdict(list)
    for operation in operations:
        functions[_function(operation)].append(operation)
    ids = {function: _FunctionIds(members) for function, members in functions.items()}
    assigned = [
        operation.descriptor.operation_id or ids[_function(operation)].of(operation)
        for operation in operations
    ]
    for at in _slashed(operations, assigned):
        descriptor = operations[at].descriptor
        told = f"{route_body(descriptor.method, descriptor.route)}_slash"
        assigned[at] = told if is_legal_name(told) else assigned[at]
    return tuple(assigned)


def _slashed(operations: Sequence[DiscoveredOperation], ids: Sequence[str | None]) -> list[int]:
    """Return the operations that only a slash at the end tells from others.

    Their routes give both the same name, so one needs an id where neither has one to itself. With
    one id of one function they are folded.
    """
    bearers: defaultdict[tuple[str | None, str], set[Hashable]] = defaultdict(set)
    for operation, own in zip(operations, ids, strict=True):
        bearers[own, operation.descriptor.method].add(_function(operation))
    nameless = {
        (operation.descriptor.method, operation.descriptor.route): at
        for at, (operation, own) in enumerate(zip(operations, ids, strict=True))
        if operation.descriptor.operation_id is None
        and (own is None or len(bearers[own, operation.descriptor.method]) > 1)
    }
    pairs = (
        (at, nameless.get((method, route.removesuffix("/"))))
        for (method, route), at in nameless.items()
        if route.endswith("/")
    )
    return [
        at
        for at, twin in pairs
        if twin is not None
        and (ids[at] is None or _function(operations[at]) != _function(operations[twin]))
    ]


def function_name(endpoint: object) -> str | None:
    """Return the name of the function below an endpoint, or of a callable object's class.

    `None` for a lambda, for nothing, and for a name that cannot be a tool's.
    """
    if endpoint is None:
        return None
    target = unwrapped(endpoint)
    name = attribute(target, "__name__")
    if not isinstance(name, str):
        name = type(target).__name__
    # snake_case would make the legal name `lambda` of it.
    return None if name == "<lambda>" or not is_legal_name(snake_case(name)) else name


class _FunctionIds:
    """The ids of one function's operations."""

    def __init__(self, operations: Sequence[DiscoveredOperation]) -> None:
        self._name = function_name(operations[0].endpoint)
        self._is_replaced = _is_replaced(operations[0], self._name)
        self._several_methods = False
        self._suffixes: Mapping[frozenset[str], str] = defaultdict(str)
        if len(operations) > 1:
            self._tell_apart(operations)

    def _tell_apart(self, operations: Sequence[DiscoveredOperation]) -> None:
        methods: defaultdict[str, set[str]] = defaultdict(set)
        for operation in operations:
            # A method that no tool can have tells nothing apart.
            served = {operation.descriptor.method.upper()} & METHODS
            methods[operation.descriptor.route] |= served
        # Told by method on every route, so that a method's routes still fold into one operation.
        self._several_methods = any(len(found) > 1 for found in methods.values())
        self._suffixes = _suffixes(methods)

    def of(self, operation: DiscoveredOperation) -> str | None:
        """Return the id of one of the operations."""
        if self._name is None:
            return None
        descriptor = operation.descriptor
        method = descriptor.method.lower()
        name = f"{method}_{self._name}" if self._several_methods else self._name
        suffix = self._suffixes[frozenset(placeholder_names(descriptor.route))]
        found = f"{method if self._is_replaced else name}{suffix}"
        return found if is_legal_name(snake_case(found)) else None


def _is_replaced(operation: DiscoveredOperation, name: str | None) -> bool:
    """Whether a class-based view has nothing of its method's name.

    A decorator put a function of its own in the method's place; the method is still the verb's.
    """
    if name is None or not (operation.class_view and operation.containers):
        return False
    return attribute(operation.containers[0], name) is None


def _suffixes(routes: Sequence[str] | defaultdict[str, set[str]]) -> dict[frozenset[str], str]:
    """`_by_...` for each set of path parameters, empty where the function has no other set."""
    # The parameters of a set stand in the order of its shortest route, which folding keeps.
    shortest = sorted(routes, key=lambda route: (len(route), route))
    names: dict[frozenset[str], tuple[str, ...]] = {}
    for route in shortest:
        found = placeholder_names(route)
        names.setdefault(frozenset(found), found)
    told = len(names) > 1
    return {
        parameters: f"_by_{'_'.join(ordered)}" if told and ordered else ""
        for parameters, ordered in names.items()
    }


def _function(operation: DiscoveredOperation) -> Hashable:
    descriptor = operation.descriptor
    key = descriptor.endpoint_key
    if key is None:
        key = function_key(operation.endpoint) if operation.endpoint is not None else id(operation)
    # Classes inherit one verb's function from one base; each class has its own routes.
    return (key, descriptor.container_key) if operation.class_view else (key,)
