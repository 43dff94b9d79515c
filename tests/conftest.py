import signal

import pytest
from hypothesis import settings

from tests import patterns, sizes

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
