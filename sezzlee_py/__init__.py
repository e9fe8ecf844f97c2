"""Let AI agents find and call the endpoints of a web application, as the caller they act for.

Declare handlers with `@mcp_tool`, then call `mount_mcp(app)` of `sezzlee_fastapi`,
`sezzlee_starlette` or `sezzlee_flask`.
"""

from sezzlee_py._version import __version__
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
from sezzlee_py.model import OMIT, Arg, Constant, Diagnostic, Provider, Severity, ToolDefinition
from sezzlee_py.options import CurationRule, Options, SelectionRule
from sezzlee_py.search import RankRequest, ToolRanker
from sezzlee_py.toolkit import Sezzlee

__all__ = [
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
