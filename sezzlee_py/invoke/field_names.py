"""The argument an agent should look at, from the name a backend reported (spec: results 4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from sezzlee_py.model import ROOT_ARGUMENT, ParameterLocation, RequestTemplate

NAMELESS_KEYS: Final = frozenset({"_schema", "non_field_errors", "__root__", "__all__"})

Path: TypeAlias = tuple[str | int, ...]

_INDEX: Final = re.compile(r"[0-9]{1,9}")
_INDEXED: Final = re.compile(r"([^\[\]]*)((?:\[[0-9]{1,9}\])+)")
# JSON Path: `$` alone is the whole body.
_ROOT_MARK: Final = re.compile(r"\A\$(?=[.\[]|\Z)")
_LEADING_NAME: Final = re.compile(r"[\w-]+")
# No argument has such a name, and reading one costs more than it tells.
_MAX_KEY: Final = 1000


class Place(StrEnum):
    """The part of a request that a backend says it read a value from."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"
    BODY = "body"


PLACES: Final[Mapping[str, Place]] = MappingProxyType(
    {
        "path": Place.PATH,
        "view_args": Place.PATH,
        "query": Place.QUERY,
        "querystring": Place.QUERY,
        "header": Place.HEADER,
        "headers": Place.HEADER,
        "cookie": Place.COOKIE,
        "cookies": Place.COOKIE,
        "body": Place.BODY,
        "json": Place.BODY,
        "form": Place.BODY,
        "files": Place.BODY,
        "file": Place.BODY,
        "json_or_form": Place.BODY,
    }
)
_PLACE_OF: Final = {
    ParameterLocation.PATH: Place.PATH,
    ParameterLocation.QUERY: Place.QUERY,
    ParameterLocation.QUERYSTRING: Place.QUERY,
    ParameterLocation.HEADER: Place.HEADER,
    ParameterLocation.COOKIE: Place.COOKIE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedInput:
    """One input of a tool: the wire name, the name an agent writes, `None` where it is hidden.

    `place` is `None` where the input may be reported from anywhere.
    """

    wire: str
    agent: str | None
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldNames:
    """What a backend may call the inputs of one tool, ready for look-up without case.

    `known` holds every wire, agent and hidden name in lower case, `inputs` the inputs by lower-case
    wire name in the order in which they would keep a shared name. In root mode the whole body is
    one argument, `root`, `None` where it is hidden.
    """

    inputs: Mapping[str, tuple[NamedInput, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    agents: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    known: frozenset[str] = frozenset()
    root_mode: bool = False
    root: str | None = None
    root_keys: frozenset[str] = frozenset()

    @classmethod
    def of(cls, template: RequestTemplate) -> FieldNames:
        """Return the names of the tool that `template` composes requests for."""
        inputs = [
            NamedInput(
                wire=slot.name,
                agent=slot.agent_name if slot.fill is None else None,
                place=_PLACE_OF[slot.location],
            )
            for slot in template.parameters
        ]
        body = template.body
        if body is None or body.root is None:
            fields = body.fields if body is not None else ()
            inputs += [
                NamedInput(
                    wire=slot.name,
                    agent=slot.agent_name if slot.fill is None else None,
                    place=Place.BODY,
                )
                for slot in fields
            ]
            return cls.build(inputs)
        root = body.root if body.fill is None else None
        return cls.build(inputs, root_mode=True, root=root)

    @classmethod
    def build(
        cls, inputs: Iterable[NamedInput], *, root_mode: bool = False, root: str | None = None
    ) -> FieldNames:
        """Return the look-up of `inputs`; the first of two with one wire name keeps the name."""
        by_wire: dict[str, tuple[NamedInput, ...]] = {}
        agents: dict[str, str] = {}
        for item in inputs:
            key = item.wire.lower()
            by_wire[key] = (*by_wire.get(key, ()), item)
            if item.agent is not None:
                agents.setdefault(item.agent.lower(), item.agent)
        # A parameter may have the root's wire name where curation renamed the root.
        root_keys = frozenset({ROOT_ARGUMENT, (root or ROOT_ARGUMENT).lower()} - by_wire.keys())
        if root is not None:
            agents |= dict.fromkeys(root_keys, root)
        return cls(
            inputs=MappingProxyType(by_wire),
            agents=MappingProxyType(agents),
            known=frozenset({*by_wire, *agents, *(root_keys if root_mode else ())}),
            root_mode=root_mode,
            root=root,
            root_keys=root_keys if root_mode else frozenset(),
        )

    def is_known(self, name: str) -> bool:
        """Whether `name`, without case, is a wire or agent name of the tool, hidden ones too."""
        return name.lower() in self.known

    def agent_name(self, name: str) -> str | None:
        """Return the agent name of a known `name`; `None` for an unknown and for a hidden one."""
        found = self._input(name, None)
        return found.agent if found is not None else self.agents.get(name.lower())

    def is_published(self, name: str) -> bool:
        """Whether an agent reads exactly `name` in the tool's own schema."""
        return self.agents.get(name.lower()) == name

    def named_by(self, message: str) -> str | None:
        """Return the agent name of the argument that `message` begins with, if any."""
        match = _LEADING_NAME.match(message[:_MAX_KEY])
        return self.agent_name(match[0]) if match else None

    def resolve(self, path: Path, place: Place | None = None) -> str | None:
        """Return the name to report `path` under, `None` where the entry stays without one."""
        if path and path[-1] in NAMELESS_KEYS:
            path = path[:-1]
        if self.root_mode:
            inside = self._inside_root(path, place)
            if inside is not None:
                return None if self.root is None else write_path((self.root, *inside))
        if all(isinstance(part, int) for part in path):
            return None
        for at, part in enumerate(path):
            head = self._input(part, place) if isinstance(part, str) else None
            if head is not None:
                return None if head.agent is None else write_path((head.agent, *path[at + 1 :]))
        return write_path(path)

    def path_of(self, key: str) -> Path:
        """Return the path that a reported key spells; a name of the tool may hold dots itself."""
        return (key,) if self.is_known(key) else split_key(key)

    def _inside_root(self, path: Path, place: Place | None) -> Path | None:
        """Return `path` below the root argument, `None` where it names another input."""
        if place is not None:
            return path if place is Place.BODY else None
        head = path[0] if path else None
        if not isinstance(head, str) or not self.is_known(head):
            return path
        return path[1:] if head.lower() in self.root_keys else None

    def _input(self, name: str, place: Place | None) -> NamedInput | None:
        found = self.inputs.get(name.lower(), ())
        if len(found) > 1:
            spelled = [item for item in found if item.wire == name] or found
            placed = [item for item in spelled if item.place is place] or spelled
            kept = [item for item in placed if item.agent == item.wire] or placed
            return kept[0]
        return found[0] if found else None


def split_key(key: str) -> Path:
    """Return the path of a key in dotted notation: `$.lines[0].sku` is `lines`, 0, `sku`."""
    if len(key) > _MAX_KEY:
        return (key,)
    parts: list[str | int] = []
    for piece in _ROOT_MARK.sub("", key).split("."):
        match = _INDEXED.fullmatch(piece)
        name, indices = (match[1], match[2]) if match else (piece, "")
        if name:
            parts.append(map_key(name))
        parts += [int(digits) for digits in _INDEX.findall(indices)]
    return tuple(parts)


def map_key(key: str) -> str | int:
    """Return a key of a nested map as a step of a path; digits alone are an index."""
    return int(key) if _INDEX.fullmatch(key) else key


def write_path(path: Path) -> str:
    """Return `path` as an agent reads it: `a.b[0].c`."""
    written = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return written.removeprefix(".")
