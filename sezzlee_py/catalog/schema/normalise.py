"""One schema as published: noise and foreign spellings gone, references ready to be placed.

Rules are those of the spec's schema 2. Nothing here raises on a malformed schema: what has not the
shape the standard gives it is left out and reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sezzlee_py.catalog.schema import keywords
from sezzlee_py.catalog.schema.findings import Finding
from sezzlee_py.catalog.schema.merge import merge_objects
from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.catalog.schema.slots import (
    Direction,
    Lookup,
    NormalisedSchema,
    Path,
    Reading,
    ReferenceSite,
    SlotKind,
    Target,
    admits_null_only,
    fold_null,
    join_siblings,
)
from sezzlee_py.catalog.schema.trail import Trail

# Far beyond what anyone writes; keeps a hostile document from exhausting the stack.
MAX_NESTING: Final = 120


def normalise(schema: Any, reading: Reading, lookup: Lookup, pointer: str = "") -> NormalisedSchema:
    """Return `schema` normalised for one slot.

    Args:
        schema: any value; what is no schema becomes `{}` with a finding.
        reading: direction and kind of the slot, and the dialect of the source.
        lookup: resolves a reference text, or tells why it cannot be.
        pointer: where `schema` stands in its document, for findings.
    """
    walk = _Walk(reading, lookup, pointer)
    sites: list[ReferenceSite] = []
    result = walk.node(schema, (), sites)
    return NormalisedSchema(
        schema=result,
        sites=tuple(sites),
        # Parts that are read in several places would multiply what they report.
        findings=tuple(dict.fromkeys(walk.findings)),
        height=walk.height,
        weight=walk.weight,
    )


def _without(node: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key not in names}


class _Walk(Trail):
    """The state of one normalisation."""

    def __init__(self, reading: Reading, lookup: Lookup, pointer: str) -> None:
        super().__init__(pointer)
        self.reading = reading
        self.height = 0
        self.weight = 0
        self._lookup = lookup
        self._null_travels = reading.kind is SlotKind.JSON
        self._removes = "readOnly" if reading.direction is Direction.REQUEST else "writeOnly"
        if reading.direction is Direction.REQUEST and not reading.drop_read_only:
            self._removes = ""

    # -- nodes ---------------------------------------------------------------------------------

    def node(self, node: Any, path: Path, sites: list[ReferenceSite]) -> Any:
        """Return `node` normalised; its references are added to `sites` below `path`."""
        if isinstance(node, bool):
            return node
        if not isinstance(node, Mapping):
            self.report_invalid("a schema is an object or a boolean")
            return {}
        self.weight += 1
        self.height = max(self.height, len(path))
        if len(self.steps) > MAX_NESTING:
            self.report(
                "schema_depth_truncated",
                f"a schema nested deeper than {MAX_NESTING} levels is cut there; name its parts",
            )
            return {"type": "object", "additionalProperties": True}
        if "$ref" in node:
            return self._reference(node, path, sites)
        if node.get("nullable") is True or node.get("x-nullable") is True:
            return self._nullable(node, path, sites)
        if "allOf" in node and isinstance(node["allOf"], list):
            return self._all_of(node, path, sites)
        for word in ("anyOf", "oneOf"):
            if isinstance(node.get(word), list):
                alternative = self._sole_alternative(node, word, path, sites)
                if alternative is not None:
                    return alternative
        return self._keywords(node, path, sites)

    def _below(self, token: str | int, node: Any, path: Path, sites: list[ReferenceSite]) -> Any:
        self.steps.append(token)
        try:
            return self.node(node, path, sites)
        finally:
            self.steps.pop()

    def _apart(self, node: Any, *trail: str | int) -> NormalisedSchema:
        """Normalise `node` by itself, because where it will stand is not known yet."""
        sites: list[ReferenceSite] = []
        self.steps.extend(trail)
        try:
            schema = self.node(node, (), sites)
        finally:
            del self.steps[len(self.steps) - len(trail) :]
        return NormalisedSchema(schema=schema, sites=tuple(sites))

    def _place(self, part: NormalisedSchema, path: Path, sites: list[ReferenceSite]) -> Any:
        sites.extend(
            ReferenceSite(path + site.path, site.reference, site.nullable) for site in part.sites
        )
        return part.schema

    def _join(
        self,
        part: NormalisedSchema,
        siblings: NormalisedSchema,
        path: Path,
        sites: list[ReferenceSite],
    ) -> Any:
        joined, inner = join_siblings(part.schema, siblings.schema)
        self._place(siblings, path, sites)
        self._place(part, path + inner, sites)
        return joined

    # -- references ----------------------------------------------------------------------------

    def _reference(self, node: Mapping[str, Any], path: Path, sites: list[ReferenceSite]) -> Any:
        reference, siblings = node["$ref"], _without(node, "$ref", *keywords.NOISE)
        if siblings and not self.reading.siblings_apply:
            self.report(
                "ref_siblings_ignored",
                "keywords beside $ref have no meaning before OpenAPI 3.1: "
                + ", ".join(map(str, siblings)),
                about=self.here(),
            )
            siblings = {}
        if siblings.get("nullable") is True and isinstance(reference, str):
            return self._nullable(node, path, sites)
        target = self._find(reference)
        beside = self._apart(siblings)
        if isinstance(target, Finding):
            self.findings.append(target)
            return self._place(beside, path, sites)
        if target.schema is None or not target.inline:
            self._place(beside, path, sites)
            sites.append(ReferenceSite(path, reference))
            return {"$ref": reference, **beside.schema}
        self.weight += target.schema.weight
        self.height = max(self.height, len(path) + target.schema.height)
        self.findings.extend(target.schema.findings)
        return self._join(target.schema, beside, path, sites)

    def _find(self, reference: Any) -> Target | Finding:
        if not isinstance(reference, str):
            return self.invalid("$ref is text")
        target = self._lookup(reference)
        if isinstance(target, Finding):
            return Finding(
                code=target.code,
                message=target.message,
                about=target.about,
                pointer=pointer_to(self.here(), "$ref"),
            )
        return target

    # -- unions and null -----------------------------------------------------------------------

    def _sole_alternative(
        self, node: Mapping[str, Any], word: str, path: Path, sites: list[ReferenceSite]
    ) -> Any | None:
        """Return the union as one schema, where it is one alternative and perhaps `null`."""
        members = list(enumerate(node[word]))
        others = [(at, member) for at, member in members if not admits_null_only(member)]
        nullable = len(others) < len(members)
        if not self._is_decimal([member for _, member in others]) and not (
            nullable and len(others) == 1
        ):
            return None
        at, member = others[0]
        part = self._apart(member, word, at)
        siblings = self._apart(_without(node, word))
        if not nullable or not self._null_travels:
            return self._join(part, siblings, path, sites)
        return self._or_null(part, siblings, path, sites, word)

    def _is_decimal(self, members: list[Any]) -> bool:
        return (
            self.reading.direction is Direction.REQUEST
            and len(members) == 2
            and all(isinstance(member, Mapping) for member in members)
            and members[0].get("type") == "number"
            and keywords.is_decimal_text(members[1])
        )

    def _nullable(self, node: Mapping[str, Any], path: Path, sites: list[ReferenceSite]) -> Any:
        """OpenAPI 3.0's `nullable: true`, read as a union with `null`."""
        beside = {key: value for key, value in node.items() if key in keywords.ANNOTATIONS}
        rest = _without(node, "nullable", "x-nullable", *beside)
        if isinstance(rest.get("enum"), list):
            rest["enum"] = [value for value in rest["enum"] if value is not None]
        part, siblings = self._apart(rest), self._apart(beside)
        if not self._null_travels:
            return self._join(part, siblings, path, sites)
        return self._or_null(part, siblings, path, sites, "anyOf")

    def _or_null(
        self,
        part: NormalisedSchema,
        siblings: NormalisedSchema,
        path: Path,
        sites: list[ReferenceSite],
        word: str,
    ) -> Any:
        folded = fold_null(part.schema)
        if folded is not None and keywords.ANNOTATIONS.issuperset(siblings.schema):
            self._place(part, path, sites)
            self._place(siblings, path, sites)
            return {**folded, **siblings.schema}
        self._place(siblings, path, sites)
        direct = [site for site in part.sites if not site.path]
        if direct and part.schema == {"$ref": direct[0].reference}:
            sites.append(ReferenceSite(path, direct[0].reference, nullable=True))
            return {"anyOf": [part.schema, {"type": "null"}], **siblings.schema}
        self._place(part, (*path, word, 0), sites)
        return {word: [part.schema, {"type": "null"}], **siblings.schema}

    # -- allOf ---------------------------------------------------------------------------------

    def _all_of(self, node: Mapping[str, Any], path: Path, sites: list[ReferenceSite]) -> Any:
        members = [self._apart(member, "allOf", at) for at, member in enumerate(node["allOf"])]
        siblings = self._apart(_without(node, "allOf"))
        if not members:
            return self._place(siblings, path, sites)
        if len(members) == 1 and keywords.ANNOTATIONS.issuperset(siblings.schema):
            return self._join(members[0], siblings, path, sites)
        opened = [self._open(member) for member in members]
        merged = merge_objects([part.schema for part in opened], siblings.schema)
        if merged is not None:
            for part in opened:
                self.findings.extend(part.findings)
                self.height = max(self.height, len(path) + part.height)
            # Members may say the same of one property; its references stand there once.
            once = {site.path: site for part in (siblings, *opened) for site in part.sites}
            self._place(replace(siblings, sites=tuple(once.values())), path, sites)
            return merged
        self._place(siblings, path, sites)
        for at, member in enumerate(members):
            self._place(member, (*path, "allOf", at), sites)
        return {"allOf": [member.schema for member in members], **siblings.schema}

    def _open(self, member: NormalisedSchema) -> NormalisedSchema:
        """Return the object that `member` refers to, where merging may take its place."""
        if not member.sites or member.sites[-1].path or member.sites[-1].nullable:
            return member
        target = self._lookup(member.sites[-1].reference)
        if isinstance(target, Finding) or target.schema is None or len(member.schema) > 1:
            return member
        self.weight += target.schema.weight
        return target.schema

    # -- keywords ------------------------------------------------------------------------------

    def _keywords(self, node: Mapping[Any, Any], path: Path, sites: list[ReferenceSite]) -> Any:
        out: dict[str, Any] = {}
        hidden: set[str] = set()
        for key, value in node.items():
            if not isinstance(key, str):
                self.report_invalid("a keyword is text")
            elif key == "properties" and isinstance(value, Mapping):
                out[key] = self._properties(value, path, sites, hidden)
            elif key in keywords.SCHEMA_MAPS:
                self._schema_map(key, value, path, sites, out)
            elif key in keywords.SCHEMA_LISTS or (key == "items" and isinstance(value, list)):
                self._schema_list(key, value, path, sites, out)
            elif key in keywords.SCHEMA:
                out[key] = self._below(key, value, (*path, key), sites)
            else:
                self._value(key, value, out)
        keywords.settle_required(out, hidden)
        keywords.settle_example(node, out)
        keywords.settle_bounds(node, out)
        keywords.settle_type(out, null_travels=self._null_travels)
        if self.reading.pydantic:
            keywords.settle_pydantic(out)
        keywords.settle_encoding(out, part=self.reading.kind is SlotKind.MULTIPART)
        return out

    def _properties(
        self,
        value: Mapping[Any, Any],
        path: Path,
        sites: list[ReferenceSite],
        hidden: set[str],
    ) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        self.steps.append("properties")
        for name, member in value.items():
            if not isinstance(name, str):
                self.report_invalid("a property name is text")
                continue
            before = len(sites)
            schema = self._below(name, member, (*path, "properties", name), sites)
            if self._is_removed(schema):
                hidden.add(name)
                del sites[before:]
            else:
                kept[name] = schema
        self.steps.pop()
        return kept

    def _is_removed(self, schema: Any) -> bool:
        if not self._removes or not isinstance(schema, dict):
            return False
        if schema.get(self._removes) is True:
            return True
        if "$ref" not in schema:
            return False
        target = self._lookup(schema["$ref"])
        return (
            isinstance(target, Target)
            and target.schema is not None
            and isinstance(target.schema.schema, dict)
            and target.schema.schema.get(self._removes) is True
        )

    def _schema_map(
        self, key: str, value: Any, path: Path, sites: list[ReferenceSite], out: dict[str, Any]
    ) -> None:
        if not isinstance(value, Mapping):
            self.report_invalid(f"{key} holds an object of schemas", key)
            return
        self.steps.append(key)
        out[key] = {
            name: self._below(name, member, (*path, key, name), sites)
            for name, member in value.items()
            if isinstance(name, str)
        }
        self.steps.pop()

    def _schema_list(
        self, key: str, value: Any, path: Path, sites: list[ReferenceSite], out: dict[str, Any]
    ) -> None:
        if not isinstance(value, list) or not value:
            self.report_invalid(f"{key} holds a list of schemas", key)
            return
        self.steps.append(key)
        # A list under `items` is how drafts before 2020-12 spell a tuple.
        name = "prefixItems" if key == "items" else key
        out[name] = [
            self._below(at, member, (*path, name, at), sites) for at, member in enumerate(value)
        ]
        self.steps.pop()

    def _value(self, key: str, value: Any, out: dict[str, Any]) -> None:
        if key in keywords.OPENAPI_ANNOTATIONS or key.startswith("x-"):
            self.report("annotation_removed", f"schema annotation {key} is left out", about=key)
            return
        if key in keywords.UNRESOLVABLE:
            self.report_invalid(f"{key} cannot be followed inside a document", key)
            return
        if key in keywords.DROPPED or (key == "writeOnly" and self._removes != "writeOnly"):
            return
        rule = keywords.VALUE_RULES.get(key, keywords.is_plain)
        if rule(value):
            out[key] = value
        elif key not in keywords.OLD_SPELLINGS or not isinstance(value, bool):
            self.report_invalid(f"{key} has a value of the wrong kind", key)
