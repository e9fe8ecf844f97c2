"""What is no application of the framework is refused with what it is and what to pass."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from flask import Blueprint, Flask
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Router

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import Options


def factory() -> Flask:
    return Flask("shop")


IMPORT = "; import the application and pass the object"
MAKE = "; call it and pass the application it makes"
PART = "; pass the application that it is a part of"
WRAPPED = "; pass the application itself, and what wraps it as dispatch_app"


@pytest.mark.parametrize("call", ["mount_mcp", "mount_explorer"])
@pytest.mark.parametrize(
    ("package", "given", "told"),
    [
        (
            sezzlee_fastapi,
            APIRouter(),
            "a FastAPI application, got an object of fastapi.routing.APIRouter" + PART,
        ),
        (sezzlee_fastapi, None, "a FastAPI application, got None"),
        (sezzlee_fastapi, "shop:app", "a FastAPI application, got 'shop:app'" + IMPORT),
        (sezzlee_fastapi, FastAPI, "a FastAPI application, got the class FastAPI" + MAKE),
        (
            sezzlee_fastapi,
            Starlette(),
            "a FastAPI application, got an object of starlette.applications.Starlette"
            "; sezzlee_starlette.{call} takes it",
        ),
        (
            sezzlee_starlette,
            Router(),
            "a Starlette application, got an object of starlette.routing.Router" + PART,
        ),
        (
            sezzlee_starlette,
            CORSMiddleware(Starlette()),
            "a Starlette application, got an object of starlette.middleware.cors.CORSMiddleware"
            + WRAPPED,
        ),
        (
            sezzlee_flask,
            Blueprint("shop", "shop"),
            "a Flask application, got an object of flask.blueprints.Blueprint" + PART,
        ),
        (sezzlee_flask, factory, "a Flask application, got the function factory" + MAKE),
        (sezzlee_flask, 7, "a Flask application, got an object of builtins.int"),
        (
            sezzlee_flask,
            FastAPI(),
            "a Flask application, got an object of fastapi.applications.FastAPI"
            "; sezzlee_fastapi.{call} takes it",
        ),
    ],
)
def test_what_is_no_application_is_told_with_what_to_pass(
    package: Any, given: Any, told: str, call: str
) -> None:
    with pytest.raises(TypeError) as refused:
        getattr(package, call)(given)
    assert str(refused.value) == f"{call}: expected {told.format(call=call)}"


def test_the_extension_of_flask_refuses_what_is_no_application() -> None:
    with pytest.raises(TypeError, match=r"expected a Flask application, got None"):
        sezzlee_flask.Sezzlee().init_app(None)  # type: ignore[arg-type]  # the mistake


@pytest.mark.parametrize(
    ("mount", "app"),
    [
        (sezzlee_fastapi.mount_mcp, FastAPI),
        (sezzlee_starlette.mount_mcp, Starlette),
        (sezzlee_flask.mount_mcp, lambda: Flask("shop")),
    ],
)
def test_options_in_the_place_of_the_path_are_told(
    mount: Callable[..., Any], app: Callable[[], Any]
) -> None:
    with pytest.raises(TypeError) as refused:
        mount(app(), Options())
    assert str(refused.value) == (
        "mount_mcp: path must be a text such as '/mcp', got Options; did you mean options=...?"
    )
