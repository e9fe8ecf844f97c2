"""What each error status means to an agent, in the standard words (spec: results 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sezzlee_py.errors import BackendCode

INVALID_FIELDS: Final = (
    "The backend rejected one or more arguments."
    " Fix the listed fields and call the operation again."
)
WITHHELD_FIELD: Final = "The value was rejected; details were withheld."

_RETRYABLE: Final = frozenset({BackendCode.RATE_LIMITED, BackendCode.BACKEND_UNAVAILABLE})
_CODES: Final[Mapping[int, BackendCode]] = {
    401: BackendCode.UNAUTHENTICATED,
    403: BackendCode.FORBIDDEN,
    404: BackendCode.NOT_FOUND,
    408: BackendCode.BACKEND_UNAVAILABLE,
    409: BackendCode.CONFLICT,
    410: BackendCode.NOT_FOUND,
    412: BackendCode.CONFLICT,
    428: BackendCode.CONFLICT,
    429: BackendCode.RATE_LIMITED,
    502: BackendCode.BACKEND_UNAVAILABLE,
    503: BackendCode.BACKEND_UNAVAILABLE,
    504: BackendCode.BACKEND_UNAVAILABLE,
}
_MESSAGES: Final[Mapping[BackendCode, str]] = {
    BackendCode.BAD_REQUEST: (
        "The backend rejected the request ({status}) without usable details."
        " Check the arguments against the input schema."
    ),
    BackendCode.UNAUTHENTICATED: (
        "The backend did not accept the caller's identity (401). The MCP session's credentials were"
        " forwarded unchanged; retrying with the same session will not help."
    ),
    BackendCode.FORBIDDEN: (
        "The caller is authenticated but not permitted to perform this operation (403)."
    ),
    BackendCode.NOT_FOUND: (
        "No resource matched these arguments (404)."
        " The operation exists; check identifier arguments."
    ),
    BackendCode.CONFLICT: (
        "The request conflicts with the current state of the resource ({status})."
        " Re-read the resource before retrying."
    ),
    BackendCode.RATE_LIMITED: "The backend is rate-limiting this caller (429).",
    BackendCode.BACKEND_ERROR: (
        "The backend failed while handling the call ({status}). Details were withheld."
    ),
    BackendCode.BACKEND_UNAVAILABLE: (
        "The backend is temporarily unavailable ({status}). Retry later."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An error status with its code; `message` is the standard one without optional sentences."""

    status: int
    code: BackendCode
    retryable: bool
    message: str


def outcome_of(status: int) -> Outcome:
    """Return what a status of 400 or above means; one outside 4xx is the backend's fault."""
    default = BackendCode.BAD_REQUEST if status < 500 else BackendCode.BACKEND_ERROR
    code = _CODES.get(status, default)
    return Outcome(
        status=status,
        code=code,
        retryable=code in _RETRYABLE,
        message=_MESSAGES[code].format(status=status),
    )
