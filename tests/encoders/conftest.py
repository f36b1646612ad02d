"""All tests here have the marker `encoders`."""

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/encoders" in item.path.as_posix():
            item.add_marker(pytest.mark.encoders)
