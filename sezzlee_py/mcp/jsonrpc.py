"""JSON-RPC 2.0 envelopes: bytes to messages, results and errors to bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from sezzlee_py.model import JSONObject, JSONValue, read_json
from sezzlee_py.model.json import compact_writer
from sezzlee_py.model.quick import quick
from sezzlee_py.model.values import without_lone_surrogates

RequestId: TypeAlias = str | int

_NO_PARAMS: Final[JSONObject] = MappingProxyType({})


class RPCCode(IntEnum):
    """Error codes of JSON-RPC and MCP."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    HEADER_MISMATCH = -32020
    UNSUPPORTED_REVISION = -32022


class RPCFault(Exception):  # noqa: N818 - named after what it carries, a JSON-RPC error object
    """A message that is answered with a JSON-RPC error.

    Attributes:
        request_id: the id of the faulty request where it could be read.
    """

    def __init__(
        self,
        code: RPCCode,
        message: str,
        *,
        data: JSONValue = None,
        request_id: RequestId | None = None,
    ) -> None:
        self.code = code
        self.message = message
        self.data = data
        self.request_id = request_id
        super().__init__(f"{code}: {message}")


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A message that is owed an answer."""

    id: RequestId
    method: str
    params: JSONObject = field(default_factory=lambda: _NO_PARAMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """A message that is owed nothing: a notification, or an answer to a request never sent."""

    method: str | None = None


def read_message(body: bytes) -> Request | Notification:
    """Return the one message of `body`.

    Raises:
        RPCFault: `PARSE_ERROR` when it is not JSON in UTF-8; `INVALID_REQUEST` when it is a batch
            or no JSON-RPC message.
    """
    try:
        document = read_json(body.decode("utf-8"))
    except ValueError:
        raise RPCFault(RPCCode.PARSE_ERROR, "The body is not JSON in UTF-8.") from None
    if isinstance(document, list):
        raise RPCFault(RPCCode.INVALID_REQUEST, "Batches are not accepted: send one message.")
    if not isinstance(document, dict):
        raise RPCFault(RPCCode.INVALID_REQUEST, "The body is not a JSON-RPC message.")
    return _message(document)


def _message(document: dict[str, Any]) -> Request | Notification:
    request_id = as_request_id(document.get("id"))
    if document.get("jsonrpc") != "2.0":
        raise _invalid("'jsonrpc' must be \"2.0\".", request_id)
    if "method" not in document and ("result" in document or "error" in document):
        return Notification()
    method, params = document.get("method"), document.get("params")
    if not isinstance(method, str):
        raise _invalid("'method' must be a string.", request_id)
    if not (params is None or isinstance(params, dict)):
        raise _invalid("'params' must be an object.", request_id)
    if "id" not in document:
        return Notification(method=method)
    if request_id is None:
        raise _invalid("'id' must be a string or an integer.", request_id)
    return Request(id=request_id, method=method, params=params or _NO_PARAMS)


def _invalid(message: str, request_id: RequestId | None) -> RPCFault:
    return RPCFault(RPCCode.INVALID_REQUEST, message, request_id=request_id)


def as_request_id(value: JSONValue) -> RequestId | None:
    """Return `value` where it may be the id of a request, `None` where it may not."""
    if isinstance(value, str | int) and not isinstance(value, bool):
        return value
    return None


def result_document(request_id: RequestId, result: Mapping[str, Any]) -> bytes:
    """Return the answer to a request that succeeded."""
    return write_document({"jsonrpc": "2.0", "id": request_id, "result": result})


def error_document(fault: RPCFault, request_id: RequestId | None = None) -> bytes:
    """Return the answer to a request that failed; `id` is null when it could not be read."""
    error: dict[str, Any] = {"code": int(fault.code), "message": fault.message}
    if fault.data is not None:
        error["data"] = fault.data
    known = fault.request_id if request_id is None else request_id
    return write_document({"jsonrpc": "2.0", "id": known, "error": error})


def write_document(document: Mapping[str, Any]) -> bytes:
    """Return `document` as JSON in UTF-8 without white space."""
    text = _write(document)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # A host's own texts, such as a title, may hold half a character.
        return without_lone_surrogates(text).encode("utf-8")


_write: Final = compact_writer()
