"""Settings for all tests: Hypothesis, interrupts, compiled expressions, time limits and coverage."""

import os
import signal

import packaging.version  # noqa: F401  other packages import it, and it has an expression that is refused below
import pytest
from hypothesis import settings

from tests.support import patterns, sizes

settings.register_profile("full", deadline=None, print_blob=True)
settings.register_profile("quick", settings.get_profile("full"), max_examples=30)
settings.load_profile(sizes.PROFILE)

# A process started in the background may ignore interrupts, and the commands under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


# No expression compiled in a test has a quantifier that some Pythons match wrongly.
patterns.refuse_possessive_groups()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow slow tests five minutes if they run in full."""
    if sizes.PROFILE == "full":
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.timeout(300))


# The variables by which coverage measures child processes.
_COVERAGE = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_PROCESS_")}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Do not measure the coverage of child processes of some tests: it costs a tenth of a second per process."""
    for name, value in _COVERAGE.items():
        if item.get_closest_marker("slow") or item.get_closest_marker("unmeasured"):
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
