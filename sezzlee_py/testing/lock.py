"""A lock: what agents see of an application's tools, kept in a file and compared with a build."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from sezzlee_py.catalog.projection import definition
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.errors import SezzleeError
from sezzlee_py.model import ToolDefinition, canonical_json, read_json
from sezzlee_py.testing.lock_schema import argument_changes, is_same, schema_changes

FORMAT: Final = 1

Definition: TypeAlias = Mapping[str, Any]


class LockError(SezzleeError):
    """A lock file cannot be read; the message names it and the way out."""


class HasCatalog(Protocol):
    """A `Sezzlee` of any framework."""

    @property
    def catalog(self) -> Catalog:
        """The catalog that is served."""


HasTools: TypeAlias = HasCatalog | Iterable[ToolDefinition]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The locked tools by name: the operation each calls, and its definition as agents load it."""

    tools: Mapping[str, Definition]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference that an agent meets.

    Attributes:
        tool: the tool's name, the new one where it was renamed.
        kind: `tool_added`, `tool_removed`, `tool_renamed`, `operation`, `description`,
            `argument_added`, `argument_removed`, `argument`, `output`, `hint`, `tags`,
            `deprecated` or `schema`.
        text: what changed, for people.
        breaking: whether a call that an agent learnt before may fail, or act otherwise.
    """

    tool: str
    kind: str
    text: str
    breaking: bool = False


def lock_of(tools: HasTools) -> Lock:
    """Return the lock of a catalog, of a `Sezzlee`, or of any tools.

    Raises:
        TypeError: it is given something else, an application for instance.
    """
    found = tools if isinstance(tools, Iterable) else getattr(tools, "catalog", None)
    listed = list(found) if isinstance(found, Iterable) else None
    if listed is None or not all(isinstance(tool, ToolDefinition) for tool in listed):
        raise TypeError(
            "expected what mount_mcp returns, its catalog, or tools; "
            f"got {type(tools).__module__}.{type(tools).__qualname__}"
        )
    return Lock(tools={tool.name: _entry(tool) for tool in sorted(listed, key=lambda t: t.name)})


def lock_text(lock: Lock) -> str:
    """Return the text of a lock file, made for reading its diffs; equal locks give equal texts."""
    document = {"sezzlee_lock": FORMAT, "tools": lock.tools}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def write_lock(lock: Lock, path: str | Path) -> None:
    """Write a lock file."""
    Path(path).write_text(lock_text(lock), encoding="utf-8")


def read_lock(path: str | Path) -> Lock:
    """Return the lock in a file.

    Raises:
        LockError: there is no such file, or it holds something else.
    """
    try:
        document = read_json(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LockError(f"there is no lock file {path}; write it by updating the lock") from None
    except (OSError, ValueError) as fault:
        raise LockError(f"the lock file {path} cannot be read: {fault}") from None
    known = isinstance(document, dict) and document.get("sezzlee_lock") == FORMAT
    tools = document.get("tools") if known and isinstance(document, dict) else None
    if not isinstance(tools, dict) or not all(isinstance(tool, dict) for tool in tools.values()):
        raise LockError(
            f"{path} is no lock file of this version (sezzlee_lock: {FORMAT}); write it anew by "
            "updating the lock"
        )
    return Lock(tools=tools)


def compare_locks(old: Lock, new: Lock) -> tuple[Change, ...]:
    """Return what an agent that knew `old` meets in `new`: tools gone and renamed first."""
    before, after = old.tools, new.tools
    renamed = _renamed(before, after)
    gone = [name for name in before if name not in after and name not in renamed]
    fresh = [name for name in after if name not in before and name not in renamed.values()]
    changes = [_removed(name, before[name]) for name in gone]
    for name, to in renamed.items():
        changes.append(Change(tool=to, kind="tool_renamed", text=f"was {name}", breaking=True))
        changes += _tool_changes(to, before[name], after[to])
    changes += [_added(name, after[name]) for name in fresh]
    for name in before:
        if name in after:
            changes += _tool_changes(name, before[name], after[name])
    return tuple(changes)


def _entry(tool: ToolDefinition) -> dict[str, Any]:
    shape = {key: value for key, value in definition(tool).items() if key != "name"}
    entry = {"operation": f"{tool.method} {tool.route}", **shape, "tags": list(tool.tags)}
    # As it will be read back: tuples are lists there, and what JSON cannot hold is text.
    text = json.dumps(entry, default=_plain)
    plain: dict[str, Any] = json.loads(text, parse_constant=str)
    return plain


def _plain(value: object) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _renamed(
    before: Mapping[str, Definition], after: Mapping[str, Definition]
) -> Mapping[str, str]:
    """Old names to new ones, where one operation's only tool went and one came."""
    gone = _by_operation((n, t) for n, t in before.items() if n not in after)
    fresh = _by_operation((n, t) for n, t in after.items() if n not in before)
    return {
        names[0]: fresh[operation][0]
        for operation, names in gone.items()
        if len(names) == 1 and len(fresh.get(operation, ())) == 1
    }


def _by_operation(tools: Iterable[tuple[str, Definition]]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, tool in tools:
        found.setdefault(str(tool.get("operation")), []).append(name)
    return found


def _removed(name: str, tool: Definition) -> Change:
    text = f"{tool.get('operation')} is no tool any more"
    return Change(tool=name, kind="tool_removed", text=text, breaking=True)


def _added(name: str, tool: Definition) -> Change:
    return Change(tool=name, kind="tool_added", text=f"{tool.get('operation')} is a new tool")


def _tool_changes(name: str, old: Definition, new: Definition) -> Iterator[Change]:
    def change(kind: str, text: str, breaking: bool = False) -> Change:
        return Change(tool=name, kind=kind, text=text, breaking=breaking)

    if old.get("operation") != new.get("operation"):
        # The arguments tell whether a call still fits; where it goes is not an agent's business.
        text = f"calls {new.get('operation')}, was {old.get('operation')}"
        yield change("operation", text)
    if old.get("description") != new.get("description"):
        yield change("description", _reworded(old.get("description"), new.get("description")))
    for argument in argument_changes(old.get("inputSchema"), new.get("inputSchema")):
        yield change(argument.kind, argument.text, argument.breaking)
    for found in schema_changes(old.get("outputSchema"), new.get("outputSchema"), "output"):
        yield change("output", found.text)
    yield from _hints(old, new, change)
    if bool(old.get("deprecated")) != bool(new.get("deprecated")):
        yield change("deprecated", "is deprecated" if new.get("deprecated") else "no deprecation")
    if not is_same(old.get("tags"), new.get("tags")):
        yield change("tags", f"tags {_list(new.get('tags'))}, were {_list(old.get('tags'))}")


def _hints(old: Definition, new: Definition, change: Any) -> Iterator[Change]:
    before, after = old.get("annotations") or {}, new.get("annotations") or {}
    for hint in sorted({*before, *after}):
        if before.get(hint) != after.get(hint):
            told, was = (canonical_json(side.get(hint)) for side in (after, before))
            yield change("hint", f"{hint} is {told}, was {was}")


def _reworded(old: object, new: object) -> str:
    return f"description {new!r}, was {old!r}"


def _list(tags: object) -> str:
    return ", ".join(map(str, tags)) or "none" if isinstance(tags, list) else "none"
