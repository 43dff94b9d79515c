"""Types and validators for other packages, one module for each: pydantic, jsonschema, Scrapy.

`pydantic` and `scrapy` need the extras of their names, as in `pip install 'urisect[pydantic]'`, and each module is
loaded on first use.

>>> from urisect import integrations
>>> integrations.jsonschema.FORMATS["uri"]("http://example.com/")
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urisect.integrations import jsonschema as jsonschema
    from urisect.integrations import pydantic as pydantic
    from urisect.integrations import scrapy as scrapy
    from urisect.integrations import uri_templates as uri_templates
else:

    def __getattr__(name: str) -> Any:  # a type checker that saw it would accept any name
        return _load(name)


__all__ = []

_PUBLIC_MODULES = ("jsonschema", "pydantic", "scrapy", "uri_templates")


def _load(name: str) -> Any:
    """Import a public module; the import makes it an attribute of this package."""
    if name in _PUBLIC_MODULES:
        return import_module(f"{__name__}.{name}")
    from urisect.suggestion import did_you_mean  # noqa: PLC0415  only a mistyped name needs it

    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, _PUBLIC_MODULES)}")


def __dir__() -> list[str]:
    return sorted(_PUBLIC_MODULES)
