from typing import Any

import pytest

from sezzlee_py.errors import CompositionError, ErrorCode, InvocationError
from sezzlee_py.invoke.sdk_errors import fault_envelope, sdk_error
from sezzlee_py.model import Envelope

RETRYABLE = {ErrorCode.INVOKE_TIMEOUT, ErrorCode.SEARCH_RANKER_UNAVAILABLE}
FILL = "Retrying with the same arguments will not help."
PINNED: list[tuple[ErrorCode, dict[str, Any], str]] = [
    (
        ErrorCode.UNKNOWN_TOOL,
        {"tool": "ghost"},
        "No operation named 'ghost'. Use search_tools to find the exact name.",
    ),
    (ErrorCode.NOT_INVOCABLE, {"tool": "x"}, "Operation 'x' cannot be invoked."),
    (
        ErrorCode.TOOL_CHANGED,
        {"tool": "x"},
        "The tool 'x' changed after it was loaded, so the call was refused before reaching the"
        " backend. Load it again with load_tool and retry with the new version.",
    ),
    (
        ErrorCode.INVOKE_TIMEOUT,
        {"limit_ms": 5000},
        "The backend did not answer within 5000 ms and the call was abandoned. The operation may"
        " already have been applied; re-read before retrying.",
    ),
    (
        ErrorCode.SEARCH_RANKER_UNAVAILABLE,
        {},
        "Search is unavailable: the ranker did not answer this query."
        " Call search_tools again later.",
    ),
    (ErrorCode.INTERNAL_ERROR, {}, "The tool layer failed while handling the call."),
    (
        ErrorCode.DEFERRED_VALUE_MISSING,
        {},
        f"The operation fills a value itself and that value is unavailable. {FILL}",
    ),
    (
        ErrorCode.DEFERRED_VALUE_INVALID,
        {},
        f"The operation fills a value itself and that value could not be used. {FILL}",
    ),
    (
        ErrorCode.FILE_TOO_LARGE,
        {"field": "a", "limit": 9},
        "File argument 'a' is over the limit of 9 bytes and was not sent.",
    ),
    (
        ErrorCode.FILE_TOO_LARGE,
        {"total": 10, "limit": 9},
        "File arguments hold 10 bytes; the limit is 9 bytes and nothing was sent.",
    ),
    (
        ErrorCode.FILE_TOO_LARGE,
        {"total": 10, "limit": 9, "refs_offered": True},
        "File arguments hold 10 bytes; the limit is 9 bytes and nothing was sent."
        " Pass the file as a ref instead.",
    ),
    *(
        (
            ErrorCode.FILE_UNRESOLVED,
            {"field": "a", "reason": reason},
            "File argument 'a' names a ref that could not be resolved."
            " Retrying with the same ref will not help.",
        )
        for reason in ("not_found", "forbidden")
    ),
]


@pytest.mark.parametrize(("code", "facts", "message"), PINNED)
def test_a_code_has_its_own_words(code: ErrorCode, facts: dict[str, Any], message: str) -> None:
    assert sdk_error(code, **facts) == Envelope(
        payload={"error": str(code), "message": message, "retryable": code in RETRYABLE},
        is_error=True,
    )


def test_a_ref_that_is_unavailable_just_now_may_be_retried() -> None:
    payload = sdk_error(ErrorCode.FILE_UNRESOLVED, field="a", reason="unavailable").payload
    assert payload == {
        "error": "file_unresolved",
        "message": "File argument 'a' could not be resolved right now. Retry the call.",
        "retryable": True,
    }


@pytest.mark.parametrize("code", [c for c in ErrorCode if c is not ErrorCode.INTERNAL_ERROR])
def test_words_written_elsewhere_are_passed_on(code: ErrorCode) -> None:
    assert sdk_error(code, "w").payload == {
        "error": str(code),
        "message": "w",
        "retryable": code in RETRYABLE,
    }


def test_an_internal_error_keeps_its_words_inside() -> None:
    fixed = sdk_error(ErrorCode.INTERNAL_ERROR)
    assert sdk_error(ErrorCode.INTERNAL_ERROR, "KeyError: 'x'") == fixed
    assert fault_envelope(InvocationError(ErrorCode.INTERNAL_ERROR, "KeyError: 'x'")) == fixed


def test_there_are_twenty_codes() -> None:
    assert len(ErrorCode) == 20


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        (ErrorCode.INVALID_TYPE, {}),
        (ErrorCode.UNKNOWN_TOOL, {}),
        (ErrorCode.FILE_TOO_LARGE, {"field": "a"}),
    ],
)
def test_missing_words_are_a_mistake_in_the_sdk(code: ErrorCode, facts: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=str(code)):
        sdk_error(code, **facts)


def test_a_name_of_the_agents_own_making_does_not_fill_the_answer() -> None:
    message = sdk_error(ErrorCode.UNKNOWN_TOOL, tool="x" * 1_000_000 + "\ud800").payload["message"]
    assert message == (
        f"No operation named '{'x' * 256}…'. Use search_tools to find the exact name."
    )


@pytest.mark.parametrize(
    "code", [ErrorCode.UNKNOWN_TOOL, ErrorCode.NOT_INVOCABLE, ErrorCode.TOOL_CHANGED]
)
def test_the_longest_name_of_a_tool_is_told_whole(code: ErrorCode) -> None:
    longest = "x" * 256
    assert f"'{longest}'" in sdk_error(code, tool=longest).payload["message"]


def test_a_fault_says_itself_whether_repeating_helps() -> None:
    faults = [
        CompositionError(ErrorCode.INVALID_TYPE, "m"),
        CompositionError(ErrorCode.FILE_UNRESOLVED, "m", retryable=True),
        InvocationError(ErrorCode.INVOKE_TIMEOUT, "m"),
    ]
    assert [fault_envelope(fault).payload for fault in faults] == [
        {"error": "invalid_type", "message": "m", "retryable": False},
        {"error": "file_unresolved", "message": "m", "retryable": True},
        {"error": "invoke_timeout", "message": "m", "retryable": True},
    ]
