"""The paths at which one application serves its endpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sezzlee_py.errors import OptionsError
from sezzlee_py.options import Options, TransportOptions

DEFAULT_PATH: Final = "/mcp"


class EndpointPaths:
    """Hands out each path once.

    Args:
        transport: its `path` counts where a host names none.
    """

    def __init__(self, transport: TransportOptions) -> None:
        self._transport = transport
        self._taken: set[str] = set()

    def __iter__(self) -> Iterator[str]:
        """Yield the paths that are served."""
        return iter(sorted(self._taken))

    def claim(self, path: str) -> str:
        """Return the path to serve; the option counts where the argument is left at its default.

        Raises:
            OptionsError: the path is malformed or taken.
            TypeError: it is no text.
        """
        _check_text(path)
        if path == DEFAULT_PATH and path not in self._taken:
            path = self._transport.path
        if not path.startswith("/") or (path != "/" and path.endswith("/")):
            raise OptionsError(f"mount_mcp: path must start with '/' and not end in one: {path!r}")
        if path in self._taken:
            raise OptionsError(f"mount_mcp: {path!r} already has an endpoint of this application")
        self._taken.add(path)
        return path


def _check_text(path: Any) -> None:
    if not isinstance(path, str):
        hint = "; did you mean options=...?" if isinstance(path, Options | Mapping) else ""
        raise TypeError(
            f"mount_mcp: path must be a text such as '/mcp', got {type(path).__name__}{hint}"
        )


def refuse_second_settings() -> OptionsError:
    """Return what a later call with settings of its own is refused with."""
    return OptionsError(
        "mount_mcp: options, ranker and dispatch_app belong to the first call; a further path "
        "serves the same catalog"
    )
