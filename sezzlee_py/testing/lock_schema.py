"""How two schemas of one tool differ, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sezzlee_py.model import canonical_json

_SHOWN: Final = 80
_DEEPEST: Final = 24
# What is for reading only: a call made as before does the same.
_WORDING: Final = frozenset({"description", "title", "examples"})
_BY_NAME: Final = frozenset({"properties", "$defs"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentChange:
    """One difference between the arguments of a tool; `kind` as in `lock.Change`."""

    kind: str
    text: str
    breaking: bool = False


class KeywordChange(NamedTuple):
    """One keyword of a schema that differs; `is_wording` where it is for reading only."""

    text: str
    is_wording: bool


def argument_changes(old: object, new: object) -> Sequence[ArgumentChange]:
    """Return how the arguments of `new` differ from those of `old`, and what else does."""
    found = list(_argument_changes(old, new))
    if not found and not is_same(old, new):
        # The order of what is required, or a schema that is none.
        found.append(ArgumentChange(kind="schema", text="input schema is written differently"))
    return found


def _argument_changes(old: object, new: object) -> Iterator[ArgumentChange]:
    before, after = _properties(old), _properties(new)
    required = _required(new)
    for name in before:
        if name not in after:
            text = f"argument {name} is gone"
            yield ArgumentChange(kind="argument_removed", text=text, breaking=True)
    for name, schema in after.items():
        if name not in before:
            yield _added(name, schema, name in required)
        else:
            was = name in _required(old)
            yield from _changed(name, before[name], schema, was, name in required)
    for change in schema_changes(_rest(old), _rest(new), "input schema"):
        yield ArgumentChange(kind="schema", text=change.text, breaking=not change.is_wording)


def schema_changes(
    old: object, new: object, subject: str, path: tuple[str, ...] = ()
) -> Iterator[KeywordChange]:
    """Yield one change per keyword that differs, the keywords of inner schemas by their path."""
    if is_same(old, new):
        return
    both = isinstance(old, Mapping) and isinstance(new, Mapping)
    if not both or len(path) >= _DEEPEST:
        place = f"{subject} {'.'.join(path)}".rstrip()
        wording = (
            bool(path) and path[-1] in _WORDING and path[-2:-1] not in [(n,) for n in _BY_NAME]
        )
        yield KeywordChange(f"{place}: {_shown(new)}, was {_shown(old)}", wording)
        return
    assert isinstance(old, Mapping)
    assert isinstance(new, Mapping)
    for keyword in dict.fromkeys((*old, *new)):
        yield from schema_changes(
            old.get(keyword, _ABSENT), new.get(keyword, _ABSENT), subject, (*path, str(keyword))
        )


def is_same(old: object, new: object) -> bool:
    """Whether two values are one JSON value; the order of members says nothing."""
    return old is new or _canonical(old) == _canonical(new)


def _is_wording(path: tuple[str, ...]) -> bool:
    # A property may be called `description` itself.
    return bool(path) and path[-1] in _WORDING and not _BY_NAME.intersection(path[-2:-1])


class _Absent:
    def __repr__(self) -> str:
        return "absent"


_ABSENT: Final = _Absent()


def _added(name: str, schema: object, required: bool) -> ArgumentChange:
    wanted = "required" if required else "optional"
    text = f"argument {name} is new ({_type(schema)}, {wanted})"
    return ArgumentChange(kind="argument_added", text=text, breaking=required)


def _changed(
    name: str, old: object, new: object, was_required: bool, required: bool
) -> Iterator[ArgumentChange]:
    if required != was_required:
        text = f"argument {name} is {'required' if required else 'optional'} now"
        yield ArgumentChange(kind="argument", text=text, breaking=required)
    for change in schema_changes(old, new, f"argument {name}"):
        yield ArgumentChange(kind="argument", text=change.text, breaking=not change.is_wording)


def _properties(schema: object) -> Mapping[str, Any]:
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _required(schema: object) -> Set[str]:
    found = schema.get("required") if isinstance(schema, Mapping) else None
    return frozenset(map(str, found)) if isinstance(found, list | tuple) else frozenset()


def _rest(schema: object) -> object:
    if not isinstance(schema, Mapping):
        return schema
    return {k: v for k, v in schema.items() if k not in ("properties", "required")}


def _type(schema: object) -> str:
    declared = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(declared, list | tuple):
        return " or ".join(map(str, declared))
    return declared if isinstance(declared, str) else "any type"


def _shown(value: object) -> str:
    text = _canonical(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _canonical(value: object) -> str:
    try:
        return canonical_json(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
