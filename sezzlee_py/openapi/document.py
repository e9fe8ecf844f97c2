"""One OpenAPI document while its operations are read: its dialect, references and security."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from sezzlee_py.catalog.schema.components import SchemaComponents
from sezzlee_py.catalog.schema.findings import Finding
from sezzlee_py.catalog.schema.hoist import PlacedSchema, Slot, hoist
from sezzlee_py.catalog.schema.references import escape_token, follow_pointer, pointer_to
from sezzlee_py.catalog.schema.slots import Reading
from sezzlee_py.model import Anonymous, Carrier, ParameterLocation

# The upgrade of a 2.0 document notes here where the original says what an object says.
ORIGIN: Final = "x-sezzlee-origin"
# Where documents that references name are kept once they are loaded.
EXTERNAL: Final = "x-sezzlee-external"

# Nobody refers on and on; a chain across a whole document would be followed from each of its links.
_MAX_HOPS: Final = 32

BodyRequired: TypeAlias = Literal["declared", "always"]


def origin_of(node: Mapping[str, Any], pointer: str) -> str:
    """Return the place in the original that `node` notes, `pointer` when it notes none."""
    noted = node.get(ORIGIN)
    return noted if isinstance(noted, str) else pointer


def external_reference(uri: str, fragment: str = "") -> str:
    """Return the reference to a place in a loaded document."""
    return f"#/{EXTERNAL}/{escape_token(uri).replace('%', '%25')}{fragment}"


def _external_names(document: Mapping[str, Any]) -> dict[str, str]:
    """A type that is a document of its own is called like its file."""
    loaded = document.get(EXTERNAL)
    return {
        external_reference(uri): PurePosixPath(uri).stem
        for uri in (loaded if isinstance(loaded, Mapping) else ())
    }


class Dialect(StrEnum):
    """Who wrote the document: FastAPI about its own routes just now, or somebody else."""

    FASTAPI = "fastapi"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Located:
    """An object of the document and the pointer to it in the original."""

    node: Mapping[str, Any]
    pointer: str


@dataclass(slots=True)
class FindingList:
    """The findings about one operation, in the order they were made."""

    items: list[Finding] = field(default_factory=list)

    def add(self, code: str, message: str, *, about: str = "", pointer: str | None = None) -> None:
        """Note one finding."""
        self.items.append(Finding(code=code, message=message, about=about, pointer=pointer))

    def invalid(self, message: str, pointer: str) -> None:
        """Note that the document has not the shape the standard gives it."""
        self.add("openapi_document_invalid", message, about=pointer, pointer=pointer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Security:
    """The effective requirement of an operation: the slots it names, and whether it has none."""

    carriers: tuple[Carrier, ...] = ()
    anonymous: Anonymous = Anonymous.UNKNOWN


class ApiDocument:
    """A document of OpenAPI 3.x shape, read lazily; components are normalised once each.

    Args:
        document: the whole document, only looked into.
        dialect: who wrote it.
        drop_read_only: `options.schema.drop_read_only`.
        request_body_required: how an absent `required` of a body is read.
        output_schemas: whether responses keep their schemas.
        names: what types are called, by the references to them.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        *,
        dialect: Dialect = Dialect.DOCUMENT,
        drop_read_only: bool = True,
        request_body_required: BodyRequired = "declared",
        output_schemas: bool = True,
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.root = document
        self.is_fastapi = dialect is Dialect.FASTAPI
        # What was made of a parameter, by what it says (`parameters._remembered`).
        self.parameters: dict[str, tuple[Any, tuple[Finding, ...]]] = {}
        self.request_body_required = request_body_required
        self.output_schemas = output_schemas
        version = document.get("openapi")
        self.siblings_apply = not (isinstance(version, str) and version.startswith(("2.", "3.0")))
        self.schemas = SchemaComponents(
            document,
            names={**_external_names(document), **names},
            dialect=Reading(
                drop_read_only=drop_read_only,
                siblings_apply=self.siblings_apply,
                pydantic=self.is_fastapi,
            ),
        )
        self._placed: dict[tuple[str, Reading], tuple[PlacedSchema, tuple[Finding, ...]]] = {}

    # -- references ----------------------------------------------------------------------------

    def resolve(self, node: Any, pointer: str, findings: FindingList) -> Located | None:
        """Return the object that `node` is or refers to, `None` (and a finding) if there is none.

        A description beside a reference replaces the target's from OpenAPI 3.1 on.
        """
        beside: dict[str, Any] = {}
        seen: set[str] = set()
        while isinstance(node, Mapping) and "$ref" in node:
            reference = node["$ref"]
            if isinstance(reference, str) and (reference in seen or len(seen) == _MAX_HOPS):
                findings.add(
                    "circular_component_ref",
                    f"{reference} leads from reference to reference; give it a definition",
                    about=reference,
                    pointer=pointer,
                )
                return None
            beside = {**self._beside(node, pointer, findings), **beside}
            target = self._target(reference, pointer, findings)
            if target is None:
                return None
            seen.add(reference)
            node, pointer = target, reference[1:]
        if not isinstance(node, Mapping):
            findings.invalid("an object is expected here", pointer)
            return None
        return Located({**node, **beside} if beside else node, origin_of(node, pointer))

    def _beside(
        self, node: Mapping[str, Any], pointer: str, findings: FindingList
    ) -> dict[str, Any]:
        siblings = [key for key in node if key not in ("$ref", ORIGIN)]
        if not siblings:
            return {}
        if not self.siblings_apply:
            findings.add(
                "ref_siblings_ignored",
                f"keywords beside $ref have no meaning before OpenAPI 3.1: {', '.join(siblings)}",
                about=pointer,
                pointer=pointer,
            )
            return {}
        return {key: node[key] for key in ("summary", "description") if key in node}

    def _target(self, reference: Any, pointer: str, findings: FindingList) -> Any:
        place = pointer_to(pointer, "$ref")
        if not isinstance(reference, str):
            findings.invalid("$ref is text", place)
            return None
        if not reference.startswith("#"):
            findings.add(
                "external_ref_blocked",
                f"$ref {reference!r} leaves the document; give a loader that admits it",
                about=reference,
                pointer=place,
            )
            return None
        try:
            return follow_pointer(self.root, reference)
        except (LookupError, ValueError):
            findings.invalid(f"$ref {reference!r} leads nowhere", place)
            return None

    # -- schemas -------------------------------------------------------------------------------

    def slot(self, schema: Any, reading: Reading, pointer: str) -> Slot:
        """Return `schema` normalised, for a counting scope."""
        return Slot(schema=self.schemas.normalise(schema, reading, pointer), reading=reading)

    def place_alone(
        self, schema: Any, reading: Reading, pointer: str, findings: FindingList
    ) -> PlacedSchema:
        """Return a slot that counts for itself as published."""
        return self.place_slot(self.slot(schema, reading, pointer), findings)

    def place_slot(self, slot: Slot, findings: FindingList) -> PlacedSchema:
        """Return a slot that counts for itself as published.

        Operations share models, so what a plain reference becomes is remembered.
        """
        sites = slot.schema.sites
        plain = len(sites) == 1 and slot.schema.schema == {"$ref": sites[0].reference}
        key = (sites[0].reference, slot.reading) if plain else None
        known = None if key is None else self._placed.get(key)
        if known is None:
            (placed,), found = hoist(self.schemas, [slot])
            known = (placed, found)
            if key is not None:
                self._placed[key] = known
        findings.items.extend(known[1])
        return known[0]

    # -- security ------------------------------------------------------------------------------

    def security_of(self, operation: Mapping[str, Any], findings: FindingList) -> Security:
        """Return the slots that the operation's effective security requirement names."""
        requirement = operation.get("security", self.root.get("security"))
        if not isinstance(requirement, list):
            return Security()
        names = [
            name
            for alternative in requirement
            if isinstance(alternative, Mapping)
            for name in alternative
        ]
        slots = [slot for name in dict.fromkeys(names) for slot in self._slots(name, findings)]
        open_to_all = not names and all(alternative == {} for alternative in requirement)
        return Security(
            carriers=tuple(dict.fromkeys(slots)),
            anonymous=Anonymous.YES if open_to_all else Anonymous.UNKNOWN,
        )

    def _slots(self, name: Any, findings: FindingList) -> Iterable[Carrier]:
        components = self.root.get("components")
        schemes = components.get("securitySchemes") if isinstance(components, Mapping) else None
        scheme = schemes.get(name) if isinstance(schemes, Mapping) else None
        pointer = f"/components/securitySchemes/{escape_token(str(name))}"
        located = self.resolve(scheme, pointer, FindingList()) if scheme is not None else None
        slot = None if located is None else _scheme_slot(located.node)
        if slot is None:
            findings.add(
                "security_scheme_unsupported",
                f"the security scheme {name!r} names no header, query key or cookie",
                about=str(name),
                pointer=pointer if located is None else located.pointer,
            )
            return ()
        return (slot,)


def _scheme_slot(scheme: Mapping[str, Any]) -> Carrier | None:
    kind = scheme.get("type")
    if kind == "apiKey":
        place, name = scheme.get("in"), scheme.get("name")
        if place in ("header", "query", "cookie") and isinstance(name, str) and name:
            return Carrier(location=ParameterLocation(place), name=name)
        return None
    if kind in ("http", "oauth2", "openIdConnect"):
        return Carrier(location=ParameterLocation.HEADER, name="authorization")
    return None
