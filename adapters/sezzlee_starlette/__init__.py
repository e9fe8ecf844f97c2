"""sezzlee_py for Starlette: `mount_mcp(app)` puts the MCP endpoint into an application."""

from sezzlee_starlette.discovery import StarletteAdapter
from sezzlee_starlette.explorer import mount_explorer
from sezzlee_starlette.mount import mount_mcp

__all__ = ["StarletteAdapter", "mount_explorer", "mount_mcp"]
