"""webargs: the schemas that a view gives to a parser itself, `parser.parse(PetSchema, request)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final

from sezzlee_flask.sources.marshmallow import SchemaReader, is_of_package
from sezzlee_flask.sources.view_source import ViewSource, is_call_of, sources_of
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.function_source import constant_text, literal
from sezzlee_py.catalog.handlers import attribute, is_class

_PARSE: Final = ("parse",)
# What a field is made with says what it holds; who gives it is an optional argument all the same.
_LEFT_OUT: Final = "required"
# What decides under which name a value is read, and whether it is.
_NAMING: Final = ("data_key", "dump_only", "exclude", "many", "only")


def schemas_parsed(
    operation: DiscoveredOperation, reader: SchemaReader
) -> list[tuple[str, Any]] | None:
    """Return the location and the schema of each call of a parser, `None` where one is uncertain.

    The schema is one of the module, or a class of it, or a map of fields, of the module or written
    in the function.
    """
    told: list[tuple[str, Any]] = []
    for source in sources_of(operation, _PARSE):
        for call, parser in _calls(source):
            schema = _schema(call, source, reader)
            location = _location(call, parser)
            if schema is None or location is None:
                return None
            if (location, schema) not in told:
                told.append((location, schema))
    return told


def _calls(source: ViewSource) -> Iterator[tuple[ast.Call, object]]:
    """Yield the calls that parse a request, with the parser of webargs that each asks."""
    for node in source.nodes:
        if is_call_of(node, _PARSE):
            parser = source.resolved(node.func.value)  # type: ignore[attr-defined]
            if any(is_of_package(base, "webargs") for base in type(parser).__mro__):
                yield node, parser  # type: ignore[misc]


def _location(call: ast.Call, parser: object) -> str | None:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in given:
        return None
    found = constant_text(given["location"]) if "location" in given else None
    default = attribute(parser, "location")
    return found if "location" in given or not isinstance(default, str) else default


def _schema(call: ast.Call, source: ViewSource, reader: SchemaReader) -> Any | None:
    """Return what a call reads of Flask's request, `None` where only the running view knows."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    argmap = call.args[0] if call.args else given.get("argmap")
    request = call.args[1] if len(call.args) > 1 else given.get("req")
    if argmap is None or (request is not None and not source.is_request(request)):
        return None
    if isinstance(argmap, ast.Name):
        argmap = _written(argmap, source)
    if isinstance(argmap, ast.Dict):
        return _of_fields(argmap, source)
    if isinstance(argmap, ast.Call) and not argmap.args and not argmap.keywords:
        argmap = argmap.func
        made = source.resolved(argmap)
        return reader.schema_of(made) if is_class(made) else None
    known = source.resolved(argmap)
    return SimpleNamespace(fields=known) if type(known) is dict else reader.schema_of(known)


def _written(name: ast.Name, source: ViewSource) -> ast.expr:
    """Return what a name is bound to that the function only gives to parsers."""
    value = source.assigned_once().get(name.id)
    uses = [n for n in source.nodes if isinstance(n, ast.Name) and n.id == name.id]
    parsed = [call for call, _ in _calls(source) if call.args and call.args[0] in uses]
    return value if value is not None and len(uses) == len(parsed) + 1 else name


def _of_fields(argmap: ast.Dict, source: ViewSource) -> Any | None:
    """Return the schema that a map of fields is, `None` where one of them is not certain."""
    fields: dict[str, Any] = {}
    for key, value in zip(argmap.keys, argmap.values, strict=True):
        name, field = constant_text(key), _made(value, source)
        if name is None or field is None:
            return None
        fields[name] = field
    return SimpleNamespace(fields=fields)


def _made(node: ast.expr, source: ViewSource) -> Any | None:
    """Return what an expression makes of marshmallow's own classes, `None` for anything else."""
    kind = source.resolved(node.func) if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not is_class(kind):
        return None
    if not any(is_of_package(kind, package) for package in ("marshmallow", "webargs")):
        return None
    args = [_value(arg, source) for arg in node.args]
    given = _given(node, source)
    # Values of the host's own may compare in any way.
    if given is None or any(arg is None for arg in args):
        return None
    try:
        return kind(*args, **given)
    except Exception:
        # Made as the view would make it, which fails then too.
        return None


def _given(call: ast.Call, source: ViewSource) -> Mapping[str, Any] | None:
    """Return the known keyword arguments of a call, `None` where a name may hang on another."""
    known: dict[str, Any] = {}
    for keyword in call.keywords:
        value = _value(keyword.value, source)
        is_open = value is None and not _is_none(keyword.value)
        if keyword.arg is None or (is_open and keyword.arg in _NAMING):
            return None
        if value is not None and keyword.arg != _LEFT_OUT:
            known[keyword.arg] = value
    return known


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _value(node: ast.expr, source: ViewSource) -> Any | None:
    made = _made(node, source)
    if made is not None:
        return made
    value = literal(node)
    return source.resolved(node) if value is None else value
