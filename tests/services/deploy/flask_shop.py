"""The Flask twin of one operation, with what a proxy in front wants."""

from __future__ import annotations

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from sezzlee_flask import mount_mcp
from sezzlee_py import Options, mcp_tool


def create_app() -> Flask:
    """Return the application for gunicorn."""
    app = Flask("shop")

    @app.get("/whereabouts")
    @mcp_tool
    def tell_whereabouts() -> dict[str, str | None]:
        """Tell how the request arrived."""
        facts = {"client": request.remote_addr, "scheme": request.scheme}
        return facts | {"host": request.host, "url": request.url}

    mount_mcp(app, options=Options(naming={"prefix": lambda container: ""}))
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=1, x_proto=1)  # type: ignore[method-assign]  # Flask's own way
    return app
