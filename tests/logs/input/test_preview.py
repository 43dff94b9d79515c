"""Previews of a log: which formats, which lines, and their values."""

import gzip
import sys
from pathlib import Path

import pytest

from tests.support.command import LOG
from urisect.logs import COMBINED, COMMON, FORMATS, LIST, SQUID, VHOST_COMBINED, W3C, Format, MissingExtraError, preview
from urisect.logs.input.detection import UnknownFormatError, rank_formats

NOISE = b"nonsense\n\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda format: format.name)
def test_a_sample_is_shown_in_its_format_first(format: Format, log: Path) -> None:
    log.write_bytes(format.sample)
    first, *_ = preview(log)
    assert first.format is format
    assert first.tried == first.parsed > 0
    assert [*first.columns] == [name for name in format.columns if name in first.columns]
    assert all(len(column) == len(first.lines) for column in first.columns.values())


def test_values_and_numbers_are_those_of_the_lines_that_match(log: Path) -> None:
    log.write_bytes(NOISE + COMMON.sample + NOISE + COMMON.sample)
    [found] = preview(log)
    assert (found.format, found.tried, found.parsed, found.lines) == (COMMON, 6, 4, [3, 4, 7])
    assert found.columns["time"] == [b"1996-11-10T20:55:36Z", b"1996-11-10T20:55:37Z", b"1996-11-10T20:55:36Z"]
    assert found.columns["user"] == [None, b"frank", None]
    assert "identity" not in found.columns


def test_several_formats_fit(log: Path) -> None:
    log.write_bytes(SQUID.sample + COMBINED.sample * 3 + COMMON.sample * 2)
    assert [found.format for found in preview(log, lines=1)] == [COMBINED, COMMON, SQUID]
    assert [found.lines for found in preview(log, lines=1)] == [[5], [11], [1]]


def test_a_named_format_need_not_fit(log: Path) -> None:
    log.write_bytes(NOISE + COMMON.sample)
    [found] = preview(log, "vhost-combined")
    assert found == (VHOST_COMBINED, 3, 0, [], {})
    [found] = preview(log, COMMON, lines=1)
    assert found[:4] == (COMMON, 3, 2, [3])


def test_only_the_first_lines_are_parsed(log: Path) -> None:
    log.write_bytes(gzip.compress(LOG))
    [found] = preview(log)
    assert (found.format, found.tried, found.lines) == (COMBINED, 100, [1, 2, 3])
    [named] = preview(log, "combined")
    assert named == found


def test_an_incomplete_line_counts_only_alone(log: Path) -> None:
    log.write_bytes(b"\xef\xbb\xbf/a\n/b")
    assert preview(log)[0][:4] == (LIST, 1, 1, [1])
    log.write_bytes(b"/b")
    assert preview(log)[0].columns == {"path": [b"/b"]}


def test_a_log_that_begins_with_directives_only(log: Path) -> None:
    log.write_bytes(b"#Version: 1.0\n#Fields: date time cs-uri\n")
    [found] = preview(log)
    assert found.parsed == 0
    assert found.columns == {}
    log.write_bytes(W3C.sample)
    assert preview(log)[0].lines == [5, 6]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"nonsense and\nmore\n", b"\xff\xfea\x00\n\x00"])
def test_a_log_in_no_format(log: Path, data: bytes) -> None:
    log.write_bytes(data)
    with pytest.raises(UnknownFormatError):
        preview(log)


def test_errors(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError):
        preview(log)
    log.write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(ValueError, match="no log format is called 'nothing'"):
        preview(log, "nothing")
    for name in ("backports.zstd", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError):
        preview(log)


def test_a_format_of_one_line_in_ten_fits() -> None:
    head = COMMON.sample.splitlines(keepends=True)[0] + b"nonsense and\n" * 9
    assert [found[:] for found in rank_formats(head, FORMATS.values())] == [(COMMON, 10, 1)]
    assert rank_formats(head + b"nonsense and\n", FORMATS.values()) == []
