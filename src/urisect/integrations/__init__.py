"""Types and validators for other packages, one module for each: pydantic, jsonschema, Scrapy.

Each is loaded on first use. `pydantic` and `scrapy` need the extras of their names: `pip install 'urisect[pydantic]'`.

>>> from urisect import integrations
>>> integrations.jsonschema.FORMATS["uri"]("http://example.com/")
True
"""

from typing import TYPE_CHECKING, Any

from urisect.lazy_modules import load_module

if TYPE_CHECKING:
    from urisect.integrations import jsonschema as jsonschema
    from urisect.integrations import pydantic as pydantic
    from urisect.integrations import scrapy as scrapy
    from urisect.integrations import uri_templates as uri_templates
else:

    def __getattr__(name: str) -> Any:  # a type checker that saw it would accept any name
        return load_module(__name__, name, _PUBLIC_MODULES)


__all__ = []

_PUBLIC_MODULES = ("jsonschema", "pydantic", "scrapy", "uri_templates")


def __dir__() -> list[str]:
    return sorted(_PUBLIC_MODULES)
