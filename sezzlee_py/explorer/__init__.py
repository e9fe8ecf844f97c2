"""The explorer: an application as agents see it, on one page for its owner."""

from sezzlee_py.explorer.asgi import ExplorerASGIApp
from sezzlee_py.explorer.explorer import Explorer
from sezzlee_py.explorer.serving import serve
from sezzlee_py.explorer.wsgi import ExplorerWSGIApp

__all__ = ["Explorer", "ExplorerASGIApp", "ExplorerWSGIApp", "serve"]
