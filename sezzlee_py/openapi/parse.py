"""The text of a document as plain JSON values (spec: openapi 2, step 1)."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sezzlee_py.model.json import read_json

MAX_ALIAS_NODES: Final = 1_000_000
MAX_DEPTH: Final = 400
# Above this, text in braces that is no JSON is not tried as YAML, whose parser is slow.
_MAX_BRACED_YAML: Final = 100_000


class DocumentParseError(ValueError):
    """The document is neither JSON nor YAML; the message says where it breaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """A document, and the keys that an object of its JSON text holds twice."""

    root: Any
    repeated_keys: tuple[str, ...] = ()


def parse_document(
    document: str | bytes | Mapping[str, Any],
    *,
    takes_last: bool = False,
    max_depth: int = MAX_DEPTH,
) -> ParsedDocument:
    """Return the values of a document.

    Args:
        document: its text or its values.
        takes_last: whether a key that stands twice in YAML counts as it stands last; else it is a
            fault. In JSON it always does.
        max_depth: how many levels it may have.

    Raises:
        DocumentParseError: when it is broken, nested too deep, or grows by aliases beyond bounds.
    """
    if isinstance(document, Mapping):
        check_bounds(document, max_depth)
        return ParsedDocument(root=_plain(document))
    text = _decode(document) if isinstance(document, bytes) else document
    parsed = _parse_text(text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"), takes_last)
    check_bounds(parsed.root, max_depth)
    return parsed


def check_bounds(root: Any, max_depth: int = MAX_DEPTH) -> None:
    """Check that a value is a tree of bounded depth that repeats parts within bounds.

    Raises:
        DocumentParseError: when it contains itself, is too deep, or repeats too much.
    """
    sizes: dict[int, int] = {}
    heights: dict[int, int] = {}
    written = 1
    open_nodes: set[int] = set()
    pending: list[tuple[Any, bool]] = [(root, False)]
    while pending:
        node, is_done = pending.pop()
        key, children = id(node), _children(node)
        if is_done:
            open_nodes.discard(key)
            sizes[key] = 1 + sum(sizes.get(id(child), 1) for child in children)
            heights[key] = 1 + max(heights.get(id(child), 0) for child in children)
            written += len(children)
        elif key in open_nodes:
            raise DocumentParseError("the document contains itself")
        elif children and key not in sizes:
            open_nodes.add(key)
            pending.append((node, True))
            pending.extend((child, False) for child in children)
    if heights.get(id(root), 0) > max_depth:
        raise DocumentParseError(f"the document is nested deeper than {max_depth} levels")
    # `written` counts what each distinct part says, `sizes` what it becomes once aliases are
    # followed.
    if sizes.get(id(root), 1) - written > MAX_ALIAS_NODES:
        raise DocumentParseError("the document grows beyond bounds by its aliases")


def _children(node: Any) -> Sequence[Any]:
    if isinstance(node, Mapping):
        return tuple(node.values())
    return node if isinstance(node, list | tuple) else ()


def _plain(document: Mapping[str, Any]) -> Any:
    """Return the mapping as JSON reads it: text keys, lists, no other objects."""
    try:
        return read_json(json.dumps(document, allow_nan=False, default=_as_text))
    except (TypeError, ValueError, RecursionError) as fault:
        raise DocumentParseError(f"the document is not made of JSON values: {fault}") from None


def _as_text(value: Any) -> Any:
    # A YAML reader makes dates of what looks like one.
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _decode(document: bytes) -> str:
    try:
        return document.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise DocumentParseError(f"the document is not UTF-8 ({fault.reason})") from None


def _parse_text(text: str, takes_last: bool) -> ParsedDocument:
    if not text.lstrip().startswith(("{", "[")):
        return _parse_yaml(text, takes_last)
    try:
        return _parse_json(text)
    except (ValueError, RecursionError) as fault:
        if len(text) <= _MAX_BRACED_YAML:
            try:
                return _parse_yaml(text, takes_last)
            except DocumentParseError:
                pass
        raise DocumentParseError(f"the document is not JSON: {fault}") from None


def _parse_json(text: str) -> ParsedDocument:
    repeated: dict[str, None] = {}

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = Counter(name for name, _ in pairs)
            repeated.update(dict.fromkeys(name for name, count in names.items() if count > 1))
        return found

    # The strict reader knows what no JSON text may hold; it is asked first.
    root = read_json(text)
    json.loads(text, object_pairs_hook=read_object)
    return ParsedDocument(root=root, repeated_keys=tuple(repeated))


def _parse_yaml(text: str, takes_last: bool) -> ParsedDocument:
    # PyYAML is an extra: only a host that reads YAML needs it.
    try:
        from sezzlee_py.openapi.yaml_reader import read_yaml
    except ImportError:
        raise DocumentParseError(
            "the document is not JSON, and reading YAML needs PyYAML: "
            "pip install 'sezzlee-py[openapi]'"
        ) from None
    return ParsedDocument(root=read_yaml(text, takes_last=takes_last))
