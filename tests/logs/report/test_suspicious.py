"""Tests of the hazards that a report counts: the same as `hazards` finds in each reference."""

import io
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.corpora import hostile
from tests.support import naive
from tests.support.reports import LOG
from urisect import unsplit
from urisect.logs import COMBINED, LIST, Format, tables
from urisect.logs.report.suspicious import count_hazards, is_harmless
from urisect.reference import Reference, recompose
from urisect.security import hazards

component_texts = st.text("a.-/%:@[]\\ 0\xe9\u202e\r2eEfF;=", max_size=6).map(lambda text: text.encode())
optional_texts = st.none() | component_texts
origins = st.sampled_from([(None, None), (b"http", b"a.example"), (None, b"a:80"), (b"ftp", b""), (b"https", None)])


def assert_all_hazards_are_counted(data: bytes, format: Format) -> None:
    """Compare the counted hazards with those of each reference."""
    expected: Counter[tuple[str, str]] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for table in tables(io.BytesIO(data), format):
        for uri in format.uris:
            components = (table.columns[uri + name] for name in Reference._fields)
            for row in zip(*components, strict=True):
                if row[2] is not None:
                    codes = {hazard.code for hazard in hazards(recompose(Reference[Any](*row)))}
                    expected.update((uri, code) for code in codes)
        for key, sighting in count_hazards(table).items():
            found[key] += sighting.lines
            assert sighting.hazard in hazards(sighting.reference)
    assert found == expected


@given(
    origin=origins | st.tuples(optional_texts, optional_texts),
    path=component_texts,
    query=optional_texts,
    fragment=optional_texts,
)
def test_a_harmless_reference_has_no_hazards(
    origin: tuple[bytes | None, bytes | None], path: bytes, query: bytes | None, fragment: bytes | None
) -> None:
    reference = Reference(*origin, path, query, fragment)
    try:
        text = unsplit(reference)
    except ValueError:
        return
    assert not (is_harmless(reference) and hazards(text))


@given(data=naive.octets)
def test_all_hazards_in_arbitrary_lines_are_counted(data: bytes) -> None:
    assert_all_hazards_are_counted(data, LIST)


@pytest.mark.parametrize("data", [LOG, b"\n".join(hostile(600).values())], ids=["log", "hostile"])
def test_all_hazards_in_a_log_are_counted(data: bytes) -> None:
    assert_all_hazards_are_counted(data, COMBINED)
    assert_all_hazards_are_counted(data, LIST)


@pytest.mark.parametrize("query", [b"next=//evil", b"a&u=javascript:x", b"u=http://127.0.0.1/"])
def test_a_nested_reference_in_a_query_is_not_harmless(query: bytes) -> None:
    assert not is_harmless(Reference(b"http", b"a.example", b"/", query, None))
    assert_all_hazards_are_counted(b"/?" + query + b"\n/?a=/b\n", LIST)
    [table] = tables(io.BytesIO(b"/?" + query), LIST)
    assert ("", "nested-reference") in count_hazards(table)


def test_a_full_cache_changes_no_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisect.logs.report.suspicious.CACHE_SIZE", 3)
    for _ in range(2):
        assert_all_hazards_are_counted(b"".join(b"/a%d\n/b%%00%d\n" % (number, number) for number in range(5)), LIST)
        assert_all_hazards_are_counted(
            b"".join(b"http://h%d/%%0%b\n" % (number, b"0" * 600) for number in range(5)), LIST
        )
