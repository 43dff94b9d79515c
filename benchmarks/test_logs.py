"""A line of a combined log: read, matched with its URIs cut and with them whole, and read by a peer."""

from io import BytesIO

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.peers import WITHOUT_APPENDIX_B, Corpus, accepted, apachelogs, matching, read_tables
from benchmarks.report import record
from urisect.logs import COMBINED, tables
from urisect.reference import Reference, recompose

pytestmark = pytest.mark.benchmark(group="combined log line")

FEW = 500  # lines are enough to measure a slow peer


def test_tables(benchmark: BenchmarkFixture, log: Corpus[list[bytes]]) -> None:
    buffer = b"\n".join(log.content)
    refused = sum(len(table.rejected) for table in tables(BytesIO(buffer), COMBINED))
    record(benchmark, "urisect.logs.tables", log.name, "line", len(log.content), refused)
    benchmark(read_tables, buffer)


def test_expression(benchmark: BenchmarkFixture, log: Corpus[list[bytes]]) -> None:
    record(benchmark, "its expression, line by line", log.name, "line", len(log.content), 0)
    benchmark(matching(COMBINED.expression.match).loop, log.content)


def test_expression_without_appendix_b(benchmark: BenchmarkFixture, log: Corpus[list[bytes]]) -> None:
    match, match_without = COMBINED.expression.fullmatch, WITHOUT_APPENDIX_B.expression.fullmatch
    for line in log.content:
        cut, uncut = match(line), match_without(line)
        assert cut
        assert uncut
        groups = cut.groupdict()
        for uri in COMBINED.uris:
            reference = Reference[bytes]._make(groups.pop(uri + component) for component in Reference._fields)
            if reference.path is not None:
                groups[f"{uri}text"] = recompose(reference)
        assert uncut.groupdict() == groups
    record(benchmark, "the same without Appendix B", log.name, "line", len(log.content), 0)
    benchmark(matching(WITHOUT_APPENDIX_B.expression.match).loop, log.content)


def test_apachelogs(benchmark: BenchmarkFixture, log: Corpus[list[bytes]]) -> None:
    pytest.importorskip("apachelogs")
    engine = apachelogs()
    lines = [line.decode("latin-1") for line in log.content[:FEW]]
    taken = accepted(engine, lines)
    for line in taken:
        if "\\" not in line:  # apachelogs decodes what was escaped
            table = next(tables(BytesIO(line.encode("latin-1")), COMBINED))
            fields = (table.column(name)[0] for name in ("client", "status", "bytes", "referer", "agent"))
            texts = [None if field is None else field.decode("latin-1") for field in fields]
            assert [None if field is None else str(field) for field in engine.one(line)] == texts
    record(benchmark, "apachelogs.LogParser.parse", log.name, "line", len(taken), len(lines) - len(taken))
    benchmark(engine.loop, taken)
