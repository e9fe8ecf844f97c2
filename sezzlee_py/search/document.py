"""What of a tool is searched (spec: search 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

from sezzlee_py.model.tool import ToolDefinition

FIELDS: Final = (
    "name",
    "description",
    "search_terms",
    "tags",
    "route",
    "alternate_routes",
    "parameters",
)


@dataclass(frozen=True, slots=True)
class ToolDocument:
    """One tool as text to be found by.

    `parameters` are (name, description) pairs; `container` labels the tool for rankers that read
    a container's name apart, and is not text of its own.
    """

    name: str
    description: str = ""
    _: KW_ONLY
    search_terms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    route: str = ""
    alternate_routes: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    container: str | None = None

    def __post_init__(self) -> None:
        # A host's ranker receives documents: nothing in them may be changed under the index.
        for name in ("search_terms", "tags", "alternate_routes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        pairs = tuple((key, description) for key, description in self.parameters)
        object.__setattr__(self, "parameters", pairs)

    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The texts of each field, in the order of `FIELDS`; each text is tokenised on its own."""
        return (
            (self.name,),
            (self.description,),
            self.search_terms,
            self.tags,
            (self.route,),
            self.alternate_routes,
            tuple(text for pair in self.parameters for text in pair if text),
        )


def documents_from_tools(tools: Iterable[ToolDefinition]) -> tuple[ToolDocument, ...]:
    """Return one document per tool, from what the tool publishes."""
    return tuple(
        ToolDocument(
            tool.name,
            tool.description,
            search_terms=tool.search_terms,
            tags=tool.tags,
            route=tool.route,
            alternate_routes=tool.alternate_routes,
            parameters=tuple(_parameters(tool)),
            container=tool.container,
        )
        for tool in tools
    )


def _parameters(tool: ToolDefinition) -> Iterator[tuple[str, str]]:
    """Root properties, and the direct members of grouped ones."""
    for key, schema in _properties(tool.input_schema):
        yield key, _description(schema)
        if key in tool.grouped_parameters:
            for member, inner in _properties(schema):
                yield f"{key}.{member}", _description(inner)


def _properties(schema: Any) -> Iterator[tuple[str, Any]]:
    # Schemas are a host's own words: whatever is malformed is left out, never raised.
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if isinstance(properties, Mapping):
        yield from ((key, inner) for key, inner in properties.items() if isinstance(key, str))


def _description(schema: Any) -> str:
    description = schema.get("description") if isinstance(schema, Mapping) else None
    return description if isinstance(description, str) else ""
