"""One notebook that marimo serves, mounted in a Starlette application, and its catalog."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

REQUIREMENTS = ("marimo==0.25.2", "httpx")

# One function is on two routes, and one answer only streams.
OPERATIONS = 104
TOOLS = 102
STREAMING = "POST /n/api/kernel/execute"

# Method and route to the inputs as (wire name, where it travels): whether the backend requires it.
# Headers and queries come from the YAML that docstrings consist of.
INPUTS: dict[tuple[str, str], dict[tuple[str, str], bool]] = {
    ("GET", "/n"): {},
    ("GET", "/n/"): {},
    ("GET", "/n/api/files/download"): {("path", "query"): True},
    ("GET", "/n/api/kernel/status"): {("Marimo-Session-Id", "header"): True},
    ("POST", "/n/api/kernel/rename"): {
        ("Marimo-Session-Id", "header"): True,
        ("body", "body"): False,
    },
    ("GET", "/n/@file/{filename_and_length}"): {("filename_and_length", "path"): True},
}

# Routes that read only: the status, and a part of the answer's text.
ANSWERS: dict[str, tuple[int, str]] = {
    "/n": (301, "n/"),
    "/n/health": (200, "healthy"),
    "/n/api/version": (200, "0.25.2"),
    "/n/api/kernel/status": (401, "unauthenticated"),
}

NOTEBOOK = """import marimo

app = marimo.App()


@app.cell
def _():
    return
"""


def make_app() -> Any:
    """Return the application, with its notebook in a new temporary folder."""
    import marimo

    notebook = Path(tempfile.mkdtemp(prefix="marimo-")) / "notebook.py"
    notebook.write_text(NOTEBOOK)
    return marimo.create_asgi_app().with_app(path="/n", root=str(notebook)).build()
