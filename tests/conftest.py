import os
import signal

import pytest
from hypothesis import settings

from tests.support import patterns, sizes

settings.register_profile("full", deadline=None, print_blob=True)
settings.register_profile("quick", settings.get_profile("full"), max_examples=30)
settings.load_profile(sizes.PROFILE)

# Who is started in the background may ignore interrupts, and hand that down to the commands under test.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Whatever is compiled in a test has no quantifier that some Pythons match wrongly.
patterns.refuse_possessive_groups()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests five minutes where they run in full."""
    if sizes.PROFILE == "full":
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.timeout(300))


# How coverage finds its way into child processes.
_COVERAGE = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_PROCESS_")}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave child processes of some tests out of the measurement of coverage: it costs each a tenth of a second."""
    for name, value in _COVERAGE.items():
        if item.get_closest_marker("slow") or item.get_closest_marker("unmeasured"):
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
