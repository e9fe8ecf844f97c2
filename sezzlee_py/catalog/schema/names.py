"""What a type is called in `$defs` (spec: schema 3)."""

from __future__ import annotations

import re
from typing import Final

_DIRECTION_SUFFIX: Final = re.compile(r"-(?:Input|Output)(?=$|__\d+$)")
_OCCURRENCE: Final = re.compile(r"__\d+$")


def simple_name(key: str) -> str:
    """Return the name that a components key shows: no direction, no module.

    pydantic tells classes of one name apart by their module (`app__models__Sub`), FastAPI the two
    directions of one class by a suffix. A generic (`Page_Item_`) keeps its spelling.
    """
    name = _OCCURRENCE.sub("", _DIRECTION_SUFFIX.sub("", key))
    if name.endswith("_"):
        return name
    return name.rpartition("__")[2] or name
