"""Headers that an agent never writes, however they are spelled."""

import pytest

from sezzlee_py.catalog.identity_slots import is_reserved_header


@pytest.mark.parametrize(
    ("name", "is_reserved"),
    [
        ("x-forwarded-for", True),
        ("x_forwarded_for", True),
        ("remote_user", True),
        ("x_real_ip", True),
        ("authorization", True),
        ("x-api-key", False),
        ("forwarded_by", False),
    ],
)
def test_both_signs_between_words_are_one(name: str, is_reserved: bool) -> None:
    assert is_reserved_header(name) is is_reserved
