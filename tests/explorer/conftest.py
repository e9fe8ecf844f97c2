"""Browser tests run in a lane of their own."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "slow" in config.option.markexpr:
        return
    skip = pytest.mark.skip(reason="in a lane of its own: make explorer-test")
    for item in items:
        if item.path.name == "test_browser.py":
            item.add_marker(skip)
