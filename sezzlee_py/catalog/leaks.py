"""Warnings where curated names stay readable (spec: curation 8)."""

from __future__ import annotations

from collections.abc import Sequence

from sezzlee_py.catalog.arguments import CuratedArgument
from sezzlee_py.catalog.faults import Finding
from sezzlee_py.model import BodyField
from sezzlee_py.model.text import tokenize


def leak_findings(
    name: str, description: str, arguments: Sequence[CuratedArgument], *, open_body: bool
) -> tuple[Finding, ...]:
    """Return findings about curated names that the tool `name` still tells, or cannot enforce.

    Args:
        name: the tool's name.
        description: its description.
        arguments: all its arguments.
        open_body: whether its body takes undeclared keys.
    """
    published = {one.agent_name for one in arguments if one.fill is None}
    # A name that another argument shows anyway tells nothing.
    hidden_or_renamed = [
        one
        for one in arguments
        if (one.fill is not None or one.renamed) and one.argument.name not in published
    ]
    if not hidden_or_renamed:
        return ()
    spoken = {"name": tokenize(name), "description": tokenize(description)}
    findings: list[Finding] = []
    for one in hidden_or_renamed:
        tokens = tokenize(one.argument.name)
        for place, text in spoken.items():
            if _contains(text, tokens):
                findings.append(
                    (
                        "curation_leaks_name",
                        f"the {place} of '{name}' contains '{one.argument.name}', which is "
                        f"{_state(one)}; reword it",
                    )
                )
        findings.extend(_argument_leaks(name, one, tokens, arguments))
    if open_body and any(_is_hidden_field(one) for one in hidden_or_renamed):
        findings.append(
            (
                "curated_open_body",
                f"'{name}' hides a field of a body that takes any key: only the SDK refuses its "
                "name, in other case and underscores too, but no further alias of it",
            )
        )
    return tuple(findings)


def _argument_leaks(
    name: str,
    one: CuratedArgument,
    tokens: Sequence[str],
    arguments: Sequence[CuratedArgument],
) -> list[Finding]:
    # Inherited descriptions are not searched: short wire names would drown the signal.
    return [
        (
            "curation_leaks_name_in_argument",
            f"'{name}': the description of '{other.agent_name}' contains "
            f"'{one.argument.name}', which is {_state(one)}; reword it",
        )
        for other in arguments
        if other.fill is None
        and other.description is not None
        and _contains(tokenize(other.description), tokens)
    ]


def _state(one: CuratedArgument) -> str:
    return "hidden" if one.fill is not None else f"renamed to '{one.agent_name}'"


def _is_hidden_field(one: CuratedArgument) -> bool:
    return one.fill is not None and isinstance(one.argument.slot, BodyField)


def _contains(text: Sequence[str], run: Sequence[str]) -> bool:
    length = len(run)
    return length > 0 and any(text[at : at + length] == run for at in range(len(text) - length + 1))
