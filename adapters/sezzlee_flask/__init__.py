"""sezzlee_py for Flask: `mount_mcp(app)` puts the MCP endpoint into an application."""

from sezzlee_flask.discovery import FlaskAdapter
from sezzlee_flask.explorer import mount_explorer
from sezzlee_flask.extension import Sezzlee
from sezzlee_flask.mount import mount_mcp

__all__ = ["FlaskAdapter", "Sezzlee", "mount_explorer", "mount_mcp"]
