"""The exception tree and every code an agent can be answered with.

    SezzleeError
    ├── DeclarationError      what is declared contradicts itself, or says nothing
    ├── OptionsError          an option has a wrong name or a wrong value
    ├── CatalogError          the catalog holds a fatal diagnostic and is not served
    │   └── CatalogReloadError    the same on reload; the old catalog stays
    ├── InvocationError       a call that ends before the application is reached
    │   └── CompositionError      the arguments do not fit the operation
    └── StoreUnavailableError a host's store that cannot be asked now and has told so itself

The codes are contract (spec: results 2 and 3); wording may improve any time unless a code pins it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sezzlee_py.model import Diagnostic


class ErrorCode(StrEnum):
    """Codes of faults on the SDK's own side; the envelope has no `status` (results 2)."""

    UNKNOWN_ARGUMENT = "unknown_argument"
    INVALID_PATH_TYPE = "invalid_path_type"
    MISSING_PATH_PARAMETER = "missing_path_parameter"
    HEADER_INJECTION = "header_injection"
    NULL_NOT_ALLOWED = "null_not_allowed"
    INVALID_TYPE = "invalid_type"
    DEFERRED_VALUE_MISSING = "deferred_value_missing"
    DEFERRED_VALUE_INVALID = "deferred_value_invalid"
    INVALID_COOKIE_VALUE = "invalid_cookie_value"
    COOKIE_CARRIER_COLLISION = "cookie_carrier_collision"
    INVALID_FILE_ARGUMENT = "invalid_file_argument"
    FILE_TOO_LARGE = "file_too_large"
    FILE_UNRESOLVED = "file_unresolved"
    UNKNOWN_TOOL = "unknown_tool"
    NOT_INVOCABLE = "not_invocable"
    TOOL_CHANGED = "tool_changed"
    RESPONSE_TOO_LARGE = "response_too_large"
    INTERNAL_ERROR = "internal_error"
    INVOKE_TIMEOUT = "invoke_timeout"
    SEARCH_RANKER_UNAVAILABLE = "search_ranker_unavailable"


class BackendCode(StrEnum):
    """Codes of answers the application gave; the envelope has a `status` (results 3)."""

    VALIDATION_FAILED = "validation_failed"
    BAD_REQUEST = "bad_request"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    RATE_LIMITED = "rate_limited"
    BACKEND_ERROR = "backend_error"
    BACKEND_UNAVAILABLE = "backend_unavailable"


class SezzleeError(Exception):
    """Base of everything the SDK raises on purpose."""


class DeclarationError(SezzleeError):
    """What is declared on a function, class or container contradicts itself, or says nothing."""


class OptionsError(SezzleeError, ValueError):
    """An option has an unknown name or a value of the wrong type; the message names its path."""


class CatalogError(SezzleeError):
    """The catalog holds fatal diagnostics and is not served.

    Attributes:
        diagnostics: every diagnostic of the build, in their published order.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        fatal = [d for d in self.diagnostics if d.severity == "fatal"]
        lines = [f"the catalog has {len(fatal)} fatal finding(s):"]
        lines += [f"  {diagnostic}" for diagnostic in fatal]
        super().__init__("\n".join(lines))


class CatalogReloadError(CatalogError):
    """A reload found fatal diagnostics; the catalog that was served before is still served."""


class InvocationError(SezzleeError):
    """A call that ends before the application is reached; it becomes an `SdkError` envelope.

    Attributes:
        code: the stable code.
        message: text for the agent, built from names only, never from values (arguments 7).
        retryable: whether repeating the identical call can work.
    """

    def __init__(self, code: ErrorCode, message: str, *, retryable: bool = False) -> None:
        self.code = code
        self.message = message
        self.retryable = retryable
        super().__init__(f"{code}: {message}")


class CompositionError(InvocationError):
    """The arguments do not fit the operation."""


class StoreUnavailableError(SezzleeError):
    """A host's store cannot be asked just now and has told so itself; it counts as a miss."""
