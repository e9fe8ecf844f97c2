"""Routes of one handler that are no aliases of each other (spec: naming 7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sezzlee_py.catalog.name_parts import route_body
from sezzlee_py.declaration import read_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """A route by which one method of a handler is reached, with the same inputs as by others.

    `difference` is equal for aliases.
    """

    route: str
    method: str
    difference: Hashable


def marks_of(routes: Sequence[Alike]) -> list[Hashable | None]:
    """Return for each route what tells it from those that are no aliases of it.

    It is the name that the shortest of its aliases would get. Routes that would all get one name
    are aliases in any case, because no name would tell their tools apart.
    """
    alike: defaultdict[Hashable, list[str]] = defaultdict(list)
    for one in routes:
        alike[one.difference].append(one.route)
    kept = {d: min(found, key=lambda route: (len(route), route)) for d, found in alike.items()}
    names = [route_body(one.method, kept[one.difference]) for one in routes]
    return list(names) if len(set(names)) > 1 else [None] * len(names)


def is_named(endpoint: object) -> bool:
    """Whether a handler declares the name of its tool, so that it can be one tool only."""
    record = read_record(endpoint)
    return record is not None and record.name is not None
