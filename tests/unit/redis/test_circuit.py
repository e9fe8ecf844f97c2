"""An outage is told once, and only one attempt per pause is made while it lasts."""

import logging
from collections.abc import Iterator

import pytest

from sezzlee_redis.circuit import Circuit
from tests.callers.clock import FakeClock


@pytest.fixture(autouse=True)
def _all_levels(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.INFO):
        yield


def circuit_of(clock: FakeClock) -> Circuit:
    return Circuit("it fails", "it works", pause_s=1.0, clock=clock)


def test_after_a_failure_one_attempt_per_pause_is_allowed() -> None:
    clock = FakeClock()
    circuit = circuit_of(clock)
    assert [circuit.allows(), circuit.allows()] == [True, True]
    circuit.failed("why")
    assert circuit.allows() is False
    clock.advance(1.0)
    assert [circuit.allows(), circuit.allows()] == [True, False]
    circuit.failed("why")
    assert circuit.allows() is False
    clock.advance(1.0)
    assert circuit.allows() is True
    circuit.worked()
    assert [circuit.allows(), circuit.allows(), circuit.is_failing] == [True, True, False]


def test_an_outage_is_told_when_it_begins_and_when_it_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    circuit = circuit_of(FakeClock())
    circuit.worked()
    for _ in range(5):
        circuit.failed("why")
    circuit.worked()
    circuit.worked()
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert told == [("WARNING", "it fails (why)"), ("INFO", "it works")]


def test_a_server_that_comes_and_goes_is_not_told_each_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = FakeClock()
    circuit = circuit_of(clock)
    for _ in range(20):
        circuit.failed("why")
        circuit.worked()
        clock.advance(1.0)
    assert caplog.messages == ["it fails (why)", "it works"]


def test_a_second_outage_soon_after_the_first_is_told_if_it_lasts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = FakeClock()
    circuit = circuit_of(clock)
    circuit.failed("first")
    circuit.worked()
    for _ in range(40):
        clock.advance(1.0)
        circuit.failed("second")
    circuit.worked()
    assert caplog.messages == ["it fails (first)", "it works", "it fails (second)", "it works"]
