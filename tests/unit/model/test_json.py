import json
import json.encoder
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.model.json import compact_writer, read_json


@pytest.fixture(params=["with the C encoder", "without one"])
def interpreter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without one":
        monkeypatch.setattr(json.encoder, "c_make_encoder", None)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -7,
        10**40,
        1.5,
        1e300,
        'ä"\\\n\u2028 \U0001f600',
        [],
        {},
        [1, [2, {"a": None}]],
        {"b": 1, "a": (1, 2)},
        {1: 2, None: 3},
    ],
)
@pytest.mark.usefixtures("interpreter")
def test_a_document_is_written_as_the_standard_library_writes_it(value: Any) -> None:
    expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert compact_writer()(value) == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), [float("nan")]])
@pytest.mark.usefixtures("interpreter")
def test_what_json_has_no_number_for_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        compact_writer()(value)


@pytest.mark.usefixtures("interpreter")
def test_what_is_no_json_is_refused_unless_it_can_be_made_json() -> None:
    value = {"a": MappingProxyType({"b": 1})}
    with pytest.raises(TypeError, match="mappingproxy"):
        compact_writer()(value)
    assert compact_writer(dict)(value) == '{"a":{"b":1}}'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"\\ud83d"', "\ufffd"),
        ('{"\\udc00": ["\\ud83d x"]}', {"\ufffd": ["\ufffd x"]}),
        ('"\\\\ud83d"', "\\ud83d"),
        ('"\\u00e4"', "ä"),
    ],
)
def test_an_escaped_half_of_a_character_is_replaced(text: str, value: Any) -> None:
    assert read_json(text) == value


_PIECES = [
    "\\ud83d",
    "\\ude00",
    "\\uD83D",
    "\\uDE00",
    "\\\\",
    "\\n",
    "\\u00e4",
    "ud83d",
    "ude00",
    "x",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
def test_a_text_that_was_read_holds_whole_characters_only(content: str) -> None:
    spelled = json.loads(f'"{content}"').encode("utf-16-le", "surrogatepass")
    assert read_json(f'"{content}"') == spelled.decode("utf-16-le", "replace")


@pytest.mark.parametrize("text", ["1 2", "{}x", "[] []", "", " \n", "nul", "\ufeff1", "1\x0b"])
def test_what_is_not_one_json_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|Expecting|double"):
        read_json(text)


def test_white_space_around_a_value_is_skipped() -> None:
    assert read_json(' \r\n\t{"a": 1}\n \t\r') == {"a": 1}
