"""sezzlee_py for FastAPI: `mount_mcp(app)` puts the MCP endpoint into an application."""

from sezzlee_fastapi.discovery import FastAPIAdapter
from sezzlee_fastapi.explorer import mount_explorer
from sezzlee_fastapi.mount import mount_mcp

__all__ = ["FastAPIAdapter", "mount_explorer", "mount_mcp"]
