"""Hide pandas from the packages that would import it in vain."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

__all__ = ["hide_pandas"]


class _Finder:
    """A finder of modules that says that pandas is not installed."""

    @staticmethod
    def find_spec(  # the protocol of finders
        name: str,
        path: "Sequence[str] | None" = None,  # noqa: ARG004
        target: object = None,  # noqa: ARG004
    ) -> "ModuleSpec | None":
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)
        return None


def hide_pandas() -> None:
    """Hide pandas from this process. To be called once, by a process that does not use pandas.

    pyarrow and DuckDB import it wherever it is installed, in case a value comes from it: 0.4 s. Where it is imported
    already, it stays.

    >>> program = "from urisect.hidden_pandas import hide_pandas; hide_pandas(); import pandas"
    >>> import subprocess
    >>> answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    >>> answer.stderr.splitlines()[-1]
    "ModuleNotFoundError: No module named 'pandas'"
    """
    sys.meta_path.insert(0, _Finder)
