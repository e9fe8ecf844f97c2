"""HTTP around the protocol: what a request's head must be, and the replies (spec: transport 2)."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sezzlee_py.mcp.jsonrpc import RequestId, RPCCode, RPCFault, error_document
from sezzlee_py.mcp.origins import host_rule, origin_rule
from sezzlee_py.model import Headers
from sezzlee_py.model.quick import quick
from sezzlee_py.options import TransportOptions
from sezzlee_py.telemetry import Event, log_event

_JSON: Final = (("content-type", "application/json"),)
_ACCEPTED: Final = frozenset({"application/json", "application/*", "*/*"})
_REASONS: Final = {
    400: "content length",
    403: "origin",
    405: "method",
    406: "accept",
    413: "size",
    415: "content type",
    421: "host",
}
_ZERO_WEIGHT: Final = re.compile(r"q=0(\.0{0,3})?")


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class HTTPReply:
    """A whole HTTP answer; the shells add `content-length`."""

    status: int
    headers: Headers = ()
    body: bytes = b""


def json_reply(body: bytes, status: int = 200) -> HTTPReply:
    """Return a reply whose body is JSON."""
    return HTTPReply(status=status, headers=_JSON, body=body)


def refusal(
    status: int, fault: RPCFault, request_id: RequestId | None = None, headers: Headers = ()
) -> HTTPReply:
    """Return a reply that carries a JSON-RPC error."""
    body = error_document(fault, request_id)
    return HTTPReply(status=status, headers=_JSON + headers, body=body)


def header_fields(headers: Headers) -> dict[str, str]:
    """Return every field by its name, values trimmed, repeats joined by commas."""
    # Joined at the end: there may be as many of one name as a server lets in.
    fields: dict[str, list[str]] = {}
    for name, value in headers:
        fields.setdefault(name, []).append(value.strip(" \t"))
    return {name: ", ".join(values) for name, values in fields.items()}


class HeadPolicy:
    """Decides from method and headers alone whether a request's body is read at all.

    Raises:
        OptionsError: an allow-list holds something that is no origin or host.
    """

    def __init__(self, transport: TransportOptions) -> None:
        self._limit = transport.max_request_bytes
        self._admits_origin = origin_rule(transport.allowed_origins)
        self._admits_host = host_rule(transport.allowed_hosts)

    def check(self, method: str, headers: Headers) -> HTTPReply | None:
        """Return the refusal, or `None` when the body may be read."""
        fields = dict(headers)
        if len(fields) != len(headers):
            fields = header_fields(headers)
        host = _trimmed(fields.get("host"))
        if not self._admits_host(host):
            return _refuse(421, "This host is not served here.")
        if "origin" in fields:
            origins = [value.strip(" \t") for name, value in headers if name == "origin"]
            if not all(self._admits_origin(origin, host) for origin in origins):
                return _refuse(403, "Requests from this origin are not admitted.")
        if method != "POST":
            reply = _refuse(405, "The endpoint takes POST only.", (("allow", "POST"),))
            return reply if method != "HEAD" else HTTPReply(status=405, headers=reply.headers)
        return self._check_content(fields)

    def too_large(self) -> HTTPReply:
        """Return the refusal of a body over the limit."""
        return _refuse(413, f"The body is larger than {self._limit} bytes.")

    @property
    def max_bytes(self) -> int:
        """The size a body may have."""
        return self._limit

    def _check_content(self, fields: Mapping[str, str]) -> HTTPReply | None:
        content_type = fields.get("content-type", "")
        if content_type != "application/json" and not _is_json(content_type):
            return _refuse(415, "The content type must be application/json.")
        if (_trimmed(fields.get("content-encoding")) or "identity").lower() != "identity":
            return _refuse(415, "The body must not be encoded.")
        if not _takes(fields.get("accept"), _ACCEPTED):
            return not_acceptable("application/json")
        length = _trimmed(fields.get("content-length"))
        if length is None:
            return None
        if not (length.isascii() and length.isdigit()):
            return _refuse(400, "The content length is not a number.")
        # Leading zeros aside, more digits is larger; int() of a long text would be refused.
        digits = length.lstrip("0")
        if len(digits) > 18 or int(digits or "0") > self._limit:
            return self.too_large()
        return None


def log_refused(reply: HTTPReply) -> None:
    """Write the event of a request that was refused by its head; no value of it is told."""
    # A page or a name that is not admitted is an attack, or options that lack an entry.
    level = logging.WARNING if reply.status in (403, 421) else logging.INFO
    reason = _REASONS.get(reply.status, "head")
    message = "a request to the endpoint was refused with %d because of its %s"
    log_event(
        Event.REQUEST_REFUSED,
        message,
        reply.status,
        reason,
        level=level,
        status=reply.status,
        reason=reason,
    )


def accepts(headers: Headers, media_types: frozenset[str]) -> bool:
    """Whether the client takes one of `media_types`; a client that does not say takes all."""
    return _takes(header_fields(headers).get("accept"), media_types)


def _takes(stated: str | None, media_types: frozenset[str]) -> bool:
    # Clients begin with what they would like best.
    if not stated or stated.partition(",")[0] in media_types:
        return True
    return not media_types.isdisjoint(map(_range, stated.split(",")))


def _range(entry: str) -> str | None:
    if ";" not in entry:
        return entry.strip().lower()
    media_range, *parameters = entry.split(";")
    refused = any(_ZERO_WEIGHT.fullmatch(value.strip().lower()) for value in parameters)
    return None if refused else media_range.strip().lower()


def _trimmed(value: str | None) -> str | None:
    return None if value is None else value.strip(" \t")


def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"


def not_acceptable(media_type: str) -> HTTPReply:
    """Return the refusal of a client that does not take what it would be sent."""
    return _refuse(406, f"The client must accept {media_type}.")


def nested() -> HTTPReply:
    """Return the refusal of a call that a tool of this endpoint makes to the endpoint."""
    return _refuse(403, "The endpoint does not call itself.")


def crashed() -> HTTPReply:
    """Return the reply when the endpoint itself failed; what failed is in the host's log."""
    return refusal(500, RPCFault(RPCCode.INTERNAL_ERROR, "The endpoint failed."))


def _refuse(status: int, message: str, headers: Headers = ()) -> HTTPReply:
    return refusal(status, RPCFault(RPCCode.INVALID_REQUEST, message), headers=headers)
