"""httpbin, and what its catalog must hold."""

from __future__ import annotations

from typing import Any

REQUIREMENTS = ("httpbin==0.10.4",)

# Five routes also take TRACE, which no tool can have.
OPERATIONS = 81
UNSUPPORTED = (
    "TRACE /anything",
    "TRACE /anything/{anything}",
    "TRACE /delay/{delay}",
    "TRACE /redirect-to",
    "TRACE /status/{codes}",
)

# Method and route to the inputs as (wire name, where it travels): whether the backend requires it.
# Queries come from the YAML in docstrings; those of `/stream-bytes` from the source of the view.
INPUTS: dict[tuple[str, str], dict[tuple[str, str], bool]] = {
    ("GET", "/basic-auth/{user}/{passwd}"): {("user", "path"): True, ("passwd", "path"): True},
    ("GET", "/stream-bytes/{n}"): {
        ("n", "path"): True,
        ("seed", "query"): False,
        ("chunk_size", "query"): False,
    },
    ("GET", "/redirect-to"): {("url", "query"): True, ("status_code", "query"): False},
    ("POST", "/redirect-to"): {("url", "form"): True, ("status_code", "form"): False},
    ("GET", "/cookies/set/{name}/{value}"): {("name", "path"): True, ("value", "path"): True},
    ("PUT", "/anything/{anything}"): {("anything", "path"): True},
    ("GET", "/anything/{anything}"): {("anything", "path"): True},
}

# Route and arguments of calls that change nothing: the status, and a part of the answer's text.
ANSWERS: dict[tuple[str, tuple[tuple[str, Any], ...]], tuple[int, str]] = {
    ("/uuid", ()): (200, "uuid"),
    ("/bytes/{n}", (("n", 5),)): (200, "application/octet-stream"),
    ("/status/{codes}", (("codes", "418"),)): (418, "bad_request"),
    ("/cookies/set", ()): (302, "/cookies"),
    ("/get", ()): (200, "sezzlee_py/"),
    ("/headers", ()): (200, "Bearer of-the-caller"),
    ("/cookies/set/{name}/{value}", (("name", "a b"), ("value", "é"))): (302, "/cookies"),
    ("/anything/{anything}", (("anything", "a/b c"),)): (200, "/anything/a/b%20c"),
    ("/base64/{value}", (("value", "aGVsbG8="),)): (200, "hello"),
    ("/image/png", ()): (200, "image/png"),
    ("/gzip", ()): (200, "gzipped"),
    ("/stream/{n}", (("n", 2),)): (200, "url"),
    ("/redirect/{n}", (("n", 1),)): (302, "/get"),
    ("/basic-auth/{user}/{passwd}", (("user", "a"), ("passwd", "b"))): (401, "unauthenticated"),
}


def make_app() -> Any:
    """Return the application."""
    import httpbin

    return httpbin.app
