"""Engines: functions that split, validate or rewrite one reference, and loops over many references.

Engines are compared with urisect before they are measured. Peers normalize, encode, split the authority, or merge
undefined and empty components, so each is compared only on references where it should agree (`EVERYWHERE`,
`GENERIC_URIS`, `NORMAL_WEB_ADDRESSES`, and others beside the peers).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

__all__ = [
    "EVERYWHERE",
    "GENERIC_URIS",
    "NORMAL_WEB_ADDRESSES",
    "Engine",
    "Parts",
    "accepts",
    "fullmatch_engine",
    "function_engine",
    "match_engine",
    "parser_engine",
    "select_accepted",
]

Parts = tuple[Any, ...]


class Engine(NamedTuple):
    """A function that splits, validates or rewrites references.

    Attributes:
        run: takes one reference, and returns its components, its validity or a URI. It raises an exception or returns
            False for a reference that the engine refuses.
        run_all: takes many references, in a loop without overhead of the benchmark.
    """

    run: Callable[[Any], Any]
    run_all: Callable[[Iterable[Any]], None]


def function_engine(function: Callable[[Any], Any]) -> Engine:
    """Make an engine of a function that returns the whole answer."""

    def run_all(references: Iterable[Any]) -> None:
        for reference in references:
            function(reference)

    return Engine(function, run_all)


def match_engine(match: Callable[[Any], Any]) -> Engine:
    """Make an engine of the `match` of an expression whose groups are the components."""

    def run_all(references: Iterable[Any]) -> None:
        for reference in references:
            match(reference).groups()

    return Engine(lambda reference: match(reference).groups(), run_all)


def fullmatch_engine(fullmatch: Callable[[Any], Any]) -> Engine:
    """Make an engine of a function that returns a match, or None for an invalid reference."""
    return Engine(lambda reference: fullmatch(reference) is not None, function_engine(fullmatch).run_all)


def parser_engine(parse: Callable[[Any], Any], read: Callable[[Any], Any]) -> Engine:
    """Make an engine of a function that returns an object, and one that reads the answer from it."""

    def run_all(references: Iterable[Any]) -> None:
        for reference in references:
            read(parse(reference))

    return Engine(lambda reference: read(parse(reference)), run_all)


# Expressions for references on which an engine may agree: all; those with valid characters only, and with a scheme in
# lower case or none (RFC 3986, 2 and 3.1); web addresses that normalizing parsers do not change.
EVERYWHERE = r"(?s:.*)"
GENERIC_URIS = r"(?:[a-z][a-z0-9+.\-]*:|(?![^/?#]*:))(?:[\w\-.~:/?#@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*"
NORMAL_WEB_ADDRESSES = (
    r"(?!.*/(?:\.|%2[Ee]){1,2}(?:[/?#]|\Z))"  # no dot segments
    r"https?://(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]+/[\w\-.~!$&'()*+,;=:@/%]*"
    r"(?:\?[\w\-.~!$&()*+,;=:@/?%]+)?(?:#[\w\-.~!$&'()*+,;=:@/?%]+)?"
)


def accepts(engine: Engine, reference: Any) -> bool:
    """Whether an engine accepts a reference. Engines may raise any exception."""
    try:
        return engine.run(reference) is not False
    except Exception:  # noqa: BLE001
        return False


def select_accepted(engine: Engine, references: Sequence[Any]) -> list[Any]:
    """Select the references that an engine accepts."""
    return [reference for reference in references if accepts(engine, reference)]
