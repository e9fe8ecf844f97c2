"""Options and collection shared by the suites."""

from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

# A machine that is busy draws examples slowly, which says nothing about what they are drawn for.
settings.register_profile("suite", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# The official client wants newer frameworks than the oldest supported ones; the lowest lane runs
# without it.
collect_ignore = (
    []
    if find_spec("mcp")
    else [
        "endpoint/test_official_client.py",
        "endpoint/test_official_models.py",
        "endpoint/test_streams.py",
    ]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cases",
        default=None,
        metavar="DIR",
        help="folder of conformance files to run instead of the project's own copy",
    )
