"""Names under which a view reads a mapping of its request, such as `request.args`.

Only what is certain counts: the mapping itself, or a local name that is bound once to it or to a
copy of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sezzlee_flask.sources.view_source import ViewSource
from sezzlee_py.catalog.function_source import constant_text, literal
from sezzlee_py.catalog.handlers import is_class
from sezzlee_py.catalog.key_reads import (
    NUMBERS,
    TEXT,
    UNKNOWN,
    KeyRead,
    agreed,
    key_read,
    numbers_read,
)
from sezzlee_py.model import JSONObject

_COPIES: Final = ("copy", "to_dict")


def named_reads(source: ViewSource, attributes: tuple[str, ...]) -> Mapping[str, JSONObject]:
    """Return the names that a function certainly reads, with the schemas of their values.

    Args:
        source: of the function.
        attributes: of the request, each a mapping of texts that may repeat a name.
    """
    reads = MappingReads(source, attributes).found()
    return agreed((name, schema) for node, schema in reads if (name := constant_text(node)))


@dataclass(frozen=True, slots=True)
class _Mapped:
    """An expression that is the mapping; a copy is plain where it is a `dict`.

    That holds one value per name, or the list of them.
    """

    is_copy: bool = False
    is_plain: bool = False
    is_listed: bool = False


class MappingReads:
    """The places where one function reads the mapping.

    Args:
        source: of the function.
        attributes: of the request, each a mapping of texts that may repeat a name.
        given: parameters that are the mapping.
    """

    def __init__(
        self, source: ViewSource, attributes: tuple[str, ...], given: Iterable[str] = ()
    ) -> None:
        self._source = source
        self._attributes = attributes
        self._names: dict[str, _Mapped] = {name: _Mapped() for name in given}
        for name, value in source.assigned_once().items():
            mapped = self._mapped(value)
            if mapped is not None and (not mapped.is_copy or source.is_only_read(name)):
                self._names[name] = mapped

    def found(self) -> Iterator[tuple[ast.expr, JSONObject]]:
        """Yield what is certainly read: the expression of a name, the schema of its value."""
        numbers = numbers_read(self._source)
        for node in self._source.nodes:
            asked = key_read(node)
            schema = None if asked is None else self._read(asked)
            if asked is not None and schema is not None:
                yield asked.key, numbers.get(node, schema) if schema is TEXT else schema

    def is_mapping(self, node: ast.AST) -> bool:
        """Whether an expression is the mapping itself, and no copy of it."""
        mapped = self._mapped(node)
        return mapped is not None and not mapped.is_copy

    def _read(self, asked: KeyRead) -> JSONObject | None:
        """Return the schema of what the mapping is asked for, `None` where it is something else."""
        mapped = self._mapped(asked.mapping)
        if mapped is None:
            return None
        if asked.is_test:
            return UNKNOWN
        if asked.call is not None and not mapped.is_plain:
            if asked.method == "getlist":
                return {"type": "array", "items": self._schema(asked.call, 1)}
            if asked.method == "get":
                return self._schema(asked.call, 2)
        if asked.method not in (None, "get", "pop"):
            return None
        return {"type": "array", "items": TEXT} if mapped.is_listed else TEXT

    def _schema(self, call: ast.Call, position: int) -> JSONObject:
        """Return the schema of a value by the type that the call converts it to."""
        node = next((k.value for k in call.keywords if k.arg == "type"), None)
        if node is None and len(call.args) > position:
            node = call.args[position]
        if self._source.is_builtin(node, NUMBERS):
            return NUMBERS[node.id]  # type: ignore[union-attr]
        return TEXT

    def _mapped(self, node: ast.AST) -> _Mapped | None:
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute):
            is_args = node.attr in self._attributes and self._source.is_request(node.value)
            return _Mapped() if is_args else None
        return self._copied(node) if isinstance(node, ast.Call) else None

    def _copied(self, call: ast.Call) -> _Mapped | None:
        """Return the mapping where a call copies it and nothing else."""
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr in _COPIES:
            mapped = self._mapped(function.value)
            if mapped is None or function.attr == "copy":
                return mapped and replace(mapped, is_copy=True)
            return _Mapped(is_copy=True, is_plain=True, is_listed=_is_listed(call))
        if len(call.args) != 1 or call.keywords or not self._is_mapping_type(function):
            return None
        given = call.args[0]
        if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute):
            is_items = given.func.attr == "items" and not given.args
            given = given.func.value if is_items else given
        return self._mapped(given) and _Mapped(is_copy=True, is_plain=True)

    def _is_mapping_type(self, node: ast.AST) -> bool:
        if self._source.is_builtin(node, ("dict",)):
            return True
        found = self._source.value_of(node.id) if isinstance(node, ast.Name) else None
        return is_class(found) and issubclass(found, dict)


def _is_listed(call: ast.Call) -> bool:
    """Whether `to_dict` keeps the list of a name's values: `to_dict(flat=False)`."""
    flat = next((k.value for k in call.keywords if k.arg == "flat"), None)
    return literal(call.args[0] if call.args else flat) is False
