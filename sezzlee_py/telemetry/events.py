"""Log events with stable names and fields; never a value that an agent or a caller sent."""

from __future__ import annotations

import logging
from enum import StrEnum
from typing import Any, Final

LOGGER: Final = logging.getLogger("sezzlee_py")

_PREFIX: Final = "sezzlee_"


class Event(StrEnum):
    """The names that the field `sezzlee_event` of a log record may have."""

    CATALOG_BUILT = "catalog_built"
    CATALOG_REFUSED = "catalog_refused"
    OFFERED_AROUND = "offered_around"
    DIAGNOSTIC = "diagnostic"
    OVERSIGHT = "oversight"
    SEARCH = "search"
    LOAD = "load"
    INVOKE = "invoke"
    REFUSED = "refused"
    REQUEST_REFUSED = "request_refused"


def is_logging() -> bool:
    """Whether somebody reads the events of calls."""
    return LOGGER.isEnabledFor(logging.INFO)


def log_event(
    event: Event, message: str, *arguments: object, level: int = logging.INFO, **fields: Any
) -> None:
    """Write one event.

    Args:
        event: its name, in the record's `sezzlee_event`.
        message: for people, with `arguments` as logging has them.
        arguments: of the message.
        level: of the record.
        fields: for machines, each as `sezzlee_NAME`; those that are `None` are left out.
    """
    extra = {f"{_PREFIX}{name}": value for name, value in fields.items() if value is not None}
    LOGGER.log(level, message, *arguments, extra={f"{_PREFIX}event": event.value, **extra})
