"""Which era a request belongs to, and what each era asks of it (spec: transport 3)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.mcp.head import header_fields
from sezzlee_py.mcp.jsonrpc import Request, RPCCode, RPCFault
from sezzlee_py.mcp.revisions import HANDSHAKE_REVISIONS, LATEST, REVISIONS
from sezzlee_py.model import Headers, JSONObject, JSONValue

VERSION_HEADER: Final = "mcp-protocol-version"
METHOD_HEADER: Final = "mcp-method"
NAME_HEADER: Final = "mcp-name"
_ROUTING_HEADERS: Final = (VERSION_HEADER, METHOD_HEADER, NAME_HEADER)

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY: Final = "io.modelcontextprotocol/clientInfo"
SERVER_INFO_KEY: Final = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"

# How a header carries a name that is not printable ASCII.
_ENCODED: Final = re.compile(r"=\?base64\?(.*)\?=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Era:
    """What differs between the protocol with a handshake and the one without.

    `statuses` gives the HTTP status of a JSON-RPC error, 200 where it names none.
    `result_members` are written into every result, `cache_members` into those a client may keep.
    """

    stateless: bool
    statuses: Mapping[RPCCode, int] = field(default_factory=lambda: MappingProxyType({}))
    result_members: JSONObject = field(default_factory=lambda: MappingProxyType({}))
    cache_members: JSONObject = field(default_factory=lambda: MappingProxyType({}))


HANDSHAKE: Final = Era(stateless=False)
STATELESS: Final = Era(
    stateless=True,
    statuses=MappingProxyType(
        {
            RPCCode.METHOD_NOT_FOUND: 404,
            RPCCode.INVALID_PARAMS: 400,
            RPCCode.HEADER_MISMATCH: 400,
            RPCCode.UNSUPPORTED_REVISION: 400,
        }
    ),
    result_members=MappingProxyType({"resultType": "complete"}),
    # Answers differ per caller, so no shared cache may keep them.
    cache_members=MappingProxyType({"ttlMs": 0, "cacheScope": "private"}),
)


def era_of(request: Request, headers: Headers | None) -> Era:
    """Return the era of a request that states it consistently.

    Args:
        request: the request.
        headers: those of its HTTP request; `None` on a channel without any.

    Raises:
        RPCFault: header and body disagree, a routing header is doubled, the revision is not
            supported, or the `_meta` that a stateless request owes is not there.
    """
    meta = request.params.get("_meta")
    claimed = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    fields = None if headers is None else _routing_fields(headers)
    stated = claimed if fields is None else fields.get(VERSION_HEADER)
    if stated is None and claimed is None:
        return HANDSHAKE
    if stated == LATEST:
        _check_stateless(request, fields)
        return STATELESS
    if claimed is not None and claimed != stated:
        raise _mismatch(VERSION_HEADER, "the revision in '_meta'")
    if stated in HANDSHAKE_REVISIONS:
        return HANDSHAKE
    raise _unsupported(stated)


def check_notification(headers: Headers) -> None:
    """Check the one header a notification owes anything.

    Raises:
        RPCFault: the revision is not supported.
    """
    stated = header_fields(headers).get(VERSION_HEADER)
    if stated is not None and stated not in REVISIONS:
        raise _unsupported(stated)


def _routing_fields(headers: Headers) -> dict[str, str]:
    """The fields that say where a request belongs, each there once."""
    fields = dict(headers)
    # A WSGI server joins two into one value.
    is_doubled = "," in fields.get(VERSION_HEADER, "")
    if len(fields) != len(headers):
        names = [name for name, _ in headers]
        is_doubled = is_doubled or any(names.count(name) > 1 for name in _ROUTING_HEADERS)
    if is_doubled:
        text = "A routing header is there more than once."
        raise RPCFault(RPCCode.HEADER_MISMATCH, text)
    return {name: fields[name].strip(" \t") for name in _ROUTING_HEADERS if name in fields}


def _check_stateless(request: Request, fields: Mapping[str, str] | None) -> None:
    meta = request.params.get("_meta")
    if not isinstance(meta, dict):
        raise _invalid("'params._meta' must be an object.")
    if VERSION_KEY not in meta or CLIENT_CAPABILITIES_KEY not in meta:
        missing = [key for key in (VERSION_KEY, CLIENT_CAPABILITIES_KEY) if key not in meta]
        raise _invalid(f"'params._meta' lacks {' and '.join(missing)}.")
    if fields is not None:
        _check_routing(request, meta, fields)
    if not isinstance(meta[CLIENT_CAPABILITIES_KEY], dict):
        raise _invalid(f"'{CLIENT_CAPABILITIES_KEY}' must be an object.")
    if not isinstance(meta.get(CLIENT_INFO_KEY), dict | None):
        raise _invalid(f"'{CLIENT_INFO_KEY}' must be an object.")


def _check_routing(request: Request, meta: dict[str, Any], fields: Mapping[str, str]) -> None:
    if meta[VERSION_KEY] != fields.get(VERSION_HEADER):
        raise _mismatch(VERSION_HEADER, "the revision in '_meta'")
    if fields.get(METHOD_HEADER) != request.method:
        raise _mismatch(METHOD_HEADER, "the method of the body")
    name = request.params.get("name")
    if request.method == "tools/call" and isinstance(name, str):
        stated = fields.get(NAME_HEADER)
        if stated is None or _decoded(stated) != name:
            raise _mismatch(NAME_HEADER, "'params.name'")


def _decoded(value: str) -> str | None:
    """The text of a header that may be wrapped in base64; `None` for a wrapping that is broken."""
    match = _ENCODED.fullmatch(value) if value.startswith("=?") else None
    if match is None:
        return value
    try:
        data = base64.b64decode(match[1], validate=True)
        # Another spelling of the same bytes is not what a client writes.
        canonical = base64.b64encode(data).decode("ascii") == match[1]
        return data.decode("utf-8") if canonical else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def _invalid(message: str) -> RPCFault:
    return RPCFault(RPCCode.INVALID_PARAMS, message)


def _mismatch(header: str, other: str) -> RPCFault:
    return RPCFault(RPCCode.HEADER_MISMATCH, f"The header {header} does not equal {other}.")


def _unsupported(revision: JSONValue) -> RPCFault:
    if not isinstance(revision, str):
        return _invalid(f"'{VERSION_KEY}' must be a string.")
    return RPCFault(
        RPCCode.UNSUPPORTED_REVISION,
        "Unsupported protocol version",
        data={"supported": list(REVISIONS), "requested": revision},
    )
