"""The immutable catalog: tools in order, findings, and the numbers that tell builds apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from sezzlee_py.model import Diagnostic, Severity, ToolDefinition


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """What one build of an application gives; the same for every caller.

    Attributes:
        tools: by name in code-point order.
        diagnostics: by route, method and code.
        generation: 1 for the first catalog of a process, one more per committed reload.
        discovered: operations the walk found.
        selected: operations that selection let through.
        version: changes with every rebuild; equal for equal catalogs of one generation, whichever
            process built them.
    """

    tools: tuple[ToolDefinition, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    generation: int = 1
    discovered: int = 0
    selected: int = 0
    version: str = field(init=False)
    _by_name: dict[str, ToolDefinition] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {tool.name: tool for tool in self.tools}
        object.__setattr__(self, "_by_name", by_name)
        object.__setattr__(self, "version", f"{self.generation}-{_digest(self.tools)}")

    def get(self, name: str) -> ToolDefinition | None:
        """Return the tool with exactly this name, or `None`."""
        return self._by_name.get(name)

    def __getitem__(self, name: str) -> ToolDefinition:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[ToolDefinition]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    @property
    def fatal(self) -> tuple[Diagnostic, ...]:
        """The findings that keep the catalog from being served."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.FATAL)


def _digest(tools: tuple[ToolDefinition, ...]) -> str:
    """Digest what a ranker may index: the loaded shape's version, and the fields not in it."""
    digest = hashlib.sha256()
    for tool in tools:
        for text in (
            tool.name,
            tool.version,
            tool.method,
            tool.route,
            *tool.alternate_routes,
            "",
            *tool.tags,
            "",
            *tool.search_terms,
        ):
            digest.update(text.encode("utf-8", "surrogatepass"))
            digest.update(b"\0")
    return digest.hexdigest()[:16]
