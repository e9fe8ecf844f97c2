"""Names that a view reads through a function of its module, such as `text_arg(request, "q")`.

Only what is certain counts: the function reads the mapping by one of its parameters, and the view
gives a literal name there. It knows the request, or is given the request or the mapping.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import flask

from sezzlee_flask.sources.named_reads import MappingReads
from sezzlee_flask.sources.view_source import ViewSource, source_of_view, tests_of, uses
from sezzlee_py.catalog.function_source import constant_text, names_used, parameter_names
from sezzlee_py.catalog.handlers import is_function
from sezzlee_py.model import JSONObject

# Of the request, each read under names.
_MAPPINGS: Final = ("args", "cookies", "files", "form", "get_json", "headers", "json", "values")


def helper_reads(
    endpoint: object,
    attributes: tuple[str, ...],
    unless: Collection[str] = (),
    method: str | None = None,
) -> Iterator[tuple[str, JSONObject]]:
    """Yield each name that is read through a helper, with the schema of its value.

    Args:
        endpoint: the innermost function of a handler.
        attributes: of the request, each a mapping of texts that may repeat a name.
        unless: names; a helper that uses one of them is left out.
        method: of the request; what never runs for it does not count.
    """
    helpers = _helpers(endpoint, attributes, unless)
    source = source_of_view(endpoint, helpers, method)
    if source is None:
        return
    reads = MappingReads(source, attributes)
    bodies: dict[types.FunctionType, ViewSource | None] = {}
    for call, helper in _calls(source, helpers):
        given = _given(call, helper)
        texts = {name: text for name, value in given.items() if (text := constant_text(value))}
        requests = [name for name, value in given.items() if source.is_request(value)]
        mappings = [name for name, value in given.items() if reads.is_mapping(value)]
        if not texts or not (requests or mappings or _knows_request(helper)):
            continue
        if helper not in bodies:
            bodies[helper] = source_of_view(helper, method=method)
        yield from _through(bodies[helper], texts, requests, mappings, attributes)


def _helpers(
    endpoint: object, attributes: tuple[str, ...], unless: Collection[str]
) -> Collection[str]:
    """Return the names by which a function knows functions that may read the mapping.

    They use it, or the function does and may give it to them.
    """
    if not is_function(endpoint):
        return ()
    used = names_used(endpoint.__code__)
    known = ((name, endpoint.__globals__.get(name)) for name in used)
    is_given = uses(endpoint.__code__, attributes)
    return {
        name
        for name, found in known
        if is_function(found)
        and (is_given or uses(found.__code__, attributes))
        and not uses(found.__code__, unless)
    }


def _calls(
    source: ViewSource, helpers: Collection[str]
) -> Iterator[tuple[ast.Call, types.FunctionType]]:
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found = source.value_of(node.func.id) if node.func.id in helpers else None
            if is_function(found):
                yield node, found


def _knows_request(helper: types.FunctionType) -> bool:
    names, known = names_used(helper.__code__), helper.__globals__
    return "request" in names or any(known.get(name) is flask.request for name in names)


def _through(
    body: ViewSource | None,
    texts: Mapping[str, str],
    requests: Iterable[str],
    mappings: Iterable[str],
    attributes: tuple[str, ...],
) -> Iterator[tuple[str, JSONObject]]:
    """Yield what a helper reads where parameters of it are texts, the request, the mapping."""
    if body is None:
        return
    passed = dict.fromkeys(body.bound_once(requests), flask.request)
    named = {name: texts[name] for name in body.bound_once(texts)}
    told = replace(body, imported={**body.imported, **passed})
    reads = MappingReads(told, attributes, body.bound_once(mappings))
    found = [
        (node.id, schema)
        for node, schema in reads.found()
        if isinstance(node, ast.Name) and node.id in named
    ]
    if not _is_chosen(told, {name for name, _ in found}):
        yield from ((named[name], schema) for name, schema in found)


def _is_chosen(body: ViewSource, keys: Collection[str]) -> bool:
    """Whether a helper may choose by a parameter which mapping of the request it reads."""
    if len(set(body.asked_of_request(_MAPPINGS))) < 2:
        return False
    others = set(parameter_names(body.function.__code__)).difference(keys)
    asked = (part for node in body.nodes for test in tests_of(node) for part in ast.walk(test))
    return any(isinstance(part, ast.Name) and part.id in others for part in asked)


def _given(call: ast.Call, function: types.FunctionType) -> dict[str, ast.expr]:
    """Return what a call gives to the parameters of a function, nothing where it unpacks."""
    code = function.__code__
    if any(isinstance(node, ast.Starred) for node in call.args):
        return {}
    positional = code.co_varnames[: code.co_argcount]
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    return {**dict(zip(positional, call.args, strict=False)), **named}
