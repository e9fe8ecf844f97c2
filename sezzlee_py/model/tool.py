"""The tool an agent finds, loads and invokes (spec: tool-definition)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sezzlee_py.model.descriptor import Auth
from sezzlee_py.model.json import JSONObject
from sezzlee_py.model.template import RequestTemplate


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Where one published argument travels.

    `location` is `path query header cookie body form`; `required` says whether the backend
    requires it.
    """

    argument: str
    name: str
    location: str
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """One tool of the catalog.

    `grouped_parameters` names root properties that are `deepObject` groups, whose members are
    searched. `template` is `None` for a tool that cannot be invoked. The fields below the blank
    line never reach an agent. `memo` holds what others derive from the tool alone, so that it is
    derived once.
    """

    name: str
    description: str
    input_schema: JSONObject
    output_schema: JSONObject | None = None
    annotations: Mapping[str, bool]
    deprecated: bool = False
    tags: tuple[str, ...] = ()
    version: str = ""

    method: str
    route: str
    alternate_routes: tuple[str, ...] = ()
    search_terms: tuple[str, ...] = ()
    container: str | None = None
    operation_id: str | None = None
    grouped_parameters: tuple[str, ...] = ()
    auth: Auth = Auth()
    slots: tuple[Slot, ...] = ()
    template: RequestTemplate | None = None
    endpoint_key: Hashable = None
    source: str | None = None
    line: int | None = None
    memo: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
