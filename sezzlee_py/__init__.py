"""Let AI agents find and call the endpoints of a web application, as the caller they act for.

Declare handlers with `@mcp_tool`, then call `mount_mcp(app)` of `sezzlee_fastapi`,
`sezzlee_starlette` or `sezzlee_flask`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sezzlee_py._version import __version__

if TYPE_CHECKING:
    from sezzlee_py.catalog.snapshot import Catalog
    from sezzlee_py.declaration import (
        Member,
        declare,
        mcp_family,
        mcp_ignore,
        mcp_tool,
        mcp_variant,
    )
    from sezzlee_py.errors import CatalogError, SezzleeError
    from sezzlee_py.invoke.dispatch import is_sezzlee_probe, is_sezzlee_request
    from sezzlee_py.invoke.fills import MISSING
    from sezzlee_py.model import OMIT, Arg, Constant, Diagnostic, Provider, Severity, ToolDefinition
    from sezzlee_py.options import CurationRule, Options, SelectionRule
    from sezzlee_py.search import RankRequest, ToolRanker
    from sezzlee_py.toolkit import Sezzlee

__all__ = [
    "MISSING",
    "OMIT",
    "Arg",
    "Catalog",
    "CatalogError",
    "Constant",
    "CurationRule",
    "Diagnostic",
    "Member",
    "Options",
    "Provider",
    "RankRequest",
    "SelectionRule",
    "Severity",
    "Sezzlee",
    "SezzleeError",
    "ToolDefinition",
    "ToolRanker",
    "__version__",
    "declare",
    "is_sezzlee_probe",
    "is_sezzlee_request",
    "mcp_family",
    "mcp_ignore",
    "mcp_tool",
    "mcp_variant",
]

# A module of handlers needs a decorator, not the search index: each name is imported when it is
# first asked for, which keeps `import sezzlee_py` out of a host's start-up time.
_HOMES = {
    "Catalog": "sezzlee_py.catalog.snapshot",
    "CatalogError": "sezzlee_py.errors",
    "CurationRule": "sezzlee_py.options",
    "MISSING": "sezzlee_py.invoke.fills",
    "Member": "sezzlee_py.declaration",
    "Options": "sezzlee_py.options",
    "RankRequest": "sezzlee_py.search",
    "SelectionRule": "sezzlee_py.options",
    "Sezzlee": "sezzlee_py.toolkit",
    "SezzleeError": "sezzlee_py.errors",
    "ToolRanker": "sezzlee_py.search",
    "declare": "sezzlee_py.declaration",
    "is_sezzlee_probe": "sezzlee_py.invoke.dispatch",
    "is_sezzlee_request": "sezzlee_py.invoke.dispatch",
    "mcp_family": "sezzlee_py.declaration",
    "mcp_ignore": "sezzlee_py.declaration",
    "mcp_tool": "sezzlee_py.declaration",
    "mcp_variant": "sezzlee_py.declaration",
}
_HOMES |= dict.fromkeys(
    ("OMIT", "Arg", "Constant", "Diagnostic", "Provider", "Severity", "ToolDefinition"),
    "sezzlee_py.model",
)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sezzlee_py' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
