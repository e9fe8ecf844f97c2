"""Commands as they are sent, replies as they come, and which run of a server gives them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

Command: TypeAlias = tuple[str | int, ...]

# A server that may not tell has one run for ever.
UNTOLD: Final = "untold"


def filled(pipeline: Any, commands: Iterable[Command]) -> Any:
    """Return a client's pipeline with the commands in it."""
    for command in commands:
        pipeline.execute_command(*command)
    return pipeline


def checked(replies: Sequence[Any]) -> Sequence[Any]:
    """Return the replies; raise the first that is a refusal."""
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    return replies


def run_of(reply: Any) -> str:
    """Return the id of the server's run that `INFO server` tells."""
    text = reply.decode() if isinstance(reply, bytes) else str(reply)
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "run_id":
            return value
    return UNTOLD
