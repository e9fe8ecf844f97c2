"""The parts names are made of: snake case, route bodies, prefixes (spec: naming 1 to 4)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sezzlee_py.model.routes import route_pieces
from sezzlee_py.model.text import strip_plural, words

MAX_NAME_LENGTH: Final = 256
LONG_NAME_LENGTH: Final = 64
_LEGAL: Final = re.compile(r"[a-z][a-z0-9_]{0,255}")
# Longer ones first: `UserMethodView` is `User`, not `UserMethod`.
_CLASS_SUFFIXES: Final = ("Controller", "MethodView", "Endpoint", "Resource", "ViewSet", "View")


def is_legal_name(name: str) -> bool:
    """Whether `name` may be the name of a tool."""
    return _LEGAL.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def snake_case(text: str) -> str:
    """Return the words of `text` in lower case, joined by `_`; nothing is transliterated."""
    return "_".join(words(text)).lower()


def route_body(method: str, route: str) -> str:
    """Return the body of a name made from a route: `post_orders_items_by_order_id`."""
    pieces = route_pieces(route)
    parts = [method.lower(), snake_case("/".join(pieces[::2]))]
    if len(pieces) > 1:
        parts += ["by", *map(snake_case, pieces[1::2])]
    return "_".join(filter(None, parts))


@lru_cache(maxsize=4096)
def strip_class_suffix(name: str) -> str:
    """Return a class name without its one removable suffix; a suffix alone stays."""
    suffix = next(filter(name.endswith, _CLASS_SUFFIXES), "")
    return name if name == suffix else name.removesuffix(suffix)


@lru_cache(maxsize=4096)
def derived_prefix(container: str) -> str:
    """Return the prefix that a container's name gives: its last dot segment, less a suffix."""
    return snake_case(strip_class_suffix(container.rstrip(".").rpartition(".")[2]))


def with_prefix(prefix: str, body: str) -> str:
    """Return `prefix` and `body` as one name, the body alone where it says the prefix already."""
    if not prefix or not body:
        return body
    inner = _tokens(prefix)
    return body if inner and _contains_run(_tokens(body), inner) else f"{prefix}_{body}"


@lru_cache(maxsize=4096)
def _tokens(name: str) -> tuple[str, ...]:
    return tuple(map(strip_plural, snake_case(name).split("_")))


def _contains_run(tokens: tuple[str, ...], run: tuple[str, ...]) -> bool:
    starts = range(len(tokens) - len(run) + 1)
    return any(tokens[start : start + len(run)] == run for start in starts)
