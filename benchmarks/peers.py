"""Libraries that split references, one at a time or many at once."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from inspect import unwrap
from operator import attrgetter, methodcaller
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.automata import automaton
from benchmarks.engines import (
    EVERYWHERE,
    GENERIC_URIS,
    NORMAL_WEB_ADDRESSES,
    Engine,
    Parts,
    function_engine,
    match_engine,
    parser_engine,
)
from tests.support.naive import APPENDIX_B
from urisect import Reference, pattern, split

__all__ = [
    "BYTES",
    "CAN_ADA",
    "FLOOR",
    "FLOOR_LINES",
    "HTTPTOOLS",
    "LINES",
    "POLARS",
    "PYARROW",
    "PYDANTIC",
    "SPLIT",
    "STR",
    "URLSPLIT",
    "Bulk",
    "Peer",
    "check_splits",
    "undefined_as_empty",
]

os.environ["POLARS_MAX_THREADS"] = "1"  # Polars reads it when it is imported


def undefined_as_empty(reference: Reference[Any]) -> Parts:
    return tuple(part or reference.path[:0] for part in reference)


def empty_as_undefined(reference: Reference[Any]) -> Parts:
    return *(part or None for part in reference[:3]), *reference[3:]


def with_delimiters(reference: Reference[str]) -> Parts:
    scheme, authority, path, query, fragment = undefined_as_empty(reference)
    return (f"{scheme}:", authority, path, query and f"?{query}", fragment and f"#{fragment}")


class Peer(NamedTuple):
    """A library that splits references.

    Attributes:
        name: its name in the tables.
        module: the module that must be installed.
        engine: makes the engine from the module.
        agrees_on: the expression of references on which it should agree with urisect.
        answer: returns its expected answer, given the `Reference` that urisect returns.
    """

    name: str
    module: str
    engine: Callable[[ModuleType], Engine]
    agrees_on: str = EVERYWHERE
    answer: Callable[[Any], Parts] = tuple

    def load(self) -> Engine:
        """Import the library; ImportError means that it is not installed."""
        return self.engine(import_module(self.module))


PRINTED = Peer(
    "re, Appendix B as printed",
    "re",
    lambda module: parser_engine(module.compile(APPENDIX_B).match, methodcaller("group", 2, 4, 5, 7, 9)),
    ".*",
)


def match_of_library(module: ModuleType) -> Callable[[str], Any]:
    """Return the `match` of urisect's own expression for str, which the first split compiles."""
    module.split("")
    match: Callable[[str], Any] = module._match_str
    return match


def bytes_match_of_library(module: ModuleType) -> Callable[[bytes], Any]:
    """Return the `match` of urisect's own expression for bytes."""
    module.split(b"")
    match: Callable[[bytes], Any] = module._match_bytes
    return match


# The least time that a split with this pattern can take in Python.
FLOOR = Peer("floor: match(u).groups()", "urisect.reference", lambda module: match_engine(match_of_library(module)))
FLOOR_BYTES = FLOOR._replace(engine=lambda module: match_engine(bytes_match_of_library(module)))
SPLIT = Peer("urisect.split", "urisect", lambda module: function_engine(module.split))
URLSPLIT = Peer(
    "urllib.parse.urlsplit, cold",
    "urllib.parse",
    lambda module: function_engine(unwrap(module.urlsplit)),  # without its cache
    GENERIC_URIS,
    undefined_as_empty,
)
CAN_ADA = Peer(
    "can_ada.parse",
    "can_ada",
    lambda module: parser_engine(module.parse, attrgetter("protocol", "host", "pathname", "search", "hash")),
    NORMAL_WEB_ADDRESSES,
    with_delimiters,
)
PYDANTIC = Peer(
    "pydantic_core.Url",
    "pydantic_core",
    lambda module: parser_engine(module.Url, attrgetter("scheme", "host", "path", "query", "fragment")),
    NORMAL_WEB_ADDRESSES,
)
HTTPTOOLS = Peer(
    "httptools.parse_url",
    "httptools",
    lambda module: parser_engine(module.parse_url, attrgetter("schema", "host", "path", "query", "fragment")),
    NORMAL_WEB_ADDRESSES,
)
# Its cache never hits: it holds fewer URLs than the corpus, and each URL occurs once.
YARL = Peer(
    "yarl.URL(encoded=True)",
    "yarl",
    lambda module: parser_engine(
        partial(module.URL, encoded=True),
        attrgetter("scheme", "raw_authority", "raw_path", "raw_query_string", "raw_fragment"),
    ),
    NORMAL_WEB_ADDRESSES,
    undefined_as_empty,
)
URITOOLS = Peer("uritools.urisplit", "uritools", lambda module: function_engine(module.urisplit), GENERIC_URIS)
RFC3986 = Peer(
    "rfc3986.uri_reference",
    "rfc3986",
    lambda module: function_engine(module.uri_reference),
    GENERIC_URIS,
    empty_as_undefined,
)

STR = (
    FLOOR,
    SPLIT,
    PRINTED,
    Peer("re, urisect.pattern()", "re", lambda module: match_engine(module.compile(pattern()).match)),
    Peer("regex, urisect.pattern()", "regex", lambda module: match_engine(module.compile(pattern()).match)),
    URLSPLIT,
    CAN_ADA,
    PYDANTIC,
    YARL,
    URITOOLS,
    RFC3986,
)

BYTES = (
    FLOOR_BYTES,
    SPLIT,
    Peer("re, urisect.pattern()", "re", lambda module: match_engine(module.compile(pattern().encode()).match)),
    Peer("regex, urisect.pattern()", "regex", lambda module: match_engine(module.compile(pattern().encode()).match)),
    HTTPTOOLS,
    URLSPLIT,
    URITOOLS,
)


def check_splits(peer: Peer, engine: Engine, references: Sequence[Any]) -> int:
    """Assert that an engine agrees with urisect where it should, and count the comparisons."""
    agrees_on = re.compile(peer.agrees_on, re.ASCII)
    compared = 0
    for reference in references:
        text = reference if isinstance(reference, str) else reference.decode("latin-1")
        if agrees_on.fullmatch(text):
            compared += 1
            answer, expected = engine.run(reference), peer.answer(split(reference))
            assert tuple(answer) == expected, f"{peer.name} splits {reference!r} into {answer}, not {expected}"
    assert compared, f"no reference on which {peer.name} should agree"
    return compared


class Bulk(NamedTuple):
    """A library that splits, checks or normalizes many references at once.

    Attributes:
        name: its name in the tables.
        module: the module that must be installed.
        prepare: returns a call that splits the URLs, given the module and the URLs.
        rows: converts the result to components, or to another answer, URL by URL.
        answer: returns the expected answer for a URL.
    """

    name: str
    module: str
    prepare: Callable[[ModuleType, list[str]], Callable[[], Any]]
    rows: Callable[[Any], Iterable[Any]]
    answer: Callable[[str], Any]

    def load(self, urls: list[str]) -> Callable[[], Any]:
        """Import the library and prepare the call; ImportError means that it is not installed."""
        return self.prepare(import_module(self.module), urls)


def split_bytes(url: str) -> Parts:
    return split(url.encode())


def _floor(module: ModuleType, urls: list[str]) -> Callable[[], Any]:
    match = match_of_library(module)
    return lambda: [match(url).groups() for url in urls]


def _floor_bytes(module: ModuleType, urls: list[str]) -> Callable[[], Any]:
    match, lines = bytes_match_of_library(module), [url.encode() for url in urls]
    return lambda: [match(line).groups() for line in lines]


# The expression for the engines of Arrow and Polars, which are automata.
AUTOMATON = automaton(pattern())


def _pyarrow(module: ModuleType, urls: list[str]) -> Callable[[], Any]:
    module.set_cpu_count(1)
    return partial(import_module("pyarrow.compute").extract_regex, module.array(urls), AUTOMATON)


def _polars(module: ModuleType, urls: list[str]) -> Callable[[], Any]:
    assert module.thread_pool_size() == 1
    return partial(module.Series(urls).str.extract_groups, AUTOMATON)


FLOOR_LINES = Bulk("floor: [match(u).groups() for u in bytes]", "urisect.reference", _floor_bytes, iter, split_bytes)
PYARROW = Bulk(
    "pyarrow.compute.extract_regex",
    "pyarrow",
    _pyarrow,
    lambda array: (tuple(row.values()) for row in array.to_pylist()),
    lambda url: undefined_as_empty(split(url)),
)
POLARS = Bulk(
    "polars.Series.str.extract_groups", "polars", _polars, lambda series: series.struct.unnest().rows(), split
)

LINES = (
    FLOOR_LINES,
    Bulk("floor: [match(u).groups() for u in str]", "urisect.reference", _floor, iter, split),
    Bulk(
        "urisect.split_lines(bytes)",
        "urisect",
        lambda module, urls: partial(module.split_lines, "\n".join(urls).encode()),
        lambda columns: zip(*columns, strict=True),
        split_bytes,
    ),
    Bulk(
        "urisect.split_lines(str)",
        "urisect",
        lambda module, urls: partial(module.split_lines, "\n".join(urls)),
        lambda columns: zip(*columns, strict=True),
        split,
    ),
    PYARROW,
    POLARS,
)
