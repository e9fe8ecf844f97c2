"""References of an endpoint's slots placed: into the slot's own `$defs`, or inline.

Rules are those of the spec's schema 3 and 4. The slots of one call share one count of uses, so a
type that two parameters use is one definition under one key in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sezzlee_py.catalog.schema.components import SchemaComponents
from sezzlee_py.catalog.schema.findings import Finding
from sezzlee_py.catalog.schema.slots import (
    NormalisedSchema,
    Reading,
    ReferenceSite,
    fold_null,
    join_siblings,
)

# JSON writers recurse; beyond this height a chain of types that are used once gets a definition.
MAX_INLINE_HEIGHT: Final = 60

# A component as one kind of slot reads it.
Use: TypeAlias = tuple[str, Reading]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A normalised slot schema and the way it was read."""

    schema: NormalisedSchema
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSchema:
    """A slot as published; `recursive` when its root lies on a cycle."""

    schema: dict[str, Any]
    recursive: bool = False


def hoist(
    components: SchemaComponents, slots: Sequence[Slot]
) -> tuple[tuple[PlacedSchema, ...], tuple[Finding, ...]]:
    """Return the slots of one counting scope as published, and what reading their types found.

    Args:
        components: the document that the slots' references point into.
        slots: all parameters and the body of an endpoint together, or one response.
    """
    if not any(slot.schema.sites for slot in slots):
        placed = tuple(PlacedSchema(schema=_root(slot.schema.schema)) for slot in slots)
        return placed, tuple(finding for slot in slots for finding in slot.schema.findings)
    scope = _Scope(components)
    scope.count(slots)
    placed = tuple(scope.place(slot) for slot in slots)
    return placed, tuple(scope.findings)


def _root(schema: Any) -> dict[str, Any]:
    if isinstance(schema, dict):
        return schema
    return {} if schema is not False else {"not": {}}


class _Scope:
    """Uses, keys and written definitions of the types that one counting scope reaches."""

    def __init__(self, components: SchemaComponents) -> None:
        self.findings: list[Finding] = []
        self._components = components
        self._uses: dict[Use, int] = {}
        self._tall: set[Use] = set()
        self._keys: dict[Use, str] = {}
        self._pointers: dict[Use, str] = {}
        self._written: dict[Use, Any] = {}

    # -- counting ------------------------------------------------------------------------------

    def count(self, slots: Sequence[Slot]) -> None:
        """Count every use that the slots' closure spells out, and give definitions their keys."""
        pending: list[tuple[NormalisedSchema, Reading, int]] = []
        for slot in slots:
            self.findings.extend(slot.schema.findings)
            pending.append((slot.schema, slot.reading, 0))
        uses = self._uses
        while pending:
            schema, reading, height = pending.pop()
            for site in schema.sites:
                use = (site.reference, reading)
                if use in uses:
                    uses[use] += 1
                    continue
                uses[use] = 1
                part = self._components.component(*use)
                self.findings.extend(part.findings)
                above = height + len(site.path)
                if above + part.height > MAX_INLINE_HEIGHT:
                    self._tall.add(use)
                pending.append((part, reading, 0 if self._is_hoisted(use) else above))
        self._name([use for use in uses if self._is_hoisted(use)])

    def _is_hoisted(self, use: Use) -> bool:
        return self._uses[use] > 1 or use in self._tall or self._components.is_cyclic(use[0])

    def _name(self, hoisted: Iterable[Use]) -> None:
        # Ordered by stable identity, so the same types get the same keys wherever they are met.
        named = sorted(
            ((self._components.name_of(use[0]), use[0], use[1].kind), use) for use in hoisted
        )
        natural = {self._components.simple_name_of(use[0]) for _, use in named}
        taken: set[str] = set()
        for _, use in named:
            name = key = self._components.simple_name_of(use[0])
            number = 2
            while key in taken or (key != name and key in natural):
                key, number = f"{name}_{number}", number + 1
            taken.add(key)
            self._keys[use] = key
            self._pointers[use] = f"#/$defs/{_fragment(key)}"
            if key != name:
                self._report_numbered(name, key, use)

    def _report_numbered(self, name: str, key: str, use: Use) -> None:
        self.findings.append(
            Finding(
                code="schema_def_name_disambiguated",
                message=f"two types are called {name!r}, so {use[0]} is published as {key!r}",
                about=key,
                pointer=use[0][1:],
            )
        )

    # -- writing -------------------------------------------------------------------------------

    def place(self, slot: Slot) -> PlacedSchema:
        """Return `slot` with its root dereferenced and its definitions beside it."""
        schema, recursive = self._dereferenced(slot)
        root = _root(self._substitute(schema, slot.reading))
        definitions = self._definitions(schema, slot.reading)
        if definitions:
            root = {**root, "$defs": definitions}
        return PlacedSchema(schema=root, recursive=recursive)

    def _dereferenced(self, slot: Slot) -> tuple[NormalisedSchema, bool]:
        """Follow the reference that is the slot's root, through a union with `null` too."""
        schema, recursive = slot.schema, False
        seen: set[str] = set()
        while schema.sites and not schema.sites[-1].path:
            site = schema.sites[-1]
            if site.reference in seen:
                return NormalisedSchema(schema={}), True
            seen.add(site.reference)
            recursive = recursive or self._components.is_cyclic(site.reference)
            target = self._components.component(site.reference, slot.reading)
            opened, inner = _opened(schema.schema, site, target.schema)
            sites = [*schema.sites[:-1]]
            sites += [
                ReferenceSite(inner + below.path, below.reference, below.nullable)
                for below in target.sites
            ]
            schema = NormalisedSchema(schema=opened, sites=tuple(sites))
        return schema, recursive

    def _definitions(self, schema: NormalisedSchema, reading: Reading) -> dict[str, Any]:
        found: dict[str, Any] = {}
        pending = [schema]
        seen: set[Use] = set()
        while pending:
            for site in pending.pop().sites:
                use = (site.reference, reading)
                if use in seen:
                    continue
                seen.add(use)
                part = self._components.component(*use)
                pending.append(part)
                if use in self._keys:
                    found[self._keys[use]] = _root(self._write(use))
        return dict(sorted(found.items()))

    def _write(self, use: Use) -> Any:
        """Return the component with its references replaced.

        Most operations place a component alike, so what it becomes is kept with the document and
        shared by all of them.
        """
        if use not in self._written:
            known = self._components.written
            signature = (use, self._signature(use))
            if signature not in known:
                known[signature] = self._substitute(self._components.component(*use), use[1])
            self._written[use] = known[signature]
        return self._written[use]

    def _signature(self, use: Use) -> tuple[Any, ...]:
        """Return what decides how a component is written: the key, or the inside, of each site."""
        return tuple(
            [
                self._pointers.get(inner) or self._signature(inner)
                for site in self._components.component(*use).sites
                for inner in ((site.reference, use[1]),)
            ]
        )

    def _substitute(self, schema: NormalisedSchema, reading: Reading) -> Any:
        """Return the schema with each reference replaced; what holds none is shared, not copied."""
        if not schema.sites:
            return schema.schema
        holder = {"": schema.schema}
        fresh: set[int] = set()
        for site in schema.sites:
            path = ("", *site.path)
            parent: Any = holder
            for token in path[:-1]:
                parent = _own(parent, token, fresh)
            parent[path[-1]] = self._replacement(_own(parent, path[-1], fresh), site, reading)
        return holder[""]

    def _replacement(self, node: Any, site: ReferenceSite, reading: Reading) -> Any:
        use = (site.reference, reading)
        pointer = self._pointers.get(use)
        if pointer is not None:
            return _pointed(node, site, pointer)
        return _opened(node, site, self._write(use))[0]


def _own(parent: Any, token: str | int, fresh: set[int]) -> Any:
    """Return the member of `parent` as a copy that belongs to this scope."""
    node = parent[token]
    if id(node) not in fresh:
        node = parent[token] = node.copy()
        fresh.add(id(node))
    return node


def _pointed(node: Mapping[str, Any], site: ReferenceSite, reference: str) -> dict[str, Any]:
    if site.nullable:
        return {**node, "anyOf": [{"$ref": reference}, {"type": "null"}]}
    return {**node, "$ref": reference}


def _opened(node: Any, site: ReferenceSite, target: Any) -> tuple[Any, tuple[str | int, ...]]:
    """Return `node` with the schema itself in place of the reference, and where that stands."""
    reference = "anyOf" if site.nullable else "$ref"
    siblings = {key: value for key, value in node.items() if key != reference}
    if not site.nullable:
        return join_siblings(target, siblings)
    folded = fold_null(target)
    if folded is not None:
        return join_siblings(folded, siblings)
    return {"anyOf": [target, {"type": "null"}], **siblings}, ("anyOf", 0)


def _fragment(key: str) -> str:
    """Return `key` as a step of a pointer inside a URI fragment."""
    if key.isascii() and key.isidentifier():
        return key
    escaped = key.replace("~", "~0").replace("/", "~1")
    return re.sub(r"[^A-Za-z0-9._~!$&'()*+,;=:@-]", _percent, escaped)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
