"""Adding the metadata's address to `WWW-Authenticate` fields (spec: transport 7)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
# One element of the comma list; a comma inside quotes is text. An open quote runs to the end.
_ELEMENT: Final = re.compile(r'(?:[^",]|"(?:[^"\\]|\\.)*+(?:"|\\?$))+', re.DOTALL)
_PARAMETER: Final = re.compile(rf"\s*({_TOKEN})[ \t]*=(?!=*\s*$)")
_SCHEME: Final = re.compile(rf"\s*({_TOKEN})(?:[ \t]+(.*))?\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bearer:
    """A `Bearer` challenge: in which field, where it ends there, and its parameters' names."""

    field: int
    end: int
    names: frozenset[str]


def merge_challenge(
    fields: Sequence[str], resource_metadata: str, scope: str | None = None
) -> tuple[str, ...]:
    """Return the `WWW-Authenticate` fields of a 401 with the metadata's address in them.

    Args:
        fields: the fields as they are, none included.
        resource_metadata: the address of the metadata document.
        scope: the scope to ask for; one that is already there stays.
    """
    wanted = [("resource_metadata", resource_metadata)]
    if scope is not None:
        wanted.append(("scope", scope))
    challenges = [found for index, text in enumerate(fields) for found in _bearers(index, text)]
    if any("resource_metadata" in challenge.names for challenge in challenges):
        return tuple(fields)
    if not challenges:
        return (*fields, f"Bearer {_written(wanted)}")
    challenge = challenges[0]
    added = _written([(name, value) for name, value in wanted if name not in challenge.names])
    text = fields[challenge.field]
    merged = text[: challenge.end] + (", " if challenge.names else " ") + added
    merged += text[challenge.end :]
    return (*fields[: challenge.field], merged, *fields[challenge.field + 1 :])


def _bearers(index: int, text: str) -> list[_Bearer]:
    """The `Bearer` challenges of one field, in order."""
    found: list[_Bearer] = []
    inside = False
    for element in _ELEMENT.finditer(text):
        end = element.start() + len(element[0].rstrip())
        parameter = _PARAMETER.match(element[0])
        if parameter is None:
            scheme = _SCHEME.match(element[0])
            if scheme is None:
                continue
            inside = scheme[1].lower() == "bearer"
            if inside:
                found.append(_Bearer(field=index, end=end, names=_names(scheme[2] or "")))
        elif inside:
            names = found[-1].names | {parameter[1].lower()}
            found[-1] = _Bearer(field=index, end=end, names=names)
    return found


def _names(first_parameter: str) -> frozenset[str]:
    match = _PARAMETER.match(first_parameter)
    if match is not None:
        return frozenset({match[1].lower()})
    # What follows the scheme without being a parameter still wants a comma after it.
    return frozenset({""}) if first_parameter.strip() else frozenset()


def _written(parameters: list[tuple[str, str]]) -> str:
    return ", ".join(f'{name}="{_quoted(value)}"' for name, value in parameters)


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
