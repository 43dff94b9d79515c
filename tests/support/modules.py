"""Import the modules of the package, except those of engines and integrations whose packages are not installed.

`make test` needs no engine; `make test-engines` installs all of them, and `tests/engines` holds that none is missing.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import urisect
from urisect.logs import MissingExtraError

__all__ = ["ENGINES", "INTEGRATIONS", "import_modules", "is_importable"]

# The public modules of engines.
ENGINES = tuple(f"urisect.engines.{name}" for name in ("arrow", "duckdb", "polars", "spark", "sql"))

# The public modules of integrations.
INTEGRATIONS = tuple(f"urisect.integrations.{name}" for name in ("jsonschema", "pydantic", "scrapy", "uri_templates"))


def import_modules() -> Iterator[ModuleType]:
    """Import all modules, the package itself first."""
    for name in ("urisect", *(module.name for module in pkgutil.walk_packages(urisect.__path__, "urisect."))):
        if not name.startswith(("urisect.engines.", "urisect.integrations.")) or is_importable(name):
            yield importlib.import_module(name)


def is_importable(name: str) -> bool:
    """Check whether what a module needs is installed."""
    try:
        importlib.import_module(name)
    except MissingExtraError:
        return False
    return True
