"""One operation of an OpenAPI document as the facts of a descriptor (spec: openapi 4).

FastAPI's own fresh document, the documents that Flask extensions keep and documents of a host all
come through here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from sezzlee_py.catalog.identity_parameters import IGNORED_HEADERS, IdentityRules
from sezzlee_py.catalog.schema.findings import to_diagnostics
from sezzlee_py.catalog.schema.hoist import PlacedSchema, hoist
from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.model import (
    Anonymous,
    Carrier,
    Diagnostic,
    JSONObject,
    Parameter,
    RequestBody,
    Response,
    Severity,
)
from sezzlee_py.openapi.document import ApiDocument, FindingList, Located, origin_of
from sezzlee_py.openapi.parameters import (
    ReadParameter,
    declared_parameters,
    read_parameters,
    settle_arguments,
)
from sezzlee_py.openapi.request_bodies import (
    ReadBody,
    accepted_types,
    read_body,
    settle_body,
)
from sezzlee_py.openapi.responses import read_responses

# OpenAPI: header parameters of these names are ignored.
_DOCUMENT_RESERVED: Final = frozenset({"accept", "content-type", "authorization"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweredOperation:
    """What a document says about one operation, as far as a descriptor has a place for it.

    Attributes:
        carriers: the slots of identity that the operation's security and parameters name.
        anonymous: what the security requirement says about callers without identity.
        accepts: the media types of the body as documented; `None` without a body.
        is_body_unread: whether there is a body that cannot be read, so that nothing is known of it.
        diagnostics: findings; one of them may drop the operation (`is_dropped`).
    """

    parameters: tuple[Parameter, ...] = ()
    request_body: RequestBody | None = None
    responses: Mapping[str, Response] = field(default_factory=lambda: MappingProxyType({}))
    carriers: tuple[Carrier, ...] = ()
    anonymous: Anonymous = Anonymous.UNKNOWN
    accepts: tuple[str, ...] | None = None
    is_body_unread: bool = False
    tags: tuple[str, ...] = ()
    operation_id: str | None = None
    summary: str | None = None
    description: str | None = None
    deprecated: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_dropped(self) -> bool:
        """Whether a finding says that no tool can be made of the operation."""
        return any(d.severity.rank >= Severity.ENDPOINT_DROPPED.rank for d in self.diagnostics)


def lower_operation(
    operation: JSONObject,
    *,
    method: str,
    route: str,
    document: ApiDocument,
    path_item: JSONObject | None = None,
    pointer: str = "",
    carriers: Collection[str] = ("authorization",),
    cookies: Collection[str] = (),
) -> LoweredOperation:
    """Return the facts of one operation, every schema normalised and self-contained.

    Args:
        operation: the operation object as the document holds it.
        method: upper-case, for diagnostics.
        route: the normalised template, for diagnostics.
        document: the document that references point into; make it once for all operations,
            because it remembers what its components become.
        path_item: the path item, where its parameters are shared by several operations.
        pointer: where `operation` stands in the document.
        carriers: `options.identity.carriers`.
        cookies: `options.identity.cookies`.

    Example:
        The adapter for FastAPI writes a fresh document and lowers each of its operations::

            raw = fastapi.openapi.utils.get_openapi(title="", version="", routes=app.routes)
            document = ApiDocument(raw, dialect=Dialect.FASTAPI)
            lowered = lower_operation(
                raw["paths"]["/items/{id}"]["get"],
                method="GET",
                route="/items/{id}",
                document=document,
            )
            lowered.parameters[0].name  # "id"
    """
    return lower_located(
        Located(operation, origin_of(operation, pointer)),
        None if path_item is None else Located(path_item, pointer.rpartition("/")[0]),
        method=method,
        route=route,
        document=document,
        carriers=carriers,
        cookies=cookies,
    )


def lower_located(
    located: Located,
    shared: Located | None,
    *,
    method: str,
    route: str,
    document: ApiDocument,
    carriers: Collection[str] = ("authorization",),
    cookies: Collection[str] = (),
) -> LoweredOperation:
    """Return the facts of an operation whose place, and whose path item's, is known.

    See `lower_operation`.
    """
    operation = located.node
    findings = FindingList()
    security = document.security_of(operation, findings)
    rules = IdentityRules(
        carriers=carriers,
        cookies=cookies,
        schemes=security.carriers,
        reserved=IGNORED_HEADERS if document.is_fastapi else _DOCUMENT_RESERVED,
    )
    declared = declared_parameters(document, shared, located, findings)
    read = read_parameters(document, declared, rules, findings)
    documented = _documented_body(document, located, findings)
    body = None if documented is None else read_body(document, documented, findings)
    placed, placed_body = _place(document, read.arguments, body, findings)
    parameters = settle_arguments(document, zip(read.arguments, placed, strict=True), findings)
    request_body = (
        settle_body(document, body, placed_body.schema, findings)
        if body is not None and placed_body is not None
        else None
    )
    responses = read_responses(document, located, findings)
    return LoweredOperation(
        parameters=parameters,
        request_body=request_body,
        responses=responses,
        carriers=tuple(dict.fromkeys((*security.carriers, *read.carriers))),
        anonymous=security.anonymous,
        accepts=None if documented is None else accepted_types(document, documented),
        is_body_unread=body is None and operation.get("requestBody") is not None,
        tags=_tags(operation),
        operation_id=_text(operation, "operationId"),
        summary=_text(operation, "summary"),
        description=_text(operation, "description"),
        deprecated=operation.get("deprecated") is True,
        diagnostics=_diagnostics(document, findings, f"{method} {route}", route),
    )


def _documented_body(
    document: ApiDocument, operation: Located, findings: FindingList
) -> Located | None:
    node = operation.node.get("requestBody")
    if node is None:
        return None
    return document.resolve(node, pointer_to(operation.pointer, "requestBody"), findings)


def _place(
    document: ApiDocument,
    arguments: Sequence[ReadParameter],
    body: ReadBody | None,
    findings: FindingList,
) -> tuple[Sequence[PlacedSchema], PlacedSchema | None]:
    """Return the schemas of the parameters and of the body, which count uses together."""
    slots = [argument.slot for argument in arguments]
    if body is not None and any(slot.schema.sites for slot in slots):
        slots.append(body.slot)
    placed, found = hoist(document.schemas, slots)
    findings.items.extend(found)
    if body is None or len(slots) > len(arguments):
        return placed[: len(arguments)], None if body is None else placed[-1]
    # Nothing of the parameters can be used twice, so the body is what it is elsewhere too.
    return placed, document.place_slot(body.slot, findings)


def _tags(operation: JSONObject) -> tuple[str, ...]:
    tags = operation.get("tags")
    return tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()


def _text(operation: JSONObject, key: str) -> str | None:
    value = operation.get(key)
    # A YAML block ends with a line break that says nothing.
    return (value.strip() or None) if isinstance(value, str) else None


def _diagnostics(
    document: ApiDocument, findings: FindingList, operation: str, route: str
) -> tuple[Diagnostic, ...]:
    items = findings.items
    if document.is_fastapi:
        # Nobody can look into a document that lives for one build.
        items = [replace(finding, pointer=None) for finding in items]
    return to_diagnostics(items, operation=operation, route=route)
