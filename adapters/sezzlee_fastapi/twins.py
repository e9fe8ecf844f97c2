"""Routes that answer no call and stand in the document for one that does and is hidden from it.

What reads its request by hand says nothing to FastAPI; a second route under the same path, which
is never reached, then says in the application's document what the first one takes and answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sezzlee_fastapi.routes import effective
from sezzlee_py.model import Parameter
from sezzlee_starlette.facts import served_verbs
from sezzlee_starlette.routes import Leaf


def twins_of(leaves: Sequence[Leaf]) -> Mapping[tuple[Leaf, str], Leaf]:
    """Return the route that the document shows in place of a hidden one, by that and its method.

    A hidden route that declares its body speaks for itself.

    Args:
        leaves: routes of one application, in matching order.
    """
    first: dict[tuple[tuple[str, ...], str, str], Leaf] = {}
    found: dict[tuple[Leaf, str], Leaf] = {}
    for leaf in leaves:
        for verb in served_verbs(leaf):
            taker = first.setdefault((leaf.place.hosts, leaf.path, verb.method), leaf)
            if taker is not leaf and _is_shown(leaf) and _is_silent(taker):
                # Of several the document keeps the last one, as FastAPI writes it.
                found[taker, verb.method] = leaf
    return found


def with_unmentioned(
    told: Sequence[Parameter], asked: Sequence[Parameter]
) -> tuple[Parameter, ...]:
    """Return what a twin tells of, with what the route itself asks for beyond that."""
    mentioned = {(parameter.location, parameter.name) for parameter in told}
    return (*told, *(found for found in asked if (found.location, found.name) not in mentioned))


def _is_silent(leaf: Leaf) -> bool:
    return not _is_shown(leaf) and effective(leaf)["body_field"] is None


def _is_shown(leaf: Leaf) -> bool:
    return bool(effective(leaf)["include_in_schema"])
