"""The framework-neutral record of one operation (spec: tool-definition 1)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from sezzlee_py.model.curation import AnnotationHints, ArgumentCuration
from sezzlee_py.model.json import JSONObject


class ParameterLocation(StrEnum):
    """Where a parameter travels (OpenAPI 3.2 `in`)."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"
    QUERYSTRING = "querystring"


class Anonymous(StrEnum):
    """Whether an operation admits a caller without identity."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """A request slot that holds identity: a header, query key or cookie."""

    location: ParameterLocation
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Auth:
    """What an operation declares about its callers; never shown to an agent."""

    anonymous: Anonymous = Anonymous.UNKNOWN
    policies: tuple[str, ...] = ()
    imperative: bool = False
    carriers: tuple[Carrier, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One input of an operation and the slot of the request it travels in.

    `spans_segments` marks a path parameter whose converter accepts `/`; `fractional` one whose
    converter demands a fraction (Werkzeug's `float`).
    """

    name: str
    location: ParameterLocation
    schema: JSONObject
    required: bool = False
    style: str | None = None
    explode: bool | None = None
    object_notation: str | None = None
    description: str | None = None
    content_type: str | None = None
    allow_reserved: bool = False
    spans_segments: bool = False
    fractional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBody:
    """The body of an operation in the one media type the SDK writes (spec: bodies)."""

    schema: JSONObject
    required: bool = True
    description: str | None = None
    content_type: str | None = None
    object_notation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A declared response; `schema` is the serialisation-mode one."""

    schema: JSONObject | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One tool among several made from one operation; a family member may bring its own body."""

    name: str
    description: str
    arguments: tuple[ArgumentCuration, ...] = ()
    annotations: AnnotationHints = AnnotationHints()
    request_body: RequestBody | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Marks the variants as members that a dispatch parameter tells apart (spec: families)."""

    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointDescriptor:
    """One operation as pure data, declarations already resolved into it.

    `route` is the normalised template (`{id}` placeholders, converters removed), relative to the
    server root. The fields below the blank line are internal: identities compared for equality
    only, and where the handler stands in the source; they are not part of the document form.
    """

    method: str
    route: str
    auth: Auth = Auth()
    operation_id: str | None = None
    container: str | None = None
    container_prefix: str | None = None
    tool_name: str | None = None
    description: str | None = None
    deprecated: bool = False
    parameters: tuple[Parameter, ...] = ()
    request_body: RequestBody | None = None
    responses: Mapping[str, Response] = field(default_factory=lambda: MappingProxyType({}))
    tags: tuple[str, ...] = ()
    search_terms: tuple[str, ...] = ()
    arguments: tuple[ArgumentCuration, ...] = ()
    variants: tuple[Variant, ...] = ()
    family: Family | None = None
    annotations: AnnotationHints = AnnotationHints()

    container_key: str | None = None
    endpoint_key: Hashable = None
    source: str | None = None
    line: int | None = None

    @property
    def operation(self) -> str:
        """The subject of a diagnostic: method and route."""
        return f"{self.method} {self.route}"
