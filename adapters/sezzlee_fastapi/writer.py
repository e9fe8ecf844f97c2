"""FastAPI's own writer of OpenAPI documents, without what it does to a finished document."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

from fastapi.encoders import jsonable_encoder
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from sezzlee_fastapi.definitions import TRACES, point_at_own_definitions
from sezzlee_py.catalog.schema.generator import (
    NAME_NOTE,
    HookedGenerator,
    Hooks,
    NumberGenerator,
)
from sezzlee_py.model import JSONObject

# By these names the writer turns the finished document into models and those into JSON values
# again, half of its time. The names are looked up when it runs: where a version has no such step,
# the writer does whatever it does.
_LAST_STEP: Final[Mapping[str, Any]] = {
    "OpenAPI": dict,
    "jsonable_encoder": lambda document, **_: document,
}
# Where the generator of schemas is looked up: the writer itself, or what it calls.
_GENERATOR: Final = "GenerateJsonSchema"
_DEFINITIONS: Final = "get_definitions"


# Where a written document says what a host calls its types, by the references to them.
TYPE_NAMES: Final = "x-sezzlee-names"


class DocumentWriter:
    """Writes fresh documents of routes.

    Args:
        hooks: the host's shapes and names for types.
    """

    def __init__(self, hooks: Hooks) -> None:
        changed = {_GENERATOR: _generator(hooks)}
        definitions = _with(getattr(get_openapi, "__globals__", {}).get(_DEFINITIONS), changed)
        self._write: Callable[..., Any] = _with(
            get_openapi, {**_LAST_STEP, **changed, _DEFINITIONS: definitions}
        )

    def write(self, routes: Sequence[APIRoute]) -> JSONObject:
        """Return a document of `routes`, made of JSON values.

        Raises:
            Exception: whatever a type's own code raises while its schema is made.
        """
        written = self._write(title="", version="", routes=routes)
        # What a host put into examples may be no JSON value yet; FastAPI's encoder knows its types.
        text = json.dumps(written, default=jsonable_encoder)
        root: dict[str, Any] = json.loads(text)
        if any(trace in text for trace in TRACES):
            point_at_own_definitions(root)
        schemas = root.get("components", {}).get("schemas", {})
        noted = {key: schema.pop(NAME_NOTE, None) for key, schema in schemas.items()}
        root[TYPE_NAMES] = {f"#/components/schemas/{k}": n for k, n in noted.items() if n}
        return root


def _generator(hooks: Hooks) -> type[NumberGenerator]:
    # The hooks are asked about every type; without any, that is spared.
    if hooks.type_shape is None and hooks.type_name is None:
        return NumberGenerator
    return HookedGenerator.with_hooks(hooks)


def _with(function: Any, changed: Mapping[str, Any]) -> Any:
    """Return `function` with other objects behind those of its global names that it has."""
    if not isinstance(function, FunctionType):
        return function
    known = function.__globals__
    other = FunctionType(
        function.__code__,
        {**known, **{name: value for name, value in changed.items() if name in known}},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    other.__kwdefaults__ = function.__kwdefaults__
    return other
