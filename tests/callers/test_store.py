"""The store in memory: bounds, expiry, tags."""

import threading

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.callers.store import CallerStore, MemoryStore
from tests.callers.clock import FakeClock

A, B, C = (CallerScope(name, (f"user:{name}",)) for name in "abc")


def test_the_store_in_memory_is_one_a_host_could_have_written() -> None:
    assert isinstance(MemoryStore(), CallerStore)


def test_an_entry_expires_at_its_deadline() -> None:
    clock = FakeClock()
    store = MemoryStore(clock=clock)
    store.set(A, "facts", "P|", 1_000)
    clock.advance(0.999)
    assert store.get(A, "facts") == "P|"
    clock.advance(0.001)
    assert store.get(A, "facts") is None
    assert store.get(A, "other") is None


def test_reading_does_not_prolong() -> None:
    clock = FakeClock()
    store = MemoryStore(clock=clock)
    store.set(A, "facts", "P|", 1_000)
    for _ in range(4):
        clock.advance(0.3)
        kept = store.get(A, "facts")
    assert kept is None


def test_the_scope_used_longest_ago_leaves_when_a_new_one_enters() -> None:
    store = MemoryStore(2)
    store.set(A, "facts", "a", 1_000)
    store.set(B, "facts", "b", 1_000)
    assert store.get(A, "facts") == "a"
    store.set(B, "probe:x", "A", 1_000)
    store.set(A, "probe:x", "A", 1_000)
    assert len(store) == 2
    store.set(C, "facts", "c", 1_000)
    assert [store.get(scope, "facts") for scope in (A, B, C)] == ["a", None, "c"]


def test_reading_counts_as_use() -> None:
    store = MemoryStore(2)
    store.set(A, "facts", "a", 1_000)
    store.set(B, "facts", "b", 1_000)
    store.get(A, "facts")
    store.set(C, "facts", "c", 1_000)
    assert [store.get(scope, "facts") for scope in (A, B, C)] == ["a", None, "c"]


def test_a_tag_drops_every_scope_that_carries_it() -> None:
    store = MemoryStore()
    one, two = CallerScope("one", ("user:1", "org:9")), CallerScope("two", ("user:2", "org:9"))
    for scope in (one, two, A):
        store.set(scope, "facts", "P|", 1_000)
    store.drop_tag("org:9")
    store.drop_tag("org:none")
    assert [store.get(scope, "facts") for scope in (one, two, A)] == [None, None, "P|"]


def test_a_scope_that_changed_its_tags_is_found_by_the_new_ones_only() -> None:
    store = MemoryStore()
    before, after = CallerScope("k", ("user:1",)), CallerScope("k", ("user:2",))
    store.set(before, "facts", "P|", 1_000)
    store.set(after, "probe:x", "A", 1_000)
    store.drop_tag("user:1")
    assert store.get(after, "facts") == "P|"
    store.drop_tag("user:2")
    assert store.get(after, "facts") is None


def test_clearing_forgets_everything() -> None:
    store = MemoryStore()
    store.set(A, "facts", "P|", 1_000)
    store.clear()
    store.drop_scope(A.key)
    assert (len(store), store.get(A, "facts")) == (0, None)


def test_threads_may_use_it_together() -> None:
    store = MemoryStore(8)
    faults: list[Exception] = []

    def work(number: int) -> None:
        try:
            for turn in range(400):
                scope = CallerScope(f"{(number + turn) % 12}", (f"user:{turn % 3}",))
                store.set(scope, "facts", scope.key, 1_000)
                found = store.get(scope, "facts")
                assert found in (None, scope.key)
                if turn % 50 == 0:
                    store.drop_tag("user:1")
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(store) <= 8


class StoreMachine(RuleBasedStateMachine):
    """The store beside a dictionary that keeps everything until its time."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.store = MemoryStore(3, clock=self.clock)
        self.model: dict[tuple[str, str], tuple[str, float]] = {}

    scopes = st.sampled_from([CallerScope(key, (f"kind:{key}",)) for key in "pqrst"])
    names = st.sampled_from(["facts", "probe:x"])

    @rule(scope=scopes, name=names, value=st.sampled_from("AD"), ms=st.integers(1, 2_000))
    def write(self, scope: CallerScope, name: str, value: str, ms: int) -> None:
        self.store.set(scope, name, value, ms)
        self.model[scope.key, name] = (value, self.clock() + ms / 1_000)

    @rule(scope=scopes, name=names)
    def read(self, scope: CallerScope, name: str) -> None:
        value, deadline = self.model.get((scope.key, name), (None, 0.0))
        # It may have had to leave, but it is never old, and never another's.
        assert self.store.get(scope, name) in (None, value if self.clock() < deadline else None)

    @rule(seconds=st.floats(0, 1))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule(scope=scopes)
    def drop(self, scope: CallerScope) -> None:
        self.store.drop_tag(scope.tags[0])
        self.model = {key: kept for key, kept in self.model.items() if key[0] != scope.key}

    @invariant()
    def is_bounded(self) -> None:
        assert len(self.store) <= 3


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=60, stateful_step_count=30)
