"""Split URI references into their components, fast and without ever failing, and check them when asked.

Every name is loaded on first use (PEP 562): `import urisect` alone imports no other module of the package.

>>> import urisect
>>> urisect.split("http://example.com/over/there?name=ferret#nose").path
'/over/there'
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urisect import crawl as crawl
    from urisect import document as document
    from urisect import engines as engines
    from urisect import integrations as integrations
    from urisect import iri as iri
    from urisect import logs as logs
    from urisect import percent as percent
    from urisect import query as query
    from urisect import specs as specs
    from urisect import strict as strict
    from urisect import text as text
    from urisect import web as web
    from urisect.bulk import Columns, pattern, split_lines
    from urisect.composition import compose
    from urisect.normalization import equivalent, normalize
    from urisect.reference import Reference, split, unsplit
    from urisect.resolution import Base, relativize, remove_dot_segments, resolve
    from urisect.security import Hazard, hazards
else:

    def __getattr__(name: str) -> Any:  # a type checker that saw it would accept any name
        return _load(name)


__all__ = [
    "Base",
    "Columns",
    "Hazard",
    "Reference",
    "compose",
    "equivalent",
    "hazards",
    "normalize",
    "pattern",
    "relativize",
    "remove_dot_segments",
    "resolve",
    "split",
    "split_lines",
    "unsplit",
]

__version__: str

_PUBLIC_MODULES = (
    *("crawl", "document", "engines", "integrations", "iri", "logs"),
    *("percent", "query", "specs", "strict", "text", "web"),
)

# Each name of __all__, and the module that defines it.
_DEFINED_IN = {
    "Base": "resolution",
    "Columns": "bulk",
    "Hazard": "security",
    "Reference": "reference",
    "compose": "composition",
    "equivalent": "normalization",
    "hazards": "security",
    "normalize": "normalization",
    "pattern": "bulk",
    "relativize": "resolution",
    "remove_dot_segments": "resolution",
    "resolve": "resolution",
    "split": "reference",
    "split_lines": "bulk",
    "unsplit": "reference",
}


def _load(name: str) -> Any:
    """Import a public name, and keep it as a global, where the next use finds it."""
    from importlib import import_module  # noqa: PLC0415  0.16 ms, as long as this module

    value: Any
    if name in _DEFINED_IN:
        value = getattr(import_module(f"urisect.{_DEFINED_IN[name]}"), name)
    elif name in _PUBLIC_MODULES:
        value = import_module(f"urisect.{name}")
    elif name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  25 ms

        value = version("urisect")
    else:
        from urisect.suggestion import did_you_mean  # noqa: PLC0415  only a mistyped name needs it

        raise AttributeError(f"module 'urisect' has no attribute {name!r}{did_you_mean(name, __dir__())}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PUBLIC_MODULES, "__version__"])
