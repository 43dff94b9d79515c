"""Parsing a line of a combined log: whole tables, the expression with and without Appendix B, and a peer."""

from io import BytesIO

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.engines import match_engine, select_accepted
from benchmarks.inputs import Corpus
from benchmarks.log_lines import WITHOUT_APPENDIX_B, apachelogs, drop_tables
from benchmarks.results import attach
from urisect.logs import COMBINED, tables
from urisect.reference import Reference, recompose

pytestmark = pytest.mark.benchmark(group="combined log line")

FEW_LINES = 500  # enough to measure a slow peer


def test_tables(benchmark: BenchmarkFixture, log: Corpus[list[bytes]]) -> None:
    buffer = b"\n".join(log.content)
    refused = sum(len(table.rejected) for table in tables(BytesIO(buffer), COMBINED))
    attach(benchmark, "urisect.logs.tables", log.name, "line", len(log.content), refused)
    benchmark(drop_tables, buffer)


def test_expression(benchmark: BenchmarkFixture, log: Corpus[list[bytes]]) -> None:
    attach(benchmark, "expression of the format, line by line", log.name, "line", len(log.content), 0)
    benchmark(match_engine(COMBINED.expression.match).run_all, log.content)


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
    attach(benchmark, "that expression without Appendix B", log.name, "line", len(log.content), 0)
    benchmark(match_engine(WITHOUT_APPENDIX_B.expression.match).run_all, log.content)


def test_apachelogs(benchmark: BenchmarkFixture, log: Corpus[list[bytes]]) -> None:
    pytest.importorskip("apachelogs")
    engine = apachelogs()
    lines = [line.decode("latin-1") for line in log.content[:FEW_LINES]]
    accepted = select_accepted(engine, lines)
    for line in accepted:
        if "\\" not in line:  # apachelogs decodes escapes
            table = next(tables(BytesIO(line.encode("latin-1")), COMBINED))
            fields = (table.column(name)[0] for name in ("client", "status", "bytes", "referer", "agent"))
            texts = [None if field is None else field.decode("latin-1") for field in fields]
            assert [None if field is None else str(field) for field in engine.run(line)] == texts
    attach(benchmark, "apachelogs.LogParser.parse", log.name, "line", len(accepted), len(lines) - len(accepted))
    benchmark(engine.run_all, accepted)
