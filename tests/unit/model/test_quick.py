import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field, replace
from inspect import signature

import pytest

from sezzlee_py.model.quick import quick


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    name: str
    size: int = 1
    facts: Mapping[str, int] = field(default_factory=dict)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Quick:
    name: str
    size: int = 1
    facts: Mapping[str, int] = field(default_factory=dict)


def test_a_quick_value_is_what_the_plain_one_is() -> None:
    value = Quick(name="a", facts={"b": 2})
    assert value == Quick(name="a", size=1, facts={"b": 2})
    assert repr(value) == repr(Plain(name="a", facts={"b": 2})).replace("Plain", "Quick")
    assert replace(value, size=3) == Quick(name="a", size=3, facts={"b": 2})
    assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
    assert signature(Quick) == signature(Plain)


def test_every_value_gets_a_default_of_its_own() -> None:
    assert Quick(name="a").facts == {}
    assert Quick(name="a").facts is not Quick(name="a").facts


def test_a_quick_value_is_frozen_and_wants_its_fields() -> None:
    with pytest.raises(FrozenInstanceError):
        Quick(name="a").size = 2  # type: ignore[misc]  # what is tested
    with pytest.raises(TypeError, match="name"):
        Quick()  # type: ignore[call-arg]  # what is tested
