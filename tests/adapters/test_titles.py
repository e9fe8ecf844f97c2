"""What clients are told the server is called, by the application it stands in."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from flask import Flask
from starlette.applications import Starlette

from sezzlee_fastapi import mount_mcp as mount_on_fastapi
from sezzlee_flask import mount_mcp as mount_on_flask
from sezzlee_py import Options, __version__
from sezzlee_py.testing import AgentClient
from sezzlee_starlette import mount_mcp as mount_on_starlette

OWN = {"name": "sezzlee_py", "version": __version__}


def server_of(app: Any) -> Any:
    with AgentClient(app) as agent:
        return agent.request("server/discover", {})["_meta"]["io.modelcontextprotocol/serverInfo"]


@pytest.mark.parametrize(
    ("mount", "app", "title"),
    [
        (mount_on_fastapi, lambda: FastAPI(title="Book shop"), {"title": "Book shop"}),
        (mount_on_fastapi, FastAPI, {}),
        (mount_on_fastapi, lambda: FastAPI(title=" "), {}),
        (mount_on_flask, lambda: Flask("bookshop"), {"title": "bookshop"}),
        (mount_on_starlette, Starlette, {}),
    ],
)
def test_a_server_is_called_as_its_application(
    mount: Callable[..., Any], app: Callable[[], Any], title: dict[str, str]
) -> None:
    made = app()
    mount(made)
    assert server_of(made) == OWN | title


@pytest.mark.parametrize(
    ("mount", "app"),
    [
        (mount_on_fastapi, lambda: FastAPI(title="Book shop")),
        (mount_on_flask, lambda: Flask("bookshop")),
        (mount_on_starlette, Starlette),
    ],
)
def test_the_title_that_the_host_gives_wins(
    mount: Callable[..., Any], app: Callable[[], Any]
) -> None:
    made = app()
    mount(made, options=Options(transport={"title": "Books for agents"}))
    assert server_of(made) == OWN | {"title": "Books for agents"}
