"""`urisect.logs` and its formats: every public name is there, and loaded on first use."""

import subprocess
import sys

import pytest

from urisect import logs
from urisect.logs import formats


def test_only_public_names_are_listed() -> None:
    assert dir(logs) == sorted(logs.__all__)
    assert dir(formats) == sorted(formats.__all__)


@pytest.mark.parametrize("name", [name for name in logs.__all__ if name != "write_report"])
def test_every_name_is_the_one_that_its_module_defines(name: str) -> None:
    value = getattr(logs, name)
    assert value is getattr(logs, name)
    defined_in = sys.modules.get(getattr(value, "__module__", ""))
    assert defined_in is None or not callable(value) or getattr(defined_in, name) is value


def test_a_mistyped_name_gets_a_suggestion() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'record'; did you mean \"records\"\\?"):
        logs.record  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="'nothing'"):
        formats.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_nothing_is_loaded_before_it_is_used() -> None:
    program = (
        "import sys, urisect.logs, urisect.logs.formats; "
        "print(*(name for name in sys.modules if name.startswith('urisect.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["urisect.logs", "urisect.suggestion", "urisect.logs.formats"]
