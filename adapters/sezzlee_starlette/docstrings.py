"""YAML in docstrings by Starlette's own convention for schemas (`starlette.schemas`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from starlette.schemas import SchemaGenerator

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute, docstring_of, unwrapped
from sezzlee_py.openapi.join import describe_alone, with_broken_docstring
from sezzlee_py.openapi.parse import DocumentParseError, parse_document
from sezzlee_starlette.routes import Settings

_RULER: Final = "---"
# What an operation is described by; prose has none of these before a colon.
_WORDS: Final = frozenset(
    {
        *("deprecated", "description", "operationId", "parameters", "requestBody", "responses"),
        *("security", "summary", "tags"),
    }
)
_COMPONENTS: Final = ("components", "definitions")
_ROOT: Final = ("openapi", "swagger", *_COMPONENTS)


class Docstrings:
    """The docstrings of one walk; what they refer to stands in a generator of the host's.

    Args:
        settings: the host's options.
        endpoints: handlers; in their modules a generator is looked for.
    """

    def __init__(self, settings: Settings, endpoints: Iterable[object]) -> None:
        self._settings = settings
        self._endpoints = endpoints
        self._root: Mapping[str, Any] | None = None

    def described(self, operation: DiscoveredOperation) -> DiscoveredOperation:
        """Return an operation with the YAML of its handler, as it is where there is none."""
        prose, ruler, below = docstring_of(operation.endpoint).rpartition(_RULER)
        if not _is_about_operation(below):
            return operation
        bare = operation if prose.strip() else _without_text(operation)
        try:
            # What else reads docstrings takes the last of two equal keys.
            told = parse_document(below.expandtabs(4), takes_last=True).root
        except DocumentParseError as fault:
            # Prose without a ruler may look alike further down.
            is_meant = bool(ruler) or below.lstrip().partition(":")[0] in _WORDS
            return with_broken_docstring(bare, fault) if is_meant else operation
        if not isinstance(told, Mapping) or told.keys().isdisjoint(_WORDS):
            return operation
        return self._read(bare, told)

    def _read(self, operation: DiscoveredOperation, told: Mapping[str, Any]) -> DiscoveredOperation:
        if self._root is None:
            self._root = _generator_root(self._endpoints)
        if self._root.keys().isdisjoint(_COMPONENTS):
            told = _without_references(told)
        described = describe_alone(
            operation,
            told,
            self._root,
            drop_read_only=self._settings.drop_read_only,
            carriers=self._settings.carriers,
            cookies=self._settings.cookies,
        )
        if described.descriptor.request_body is not None or "requestBody" in told:
            return described
        # Few write down a body in this place, so silence about it says nothing.
        return replace(described, accepts=operation.accepts)


def _is_about_operation(text: str) -> bool:
    words = {line.partition(":")[0] for line in text.splitlines() if ":" in line}
    return not words.isdisjoint(_WORDS)


def _without_references(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an operation object without the parts that only name what stands elsewhere.

    What the host generates its document with may know them; here they are as if not there.
    """
    made = {key: value for key, value in told.items() if key != "requestBody"}
    if "requestBody" in told and not _is_reference(told["requestBody"]):
        made["requestBody"] = told["requestBody"]
    answers, parameters = told.get("responses"), told.get("parameters")
    if isinstance(answers, Mapping):
        made["responses"] = {k: answers[k] for k in answers if not _is_reference(answers[k])}
    if isinstance(parameters, list):
        made["parameters"] = [
            p for p in parameters if not isinstance(p, Mapping) or "$ref" not in p
        ]
    return made


def _is_reference(part: Any) -> bool:
    """Whether a body or an answer, or its schema in any media type, is a reference."""
    if not isinstance(part, Mapping):
        return False
    content = part.get("content")
    entries = content.values() if isinstance(content, Mapping) else ()
    schemas = (entry.get("schema") for entry in entries if isinstance(entry, Mapping))
    return "$ref" in part or any(isinstance(s, Mapping) and "$ref" in s for s in schemas)


def _generator_root(endpoints: Iterable[object]) -> Mapping[str, Any]:
    """Return what a generator in a module of the handlers knows beside the routes."""
    spaces = (attribute(unwrapped(endpoint), "__globals__") for endpoint in endpoints)
    modules = {id(space): space for space in spaces if isinstance(space, dict)}
    for module in modules.values():
        for value in tuple(module.values()):
            # By its type, because a proxy may raise when it is asked for its class.
            if issubclass(type(value), SchemaGenerator):
                return _root(value.base_schema)
    return _root({})


def _root(base: Mapping[str, Any]) -> Mapping[str, Any]:
    version = {} if "swagger" in base else {"openapi": "3.0.3"}
    return {**version, **{key: base[key] for key in _ROOT if key in base}}


def _without_text(operation: DiscoveredOperation) -> DiscoveredOperation:
    """Return an operation whose docstring is YAML and nothing else."""
    return replace(operation, descriptor=replace(operation.descriptor, description=None))
