"""What tests of all kinds share."""

from collections import Counter

import pytest
from mvg.data import READERS, SPLIT_RULES, write_prepared


@pytest.fixture
def prepare(tmp_path):
    """prepare(format, path, **options) -> (BEIR folder, what stats.json holds), as the workflow does it."""

    def prepare(format, path, **options):
        dropped = Counter()
        facts = {"format": format, "split_rule": SPLIT_RULES[format], "simulated": False}
        folder = tmp_path / "out" / "data"
        return folder, write_prepared(READERS[format](path, dropped, **options), folder, dropped, facts)

    return prepare
