"""The garbage collector is held while anything is built, and as it was afterwards."""

import gc

import pytest

from sezzlee_py.catalog.collector import collector_held


def test_the_collector_goes_on_when_the_last_of_several_builds_ends() -> None:
    first, second = collector_held(), collector_held()
    assert gc.isenabled()
    with first:
        with second:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_held():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_build_that_fails_lets_the_collector_go_on() -> None:
    with pytest.raises(ValueError, match="broken"), collector_held():
        raise ValueError("broken")
    assert gc.isenabled()
