"""Options shared by the suites."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cases",
        default=None,
        metavar="DIR",
        help="folder of conformance files to run instead of the project's own copy",
    )
