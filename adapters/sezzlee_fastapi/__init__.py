"""sezzlee_py for FastAPI: `mount_mcp(app)` puts the MCP endpoint into an application."""

from sezzlee_fastapi.discovery import FastAPIAdapter
from sezzlee_fastapi.mount import mount_mcp

__all__ = ["FastAPIAdapter", "mount_mcp"]
