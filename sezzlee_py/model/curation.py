"""What a host may change about an operation's arguments (spec: curation 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from sezzlee_py.model.json import JSONValue


@dataclass(frozen=True, slots=True)
class Constant:
    """Fill: this value is written on every call."""

    value: JSONValue


@dataclass(frozen=True, slots=True)
class Provider:
    """Fill: a provider registered under `source` in `options.fills` supplies the value per call."""

    source: str


@dataclass(frozen=True, slots=True)
class Omit:
    """Fill: nothing is written, the backend's own default stands."""


OMIT: Final = Omit()

Fill: TypeAlias = Constant | Provider | Omit


@dataclass(frozen=True, slots=True)
class Arg:
    """How one argument is shown: `Arg("filter", description="...")`, `Arg(hidden=Constant(1))`.

    It is written in a mapping under the argument's wire name. `Arg()` in a variant restores the
    operation's own shape.
    """

    agent_name: str | None = None
    description: str | None = field(default=None, kw_only=True)
    hidden: Fill | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentCuration:
    """One record: how the argument with wire name `name` is shown, or what fills it when hidden."""

    name: str
    agent_name: str | None = None
    description: str | None = None
    hidden: Fill | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationHints:
    """Declared MCP tool hints; `None` means not declared here."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
