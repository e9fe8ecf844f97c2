"""Flask-MonitoringDashboard on an application of one route, and what its catalog must hold."""

from __future__ import annotations

import tempfile
from typing import Any

REQUIREMENTS = ("Flask-MonitoringDashboard==5.1.0",)

# The folder of static files is served by a view of the dashboard's own.
OPERATIONS = 58

# Method and route to the inputs as (wire name, where it travels): whether the backend requires it.
# Nobody documents the fields; they are read from the source of the views.
INPUTS: dict[tuple[str, str], dict[tuple[str, str], bool]] = {
    ("GET", "/dashboard/login"): {},
    ("POST", "/dashboard/login"): {("name", "form"): False, ("password", "form"): False},
    ("POST", "/dashboard/api/set_rule"): {("name", "form"): False, ("value", "form"): False},
    ("POST", "/dashboard/api/user/create"): {
        ("username", "form"): False,
        ("password", "form"): False,
        ("password2", "form"): False,
        ("is_admin", "form"): False,
    },
    ("POST", "/dashboard/api/endpoint_users/{endpoint_id}"): {
        ("endpoint_id", "path"): True,
        ("body", "body"): False,
    },
}

# Method, route and arguments of calls that change nothing: the status, and a part of the answer.
ANSWERS: dict[tuple[str, str, tuple[tuple[str, Any], ...]], tuple[int, str]] = {
    ("GET", "/", ()): (200, "watched"),
    ("GET", "/dashboard/login", ()): (200, "text/html"),
    ("GET", "/dashboard/api/overview", ()): (302, "/dashboard/login"),
    ("POST", "/dashboard/login", (("name", "admin"), ("password", "no"))): (200, "text/html"),
    # It leads to where those go who have logged in, and the cookie goes nowhere.
    ("POST", "/dashboard/login", (("name", "admin"), ("password", "admin"))): (
        302,
        '"/dashboard/"',
    ),
}


def make_app() -> Any:
    """Return the application, with the dashboard's data below a new temporary folder."""
    import flask_monitoringdashboard as dashboard
    from flask import Flask

    app = Flask("watched")
    app.add_url_rule("/", "index", lambda: "watched", methods=["GET"])
    home = tempfile.mkdtemp(prefix="monitoring-")
    dashboard.config.database_name = f"sqlite:///{home}/monitoring.db"
    dashboard.bind(app)
    return app
