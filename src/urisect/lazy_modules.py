"""Import the public modules of a package on first use (PEP 562), since some need an extra."""

from collections.abc import Collection
from importlib import import_module
from types import ModuleType

from urisect.suggestion import did_you_mean

__all__ = ["load_module"]


def load_module(package: str, name: str, known: Collection[str]) -> ModuleType:
    """Import a public module; the import makes it an attribute of its package.

    Args:
        package: the name of the package.
        name: the name of the module in it.
        known: the names of the public modules.

    Raises:
        AttributeError: there is no public module of this name.
        MissingExtraError: the module needs a package that is not installed.

    >>> load_module("urisect.engines", "sql", ["sql"]).__name__
    'urisect.engines.sql'
    """
    if name not in known:
        raise AttributeError(f"module {package!r} has no attribute {name!r}{did_you_mean(name, known)}")
    return import_module(f"{package}.{name}")
