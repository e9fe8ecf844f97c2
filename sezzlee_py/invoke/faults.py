"""Refusals of a composition, worded from names only (spec: arguments 7, bodies 7, curation 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sezzlee_py.errors import CompositionError, ErrorCode
from sezzlee_py.model import JSONValue, ScalarKind
from sezzlee_py.model.json import json_kind
from sezzlee_py.model.values import without_lone_surrogates

_MAX_NAMES: Final = 50
_MAX_NAME_LENGTH: Final = 200


def unknown_arguments(names: Iterable[object], allowed: Iterable[str]) -> CompositionError:
    """The agent named arguments that do not exist, or that it may not know of."""
    listed = without_lone_surrogates(", ".join(_listed(names)))
    return CompositionError(
        ErrorCode.UNKNOWN_ARGUMENT,
        f"Unknown argument(s): {listed}. Allowed: {', '.join(allowed) or '(none)'}.",
    )


def _listed(names: Iterable[object]) -> Iterator[str]:
    # They are the agent's words: a message of megabytes would tell it nothing.
    for number, name in enumerate(names):
        if number == _MAX_NAMES:
            yield "…"
            return
        text = str(name)
        yield text if len(text) <= _MAX_NAME_LENGTH else f"{text[:_MAX_NAME_LENGTH]}…"


def not_an_object(arguments: JSONValue) -> CompositionError:
    """The arguments of the call are no object."""
    return CompositionError(
        ErrorCode.INVALID_TYPE, f"Arguments must be a JSON object, not {json_kind(arguments)}."
    )


def wrong_type(
    name: str, expected: str, code: ErrorCode = ErrorCode.INVALID_TYPE
) -> CompositionError:
    """A value is of another type than its slot takes."""
    return CompositionError(code, f"Argument '{name}' must be of type {expected}.")


def not_an_array(name: str) -> CompositionError:
    """A slot that takes a list got something else; one value is not wrapped."""
    return CompositionError(ErrorCode.INVALID_TYPE, f"Argument '{name}' must be an array.")


def null_refused(name: str) -> CompositionError:
    """A slot that cannot write `null` got one."""
    return CompositionError(
        ErrorCode.NULL_NOT_ALLOWED, f"Argument '{name}' cannot be null; leave it out instead."
    )


def path_missing(names: Iterable[str]) -> CompositionError:
    """Path parameters have no value."""
    return CompositionError(
        ErrorCode.MISSING_PATH_PARAMETER, f"Path argument '{', '.join(names)}' is required."
    )


def path_misdirected(name: str) -> CompositionError:
    """A path value would leave its segment, or the path it makes is another operation's."""
    return CompositionError(
        ErrorCode.INVALID_PATH_TYPE,
        f"Argument '{name}' holds a value that does not address this operation.",
    )


def header_injection(name: str) -> CompositionError:
    """A header value would end its line, or is no Latin-1."""
    return CompositionError(
        ErrorCode.HEADER_INJECTION,
        f"Argument '{name}' contains a character that a header cannot carry.",
    )


def cookie_octets(name: str) -> CompositionError:
    """A cookie written raw holds what no cookie can."""
    return CompositionError(
        ErrorCode.INVALID_COOKIE_VALUE,
        f"Argument '{name}' contains a character that a cookie cannot carry.",
    )


def cookie_taken(name: str) -> CompositionError:
    """A cookie argument has the name of one that carries the caller's identity."""
    return CompositionError(
        ErrorCode.COOKIE_CARRIER_COLLISION,
        f"Cookie '{name}' is part of the caller's identity and cannot be an argument;"
        " leave it out.",
    )


def invalid_file(name: str, advice: str) -> CompositionError:
    """A file argument is not one source of bytes with a clean name and media type."""
    return CompositionError(ErrorCode.INVALID_FILE_ARGUMENT, f"File argument '{name}' {advice}.")


def inline_files_too_large(total: int, limit: int, *, refs_offered: bool) -> CompositionError:
    """The inline files of one call are over the budget together."""
    advice = " Pass the file as a ref instead." if refs_offered else ""
    return CompositionError(
        ErrorCode.FILE_TOO_LARGE,
        f"File arguments hold {total} bytes; the limit is {limit} bytes and nothing was sent."
        + advice,
    )


def fill_missing() -> CompositionError:
    """A hidden argument that the operation needs has no value."""
    return CompositionError(
        ErrorCode.DEFERRED_VALUE_MISSING,
        "The operation fills a value itself and that value is unavailable."
        " Retrying with the same arguments will not help.",
    )


def fill_invalid() -> CompositionError:
    """A hidden argument's value does not fit its slot; the agent can repair nothing."""
    return CompositionError(
        ErrorCode.DEFERRED_VALUE_INVALID,
        "The operation fills a value itself and that value could not be used."
        " Retrying with the same arguments will not help.",
    )


def file_too_large(name: str, limit: int) -> CompositionError:
    """The bytes behind a ref are over the limit."""
    return CompositionError(
        ErrorCode.FILE_TOO_LARGE,
        f"File argument '{name}' is over the limit of {limit} bytes and was not sent.",
    )


def file_unresolved(name: str) -> CompositionError:
    """A ref names no file of this caller; missing and forbidden read alike."""
    return CompositionError(
        ErrorCode.FILE_UNRESOLVED,
        f"File argument '{name}' names a ref that could not be resolved."
        " Retrying with the same ref will not help.",
    )


def file_unavailable(name: str) -> CompositionError:
    """The host could not look a ref up just now."""
    return CompositionError(
        ErrorCode.FILE_UNRESOLVED,
        f"File argument '{name}' could not be resolved right now. Retry the call.",
        retryable=True,
    )


def type_name(kinds: tuple[ScalarKind, ...]) -> str:
    """Return how a message names the types a slot takes: `integer`, `string or number`."""
    *others, last = kinds or (ScalarKind.STRING, ScalarKind.NUMBER, ScalarKind.BOOLEAN)
    return f"{', '.join(others)} or {last}" if others else str(last)
