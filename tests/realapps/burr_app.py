"""The tracking back end of apache-burr, and what its catalog must hold."""

from __future__ import annotations

import os
import tempfile
from typing import Any

REQUIREMENTS = ("apache-burr[tracking-server]==0.43.0",)

# One operation more than tools: nothing but a decorator offers the catch-all at the root.
OPERATIONS = 31
TOOLS = 30
CATCH_ALL = ("GET", "/{rest_of_path}")

# Method and route to the inputs as (wire name, where it travels): whether the backend requires it.
INPUTS: dict[tuple[str, str], dict[tuple[str, str], bool]] = {
    ("GET", "/api/v0/{project_id}/{partition_key}/apps"): {
        ("project_id", "path"): True,
        ("partition_key", "path"): True,
        ("limit", "query"): False,
        ("offset", "query"): False,
    },
    ("POST", "/api/v0/{project_id}/{app_id}/{partition_key}/{sequence_id}/annotations"): {
        ("project_id", "path"): True,
        ("app_id", "path"): True,
        ("partition_key", "path"): True,
        ("sequence_id", "path"): True,
        ("span_id", "body"): True,
        ("step_name", "body"): True,
        ("tags", "body"): True,
        ("observations", "body"): True,
    },
    ("GET", "/api/v0/{project_id}/annotations"): {
        ("project_id", "path"): True,
        ("app_id", "query"): False,
        ("partition_key", "query"): False,
        ("step_sequence_id", "query"): False,
    },
    ("POST", "/api/v0/counter/count/{project_id}/{app_id}"): {
        ("project_id", "path"): True,
        ("app_id", "path"): True,
    },
    # The router captures both names, and the function reads both from the query as well.
    ("POST", "/api/v0/chatbot/response/{{project_id}}/{{app_id}}"): {
        ("project_id", "path"): True,
        ("app_id", "path"): True,
        ("project_id", "query"): True,
        ("app_id", "query"): True,
        ("prompt", "query"): True,
    },
}

# Routes that read only: the answer, or a part of its text.
ANSWERS: dict[str, Any] = {
    "/ready": {"ready": True},
    "/api/v0/version": "0.43.0",
    "/api/v0/projects": [],
}


def make_app() -> Any:
    """Return the application, with its data below a new temporary folder."""
    home = tempfile.mkdtemp(prefix="burr-")
    os.environ["HOME"] = home
    os.environ["burr_path"] = os.path.join(home, "burr")  # noqa: SIM112 - its own spelling
    os.environ.setdefault("BURR_TELEMETRY", "false")
    from burr.tracking.server import run

    return run.app
