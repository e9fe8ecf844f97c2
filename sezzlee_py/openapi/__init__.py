"""OpenAPI documents as descriptors: Swagger 2.0 and OpenAPI 3.0 to 3.2, JSON or YAML."""

from sezzlee_py.openapi.document import ApiDocument, Dialect
from sezzlee_py.openapi.ingest import Ingested, ingest
from sezzlee_py.openapi.join import RouteDocument, join_document
from sezzlee_py.openapi.loaders import DocumentLoader, FileLoader, HttpLoader, RefusedReferenceError
from sezzlee_py.openapi.operation import LoweredOperation, lower_operation

__all__ = [
    "ApiDocument",
    "Dialect",
    "DocumentLoader",
    "FileLoader",
    "HttpLoader",
    "Ingested",
    "LoweredOperation",
    "RefusedReferenceError",
    "RouteDocument",
    "ingest",
    "join_document",
    "lower_operation",
]
