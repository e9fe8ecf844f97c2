"""YAML as JSON values: the core schema of YAML 1.2, no custom tags, repeated keys on demand.

Needs PyYAML, which is an extra; the module is imported when a YAML document arrives.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

import yaml

from sezzlee_py.openapi.parse import MAX_ALIAS_NODES, MAX_DEPTH, DocumentParseError

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_KNOWN_TAGS: Final = ("null", "bool", "int", "float", "str", "seq", "map")
_SIGNED: Final = "-+0123456789"
# YAML 1.1 makes dates, sexagesimal numbers and booleans of words that documents mean as text.
_RESOLVERS: Final = (
    ("null", re.compile(r"~|null|Null|NULL|"), "~nN\0"),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE"), "tTfF"),
    ("int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"), _SIGNED),
    (
        "float",
        re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"),
        _SIGNED + ".",
    ),
    ("merge", re.compile(r"<<"), "<"),
)


class _Reader(_Base):  # type: ignore[misc]  # PyYAML chooses its base class at run time
    """The safe loader with JSON's values only."""

    yaml_constructors: dict[str, Any] = {}  # noqa: RUF012  # replaced below, read by PyYAML
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # replaced below, read by PyYAML
    takes_last = False

    def flatten_mapping(self, node: Any) -> None:
        """Merge as usual, but not beyond the bound for aliases."""
        super().flatten_mapping(node)
        if len(node.value) > MAX_ALIAS_NODES:
            raise DocumentParseError("the document grows beyond bounds by its merges")

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        """Return a mapping with text keys.

        Raises:
            DocumentParseError: when a key stands twice.
        """
        own = [key.value for key, _ in node.value if key.tag != f"{_TAG}merge"]
        hashable = [value for value in own if isinstance(value, str)]
        if not self.takes_last and len(set(hashable)) < len(hashable):
            twice = next(value for value in hashable if hashable.count(value) > 1)
            raise DocumentParseError(f"the key {twice!r} stands twice{_place(node)}")
        self.flatten_mapping(node)
        return {
            _key(key): self.construct_object(value, deep=deep)
            for key, value in reversed(list(reversed(node.value)))
        }


class _LenientReader(_Reader):
    """The same, where a key that stands twice counts as it stands last."""

    takes_last = True


def _key(node: Any) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise DocumentParseError(f"a key is a list or an object{_place(node)}")
    return str(node.value)


def _place(node: Any) -> str:
    return f" (line {node.start_mark.line + 1})"


def _read_int(loader: Any, node: Any) -> int:
    text = loader.construct_scalar(node)
    return int(text, 0 if text[:2] in ("0o", "0x") else 10)


def _read_float(loader: Any, node: Any) -> float:
    value = float(loader.construct_scalar(node))
    if not math.isfinite(value):
        raise DocumentParseError(f"a number beyond the double range{_place(node)}")
    return value


def _refuse(loader: Any, node: Any) -> Any:
    raise DocumentParseError(f"the tag {node.tag!r} is not known{_place(node)}")


def _configure() -> None:
    constructors = yaml.SafeLoader.yaml_constructors
    kept: dict[Any, Any] = {f"{_TAG}{tag}": constructors[f"{_TAG}{tag}"] for tag in _KNOWN_TAGS}
    kept |= {f"{_TAG}int": _read_int, f"{_TAG}float": _read_float, None: _refuse}
    _Reader.yaml_constructors = kept
    resolvers: dict[str, list[tuple[str, Any]]] = {}
    for tag, expression, starts in _RESOLVERS:
        for start in starts:
            start = "" if start == "\0" else start
            full = re.compile(f"(?:{expression.pattern})$")
            resolvers.setdefault(start, []).append((f"{_TAG}{tag}", full))
    _Reader.yaml_implicit_resolvers = resolvers


_configure()


def read_yaml(text: str, *, takes_last: bool = False) -> Any:
    """Return the one document of `text`.

    Args:
        text: the document.
        takes_last: whether a key that stands twice counts as it stands last, and is no fault.

    Raises:
        DocumentParseError: when it is broken, or uses what JSON has no value for.
    """
    try:
        _check_depth(text)
        # Readers without any custom tag.
        return yaml.load(text, Loader=_LenientReader if takes_last else _Reader)
    except yaml.YAMLError as fault:
        reason = str(fault).partition("\n")[0]
        mark = getattr(fault, "problem_mark", None)
        line = "" if mark is None else f" (line {mark.line + 1})"
        raise DocumentParseError(f"the document is not YAML: {reason}{line}") from None
    except (ValueError, RecursionError) as fault:
        if isinstance(fault, DocumentParseError):
            raise
        raise DocumentParseError(f"the document is not YAML: {fault}") from None


def _check_depth(text: str) -> None:
    """Look at the events first: the composer recurses, in C without a limit of its own."""
    depth = 0
    for event in yaml.parse(text, Loader=_Base):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise DocumentParseError(f"the document is nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
