"""Every code is told to a developer who makes the mistake, with its place and a way out."""

from __future__ import annotations

import re

import pytest

from sezzlee_py import Severity
from sezzlee_py.model.codes import CONSISTENCY_CODES, DIAGNOSTIC_CODES, default_severity
from sezzlee_py.model.ways_out import WAYS_OUT, with_way_out
from tests.catalog.provokers import DOCUMENTED, PROVOKERS, RESERVED

# What a message asks the developer to do.
REQUEST = re.compile(
    r"[;.] (?:@|accept|add|bundle|change|choose|configure|convert|correct|declare|did you mean|drop"
    r"|exempt|flatten|give|keep|make|mend|move|name|offer|publish|put|raise|read|refuse|register"
    r"|remove|rename|reword|say|send|serve|set|use|wait|wrap|write)\b"
)


def test_every_code_is_provoked_or_cannot_be() -> None:
    assert set(DIAGNOSTIC_CODES) == set(PROVOKERS) | set(RESERVED)
    assert not set(PROVOKERS) & set(RESERVED)


@pytest.mark.parametrize("code", PROVOKERS)
def test_a_mistake_is_told_with_its_place_and_a_way_out(code: str) -> None:
    told = [found for found in PROVOKERS[code]() if found.code == code]
    assert told, f"{code} is not told"
    for found in told:
        assert found.severity is default_severity(code)
        assert REQUEST.search(found.message), found.message
        if code == "prm_path_prefixed":
            # About the application as a whole.
            assert (found.operation, found.source, found.pointer) == (None, None, None)
            continue
        if code in DOCUMENTED:
            assert found.pointer is not None
            continue
        assert found.source is not None
        assert found.source.startswith("tests.catalog.provokers:")
        assert found.line is not None
        assert found.operation == f"{str(found.operation).split()[0]} {found.route}"


@pytest.mark.parametrize("code", PROVOKERS)
def test_a_mistake_is_told_alike_every_time(code: str) -> None:
    assert PROVOKERS[code]() == PROVOKERS[code]()


def test_every_code_has_a_way_out_that_asks_for_something() -> None:
    assert set(WAYS_OUT) == set(DIAGNOSTIC_CODES)
    silent = [code for code, way in WAYS_OUT.items() if not REQUEST.match(f"; {way}")]
    assert silent == []


def test_a_message_that_says_what_to_do_keeps_its_own_words() -> None:
    assert with_way_out("empty_tag", "'' says nothing") == "'' says nothing; remove it"
    assert with_way_out("empty_tag", "'' says nothing; drop it") == "'' says nothing; drop it"


def test_the_codes_of_contradictions_are_fatal() -> None:
    assert {default_severity(code) for code in CONSISTENCY_CODES} == {Severity.FATAL}
