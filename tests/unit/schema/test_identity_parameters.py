import pytest

from sezzlee_py.catalog.identity_parameters import IdentityRules, is_identity_cookie
from sezzlee_py.model import Carrier, ParameterLocation

HEADER, QUERY, COOKIE = (
    ParameterLocation.HEADER,
    ParameterLocation.QUERY,
    ParameterLocation.COOKIE,
)
KEY = Carrier(location=HEADER, name="X-Key")
RULES = IdentityRules(
    carriers=("authorization", "X-Tenant-Token"),
    cookies=("me",),
    schemes=(
        KEY,
        Carrier(location=QUERY, name="api_key"),
        Carrier(location=COOKIE, name="login"),
    ),
)


@pytest.mark.parametrize(
    ("name", "location", "required", "code"),
    [
        ("Authorization", HEADER, True, "credential_parameter_ignored"),
        ("x-tenant-token", HEADER, True, "credential_parameter_ignored"),
        ("x-key", HEADER, True, "credential_parameter_ignored"),
        ("Cookie", HEADER, False, "credential_parameter_ignored"),
        ("api_key", QUERY, True, "credential_parameter_ignored"),
        ("API_KEY", QUERY, True, None),
        ("login", COOKIE, True, "identity_cookie_parameter"),
        ("me", COOKIE, False, "identity_cookie_parameter"),
        ("SID", COOKIE, False, "identity_cookie_parameter"),
        ("my_sessionid", COOKIE, False, "identity_cookie_parameter"),
        ("theme", COOKIE, True, None),
        ("Accept", HEADER, True, "reserved_header_parameter_ignored"),
        ("content-type", HEADER, False, "reserved_header_parameter_ignored"),
        ("X-Forwarded-For", HEADER, False, "reserved_header_parameter_ignored"),
        ("X-Forwarded-For", HEADER, True, "identity_carrier_parameter"),
        ("host", HEADER, True, "identity_carrier_parameter"),
        ("x-request-id", HEADER, True, None),
        ("id", ParameterLocation.PATH, True, None),
    ],
)
def test_identity_is_no_argument(
    name: str, location: ParameterLocation, required: bool, code: str | None
) -> None:
    treatment = RULES.treat(name, location, required=required)
    assert (treatment and treatment.code) == code


def test_the_slot_of_a_credential_becomes_a_carrier() -> None:
    header = RULES.treat("X-Key", HEADER, required=True)
    cookie = RULES.treat("sid", COOKIE, required=True)
    covered = RULES.treat("login", COOKIE, required=True)
    reserved = RULES.treat("accept", HEADER, required=True)
    assert header
    assert header.carrier == Carrier(location=HEADER, name="x-key")
    assert cookie
    assert (cookie.carrier, cookie.uncovered) == (
        Carrier(location=COOKIE, name="sid"),
        True,
    )
    assert covered
    assert not covered.uncovered
    assert reserved
    assert reserved.carrier is None


def test_cookie_names_are_judged_without_case() -> None:
    named = ["Session", "JWT", "token", "auth", "PHPSESSID"]
    assert [name for name in named if is_identity_cookie(name)] == named
    assert not is_identity_cookie("author")
