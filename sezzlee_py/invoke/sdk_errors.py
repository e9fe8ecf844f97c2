"""Envelopes for faults on the SDK's own side, which never have a `status` (spec: results 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sezzlee_py.catalog.name_parts import MAX_NAME_LENGTH
from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.invoke.faults import (
    file_too_large,
    file_unavailable,
    file_unresolved,
    fill_invalid,
    fill_missing,
    inline_files_too_large,
)
from sezzlee_py.model import Envelope
from sezzlee_py.model.values import without_lone_surrogates

INTERNAL_ERROR_MESSAGE: Final = "The tool layer failed while handling the call."
RANKER_UNAVAILABLE_MESSAGE: Final = (
    "Search is unavailable: the ranker did not answer this query. Call search_tools again later."
)

_RETRYABLE: Final = frozenset({ErrorCode.INVOKE_TIMEOUT, ErrorCode.SEARCH_RANKER_UNAVAILABLE})


def sdk_error(code: ErrorCode, message: str | None = None, **facts: Any) -> Envelope:
    """Return the envelope of `code`, in the words of `message` or in those pinned for the code.

    Args:
        code: one of the twenty.
        message: words written elsewhere; of an `internal_error` they stay inside.
        facts: what the pinned words name: `tool`; `limit_ms`; `field` and `reason` (`not_found`,
            `forbidden` or `unavailable`) of a ref; `field` and `limit`, or `total`, `limit` and
            `refs_offered`, of files; `fields` and `payload` become members of the envelope.

    Raises:
        TypeError: `message` is absent where no words are pinned, or a fact they need is.
    """
    reason = facts.get("reason")
    retryable = code in _RETRYABLE or (
        code is ErrorCode.FILE_UNRESOLVED and reason == "unavailable"
    )
    if message is None or code is ErrorCode.INTERNAL_ERROR:
        message = _pinned_message(code, facts)
    return _envelope(code, message, retryable=retryable, facts=facts)


def fault_envelope(fault: InvocationError) -> Envelope:
    """Return the envelope of a call that ended before the application was reached."""
    if fault.code is ErrorCode.INTERNAL_ERROR:
        return sdk_error(fault.code)
    retryable = fault.retryable or fault.code in _RETRYABLE
    return _envelope(fault.code, fault.message, retryable=retryable, facts={})


def unknown_tool_message(name: str, *, searchable: bool = True) -> str:
    """Return the one text for a tool that does not exist and one the caller may not see.

    Where tools are listed directly there is no search to point at (transport 10).
    """
    advice = " Use search_tools to find the exact name." if searchable else ""
    return f"No operation named '{_shown(name)}'.{advice}"


def not_invocable_message(name: str) -> str:
    """Return the text for an operation without a request template."""
    return f"Operation '{_shown(name)}' cannot be invoked."


def tool_changed_message(name: str) -> str:
    """Return the text for a version that is not the tool's own any more."""
    return (
        f"The tool '{_shown(name)}' changed after it was loaded, so the call was refused before"
        " reaching the backend. Load it again with load_tool and retry with the new version."
    )


def timeout_message(limit_ms: int) -> str:
    """Return the text for a deadline that passed."""
    return (
        f"The backend did not answer within {limit_ms} ms and the call was abandoned."
        " The operation may already have been applied; re-read before retrying."
    )


def never_started_message(limit_ms: int) -> str:
    """Return the text for a deadline that passed before the application was called."""
    return (
        f"The backend did not answer within {limit_ms} ms and the call was abandoned."
        " It was never started."
    )


def _shown(name: str) -> str:
    # Every tool's own name is told whole; an agent's text must not fill the answer.
    cut = name if len(name) <= MAX_NAME_LENGTH else f"{name[:MAX_NAME_LENGTH]}…"
    return without_lone_surrogates(cut)


def _pinned_message(code: ErrorCode, facts: Mapping[str, Any]) -> str:
    words = _PINNED.get(code)
    if words is None:
        raise TypeError(f"{code} has no words of its own: pass a message")
    try:
        return words(facts)
    except KeyError as fact:
        raise TypeError(f"{code} needs the fact {fact}") from None


def _file_too_large(facts: Mapping[str, Any]) -> str:
    if "field" in facts:
        return file_too_large(facts["field"], facts["limit"]).message
    return inline_files_too_large(
        facts["total"], facts["limit"], refs_offered=bool(facts.get("refs_offered"))
    ).message


def _file_unresolved(facts: Mapping[str, Any]) -> str:
    # Missing and forbidden read alike, or an agent could probe which refs exist.
    refusal = file_unavailable if facts.get("reason") == "unavailable" else file_unresolved
    return refusal(facts["field"]).message


_PINNED: Final[Mapping[ErrorCode, Callable[[Mapping[str, Any]], str]]] = {
    ErrorCode.DEFERRED_VALUE_MISSING: lambda _: fill_missing().message,
    ErrorCode.DEFERRED_VALUE_INVALID: lambda _: fill_invalid().message,
    ErrorCode.FILE_TOO_LARGE: _file_too_large,
    ErrorCode.FILE_UNRESOLVED: _file_unresolved,
    ErrorCode.UNKNOWN_TOOL: lambda facts: unknown_tool_message(facts["tool"]),
    ErrorCode.NOT_INVOCABLE: lambda facts: not_invocable_message(facts["tool"]),
    ErrorCode.TOOL_CHANGED: lambda facts: tool_changed_message(facts["tool"]),
    ErrorCode.INTERNAL_ERROR: lambda _: INTERNAL_ERROR_MESSAGE,
    ErrorCode.INVOKE_TIMEOUT: lambda facts: timeout_message(facts["limit_ms"]),
    ErrorCode.SEARCH_RANKER_UNAVAILABLE: lambda _: RANKER_UNAVAILABLE_MESSAGE,
}


def _envelope(
    code: ErrorCode, message: str, *, retryable: bool, facts: Mapping[str, Any]
) -> Envelope:
    payload: dict[str, Any] = {"error": str(code), "message": message, "retryable": retryable}
    payload |= {key: facts[key] for key in ("fields", "payload") if facts.get(key)}
    return Envelope(payload=payload, is_error=True)
