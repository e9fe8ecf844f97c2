"""Frozen values that are made as fast as others, for those that every call makes anew."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import update_wrapper
from typing import Any, TypeVar

T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """Return `cls`, a frozen dataclass with slots and keywords, with a faster `__init__`.

    The one that `dataclass` writes goes through `object.__setattr__` for every field, because the
    class refuses plain assignment; a slot's own descriptor takes a quarter of that. A call makes
    fifteen such values.
    """
    members: Any = fields(cls)  # type: ignore[arg-type]  # a dataclass, as said above
    written: Any = cls.__init__
    defaults = written.__kwdefaults__ or {}
    namespace: dict[str, Any] = {}
    lines = [f"def __init__(self, *, {', '.join(member.name for member in members)}):"]
    for member in members:
        name, value = member.name, member.name
        namespace[f"set_{name}"] = getattr(cls, name).__set__
        if member.default_factory is not MISSING:
            # The default is then a mark that stands for "not given".
            namespace |= {f"make_{name}": member.default_factory, f"no_{name}": defaults[name]}
            value = f"make_{name}() if {name} is no_{name} else {name}"
        lines.append(f"    set_{name}(self, {value})")
    # The text holds names of fields and nothing else; `dataclass` makes its own the same way.
    exec("\n".join(lines), namespace)
    init: Any = update_wrapper(namespace["__init__"], written)
    init.__kwdefaults__ = defaults
    cls.__init__ = init  # type: ignore[method-assign]  # what this function is for
    return cls
