"""YAML in docstrings, below their text or alone, where no extension makes a document of it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from flask import Flask

from sezzlee_flask.cut import original
from sezzlee_flask.sources.documents import Reading, mapping_of
from sezzlee_flask.sources.handwritten import repaired, sunk
from sezzlee_flask.sources.marshmallow import SchemaReader
from sezzlee_flask.sources.named_schemas import with_named_schemas
from sezzlee_py.catalog.adapter import METHODS, DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute, docstring_of
from sezzlee_py.openapi.join import with_broken_docstring
from sezzlee_py.openapi.parse import DocumentParseError, parse_document

_VERBS: Final = frozenset(method.lower() for method in METHODS)
# What an operation is described by; prose below a ruler has none of these.
_KEYS: Final = frozenset(
    {
        *("consumes", "deprecated", "description", "operationId", "parameters", "produces"),
        *("requestBody", "responses", "security", "summary", "tags", "definitions", "components"),
    }
)
_TELLING: Final = frozenset({"parameters", "requestBody", "responses"})
_SHARED: Final = ("definitions", "components")
_ANSWERS: Final = "#/components/responses/"
_SCHEMAS: Final = "#/components/schemas"
# All here go into what they read, and Python bounds how far; nobody writes a docstring so deep.
_MAX_DEPTH: Final = 100


class YAMLDocstrings:
    """The docstrings of one application; a schema that one of them names is there for all."""

    def __init__(self, app: Flask, reading: Reading) -> None:
        self._app = app
        self._reading = reading

    def described(self, operation: DiscoveredOperation, view: object) -> DiscoveredOperation | None:
        """Return an operation with the YAML of its handler, `None` where there is none."""
        try:
            told = self._told(operation, attribute(view, "view_class"))
        except DocumentParseError as fault:
            return with_broken_docstring(operation, fault)
        if told is None:
            return None
        is_leading = _leading(docstring_of(operation.endpoint)) is not None
        if is_leading:
            operation = _without_text(operation)
        own = _without_ids(repaired({k: v for k, v in told.items() if k not in _SHARED}))
        is_swagger = _is_swagger(own)
        reader = SchemaReader(home="#/definitions/" if is_swagger else "#/components/schemas/")
        node = with_named_schemas(own, reader)
        root = self._root(reader.components, is_swagger=is_swagger)
        node = node if is_swagger else sunk(node)
        kept = _without_loose_schemes(_without_loose_answers(node, root), self._shared.schemes)
        described = self._reading.described(operation, kept, root)
        if not is_leading or described.descriptor.request_body is not None:
            return described
        # Without a tool that reads it few write down a body here, so silence says nothing.
        return replace(described, accepts=operation.accepts)

    def _told(self, operation: DiscoveredOperation, cls: object) -> Mapping[str, Any] | None:
        method = operation.descriptor.method.lower()
        for text in (docstring_of(operation.endpoint), docstring_of(cls) if cls else ""):
            found = _parsed(text)
            if found is None:
                continue
            common = {key: value for key, value in found.items() if key not in _VERBS}
            if method in found:
                return {**common, **mapping_of(found[method])}
            if text and not _VERBS.isdisjoint(found):
                # It describes other methods only.
                return common if common.keys() & _TELLING else None
            return found
        return None

    def _root(self, named: Mapping[str, Any], *, is_swagger: bool) -> Mapping[str, Any]:
        shared = self._shared
        if is_swagger:
            return {
                "swagger": "2.0",
                "definitions": {**shared.definitions, **named},
                "securityDefinitions": shared.schemes,
            }
        schemas = {**shared.definitions, **mapping_of(shared.components.get("schemas")), **named}
        # Either spelling of a reference leads to what it names.
        return {
            "openapi": "3.0.3",
            "definitions": shared.definitions,
            "components": {**shared.components, "schemas": schemas},
        }

    @functools.cached_property
    def _shared(self) -> _Shared:
        # Many applications have no YAML, or an extension that reads it.
        shared = _Shared()
        for handler in _handlers(self._app):
            shared.collect(_read(docstring_of(handler)))
        return shared


class _Shared:
    """What all docstrings of an application name together."""

    def __init__(self) -> None:
        self.definitions: dict[str, Any] = {}
        self.components: dict[str, Any] = {}

    @property
    def schemes(self) -> Mapping[str, Any]:
        """The security schemes."""
        return mapping_of(self.components.get("securitySchemes"))

    def collect(self, found: Mapping[str, Any] | None) -> None:
        """Take what one docstring names; the first of a name counts where it names itself."""
        if found is None:
            return
        self.definitions.update(repaired(_schemas(found.get("definitions"))))
        for section, entries in mapping_of(found.get("components")).items():
            self.components.setdefault(section, {}).update(repaired(_schemas(entries)))
        for named, schema in _named(found):
            self.definitions.setdefault(named, _without_ids(repaired(schema)))


def _handlers(app: Flask) -> Iterator[object]:
    for registered in app.view_functions.values():
        view = original(registered)
        cls = attribute(view, "view_class")
        yield view
        if cls is not None:
            yield cls
            yield from (h for verb in sorted(_VERBS) if (h := attribute(cls, verb)) is not None)


def _read(text: str) -> Mapping[str, Any] | None:
    try:
        return _parsed(text)
    except DocumentParseError:
        # Said where the operation is described.
        return None


def _parsed(text: str) -> Mapping[str, Any] | None:
    """Return the operation that a docstring describes in YAML, `None` where it describes none.

    Raises:
        DocumentParseError: when it is meant as YAML and is none, or cannot be read here.
    """
    return _below(text) or _leading(text)


def _leading(text: str) -> Mapping[str, Any] | None:
    """Return what a docstring begins with, where that is an operation in YAML and no prose."""
    above = "\n".join(takewhile(lambda line: line.strip() != "---", text.splitlines()))
    if above.partition(":")[0].strip() not in _KEYS:
        return None
    try:
        root = parse_document(above.expandtabs(4), takes_last=True, max_depth=_MAX_DEPTH).root
    except DocumentParseError:
        # Prose may begin with such a word as well.
        return None
    return root if isinstance(root, Mapping) and _is_operation(root) else None


def _is_operation(root: Mapping[str, Any]) -> bool:
    """Whether a mapping is an operation and nothing else, and says more than one line of prose."""
    answers, parameters = root.get("responses", {}), root.get("parameters", [])
    if not isinstance(answers, Mapping) or not isinstance(parameters, list):
        return False
    is_more = len(root) > 1 or bool(answers or parameters or mapping_of(root.get("requestBody")))
    objects = (*answers.values(), *parameters)
    return is_more and root.keys() <= _KEYS and all(isinstance(o, Mapping) for o in objects)


def _without_text(operation: DiscoveredOperation) -> DiscoveredOperation:
    """Return an operation whose docstring has YAML in the place of its text."""
    return replace(operation, descriptor=replace(operation.descriptor, description=None))


def _below(text: str) -> Mapping[str, Any] | None:
    """Return what stands below a line of `---`, `None` where it describes no operation.

    Raises:
        DocumentParseError: when it is meant as YAML and is none, or cannot be read here.
    """
    lines = text.splitlines()
    ruler = next((at for at, line in enumerate(lines) if line.strip() == "---"), None)
    if ruler is None:
        return None
    below = lines[ruler + 1 :]
    words = {line.partition(":")[0].strip() for line in below if ":" in line}
    if words.isdisjoint(_KEYS | _VERBS):
        return None
    # A tab is no indentation in YAML, and two docstrings below each other are two documents.
    end = next((at for at, line in enumerate(below) if line.strip() == "---"), len(below))
    # What else reads docstrings takes the last of two equal keys.
    root = parse_document(
        "\n".join(below[:end]).expandtabs(4), takes_last=True, max_depth=_MAX_DEPTH
    ).root
    if not isinstance(root, Mapping) or root.keys().isdisjoint(_KEYS | _VERBS):
        return None
    return root


def _is_swagger(node: Mapping[str, Any]) -> bool:
    if "requestBody" in node or "content" in str(node.get("responses")):
        return False
    parameters = node.get("parameters")
    listed = parameters if isinstance(parameters, list) else []
    # Version 3 keeps what describes a value below `schema`.
    return all(
        mapping_of(p).get("in") in ("body", "formData") or "schema" not in mapping_of(p)
        for p in listed
    )


def _schemas(entries: Any) -> dict[str, Any]:
    if isinstance(entries, list):
        # As flasgger also takes it.
        return {key: value for entry in entries for key, value in mapping_of(entry).items()}
    return dict(mapping_of(entries))


def _named(node: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the schemas that name themselves by an `id`, as flasgger files them."""
    if isinstance(node, list):
        for item in node:
            yield from _named(item)
    elif isinstance(node, Mapping):
        for key, value in node.items():
            if key in ("schema", "items") and isinstance(mapping_of(value).get("id"), str):
                yield value["id"], value
            yield from _named(value)


def _without_ids(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_ids(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    is_named = isinstance(node.get("id"), str)
    return {k: _without_ids(v) for k, v in node.items() if not (is_named and k == "id")}


def _without_loose_answers(node: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an operation object without the answers and schemas of answers that nobody names.

    A tool that puts docstrings together knows what they refer to, and here an answer would tell no
    more than a status, a schema no more than any value.
    """
    answers = mapping_of(node.get("responses"))
    known = mapping_of(mapping_of(root.get("components")).get("responses"))
    kept = {
        status: _opened(answer, root)
        for status, answer in answers.items()
        if (name := _name_of_answer(answer)) is None or name in known
    }
    return {**node, "responses": kept} if answers else node


def _opened(node: Any, root: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_opened(item, root) for item in node]
    if not isinstance(node, Mapping):
        return node
    if _is_loose(node.get("$ref"), root):
        return {}
    return {key: _opened(value, root) for key, value in node.items()}


def _is_loose(reference: object, root: Mapping[str, Any]) -> bool:
    if not isinstance(reference, str):
        return False
    place, _, name = reference.rpartition("/")
    known = mapping_of(root.get("components")).get("schemas") if place == _SCHEMAS else None
    known = root.get("definitions") if place == "#/definitions" else known
    return known is not None and name not in mapping_of(known)


def _without_loose_schemes(node: Mapping[str, Any], known: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an operation object without the security schemes that nobody describes.

    Who may call stays as open as their names leave it.
    """
    requirement = node.get("security")
    alternatives = [mapping_of(a) for a in requirement] if isinstance(requirement, list) else []
    if all(name in known for alternative in alternatives for name in alternative):
        return node
    told = [{n: a[n] for n in a if n in known} for a in alternatives]
    kept = [alternative for alternative in told if alternative]
    rest = {key: value for key, value in node.items() if key != "security"}
    return {**rest, "security": kept} if kept else rest


def _name_of_answer(answer: Any) -> str | None:
    reference = mapping_of(answer).get("$ref")
    if not isinstance(reference, str) or not reference.startswith(_ANSWERS):
        return None
    return reference.removeprefix(_ANSWERS)
