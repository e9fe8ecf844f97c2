"""What a mapping of wire names to `Arg` must hold, wherever a host writes one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.model.curation import Arg, Constant, Omit, Provider

_AGENT_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def checked_arguments(value: Any) -> Mapping[str, Arg]:
    """Return the mapping, read-only.

    Raises:
        TypeError: it is no mapping of names to `Arg`, or an `Arg` holds a value of a wrong type.
        ValueError: an `Arg` holds a value that cannot be used.
    """
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise TypeError(f"arguments=: expected a mapping of wire names to Arg, got {value!r}")
    for name, arg in value.items():
        _check(f"arguments[{name!r}]", arg)
    return MappingProxyType(dict(value))


def _check(place: str, arg: Any) -> None:
    if not isinstance(arg, Arg):
        raise TypeError(f"{place}: expected Arg(...), got {arg!r}")
    _check_text(f"{place}, agent name", arg.agent_name)
    _check_text(f"{place}, description", arg.description)
    if arg.agent_name is not None and not _AGENT_NAME.fullmatch(arg.agent_name):
        # Errors of the backend are mapped back by splitting paths on `.`, `$` and `[`.
        raise ValueError(
            f"{place}: the agent name {arg.agent_name!r} may hold letters, digits "
            "and '_' only and starts with no digit"
        )
    if arg.hidden is not None and not isinstance(arg.hidden, Constant | Provider | Omit):
        raise TypeError(
            f"{place}: hidden= takes Constant(...), Provider(...) or OMIT, got {arg.hidden!r}"
        )


def _check_text(place: str, value: Any) -> None:
    if value is None:
        return
    if not isinstance(value, str):
        raise TypeError(f"{place}=: expected a string, got {value!r}")
    if not value.strip():
        raise ValueError(f"{place}=: expected a string that is not empty")
