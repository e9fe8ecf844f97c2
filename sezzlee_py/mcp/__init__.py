"""The MCP endpoint: a protocol core without I/O, and its ASGI and WSGI shells."""

from sezzlee_py.mcp.asgi import MCPASGIApp
from sezzlee_py.mcp.binding import (
    InvokeCall,
    LoadCall,
    MetaCall,
    RefusedCall,
    SearchCall,
    bind,
    bind_arguments,
)
from sezzlee_py.mcp.direct import structured_content
from sezzlee_py.mcp.head import HTTPReply
from sezzlee_py.mcp.protocol import MCPProtocol
from sezzlee_py.mcp.service import AsyncService, NotReady, SyncService, ToolAnswer
from sezzlee_py.mcp.subscriptions import Subscriptions
from sezzlee_py.mcp.wsgi import MCPWSGIApp

__all__ = [
    "AsyncService",
    "HTTPReply",
    "InvokeCall",
    "LoadCall",
    "MCPASGIApp",
    "MCPProtocol",
    "MCPWSGIApp",
    "MetaCall",
    "NotReady",
    "RefusedCall",
    "SearchCall",
    "Subscriptions",
    "SyncService",
    "ToolAnswer",
    "bind",
    "bind_arguments",
    "structured_content",
]
