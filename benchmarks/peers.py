"""Who is measured beside urisect, on what, and whether they answer alike.

An engine is declared with what has to be installed for it, with the references on which it should agree with urisect,
and with what it should answer there: peers normalise, encode, cut the authority up, or merge empty and undefined.
"""

import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from inspect import unwrap
from io import BytesIO
from operator import attrgetter, methodcaller
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

from benchmarks.automata import automaton
from benchmarks.corpora import access_log, crawl, references
from tests.support.naive import APPENDIX_B
from urisect import Reference, pattern, split
from urisect.logs import COMBINED, tables
from urisect.logs.formats import PatternFormat
from urisect.logs.formats.format import uri_column
from urisect.reference import recompose

os.environ["POLARS_MAX_THREADS"] = "1"  # Polars reads it when it is imported

Parts = tuple[Any, ...]


class Engine(NamedTuple):
    """A way to take references apart, or to validate them, one at a time.

    Attributes:
        one: gives the components of a reference, or says whether it is valid. What it refuses, it raises for, or
            answers with False.
        loop: does so for each of many, with nothing in between that is not the engine's.
    """

    one: Callable[[Any], Any]
    loop: Callable[[Iterable[Any]], None]


def splitting(split: Callable[[Any], Parts]) -> Engine:
    """Take a function that returns a tuple: its components are read as soon as it returns."""

    def loop(references: Iterable[Any]) -> None:
        for reference in references:
            split(reference)

    return Engine(split, loop)


def matching(match: Callable[[Any], Any]) -> Engine:
    """Take the match of an expression whose groups are the components."""

    def loop(references: Iterable[Any]) -> None:
        for reference in references:
            match(reference).groups()

    return Engine(lambda reference: match(reference).groups(), loop)


def reading(parse: Callable[[Any], Any], read: Callable[[Any], Any]) -> Engine:
    """Take a function that returns an object, and one that reads components, or the whole, from that."""

    def loop(references: Iterable[Any]) -> None:
        for reference in references:
            read(parse(reference))

    return Engine(lambda reference: read(parse(reference)), loop)


# Where an engine agrees: everywhere; on what holds no character but a URI's, with a scheme of the grammar, in lower
# case, or with none (RFC 3986, 2 and 3.1); on web addresses that parsers which normalise leave as they are.
EVERYWHERE = r"(?s:.*)"
GENERIC = r"(?:[a-z][a-z0-9+.\-]*:|(?![^/?#]*:))(?:[\w\-.~:/?#@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*"
NORMAL = (
    r"(?!.*/(?:\.|%2[Ee]){1,2}(?:[/?#]|\Z))"  # no dot segments
    r"https?://(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]+/[\w\-.~!$&'()*+,;=:@/%]*"
    r"(?:\?[\w\-.~!$&()*+,;=:@/?%]+)?(?:#[\w\-.~!$&'()*+,;=:@/?%]+)?"
)


def undefined_as_empty(reference: Reference[Any]) -> Parts:
    return tuple(part or reference.path[:0] for part in reference)


def empty_as_undefined(reference: Reference[Any]) -> Parts:
    return *(part or None for part in reference[:3]), *reference[3:]


def with_delimiters(reference: Reference[str]) -> Parts:
    scheme, authority, path, query, fragment = undefined_as_empty(reference)
    return (f"{scheme}:", authority, path, query and f"?{query}", fragment and f"#{fragment}")


class Peer(NamedTuple):
    """An engine as it is declared.

    Attributes:
        name: what it is called in tables.
        module: what has to be installed.
        engine: finds it in the module.
        where: the references, whole, on which it should agree with urisect.
        answer: what it should say, given the `Reference` that urisect returns.
    """

    name: str
    module: str
    engine: Callable[[ModuleType], Engine]
    where: str = EVERYWHERE
    answer: Callable[[Any], Parts] = tuple

    def load(self) -> Engine:
        """Import it; ImportError says that it is not installed."""
        return self.engine(import_module(self.module))


PRINTED = Peer(
    "re, Appendix B as printed",
    "re",
    lambda module: reading(module.compile(APPENDIX_B).match, methodcaller("group", 2, 4, 5, 7, 9)),
    ".*",
)


def own_match(module: ModuleType) -> Callable[[str], Any]:
    """Find the library's own compiled expression for str; it is compiled by the first split."""
    module.split("")
    match: Callable[[str], Any] = module._match_str
    return match


def own_match_of_bytes(module: ModuleType) -> Callable[[bytes], Any]:
    """Find that for bytes."""
    module.split(b"")
    match: Callable[[bytes], Any] = module._match_bytes
    return match


# The least that a split by this pattern can cost in Python.
FLOOR = Peer("floor: match(u).groups()", "urisect.reference", lambda module: matching(own_match(module)))
FLOOR_BYTES = FLOOR._replace(engine=lambda module: matching(own_match_of_bytes(module)))
SPLIT = Peer("urisect.split", "urisect", lambda module: splitting(module.split))
URLSPLIT = Peer(
    "urllib.parse.urlsplit, cold",
    "urllib.parse",
    lambda module: splitting(unwrap(module.urlsplit)),  # past its cache
    GENERIC,
    undefined_as_empty,
)
CAN_ADA = Peer(
    "can_ada.parse",
    "can_ada",
    lambda module: reading(module.parse, attrgetter("protocol", "host", "pathname", "search", "hash")),
    NORMAL,
    with_delimiters,
)
PYDANTIC = Peer(
    "pydantic_core.Url",
    "pydantic_core",
    lambda module: reading(module.Url, attrgetter("scheme", "host", "path", "query", "fragment")),
    NORMAL,
)
HTTPTOOLS = Peer(
    "httptools.parse_url",
    "httptools",
    lambda module: reading(module.parse_url, attrgetter("schema", "host", "path", "query", "fragment")),
    NORMAL,
)
# It has a cache too, which stays cold: it holds fewer URLs than come between a URL and its return.
YARL = Peer(
    "yarl.URL(encoded=True)",
    "yarl",
    lambda module: reading(
        partial(module.URL, encoded=True),
        attrgetter("scheme", "raw_authority", "raw_path", "raw_query_string", "raw_fragment"),
    ),
    NORMAL,
    undefined_as_empty,
)
URITOOLS = Peer("uritools.urisplit", "uritools", lambda module: splitting(module.urisplit), GENERIC)
RFC3986 = Peer(
    "rfc3986.uri_reference", "rfc3986", lambda module: splitting(module.uri_reference), GENERIC, empty_as_undefined
)

STR = (
    FLOOR,
    SPLIT,
    PRINTED,
    Peer("re, urisect.pattern()", "re", lambda module: matching(module.compile(pattern()).match)),
    Peer("regex, urisect.pattern()", "regex", lambda module: matching(module.compile(pattern()).match)),
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
    Peer("re, urisect.pattern()", "re", lambda module: matching(module.compile(pattern().encode()).match)),
    Peer("regex, urisect.pattern()", "regex", lambda module: matching(module.compile(pattern().encode()).match)),
    HTTPTOOLS,
    URLSPLIT,
    URITOOLS,
)


def accepts(engine: Engine, reference: Any) -> bool:
    """Whether an engine takes a reference; it may raise whatever it likes."""
    try:
        return engine.one(reference) is not False
    except Exception:  # noqa: BLE001
        return False


def accepted(engine: Engine, references: Sequence[Any]) -> list[Any]:
    """Leave out the references that an engine refuses."""
    return [reference for reference in references if accepts(engine, reference)]


def agreed(peer: Peer, engine: Engine, references: Sequence[Any]) -> int:
    """Compare an engine's answers with urisect's where they should agree, and count them."""
    where = re.compile(peer.where, re.ASCII)
    compared = 0
    for reference in references:
        text = reference if isinstance(reference, str) else reference.decode("latin-1")
        if where.fullmatch(text):
            compared += 1
            answer, expected = engine.one(reference), peer.answer(split(reference))
            assert tuple(answer) == expected, f"{peer.name} splits {reference!r} into {answer}, not {expected}"
    assert compared, f"there is nothing on which {peer.name} should agree"
    return compared


class Bulk(NamedTuple):
    """An engine that takes many references apart at once.

    Attributes:
        name: what it is called in tables.
        module: what has to be installed.
        prepare: finds it in the module, and gives it the URLs in the form that it likes best.
        rows: reads its answer as components, URL by URL.
        answer: what these should be.
    """

    name: str
    module: str
    prepare: Callable[[ModuleType, list[str]], Callable[[], Any]]
    rows: Callable[[Any], Iterable[Parts]]
    answer: Callable[[str], Parts]

    def load(self, urls: list[str]) -> Callable[[], Any]:
        """Import it, and prepare it for URLs; ImportError says that it is not installed."""
        return self.prepare(import_module(self.module), urls)


def split_bytes(url: str) -> Parts:
    return split(url.encode())


def _floor(module: ModuleType, urls: list[str]) -> Callable[[], Any]:
    match = own_match(module)
    return lambda: [match(url).groups() for url in urls]


def _floor_bytes(module: ModuleType, urls: list[str]) -> Callable[[], Any]:
    match, lines = own_match_of_bytes(module), [url.encode() for url in urls]
    return lambda: [match(line).groups() for line in lines]


# What Arrow's engine and Polars' get, which are automata.
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


def replacing(format: PatternFormat, by: str) -> PatternFormat:
    """Put something else in the place of Appendix B: `{uri}` in it names the URI, a group 1 is its class."""
    line = format.line
    for uri in format.uris:
        # Nothing but a stop character ends a fragment: its class is that of the whole.
        before = r"(?:\(\?<!CONNECT \))?"
        embedded = rf"{before}\(\?>\(\?P<{uri}scheme>.*\(\?P<{uri}fragment>(\[\^[^]]*\])\*\+\)\|\)((?:\\x..)*)\|"
        line, count = re.subn(embedded, by.format(uri=uri_column(uri)), line)
        assert count == 1, f"Appendix B does not stand once in {format.name}, for {uri!r}"
    return PatternFormat(f"{format.name}, otherwise", line, uris=())


# The same expression without Appendix B: it matches the same lines, and a URI as a whole, as it does the odd ones.
WITHOUT_APPENDIX_B = replacing(COMBINED, "")

# The cheapest way to match an ordinary URI as a whole, the odd ones as before.
URIS_AS_CLASSES = replacing(COMBINED, r"(?P<{uri}>\1*+)\2|")


def read_tables(log: bytes) -> None:
    """Read a log as a program does that holds no more of it than a block."""
    deque(tables(BytesIO(log), COMBINED), maxlen=0)


def apachelogs() -> Engine:
    """Import apachelogs, which takes a line as text; ImportError says that it is not installed."""
    module = import_module("apachelogs")

    def fields(entry: Any) -> Parts:
        headers = entry.headers_in
        return (entry.remote_host, entry.final_status, entry.bytes_sent, headers["Referer"], headers["User-Agent"])

    return reading(module.LogParser(module.COMBINED).parse, fields)


def import_time(module: str) -> float:
    """Import a module in a process of its own, where `re` and `typing` are loaded already; give the seconds."""
    child = f"import re, typing, time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # an installed module is compiled once, not each time
    answer = subprocess.run([sys.executable, "-c", child], check=True, capture_output=True, env=environment)
    return float(answer.stdout)


Content = TypeVar("Content")


class Corpus(NamedTuple, Generic[Content]):
    """What is measured on, and what it is called in tables."""

    name: str
    content: Content


def read_urls(file: str | None = None) -> Corpus[list[str]]:
    """Give the URLs of a file, one a line, or made-up ones: each once, so that no peer's cache is ever warm.

    Arrow and Polars hold text only, so what is not UTF-8 is replaced.
    """
    if file is None:
        return Corpus("a generated crawl", list(dict.fromkeys(crawl(20_000))))
    lines = Path(file).read_text("utf-8-sig", errors="replace").split("\n")
    return Corpus(Path(file).name, list(dict.fromkeys(filter(None, lines))))


def read_references(file: str | None = None) -> Corpus[list[str]]:
    """Give the URLs of a file and what stands in each after the authority, or made-up references: each once, as above.

    A peer that keeps what it has split then finds the base there, as it does in a crawler, and nothing else.
    """
    if file is None:
        return Corpus("the pages of a generated site", list(dict.fromkeys(references(20_000))))
    name, urls = read_urls(file)
    inside = (recompose(split(url)._replace(scheme=None, authority=None)) for url in urls)
    return Corpus(name, list(dict.fromkeys((*urls, *inside))))


def read_log(file: str | None = None) -> Corpus[list[bytes]]:
    """Give the lines of a log in the Combined Log Format: a file, or a made-up one."""
    if file is None:
        name, log = "a generated log", access_log(5_000)
    else:
        name, log = Path(file).name, Path(file).read_bytes()
    return Corpus(name, log.removesuffix(b"\n").split(b"\n"))
