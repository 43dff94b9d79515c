"""What pytest-benchmark measured, read from its JSON files.

The benchmarks attach to each measurement what its table shows (`attach`).
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pytest_benchmark.fixture import BenchmarkFixture

__all__ = ["Group", "Line", "attach", "read_groups", "read_setting"]

GROUPS = (
    "split a str",
    "split bytes",
    "split lines",
    "resolve a reference",
    "resolve bytes",
    "normalize a URI",
    "normalize a variant",
    "validate a str",
    "validate bytes",
    "validate by specification",
    "refuse a str",
    "change a port",
    "parse a query",
    "set a parameter",
    "check a web address",
    "convert an IRI",
    "validate in pydantic",
    "check a URI for JSON Schema",
    "check an IRI for JSON Schema",
    "make a key",
    "make keys of a profile",
    "canonicalize a URL",
    "make a SURT",
    "find the site",
    "find the links of a page",
    "find the links of a page for Scrapy",
    "find links and make their keys",
    "split a column",
    "split a column in Spark",
    "check a column",
    "normalize a column",
    "combined log line",
    "import",
)


class Line(NamedTuple):
    """The time of one engine.

    Attributes:
        name: the name of the engine.
        nanoseconds: the time for one item, in the shortest round.
        refused: the number of items that the engine refused; it was timed on the others.
    """

    name: str
    nanoseconds: float
    refused: int

    @property
    def is_ours(self) -> bool:
        """Whether this is urisect."""
        return self.name.startswith("urisect")

    @property
    def is_bare(self) -> bool:
        """Whether this is only a match of a regular expression and its groups."""
        return self.name.startswith(("floor", "re,", "regex,", "expression of", "that expression"))

    @property
    def library(self) -> str:
        """The name of the library, without that of its function."""
        return self.name.partition(".")[0]


class Group(NamedTuple):
    """The times of several engines for one operation.

    Attributes:
        name: the operation.
        item: the unit of work: a URL, a line, an import.
        items: the number of items.
        corpus: the source of the items.
        lines: the engines, the fastest first.
    """

    name: str
    item: str
    items: int
    corpus: str
    lines: list[Line]

    @property
    def fastest_peer(self) -> Line | None:
        """The fastest other library, if one is measured."""
        peers = (line for line in self.lines if not (line.is_ours or line.is_bare or line.name.startswith("for ")))
        return next(peers, None)


def attach(benchmark: BenchmarkFixture, name: str, corpus: str, item: str, items: int, refused: int = 0) -> None:
    """Attach to a benchmark what its table shows.

    Args:
        benchmark: the benchmark.
        name: the name of the engine.
        corpus: the source of the items.
        item: the unit of work.
        items: the number of items that the engine accepted.
        refused: the number of items that it refused.
    """
    benchmark.extra_info |= {"name": name, "corpus": corpus, "item": item, "items": items, "refused": refused}


def read_groups(reports: Sequence[dict[str, Any]]) -> list[Group]:
    """Collect the benchmarks of each group that ran; the shortest of several runs of a benchmark counts."""
    shortest: dict[str, dict[str, Any]] = {}
    for benchmark in (benchmark for report in reports for benchmark in report["benchmarks"]):
        name = benchmark["fullname"]
        shortest[name] = min(benchmark, shortest.get(name, benchmark), key=lambda known: known["stats"]["min"])
    benchmarks = shortest.values()
    gathered = {name: [benchmark for benchmark in benchmarks if benchmark["group"] == name] for name in GROUPS}
    return [_group(name, members) for name, members in gathered.items() if members]


def _group(name: str, benchmarks: list[dict[str, Any]]) -> Group:
    facts = [benchmark["extra_info"] for benchmark in benchmarks]
    lines = [
        Line(fact["name"], benchmark["stats"]["min"] / fact["items"] * 1e9, fact["refused"])
        for fact, benchmark in zip(facts, benchmarks, strict=True)
    ]
    lines.sort(key=lambda line: line.nanoseconds)
    return Group(name, facts[0]["item"], max(fact["items"] for fact in facts), facts[0]["corpus"], lines)


def read_setting(report: dict[str, Any]) -> str:
    """Return the processor, the version of Python and the date."""
    machine = report["machine_info"]
    processor = re.sub(r"\((R|TM)\)", "", machine["cpu"].get("brand_raw") or machine["machine"], flags=re.IGNORECASE)
    day = datetime.fromisoformat(report["datetime"]).date()
    return f"{processor}, {machine['python_implementation']} {machine['python_version']}, {day}"
