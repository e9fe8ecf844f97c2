"""sezzlee_py for Flask: `mount_mcp(app)` puts the MCP endpoint into an application."""

from sezzlee_flask.discovery import FlaskAdapter

__all__ = ["FlaskAdapter"]
