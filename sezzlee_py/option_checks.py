"""Checks of option values: return the value to keep, or raise ValueError with what was expected."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from sezzlee_py.model import Severity
from sezzlee_py.model.codes import CONSISTENCY_CODES, DIAGNOSTIC_CODES, default_severity

Check: TypeAlias = Callable[[Any], Any]

_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")

# What speaks of one message or connection is never copied onto another (identity 4); the client's
# address and scheme are there already, resolved.
_OWN_HEADERS: Final = frozenset(
    {
        "accept-encoding", "connection", "content-encoding", "content-length", "content-type",
        "expect", "forwarded", "host", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "keep-alive", "origin", "proxy-connection", "range", "referer", "te",
        "trailer", "transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-host",
        "x-forwarded-port", "x-forwarded-prefix", "x-forwarded-proto", "x-real-ip",
    }
)  # fmt: skip
_OWN_PREFIX: Final = "mcp-"
# The same under WSGI, and what a framework keeps of the outer request there.
_OWN_KEYS: Final = ("CONTENT_", "HTTP_", "flask.", "sezzlee.", "werkzeug.", "wsgi.")

_YEAR_MS: Final = 365 * 86_400_000


def one_of(literal: Any) -> Check:
    """Return a check for the values of a Literal."""
    values = get_args(literal)

    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in values:
            raise ValueError(f"expected one of {', '.join(map(repr, values))}")
        return value

    return check


def number(low: float, high: float) -> Check:
    """Return a check for a number between two bounds."""

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"expected a number from {low} to {high}")
        if not low <= value <= high:
            raise ValueError(f"expected a number from {low} to {high}")
        return value

    return check


def integer(low: int = 0) -> Check:
    """Return a check for a whole number of at least `low`."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ValueError(f"expected a whole number of at least {low}")
        return value

    return check


def milliseconds(value: Any) -> int:
    """Check for a time that clocks and locks can count: up to a year."""
    wanted: int = integer(0)(value)
    if wanted > _YEAR_MS:
        raise ValueError(f"expected no more than a year, which has {_YEAR_MS} ms")
    return wanted


def is_boolean(value: Any) -> bool:
    """Check for a bool."""
    if not isinstance(value, bool):
        raise ValueError("expected True or False")
    return value


def is_callable(value: Any) -> Any:
    """Check for a callable."""
    if not callable(value):
        raise ValueError("expected a callable")
    return value


def is_ranker(value: Any) -> Any:
    """Check for an object with a `rank` method, or what makes one."""
    # FastAPI's `Depends(get_ranker)` is no callable itself.
    made_by = ("rank", "dependency")
    if not callable(value) and not any(callable(getattr(value, n, None)) for n in made_by):
        raise ValueError("expected an object with a rank method, a class or a factory of one")
    return value


def has_methods(*names: str) -> Check:
    """Return a check for an object with these methods."""

    def check(value: Any) -> Any:
        if inspect.isclass(value) or not all(callable(getattr(value, n, None)) for n in names):
            raise ValueError(f"expected an object with the methods {', '.join(names)}")
        return value

    return check


def or_none(check: Check) -> Check:
    """Return a check that also accepts None."""
    return lambda value: None if value is None else check(value)


def is_path(value: Any) -> str:
    """Check for an absolute URL path."""
    if not isinstance(value, str) or not value.startswith("/") or (value[1:] and value[-1] == "/"):
        raise ValueError("expected a path that starts with '/' and does not end with one")
    return value


def is_text(value: Any) -> str:
    """Check for a text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected a text that is not blank")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """Check for a list of non-empty strings; kept as a tuple."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError("expected a list of strings")
    items = tuple(value)
    if not all(isinstance(item, str) and item for item in items):
        raise ValueError("expected a list of strings")
    return items


def carrier_names(value: Any) -> tuple[str, ...]:
    """Check for names of headers that can be the caller's identity; kept in lower case."""
    names = texts(value)
    if not all(_TOKEN.fullmatch(name) for name in names):
        raise ValueError("expected a list of header names")
    lowered = tuple(name.lower() for name in names)
    for name in lowered:
        if name in _OWN_HEADERS or name.startswith(_OWN_PREFIX):
            raise ValueError(
                f"{name!r} is no identity: it belongs to the MCP request itself, and a call gets "
                "its own or none"
            )
    return lowered


def environ_keys(value: Any) -> tuple[str, ...]:
    """Check for keys of a WSGI environ in which a server says who its user is."""
    keys = texts(value)
    for key in keys:
        if key.startswith(_OWN_KEYS):
            raise ValueError(
                f"{key!r} belongs to the MCP request itself; of its headers those travel that "
                "options.identity.carriers names"
            )
    return keys


def list_of(kind: type, name: str) -> Check:
    """Return a check for a list of one type."""

    def check(value: Any) -> list[Any]:
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ValueError(f"expected a list of {name}")
        items = list(value)
        if not all(isinstance(item, kind) for item in items):
            raise ValueError(f"expected a list of {name}")
        return items

    return check


def callables(value: Any) -> list[Any]:
    """Check for a list of callables, or one."""
    items = list(value) if isinstance(value, list | tuple) else [value]
    if not all(callable(item) for item in items):
        raise ValueError("expected a list of callables")
    return items


def callables_by_name(value: Any) -> dict[str, Any]:
    """Check for a mapping of names to callables."""
    if not isinstance(value, Mapping):
        raise ValueError("expected a mapping of names to callables")
    if not all(isinstance(key, str) and callable(item) for key, item in value.items()):
        raise ValueError("expected a mapping of names to callables")
    return dict(value)


def mapping(value: Any) -> dict[str, Any]:
    """Check for a mapping with string keys."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError("expected a mapping with string keys")
    return dict(value)


def silenceable_codes(value: Any) -> tuple[str, ...]:
    """Check for codes of warnings and infos."""
    codes = texts(value)
    for code in codes:
        _known_code(code)
        if default_severity(code).rank > Severity.WARNING.rank:
            raise ValueError(f"{code!r} is {default_severity(code)}; only warnings can be silenced")
    return codes


def _known_code(code: str) -> None:
    if code not in DIAGNOSTIC_CODES:
        raise ValueError(f"{code!r} is not a diagnostic code{near_name(code, DIAGNOSTIC_CODES)}")


def severities(direction: Literal["raise", "lower"]) -> Check:
    """Return a check for severities per code that only raise, or only lower."""

    def check(value: Any) -> dict[str, Severity]:
        if not isinstance(value, Mapping):
            raise ValueError("expected a mapping of codes to severities")
        wanted = {}
        for code, severity in value.items():
            _known_code(code)
            try:
                wanted[code] = Severity(severity)
            except ValueError:
                names = ", ".join(repr(str(s)) for s in Severity)
                raise ValueError(f"{code!r} needs a severity, one of {names}") from None
            _check_direction(code, wanted[code], direction)
        return wanted

    return check


def _check_direction(code: str, wanted: Severity, direction: str) -> None:
    change = wanted.rank - default_severity(code).rank
    if direction == "raise" and change < 0:
        raise ValueError(f"{code!r} is {default_severity(code)}; escalate cannot lower it")
    if direction == "lower" and change > 0:
        raise ValueError(f"{code!r} is {default_severity(code)}; downgrade cannot raise it")
    # Two tools of one name cannot both be served, whatever the host wishes (diagnostics 1).
    if (
        direction == "lower"
        and default_severity(code) is Severity.FATAL
        and wanted not in {Severity.FATAL, Severity.ENDPOINT_DROPPED}
        and code in CONSISTENCY_CODES
    ):
        raise ValueError(f"{code!r} can be lowered to {str(Severity.ENDPOINT_DROPPED)!r} only")


def near_name(name: str, names: Iterable[str]) -> str:
    """Return a hint at the known name closest to `name`, or an empty string."""
    found = difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""
