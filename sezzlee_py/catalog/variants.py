"""Several tools from one operation (spec: curation 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sezzlee_py.catalog.faults import Finding
from sezzlee_py.catalog.json_equality import same_json
from sezzlee_py.model import ArgumentCuration, ToolDefinition


def merge_records(
    operation: Mapping[str, ArgumentCuration],
    variant: Mapping[str, ArgumentCuration],
    *,
    sealed: Collection[str] = (),
) -> Mapping[str, ArgumentCuration]:
    """Return the records of a variant: its own, whole, over the operation's, save sealed ones."""
    own = {name: record for name, record in variant.items() if name not in sealed}
    return {**operation, **own} if own else operation


def twin_findings(tools: Sequence[ToolDefinition]) -> tuple[Finding, ...]:
    """Return a finding for each variant that an agent cannot tell from an earlier one."""
    findings: list[Finding] = []
    by_description: dict[str, list[ToolDefinition]] = {}
    for tool in tools:
        earlier = by_description.setdefault(tool.description, [])
        twin = next((t for t in earlier if same_json(t.input_schema, tool.input_schema)), None)
        if twin is not None:
            findings.append(
                (
                    "variant_indistinguishable",
                    f"'{twin.name}' and '{tool.name}' have one description and the same "
                    "arguments; say in the first clause how they differ",
                )
            )
        earlier.append(tool)
    return tuple(findings)
