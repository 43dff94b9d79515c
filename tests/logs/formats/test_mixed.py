"""Logs whose files have different formats: one log with the columns of all of them."""

import io
from pathlib import Path
from typing import Any

import pytest

from urisect.logs import (
    CADDY,
    COMBINED,
    COMMON,
    LIST,
    SQUID,
    VHOST_COMBINED,
    W3C,
    Format,
    format_of,
    json_lines,
    tables,
)
from urisect.logs.formats.format import EXTRA, uri_column
from urisect.logs.formats.mixed import MixedFormat, mix_formats
from urisect.logs.formats.notation import ValueKind
from urisect.logs.scan import parallel, pieces
from urisect.logs.scan.parallel import scan
from urisect.logs.scan.task import Task

FORMATS: dict[str, Format] = {
    "combined": COMBINED,
    "vhost": VHOST_COMBINED,
    "squid": SQUID,
    "w3c": W3C,
    "caddy": CADDY,
    "list": LIST,
    "docker": format_of("docker+combined"),
}
MIXED = mix_formats(FORMATS)


def test_one_format_is_not_mixed() -> None:
    assert mix_formats({"a": COMMON}) is COMMON
    assert mix_formats({"a": COMMON, "b": COMMON}) is COMMON
    assert COMMON.for_file("a") is COMMON


def test_a_mixed_format_has_the_columns_and_the_uris_of_all() -> None:
    assert MIXED.name == "combined, vhost-combined, squid, w3c, caddy, list, docker+combined"
    assert MIXED.columns[: len(COMBINED.columns)] == COMBINED.columns
    assert {*MIXED.columns} == {column for format in FORMATS.values() for column in format.columns}
    assert MIXED.uris == ("target_", "referer_", "")
    assert MIXED.fields[-1] == EXTRA
    assert MIXED.has_extra


@pytest.mark.parametrize("file", FORMATS)
def test_values_are_those_of_the_file_and_nothing_else(file: str) -> None:
    format, own = MIXED.for_file(file), FORMATS[file]
    assert (format.name, format.stateful, format.has_implausible) == (own.name, own.stateful, own.has_implausible)
    assert format.columns == MIXED.columns
    fields = [field for field in MIXED.fields if field != EXTRA or own.has_extra]
    found, expected = (
        values(format, own.sample, fields),
        values(own, own.sample, [f for f in fields if f in own.fields]),
    )
    size = len(next(iter(expected.values())))
    for field in fields:
        if field != "host" or field in own.columns:  # the Host header here, not the host of the URIs of a list
            assert found[field] == expected.get(field, [None] * size), field
    assert values(format, own.sample, [EXTRA])[EXTRA] == (expected[EXTRA] if own.has_extra else [None] * size)


def values(format: Format, data: bytes, fields: list[str]) -> dict[str, list[Any]]:
    each = list(tables(io.BytesIO(data), format, columns=fields))
    assert not any(table.rejected for table in each)
    return {field: [value for table in each for value in table.values(field)] for field in fields}


@pytest.mark.parametrize("uri", MIXED.uris)
def test_a_format_without_a_uri_has_none(uri: str) -> None:
    for file, own in FORMATS.items():
        [whole] = values(MIXED.for_file(file), own.sample, [uri_column(uri)]).values()
        assert (set(whole) == {None}) == (uri not in own.uris)


def test_a_file_without_lines_has_the_first_format() -> None:
    assert MIXED.for_file("empty").name == "combined"
    assert isinstance(MIXED, MixedFormat)
    parse = MIXED.parser(frozenset({"status", "hierarchy"}))
    assert parse(COMBINED.sample, b"").columns == {"status": [b"200", b"304"], "hierarchy": [None, None]}
    assert MIXED.strict is MIXED


def test_blank_lines_are_skipped_but_in_a_list() -> None:
    for file, format in FORMATS.items():
        data = format.sample + b"\n \n"
        found = list(tables(io.BytesIO(data), MIXED.for_file(file), columns=["status"]))
        own = list(tables(io.BytesIO(data), format, columns=[]))
        blank = [skip.line for table in found for skip in table.skipped if skip.reason == "blank"]
        assert len(blank) == (0 if format is LIST else 2)
        assert [table.parsed for table in found] == [table.parsed for table in own]


def test_a_column_of_several_kinds_is_text() -> None:
    text, number = json_lines("json:target=url,status=code"), format_of("%U %{Status}o")
    assert mix_formats({"a": text, "b": COMMON}).kind("status") is ValueKind.NUMBER
    other = format_of("%U %{status}n")
    assert other.columns[-1] == "note_status"
    assert number.kind("sent_status") is ValueKind.TEXT
    named = json_lines("json:target=url,sent_status=code")
    assert mix_formats({"a": named, "b": number}).kind("sent_status") is ValueKind.TEXT
    times = mix_formats({"a": COMMON, "b": SQUID, "c": W3C})
    assert times.kind("time") is ValueKind.TIME
    for file, format in (("a", COMMON), ("b", SQUID), ("c", W3C)):
        expected = values(format, format.sample, ["time", "status"])
        assert values(times.for_file(file), format.sample, ["time", "status"]) == expected


def test_a_column_that_is_a_number_in_one_format_only_is_text() -> None:
    number, text = format_of("%{tid}P %U"), json_lines("json:target=url,process=p")
    both = mix_formats({"a": format_of("%P %U"), "b": format_of("$pid $request_uri")})
    assert both.kind("process") is ValueKind.NUMBER
    assert mix_formats({"a": number, "b": text}).kind("thread") is ValueKind.NUMBER
    clash = mix_formats({"a": format_of("%{us}T %U"), "b": format_of('%U "%{duration}n"')})
    assert clash.kind("duration") is ValueKind.SECONDS


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_of_different_formats_are_scanned_as_one_log(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 500)
    monkeypatch.setattr(pieces, "STREAM_PIECE_BYTES", 500)
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", 0)
    files = {str(tmp_path / name): format for name, format in FORMATS.items()}
    for file, format in files.items():
        Path(file).write_bytes(format.sample * 9)
    mixed = mix_formats(files)
    fields = [*mixed.columns, "target", "referer_host"]
    task: Task[Any] = Task(mixed, fields, _texts)
    found: dict[str, list[Any]] = {file: [] for file in files}
    for result in scan(list(files), task, jobs=jobs):
        assert result.rejected == []
        found[result.file] += [row for output in result.outputs for row in output]
    for file, format in files.items():
        own = values_as_texts(format, fields, format.sample * 9)
        assert found[file] == own


def _texts(table: Any) -> list[Any]:
    return list(zip(*(table.column(field) for field in [*table.format.columns, "target", "referer_host"]), strict=True))


def values_as_texts(format: Format, fields: list[str], data: bytes) -> list[Any]:
    columns = []
    for field in fields:
        known = [field] if field in format.fields and (field != "host" or field in format.columns) else []
        each = list(tables(io.BytesIO(data), format, columns=known))
        columns.append([value for table in each for value in (table.column(field) if known else [None] * table.parsed)])
    return list(zip(*columns, strict=True))
