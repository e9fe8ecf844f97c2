"""A whole OpenAPI document as descriptors (spec: openapi)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sezzlee_py.catalog.name_parts import is_legal_name, route_body, snake_case
from sezzlee_py.catalog.schema.findings import to_diagnostics
from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.model import (
    Auth,
    Diagnostic,
    EndpointDescriptor,
    Parameter,
    ParameterLocation,
    Severity,
)
from sezzlee_py.openapi.document import ApiDocument, BodyRequired, FindingList, Located
from sezzlee_py.openapi.external import bundle
from sezzlee_py.openapi.loaders import DocumentLoader
from sezzlee_py.openapi.operation import LoweredOperation, lower_located
from sezzlee_py.openapi.parameters import declared_parameters
from sezzlee_py.openapi.parse import DocumentParseError, parse_document
from sezzlee_py.openapi.paths import DocumentedOperation, documented_operations, note_unused
from sezzlee_py.openapi.upgrade import upgrade_operation, upgrade_root

_VERSION: Final = re.compile(r"3\.[012](?:\.\d+)?(?:-.*)?")
_TERMS: Final = "x-sezzlee-search-terms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """The descriptors of a document, in its order, and everything that was found in it."""

    descriptors: tuple[EndpointDescriptor, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def ingest(
    document: str | bytes | Mapping[str, Any],
    *,
    loader: DocumentLoader | None = None,
    strict: bool = False,
    strip_prefix: str | None = None,
    names: Mapping[str, str] | None = None,
    request_body_required: BodyRequired = "declared",
    output_schemas: bool = True,
    drop_read_only: bool = True,
    carriers: Collection[str] = ("authorization",),
    cookies: Collection[str] = (),
) -> Ingested:
    """Return a descriptor for every operation of a document that can become a tool.

    Bad content never raises: whatever cannot be represented is a diagnostic with a JSON Pointer
    into the document.

    Args:
        document: Swagger 2.0 or OpenAPI 3.0 to 3.2, as JSON or YAML text or as parsed.
        loader: reads the documents that references name; without one each is blocked.
        strict: a document of the wrong shape is fatal.
        strip_prefix: a path prefix that names made from routes leave out.
        names: tool names by operation id, or by `METHOD /path`.
        request_body_required: `"always"` reads a body without `required` as required.
        output_schemas: whether responses keep their schemas.
        drop_read_only: `options.schema.drop_read_only`.
        carriers: `options.identity.carriers`.
        cookies: `options.identity.cookies`.

    Raises:
        OSError: when the loader cannot read a document that it admits.

    Example:
        >>> found = ingest('{"openapi": "3.1.0", "paths": {"/ping": {"get": {}}}}')
        >>> [descriptor.operation for descriptor in found.descriptors]
        ['GET /ping']
    """
    reader, findings = open_document(
        document,
        loader=loader,
        strip_prefix=strip_prefix,
        names=names,
        request_body_required=request_body_required,
        output_schemas=output_schemas,
        drop_read_only=drop_read_only,
        carriers=carriers,
        cookies=cookies,
    )
    lowered = [] if reader is None else list(reader.operations(findings))
    found = [*to_diagnostics(findings.items), *(d for _, own in lowered for d in own)]
    return Ingested(
        descriptors=tuple(descriptor for descriptor, _ in lowered if descriptor is not None),
        diagnostics=_judged(found, strict),
    )


def open_document(
    document: str | bytes | Mapping[str, Any],
    *,
    loader: DocumentLoader | None = None,
    strip_prefix: str | None = None,
    names: Mapping[str, str] | None = None,
    request_body_required: BodyRequired = "declared",
    output_schemas: bool = True,
    drop_read_only: bool = True,
    carriers: Collection[str] = ("authorization",),
    cookies: Collection[str] = (),
) -> tuple[DocumentReader | None, FindingList]:
    """Return a reader of a document's operations, `None` when it cannot be read, and findings."""
    findings = FindingList()
    root = _read(document, loader, findings)
    if root is None:
        return None, findings
    note_unused(root, findings)
    api = ApiDocument(
        root,
        drop_read_only=drop_read_only,
        request_body_required=request_body_required,
        output_schemas=output_schemas,
    )
    reader = DocumentReader(
        api=api,
        is_swagger="swagger" in root,
        strip_prefix=(strip_prefix or "").rstrip("/"),
        names=names or {},
        carriers=carriers,
        cookies=cookies,
    )
    return reader, findings


def _read(
    document: str | bytes | Mapping[str, Any], loader: DocumentLoader | None, findings: FindingList
) -> Mapping[str, Any] | None:
    try:
        parsed = parse_document(document)
    except DocumentParseError as fault:
        findings.add("openapi_document_unparseable", str(fault), pointer="")
        return None
    if parsed.repeated_keys:
        findings.invalid(
            "keys stand twice in one object, the last counts: " + ", ".join(parsed.repeated_keys),
            "",
        )
    root = parsed.root
    if not isinstance(root, Mapping):
        findings.add("openapi_document_unparseable", "a document is an object", pointer="")
        return None
    if not _is_supported(root):
        version = root.get("openapi", root.get("swagger"))
        findings.add(
            "openapi_version_unsupported",
            f"the version {version!r} is not Swagger 2.0 or OpenAPI 3.0, 3.1, 3.2",
            pointer="/openapi" if "openapi" in root else "/swagger" if "swagger" in root else "",
        )
        return None
    if loader is not None:
        root = bundle(root, loader, findings)
    return upgrade_root(root) if "swagger" in root else root


def _is_supported(root: Mapping[str, Any]) -> bool:
    # YAML reads an unquoted version as a number.
    if "openapi" in root:
        return _VERSION.fullmatch(str(root["openapi"])) is not None
    return str(root.get("swagger")) == "2.0"


def _judged(diagnostics: Iterable[Diagnostic], strict: bool) -> tuple[Diagnostic, ...]:
    """Return the findings, each removed annotation once for the whole document."""
    judged: list[Diagnostic] = []
    removed: set[str] = set()
    for found in diagnostics:
        if found.code == "annotation_removed":
            if found.message in removed:
                continue
            removed.add(found.message)
        if strict and found.code == "openapi_document_invalid":
            found = replace(found, severity=Severity.FATAL)
        judged.append(found)
    return tuple(judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReader:
    """How the operations of one document are read."""

    api: ApiDocument
    is_swagger: bool
    strip_prefix: str
    names: Mapping[str, str]
    carriers: Collection[str]
    cookies: Collection[str]

    def documented(self, findings: FindingList) -> Iterator[DocumentedOperation]:
        """Yield the operations that the document lists."""
        return documented_operations(self.api, findings)

    def operations(
        self, findings: FindingList
    ) -> Iterator[tuple[EndpointDescriptor | None, tuple[Diagnostic, ...]]]:
        """Yield a descriptor of each operation, `None` where none can be, and its findings."""
        for documented in self.documented(findings):
            yield self._operation(documented)

    def _operation(
        self, documented: DocumentedOperation
    ) -> tuple[EndpointDescriptor | None, tuple[Diagnostic, ...]]:
        findings = FindingList()
        lowered = self.lowered(documented, findings)
        descriptor = self._descriptor(documented, lowered, findings)
        own = to_diagnostics(findings.items, operation=descriptor.operation, route=descriptor.route)
        diagnostics = (*lowered.diagnostics, *own)
        unusable = any(d.severity.rank >= Severity.ENDPOINT_DROPPED.rank for d in diagnostics)
        return None if unusable else descriptor, diagnostics

    def lowered(self, documented: DocumentedOperation, findings: FindingList) -> LoweredOperation:
        """Return what the document says about an operation, in the terms of its route."""
        operation, path_item = documented.operation, documented.path_item
        shared: Located | None = path_item
        if self.is_swagger:
            declared = declared_parameters(self.api, path_item, operation, findings)
            upgraded = upgrade_operation(self.api, operation, declared, findings)
            operation, shared = Located(upgraded, operation.pointer), None
        found = lower_located(
            operation,
            shared,
            method=documented.method,
            route=documented.route,
            document=self.api,
            carriers=self.carriers,
            cookies=self.cookies,
        )
        return replace(found, parameters=_renamed(found.parameters, documented.renamed))

    def _descriptor(
        self, documented: DocumentedOperation, lowered: LoweredOperation, findings: FindingList
    ) -> EndpointDescriptor:
        container = lowered.tags[0] if lowered.tags else None
        return EndpointDescriptor(
            method=documented.method,
            route=documented.route,
            auth=Auth(anonymous=lowered.anonymous, carriers=lowered.carriers),
            operation_id=self._operation_id(documented, lowered, findings),
            container=container,
            tool_name=self._name(documented, lowered),
            description=lowered.description or lowered.summary,
            deprecated=lowered.deprecated,
            parameters=lowered.parameters,
            request_body=lowered.request_body,
            responses=lowered.responses,
            tags=lowered.tags,
            search_terms=_search_terms(documented.operation, findings),
        )

    def _name(self, documented: DocumentedOperation, lowered: LoweredOperation) -> str | None:
        by_route = self.names.get(f"{documented.method} {documented.path}")
        by_id = self.names.get(lowered.operation_id) if lowered.operation_id else None
        return by_id if by_id is not None else by_route

    def _operation_id(
        self, documented: DocumentedOperation, lowered: LoweredOperation, findings: FindingList
    ) -> str | None:
        found = lowered.operation_id
        if found is not None:
            found = function_of(found, documented.method, documented.path)
            if is_legal_name(snake_case(found)):
                return found
            findings.add(
                "operation_id_unusable",
                f"the operation id {found!r} makes no legal name, so the route gives it",
                pointer=pointer_to(documented.operation.pointer, "operationId"),
            )
        return self._stripped_body(documented)

    def _stripped_body(self, documented: DocumentedOperation) -> str | None:
        prefix, route = self.strip_prefix, documented.route
        if not prefix or not (route == prefix or route.startswith(f"{prefix}/")):
            return None
        body = route_body(documented.method, route.removeprefix(prefix) or "/")
        return body if is_legal_name(body) else None


def function_of(operation_id: str, method: str, path: str) -> str:
    """Return the function's name where FastAPI made `operation_id` of it, else the id itself."""
    suffix = re.sub(r"\W", "_", path) + f"_{method.lower()}"
    return operation_id.removesuffix(suffix) or operation_id


def _renamed(
    parameters: tuple[Parameter, ...], renamed: Mapping[str, str]
) -> tuple[Parameter, ...]:
    if not renamed:
        return parameters
    return tuple(
        replace(p, name=renamed.get(p.name, p.name)) if p.location is ParameterLocation.PATH else p
        for p in parameters
    )


def _search_terms(operation: Located, findings: FindingList) -> tuple[str, ...]:
    terms = operation.node.get(_TERMS, [])
    if isinstance(terms, list) and all(isinstance(term, str) for term in terms):
        return tuple(terms)
    findings.add(
        "search_terms_invalid",
        f"{_TERMS} is a list of strings",
        pointer=pointer_to(operation.pointer, _TERMS),
    )
    return ()
