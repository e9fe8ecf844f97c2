"""A host's ranker may do as it likes; a search does not suffer."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import pytest

from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.invoke.settle import drive, settle_in_thread
from sezzlee_py.search import HostRanking, RankCatalog, RankerGuard, RankRequest
from sezzlee_py.search.guard import _MOST_THREADS, UNAVAILABLE
from tests.unit.search.catalogs import SHOP

CATALOG = RankCatalog(version="1", documents=SHOP)
KNOWN = frozenset(document.name for document in SHOP)
CALLER: ContextVar[str] = ContextVar("CALLER", default="nobody")
GOOD = HostRanking(names=("ping", "get_order"))


class Plain:
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[RankRequest] = []

    def rank(self, request: RankRequest) -> Any:
        self.asked.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Async(Plain):
    async def rank(self, request: RankRequest) -> Any:
        return super().rank(request)


class Endless:
    """A ranker that answers when it is let go, in a thread of its own."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.begun: list[RankRequest] = []

    def rank(self, request: RankRequest) -> list[str]:
        self.begun.append(request)
        self.let_go.wait()
        return ["ping"]


class Waiting:
    """An async ranker that waits for ever, and says when it was cancelled."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.cancelled = False

    async def rank(self, request: RankRequest) -> list[str]:
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return []


async def both(ranker: Any, **options: Any) -> list[HostRanking | None]:
    guard = RankerGuard(ranker, **options)
    return [
        await guard.arank("order", CATALOG, KNOWN),
        await asyncio.to_thread(guard.rank, "order", CATALOG, KNOWN),
    ]


@pytest.mark.parametrize("kind", [Plain, Async])
@pytest.mark.parametrize("answer", [["ping", "get_order"], ("ping", "get_order")])
async def test_a_sequence_of_names_is_taken(kind: type[Plain], answer: Any) -> None:
    ranker = kind(answer)
    assert await both(ranker) == [GOOD, GOOD]
    assert ranker.asked == [RankRequest(query="order", catalog=CATALOG)] * 2


@pytest.mark.parametrize("kind", [Plain, Async])
async def test_unknown_and_repeated_names_are_dropped_and_told(
    kind: type[Plain], caplog: pytest.LogCaptureFixture
) -> None:
    answer = ["ghost", "ping", "ping", "Get_Order", "get_order", "ghost", "ping"]
    told = HostRanking(
        names=GOOD.names,
        dropped_unknown=("ghost", "Get_Order", "ghost"),
        dropped_repeated=("ping", "ping"),
    )
    assert await both(kind(answer)) == [told, told]
    assert "3 unknown tools" in caplog.text
    assert "2 repeated tools" in caplog.text


class Lying(Sequence[str]):
    def __len__(self) -> int:
        return 3

    def __getitem__(self, at: Any) -> Any:
        raise RuntimeError("no such luck")


class Infinite(Sequence[str]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: Any) -> Any:
        return "ping"


def generator() -> Iterator[str]:
    yield "ping"


@pytest.mark.parametrize("kind", [Plain, Async])
@pytest.mark.parametrize(
    "answer",
    [
        None,
        "ping",
        b"ping",
        5,
        {"ping": 1},
        {"ping"},
        ["ping", None],
        [["ping"]],
        generator(),
        Lying(),
        ValueError("broken"),
        RecursionError(),
        SystemExit(3),
        TimeoutError("the ranker's own"),
    ],
    # No address in an id: workers must collect the same tests.
    ids=lambda answer: re.sub(r" at 0x\w+", "", repr(answer)),
)
async def test_what_is_no_answer_is_a_failure(
    kind: type[Plain], answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert await both(kind(answer)) == [None, None]
    assert caplog.text.count("the ranker failed (fallback)") == 2


async def test_a_sequence_is_read_no_further_than_its_length() -> None:
    told = HostRanking(names=("ping",), dropped_repeated=("ping",))
    assert await both(Plain(Infinite())) == [told, told]


async def test_the_answer_is_copied_before_it_is_used() -> None:
    answer = ["ping", "get_order"]
    found = await both(Plain(answer))
    answer.clear()
    assert found == [GOOD, GOOD]


@pytest.mark.parametrize("kind", [Plain, Async])
async def test_a_failure_is_a_coded_error_where_the_host_asks_for_one(kind: type[Plain]) -> None:
    guard = RankerGuard(kind(None), on_failure="error")
    with pytest.raises(InvocationError) as caught:
        await guard.arank("order", CATALOG, KNOWN)
    assert (caught.value.code, caught.value.message) == (
        ErrorCode.SEARCH_RANKER_UNAVAILABLE,
        UNAVAILABLE,
    )
    with pytest.raises(InvocationError):
        await asyncio.to_thread(guard.rank, "order", CATALOG, KNOWN)


async def test_a_plain_function_may_hand_out_a_coroutine() -> None:
    async def later() -> list[str]:
        return ["ping", "get_order"]

    class Decorated:
        def rank(self, request: RankRequest) -> Any:
            return later()

    assert await both(Decorated()) == [GOOD, GOOD]


async def test_an_async_generator_is_no_answer() -> None:
    class Streaming:
        async def rank(self, request: RankRequest) -> AsyncIterator[str]:
            yield "ping"

    assert await both(Streaming()) == [None, None]


async def test_an_async_ranker_past_the_deadline_is_cancelled_and_left() -> None:
    ranker = Waiting()
    assert await RankerGuard(ranker, timeout_ms=20).arank("order", CATALOG, KNOWN) is None
    await asyncio.sleep(0)
    assert ranker.cancelled


async def test_a_ranker_that_swallows_its_cancellation_cannot_hold_the_search() -> None:
    release = asyncio.Event()

    class Stubborn:
        async def rank(self, request: RankRequest) -> list[str]:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return ["ping"]

    assert await RankerGuard(Stubborn(), timeout_ms=20).arank("order", CATALOG, KNOWN) is None
    release.set()


async def test_a_plain_ranker_past_the_deadline_keeps_its_thread_and_loses_its_say() -> None:
    ranker = Endless()
    guard = RankerGuard(ranker, timeout_ms=20)
    assert await guard.arank("order", CATALOG, KNOWN) is None
    assert await asyncio.to_thread(guard.rank, "order", CATALOG, KNOWN) is None
    ranker.let_go.set()


def test_only_so_many_plain_calls_run_at_once() -> None:
    ranker = Endless()
    guard = RankerGuard(ranker, timeout_ms=1)
    # A call whose deadline passes before its thread begins is not running.
    while len(ranker.begun) < _MOST_THREADS:
        assert guard.rank("order", CATALOG, KNOWN) is None
    unlimited = RankerGuard(ranker, timeout_ms=0)
    unlimited._threads = guard._threads
    # Without a deadline this would wait for ever, were a thread started.
    assert unlimited.rank("order", CATALOG, KNOWN) is None
    ranker.let_go.set()


async def test_a_ranker_that_blocks_the_loop_is_late() -> None:
    class Blocking:
        async def rank(self, request: RankRequest) -> list[str]:
            threading.Event().wait(0.05)
            return ["ping"]

    assert await RankerGuard(Blocking(), timeout_ms=10).arank("order", CATALOG, KNOWN) is None


async def test_the_callers_cancellation_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    ranker = Waiting()
    search = asyncio.create_task(RankerGuard(ranker).arank("order", CATALOG, KNOWN))
    await ranker.started.wait()
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    await asyncio.sleep(0)
    assert ranker.cancelled
    assert caplog.text == ""


async def test_a_ranker_that_cancels_itself_has_failed() -> None:
    assert await both(Async(asyncio.CancelledError())) == [None, None]


async def test_without_a_deadline_a_slow_answer_counts() -> None:
    assert await both(Async(list(GOOD.names)), timeout_ms=0) == [GOOD, GOOD]


@pytest.mark.parametrize("kind", [Plain, Async])
async def test_a_ranker_sees_no_variable_of_the_request(kind: type[Plain]) -> None:
    seen: list[str] = []

    class Curious(kind):  # type: ignore[misc, valid-type]
        if kind is Async:

            async def rank(self, request: RankRequest) -> Any:
                seen.append(CALLER.get())
                return []
        else:

            def rank(self, request: RankRequest) -> Any:
                seen.append(CALLER.get())
                return []

    token = CALLER.set("alice")
    await both(Curious(None))
    CALLER.reset(token)
    assert seen == ["nobody", "nobody"]


def test_what_a_ranker_is_given_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        CATALOG.documents = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        SHOP[0].name = "other"  # type: ignore[misc]


def test_a_synchronous_host_starts_one_loop_for_all_it_awaits() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def which() -> None:
        loops.append(asyncio.get_running_loop())

    class Bound:
        async def rank(self, request: RankRequest) -> list[str]:
            await which()
            return []

    # What a factory opened on the helper loop is bound to it.
    drive(settle_in_thread(which()))
    for _ in range(2):
        RankerGuard(Bound()).rank("order", CATALOG, KNOWN)
    assert loops == [loops[0]] * 3


@pytest.mark.parametrize("way", ["arank", "rank"])
async def test_plain_calls_one_by_one_start_no_thread_each(way: str) -> None:
    threads: set[str] = set()

    class Named:
        def rank(self, request: RankRequest) -> list[str]:
            threads.add(threading.current_thread().name)
            return []

    guard = RankerGuard(Named())
    for _ in range(20):
        answer = getattr(guard, way)("order", CATALOG, KNOWN)
        if way == "arank":
            await answer
    # An answer may be there before its thread is ready for the next question, now and then.
    assert len(threads) < 10


def test_an_async_ranker_of_a_synchronous_host_has_a_deadline_too() -> None:
    class Waits:
        async def rank(self, request: RankRequest) -> list[str]:
            await asyncio.Event().wait()
            return []

    guard = RankerGuard(Waits(), timeout_ms=20)
    assert guard.rank("order", CATALOG, KNOWN) is None


async def test_a_process_out_of_threads_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    guard = RankerGuard(Plain(["ping"]))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        assert await guard.arank("order", CATALOG, KNOWN) is None
        assert guard.rank("order", CATALOG, KNOWN) is None
    ranking = await guard.arank("order", CATALOG, KNOWN)
    assert ranking == HostRanking(names=("ping",))
