"""What one process tells the others, and what it makes of what they say."""

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sezzlee_py.callers.cache import CLEAR, Drop
from sezzlee_py.errors import CatalogError
from sezzlee_py.options import ReplicaOptions
from sezzlee_py.toolkit import Change, ChangeBus
from sezzlee_py.toolkit.replicas import Replicas


class Wire:
    """A bus in memory that delivers to everybody, the sender too, in the sender's thread."""

    def __init__(self) -> None:
        self.hearers: list[Callable[[Change], None]] = []
        self.sent: list[Change] = []

    def publish(self, change: Change) -> None:
        self.sent.append(change)
        for hear in tuple(self.hearers):
            hear(change)

    def listen(self, hear: Callable[[Change], None]) -> Callable[[], None]:
        self.hearers.append(hear)
        return lambda: self.hearers.remove(hear)


class Process:
    """What a process did about what it heard."""

    def __init__(self, bus: Any, *, reload: bool = False) -> None:
        self.did: list[Any] = []
        self.reloaded = threading.Event()
        self.reload: Callable[[], None] = lambda: self.did.append("reload")
        self.replicas = Replicas(
            ReplicaOptions(bus=bus, reload=reload),
            forget=self.did.append,
            notify=lambda: self.did.append("notify"),
            reload=self._reload,
        )

    def _reload(self) -> None:
        try:
            self.reload()
        finally:
            self.reloaded.set()


def two(**options: Any) -> tuple[Wire, Process, Process]:
    wire = Wire()
    one, other = Process(wire, **options), Process(wire, **options)
    for process in (one, other):
        process.replicas.attend()
        process.replicas.attend()
    return wire, one, other


def test_a_bus_in_memory_is_one_a_host_could_have_written() -> None:
    assert isinstance(Wire(), ChangeBus)


def test_each_change_reaches_the_other_process_once_and_not_the_one_that_made_it() -> None:
    _, one, other = two()
    one.replicas.tell("drop_scope", "a" * 64)
    one.replicas.tell("drop_tag", "user:1")
    one.replicas.tell("clear")
    one.replicas.tell("reloaded")
    assert one.did == []
    assert other.did == [Drop.scope("a" * 64), Drop.tag("user:1"), CLEAR, CLEAR, "notify"]


def test_a_change_that_is_delivered_twice_counts_once() -> None:
    wire, one, other = two()
    one.replicas.tell("reloaded")
    wire.publish(wire.sent[0])
    wire.publish(replace(wire.sent[0], origin="somebody else"))
    assert other.did == [CLEAR, "notify"]


def test_where_the_host_wants_it_a_reload_elsewhere_reloads_here_and_is_not_passed_on() -> None:
    wire, one, other = two(reload=True)
    other.reload = lambda: other.replicas.tell("reloaded")
    one.replicas.tell("reloaded")
    assert other.reloaded.wait(5)
    assert (one.did, other.did, len(wire.sent)) == ([], [CLEAR], 1)


def test_reloads_that_come_together_are_one_more_after_the_one_that_runs() -> None:
    _, one, other = two(reload=True)
    runs: list[int] = []
    first, go_on, second = threading.Event(), threading.Event(), threading.Event()

    def reload() -> None:
        runs.append(len(runs))
        first.set()
        go_on.wait(5)
        if len(runs) == 2:
            second.set()

    other.reload = reload
    one.replicas.tell("reloaded")
    assert first.wait(5)
    for _ in range(5):
        one.replicas.tell("reloaded")
    go_on.set()
    assert second.wait(5)
    assert runs == [0, 1]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (CatalogError(()), "the catalog stays as it was before another process's: "),
        (OSError("no"), "a reload that another process asked for failed"),
    ],
)
def test_a_reload_that_fails_is_told_and_does_not_end_the_hearing(
    fault: Exception, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    _, one, other = two(reload=True)
    told = threading.Event()

    def reload() -> None:
        if not told.is_set():
            told.set()
            raise fault
        other.did.append("reload")

    other.reload = reload
    one.replicas.tell("reloaded")
    assert other.reloaded.wait(5)
    other.reloaded.clear()
    one.replicas.tell("reloaded")
    assert other.reloaded.wait(5)
    assert other.did == [CLEAR, CLEAR, "reload"]
    assert [text for text in caplog.messages if text.startswith(message)] != []


def test_after_leaving_nothing_is_heard_until_something_is_asked_again() -> None:
    wire, one, other = two()
    other.replicas.leave()
    other.replicas.leave()
    one.replicas.tell("clear")
    assert (other.did, len(wire.hearers)) == ([], 1)
    other.replicas.attend()
    one.replicas.tell("clear")
    assert other.did == [CLEAR]


class Eager(Wire):
    """A bus that delivers what it has while it is asked to listen."""

    def listen(self, hear: Callable[[Change], None]) -> Callable[[], None]:
        hear(Change(kind="clear"))
        return super().listen(hear)


def test_what_a_bus_delivers_while_it_is_asked_to_listen_is_heard() -> None:
    process = Process(Eager())
    attending = threading.Thread(target=process.replicas.attend, daemon=True)
    attending.start()
    attending.join(5)
    assert (process.did, attending.is_alive()) == ([CLEAR], False)


class Mute(Wire):
    """A bus that cannot be listened to for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = True

    def listen(self, hear: Callable[[Change], None]) -> Callable[[], None]:
        if self.is_away:
            raise ConnectionError("nobody is there")
        return super().listen(hear)


def test_a_bus_that_cannot_be_listened_to_is_tried_again_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bus = Mute()
    process = Process(bus)
    for _ in range(3):
        process.replicas.attend()
    bus.is_away = False
    process.replicas.attend()
    bus.publish(Change(kind="clear"))
    assert process.did == [CLEAR]
    assert caplog.messages == ["options.replicas.bus cannot be listened to now"]


def test_a_reload_for_which_there_is_no_thread_keeps_no_later_one_from_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wire, one, other = two(reload=True)

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            one.replicas.tell("reloaded")
    one.replicas.tell("reloaded")
    assert other.reloaded.wait(5)
    assert len(wire.sent) == 2


def test_without_a_bus_nothing_is_told_or_heard() -> None:
    process = Process(None)
    process.replicas.attend()
    process.replicas.tell("reloaded")
    process.replicas.leave()
    assert process.did == []


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_forked_process_is_somebody_else() -> None:
    wire = Wire()
    parent = Process(wire)
    parent.replicas.attend()
    parent.replicas.tell("clear")
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()

    def child() -> None:
        parent.replicas.attend()
        parent.replicas.tell("clear")
        results.put((wire.sent[1].origin != wire.sent[0].origin, len(wire.hearers)))

    forked = context.Process(target=child)
    forked.start()
    forked.join(10)
    assert results.get() == (True, 2)


async def test_what_is_told_in_a_task_while_another_hears_is_not_held_back() -> None:
    wire, one, other = two(reload=True)
    inside, go_on = threading.Event(), threading.Event()

    def reload() -> None:
        inside.set()
        go_on.wait(5)

    other.reload = reload
    one.replicas.tell("reloaded")
    assert await asyncio.to_thread(inside.wait, 5)
    other.replicas.tell("clear")
    go_on.set()
    assert (one.did, len(wire.sent)) == ([CLEAR], 2)
