"""What an adapter offers to the probe: endpoints that a marked request does not enter."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, TypeAlias, runtime_checkable

# An operation's `endpoint_key`, and its method.
CutKey: TypeAlias = tuple[Hashable, str]


@runtime_checkable
class CuttingAdapter(Protocol):
    """An adapter that can stop a probe right before an endpoint (spec: visibility 4)."""

    def cut(self) -> frozenset[CutKey]:
        """Cut every endpoint of the application as it is now, and return those that are proven.

        The callable that the framework would call last is replaced by one that asks
        `invoke.probing.reach_cut` first, answers an empty 204 when it is true, and calls the
        endpoint otherwise. It is proven where nothing of the host's own stands between the two:
        not for a decorated endpoint, nor for one that generates its answer.

        Called before every round of probes: what is cut already stays, what the framework has
        built anew since is cut again.
        """
