"""FastAPI's own writer of OpenAPI documents, without what it does to a finished document."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

from fastapi.encoders import jsonable_encoder
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from sezzlee_py.model import JSONObject

# By these names the writer turns the finished document into models and those into JSON values
# again, half of its time. The names are looked up when it runs: where a version has no such step,
# the writer does whatever it does.
_LAST_STEP: Final = ("OpenAPI", "jsonable_encoder")


def write_document(routes: Sequence[APIRoute]) -> JSONObject:
    """Return a fresh document of `routes`, made of JSON values.

    Raises:
        Exception: whatever a type's own code raises while its schema is made.
    """
    written = _write(title="", version="", routes=routes)
    # What a host put into examples may be no JSON value yet; FastAPI's encoder knows its types.
    document: JSONObject = json.loads(json.dumps(written, default=jsonable_encoder))
    return document


def _without_last_step(writer: Any) -> Callable[..., Any]:
    names = getattr(writer, "__globals__", {})
    if not isinstance(writer, FunctionType) or any(name not in names for name in _LAST_STEP):
        return get_openapi
    shortened = FunctionType(
        writer.__code__,
        {**names, "OpenAPI": dict, "jsonable_encoder": lambda document, **_: document},
        writer.__name__,
        writer.__defaults__,
        writer.__closure__,
    )
    shortened.__kwdefaults__ = writer.__kwdefaults__
    return shortened


_write: Final = _without_last_step(get_openapi)
