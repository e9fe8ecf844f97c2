"""Definitions that a schema of the host's own brings along, found from where they are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from sezzlee_py.catalog.schema.references import pointer_to, unescape_token
from sezzlee_py.model import JSONObject

# Places of definitions with what stands there.
_Homes: TypeAlias = tuple[tuple[str, Mapping[str, Any]], ...]

_WORDS: Final = ("$defs", "definitions")
# Of a schema: what has names for keys, and what holds values, in which nothing is a reference.
_NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas", *_WORDS})
_VALUES: Final = frozenset({"const", "default", "enum", "example", "examples"})
# What a document's text has where a reference leads to such definitions.
TRACES: Final = tuple(f'"#/{word}/' for word in _WORDS)


def point_at_own_definitions(document: JSONObject) -> None:
    """Have references lead to the definitions of the schema around them.

    `Model.model_json_schema()` in `openapi_extra` or `responses` refers to `#/$defs/...`. By that
    a document means its root, where FastAPI writes none.
    """
    # Each node with the places of the definitions around it, nearest first, and whether its keys
    # are names that the host chose.
    pending: list[tuple[Any, str, _Homes, bool]] = [(document, "", (), False)]
    while pending:
        node, place, homes, is_named = pending.pop()
        if isinstance(node, list):
            pending += [
                (value, pointer_to(place, at), homes, False) for at, value in enumerate(node)
            ]
        if not isinstance(node, dict):
            continue
        if not is_named:
            homes = (*_definitions(node, place), *homes)
            if homes and isinstance(node.get("$ref"), str):
                node["$ref"] = _led_home(node["$ref"], homes)
        pending += [
            (value, pointer_to(place, key), homes, not is_named and key in _NAMED)
            for key, value in node.items()
            if is_named or not homes or key not in _VALUES
        ]


def _definitions(node: JSONObject, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for word in _WORDS:
        found = node.get(word)
        if isinstance(found, Mapping):
            yield pointer_to(place, word), found


def _led_home(reference: str, homes: _Homes) -> str:
    word, _, rest = reference.removeprefix("#/").partition("/")
    name = unescape_token(rest.partition("/")[0])
    for place, known in homes:
        if place.endswith(f"/{word}") and name in known:
            return f"#{place}/{rest}"
    return reference
