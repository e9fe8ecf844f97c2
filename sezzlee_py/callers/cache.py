"""What is remembered about a caller: for how long, and what makes it forgotten (visibility 7)."""

from __future__ import annotations

import asyncio
import inspect
import random
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Literal

from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.scope import CallerScope, entry_name, scope_key
from sezzlee_py.callers.store import CallerStore, MemoryStore
from sezzlee_py.errors import StoreUnavailableError
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.runtime import Runtime
from sezzlee_py.options import CacheOptions

# Entries of callers who came together do not expire together.
_JITTER: Final = 0.1
# The host's own sequence of random numbers, which it may have seeded, is left alone.
_RANDOM: Final = random.Random()
# Drops a store has refused so far; beyond these one clear does for all.
_MAX_OWED: Final = 32

# A store that was not asked could not tell apart what was computed before a drop from what was
# computed after it, so that is not kept either.
_UNREAD: Final = object()

Compute = Callable[[], Coroutine[Any, Any, str]]


@dataclass(frozen=True, slots=True)
class Drop:
    """Something a store has to forget: one method of it and its argument, if any."""

    method: Literal["drop_scope", "drop_tag", "clear"]
    argument: tuple[str, ...] = ()

    @classmethod
    def scope(cls, scope: CallerScope | str) -> Drop:
        """Everything about one caller."""
        key = scope.key if isinstance(scope, CallerScope) else scope_key(scope)
        return cls("drop_scope", (key,))

    @classmethod
    def tag(cls, tag: str) -> Drop:
        """Everything about the callers with one tag."""
        return cls("drop_tag", (tag,))


CLEAR: Final = Drop("clear")


class CallerCache:
    """Facts and verdicts by caller scope.

    The epoch moves with every invalidation, and a write carries the epoch its computation began
    in: what was computed before is never written after. A drop that the store has not carried out
    is owed, and nothing is read until it is paid; so a store that fails, or that can only be
    awaited where nobody can wait, never shows what was invalidated.

    Args:
        options: the host's.
        runtime: where its stores and resolvers are waited for.
        clock: seconds, never going back.
        jitter: a number from 0 to 1 per scope.
    """

    def __init__(
        self,
        options: CacheOptions,
        runtime: Runtime,
        *,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = _RANDOM.random,
    ) -> None:
        self._options = options
        self._runtime = runtime
        self._clock = clock
        self._jitter = jitter
        self._store: CallerStore = (
            MemoryStore(options.max_callers, clock=clock)
            if options.store is None
            else options.store
        )
        self._lock = threading.Lock()
        self._epoch = 0
        # Each with the epoch it was asked in: a drop that is asked again while it is carried out
        # is owed anew.
        self._owed: dict[Drop, int] = {}
        self._writing: Counter[str] = Counter()
        self._deadlines: OrderedDict[str, float] = OrderedDict()
        self._paying: set[asyncio.Task[bool]] = set()

    @property
    def epoch(self) -> int:
        """How often something was invalidated; take it before the state a computation reads."""
        return self._epoch

    @property
    def is_off(self) -> bool:
        """Whether nothing is kept at all."""
        return not self._options.lifetime_ms

    async def scope(self, caller: McpCaller) -> CallerScope | None:
        """Return under whose name facts about a caller are kept; `None` keeps none."""
        resolver = self._options.scope_resolver
        if self.is_off:
            return None
        if resolver is None:
            return CallerScope(caller.scope_key)
        try:
            scope = await self._runtime.settle(resolver(caller))
        except (Exception, SystemExit) as fault:
            LOGGER.warning("cache.scope_resolver failed; nothing is kept", exc_info=fault)
            return None
        if not isinstance(scope, CallerScope):
            LOGGER.warning("cache.scope_resolver gave no CallerScope; nothing is kept")
            return None
        return scope

    async def through(
        self,
        scope: CallerScope | None,
        kind: str,
        epoch: int,
        compute: Compute,
        *,
        is_usable: Callable[[str], bool],
        is_lasting: Callable[[str], bool] = lambda _: True,
    ) -> str:
        """Return the entry of a scope, computed once by whoever asks first.

        Args:
            scope: whose it is; `None` computes without keeping.
            kind: `facts` or `probe:<tool>`.
            epoch: as it was before what `compute` reads.
            compute: makes the value.
            is_usable: whether a value that a store gave can be read.
            is_lasting: whether a value is certain enough to be kept.
        """
        if scope is None or epoch != self._epoch:
            return await compute()
        name = entry_name(scope.key, kind)
        kept = await self._read(scope, name)
        if isinstance(kept, str) and is_usable(kept):
            return kept

        async def compute_and_keep() -> str:
            value = await compute()
            if is_lasting(value) and kept is not _UNREAD:
                await self._write(scope, name, value, epoch)
            return value

        return await self._runtime.once((name, epoch), compute_and_keep)

    def invalidate(self, drop: Drop) -> None:
        """Forget; nothing written before is seen again in this process once this has returned."""
        with self._lock:
            self._epoch += 1
            self._owe(drop)
            if drop.method == "drop_scope":
                self._deadlines.pop(drop.argument[0], None)
            elif drop == CLEAR:
                self._deadlines.clear()
        self._pay_at_once()

    # --- the store ------------------------------------------------------------------------------

    async def _read(self, scope: CallerScope, name: str) -> Any:
        if self._owed and not await self._pay():
            return _UNREAD
        if self._writing[scope.key]:
            # That write may still have to be taken back.
            return _UNREAD
        try:
            value = self._store.get(scope, name)
            return await self._runtime.settle(value) if inspect.isawaitable(value) else value
        except Exception as fault:
            _tell("get an entry; it is a miss", fault)
            return None

    async def _write(self, scope: CallerScope, name: str, value: str, epoch: int) -> None:
        with self._lock:
            if epoch != self._epoch:
                return
            self._writing[scope.key] += 1
            lifetime_ms = self._remaining_ms(scope.key)
        try:
            if lifetime_ms > 0:
                await self._runtime.settle(self._store.set(scope, name, value, lifetime_ms))
        except Exception as fault:
            _tell("set an entry", fault)
        finally:
            with self._lock:
                self._writing[scope.key] -= 1
                if not self._writing[scope.key]:
                    del self._writing[scope.key]
                if epoch != self._epoch:
                    # The store may have taken it after it had dropped what it had before.
                    self._owe(Drop.scope(scope))

    def _remaining_ms(self, key: str) -> int:
        """Milliseconds until a scope expires, counted from its first write."""
        now = self._clock()
        deadline = self._deadlines.get(key, 0.0)
        if deadline <= now:
            lifetime_s = self._options.lifetime_ms / 1_000
            deadline = now + lifetime_s * (1 - _JITTER * self._jitter())
            self._deadlines[key] = deadline
            if len(self._deadlines) > self._options.max_callers:
                self._deadlines.popitem(last=False)
        self._deadlines.move_to_end(key)
        return int((deadline - now) * 1_000)

    # --- what is owed ---------------------------------------------------------------------------

    def _owe(self, drop: Drop) -> None:
        owed = self._owed | {drop: self._epoch}
        # Never changed in place: others walk it without the lock.
        self._owed = owed if len(owed) <= _MAX_OWED else {CLEAR: self._epoch}

    def _pay_at_once(self) -> None:
        """Pay in this thread where the store can be called here, else as soon as someone waits."""
        if all(self._called(drop, epoch) for drop, epoch in self._owed.items()):
            return
        try:
            task = asyncio.get_running_loop().create_task(self._pay())
        except RuntimeError:
            return
        self._paying.add(task)
        task.add_done_callback(self._paying.discard)

    def _called(self, drop: Drop, epoch: int) -> bool:
        method = getattr(self._store, drop.method)
        if inspect.iscoroutinefunction(method):
            return False
        try:
            answer = method(*drop.argument)
        except Exception as fault:
            _tell("drop entries", fault)
            return False
        if inspect.isawaitable(answer):
            # Asked again where there is someone to wait for it.
            getattr(answer, "close", lambda: None)()
            return False
        self._settled(drop, epoch)
        return True

    async def _pay(self) -> bool:
        """Carry out every drop that is owed; whether that worked."""
        for drop, epoch in self._owed.items():
            try:
                await self._runtime.settle(getattr(self._store, drop.method)(*drop.argument))
            except Exception as fault:
                _tell("drop entries", fault)
                return False
            self._settled(drop, epoch)
        return True

    def _settled(self, drop: Drop, epoch: int) -> None:
        with self._lock:
            if self._owed.get(drop) == epoch:
                self._owed = {owed: at for owed, at in self._owed.items() if owed != drop}


def _tell(failed_to: str, fault: Exception) -> None:
    # A store that knows of its outage has told of it once, not at every request.
    if not isinstance(fault, StoreUnavailableError):
        LOGGER.warning("cache.store failed to %s", failed_to, exc_info=fault)
