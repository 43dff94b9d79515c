"""Public functions of `urisect.logs` on access logs: each line is parsed or rejected, and split as by `split`."""

import gzip
import io
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.corpora import access_log
from tests.support import naive
from tests.support.compressed import pipe
from tests.support.targets import split_target
from urisect import split
from urisect.logs import COMBINED, COMMON, FORMATS, LIST, Format, Rejected, Table, decompressed, records, tables
from urisect.logs.formats.notation import EPOCH, MICROSECOND, ValueKind
from urisect.logs.input.decompression import detect_compression
from urisect.text_types import Stream

GZIP_MAGIC = b"\x1f\x8b"
BEFORE = b"192.0.2.7 - frank [10/Nov/1996:13:55:36 -0700] "
AFTER = b' 200 2326 "http://example.com/start?q#f" "Lynx/2.6"'

# Content of the quoted request, each with method, target, protocol, the text if it is not a request line, and the
# components of the target.
REQUESTS: dict[bytes, tuple[bytes | None, ...]] = {
    b"GET /a/b?c HTTP/1.1": (b"GET", b"/a/b?c", b"HTTP/1.1", None, None, None, b"/a/b", b"c", None),
    b"GET / HTTP/2.0": (b"GET", b"/", b"HTTP/2.0", None, None, None, b"/", None, None),
    b"GET http://u@h:80/x#y HTTP/1.0": (
        *(b"GET", b"http://u@h:80/x#y", b"HTTP/1.0", None),
        *(b"http", b"u@h:80", b"/x", None, b"y"),
    ),
    b"CONNECT h:443 HTTP/1.1": (b"CONNECT", b"h:443", b"HTTP/1.1", None, None, b"h:443", b"", None, None),
    b"CONNECT [::1]:443 HTTP/1.1": (b"CONNECT", b"[::1]:443", b"HTTP/1.1", None, None, b"[::1]:443", b"", None, None),
    b"CONNECT http://h/ HTTP/1.1": (b"CONNECT", b"http://h/", b"HTTP/1.1", None, b"http", b"h", b"/", None, None),
    b"CONNECTED h:443 HTTP/1.1": (b"CONNECTED", b"h:443", b"HTTP/1.1", None, b"h", None, b"443", None, None),
    b"OPTIONS * HTTP/1.1": (b"OPTIONS", b"*", b"HTTP/1.1", None, None, None, b"*", None, None),
    b"GET /old": (b"GET", b"/old", None, None, None, None, b"/old", None, None),
    b"GET //h/p HTTP/1.1": (b"GET", b"//h/p", b"HTTP/1.1", None, None, None, b"//h/p", None, None),
    b"GET  HTTP/1.1": (b"GET", b"", b"HTTP/1.1", None, None, None, b"", None, None),
    b"GET /a b c HTTP/1.1": (b"GET", b"/a b c", b"HTTP/1.1", None, None, None, b"/a b c", None, None),
    b"GET /a HTTP/1.1 HTTP/1.1": (b"GET", b"/a HTTP/1.1", b"HTTP/1.1", None, None, None, b"/a HTTP/1.1", None, None),
    b"GET /a HTTP/x": (b"GET", b"/a HTTP/x", None, None, None, None, b"/a HTTP/x", None, None),
    rb"GET /\"q\"?\\ HTTP/1.1": (b"GET", rb"/\"q\"?\\", b"HTTP/1.1", None, None, None, rb"/\"q\"", rb"\\", None),
    rb"GET /\x22q\x22#f HTTP/1.1": (
        b"GET",
        rb"/\x22q\x22#f",
        b"HTTP/1.1",
        None,
        None,
        None,
        rb"/\x22q\x22",
        None,
        b"f",
    ),
    rb"GET /\"": (b"GET", rb"/\"", None, None, None, None, rb"/\"", None, None),
    b"GET /\xff\x00\x1b HTTP/1.1": (
        b"GET",
        b"/\xff\x00\x1b",
        b"HTTP/1.1",
        None,
        None,
        None,
        b"/\xff\x00\x1b",
        None,
        None,
    ),
    rb"\x16\x03\x01\x02\x00 \x01": (None, None, None, rb"\x16\x03\x01\x02\x00 \x01", None, None, None, None, None),
    b"\x16\x03\x01": (None, None, None, b"\x16\x03\x01", None, None, None, None, None),
    b"GET": (None, None, None, b"GET", None, None, None, None, None),
    rb"\"": (None, None, None, rb"\"", None, None, None, None, None),
    b"": (None, None, None, b"", None, None, None, None, None),
    b"-": (None, None, None, None, None, None, None, None, None),
}
REQUEST_FIELDS = ("method", "target", "protocol", "request", *(f"target_{name}" for name in split("")._fields))

# Lines that do not match the Combined format.
NO_LINES = [
    b"nonsense",
    b"192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] ",
    BEFORE + b'"GET / HTTP/1.1" 200 2326',
    BEFORE + b'"GET / HTTP/1.1" 20 2326 "-" "-"',
    BEFORE + b'"GET / HTTP/1.1" 200 2326 "-" "-" more',
    BEFORE + b'"GET / HTTP/1.1" 200 2326 "-" "-',
    BEFORE + b'"GET /"q" HTTP/1.1" 200 2326 "-" "-"',
    BEFORE + b'"GET / HTTP/1.1" 200 99999999999999999999 "-" "-"',
    b" " + BEFORE + b'"GET / HTTP/1.1" 200 2326 "-" "-"',
    b'h -  [10/Nov/1996:13:55:36 -0700] "GET / HTTP/1.1" 200 2326 "-" "-"',
    b'h - - [10/Nov/1996:13:55:36 +9999] "GET / HTTP/1.1" 200 2326 "-" "-"',
    b'h - - [10/Nov/1996:13:55:36 +2400] "GET / HTTP/1.1" 200 2326 "-" "-"',
]


def read(data: bytes, format: Format = COMBINED) -> list[Table]:
    return list(tables(io.BytesIO(data), format))


def rows(data: bytes, *fields: str, format: Format = COMBINED) -> list[tuple[bytes | None, ...]]:
    return [row for table in read(data, format) for row in zip(*map(table.column, fields), strict=True)]


@pytest.mark.parametrize(("request_line", "expected"), REQUESTS.items())
def test_request_lines_are_parsed(request_line: bytes, expected: tuple[bytes | None, ...]) -> None:
    line = BEFORE + b'"' + request_line + b'"' + AFTER
    assert rows(line, *REQUEST_FIELDS) == [expected]
    assert rows(line, "client", "identity", "user", "time", "status", "bytes", "agent") == [
        (b"192.0.2.7", None, b"frank", b"10/Nov/1996:13:55:36 -0700", b"200", b"2326", b"Lynx/2.6")
    ]
    assert rows(line, *(f"referer_{name}" for name in split("")._fields)) == [split(b"http://example.com/start?q#f")]
    common = line[: line.index(b"2326") + 4]
    assert rows(common, *REQUEST_FIELDS, format=COMMON) == [expected]


@pytest.mark.parametrize(
    "referer", [b"", b"a b", rb"http://h/\"q\"?a=\\#\"", rb"http://h\x22/", b"android-app://x", b"\xff"]
)
def test_referers_are_split_as_split_does(referer: bytes) -> None:
    line = BEFORE + b'"GET / HTTP/1.1" 304 - "' + referer + b'" "-"'
    assert rows(line, *(f"referer_{name}" for name in split("")._fields)) == [split(referer)]
    assert rows(line, "referer", "bytes", "agent") == [(referer, None, None)]


def test_a_hyphen_is_undefined_and_a_user_may_contain_spaces() -> None:
    fields = ("identity", "user", "status", "bytes", "referer", "referer_path", "referer_host", "agent")
    assert rows(b'h - - [10/Nov/1996:13:55:36 -0700] "-" - - "-" "-"', *fields) == [(None,) * 8]
    assert rows(b'h i John A. Doe [10/Nov/1996:13:55:36 -0700] "-" 200 0 "-" "-x"', *fields) == [
        (b"i", b"John A. Doe", b"200", b"0", None, None, None, b"-x")
    ]
    assert rows(b'h - -x [10/Nov/1996:13:55:36 -0700] "-" 200 0 "-x" "-"', "user", "referer_path") == [(b"-x", b"-x")]


def test_subcomponents_of_authorities_are_fields() -> None:
    line = BEFORE + b'"GET http://u:p@h:80/ HTTP/1.1" 200 1 "http://[::1]/" "-"'
    fields = ("target_userinfo", "target_host", "target_port", "referer_userinfo", "referer_host", "referer_port")
    assert rows(line, *fields) == [(b"u:p", b"h", b"80", None, b"[::1]", None)]
    assert rows(b"//\nx:\n", "host", "userinfo", "port", format=LIST) == [(b"", None, None), (None, None, None)]


@pytest.mark.parametrize("field", ["", "target_", "target_text_", "host", "target_reference", "nothing"])
def test_an_unknown_field_is_a_key_error(field: str) -> None:
    assert field not in COMBINED.fields
    with pytest.raises(KeyError, match=f"no field is called {field!r}; there are client, "):
        read(BEFORE + b'"-"' + AFTER)[0].column(field)


@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda format: format.name)
def test_every_field_of_a_sample_has_a_column(format: Format) -> None:
    found = list(tables(io.BytesIO(format.sample), format, columns=format.fields))
    assert not any(table.rejected for table in found)
    for table in found:
        assert table.parsed > 0
        assert {len(table.column(field)) for field in format.fields} == {table.parsed}


@pytest.mark.parametrize("line", NO_LINES)
def test_lines_that_do_not_match_are_rejected(line: bytes) -> None:
    good = BEFORE + b'"GET / HTTP/1.1"' + AFTER + b"\r\n"
    [table] = read(good + line + b"\n" + good)
    assert table.parsed == 2
    assert table.rejected == [Rejected(2, len(good), line.removesuffix(b"\r"))]


log_lines = st.lists(
    st.sampled_from(access_log(300).splitlines()) | st.sampled_from(NO_LINES) | naive.octets,
    max_size=20,
).map(b"\n".join)


@given(data=log_lines, size=st.integers(1, 2000))
@example(data=b"\n", size=1)
@example(data=b"\r", size=1)
@example(data=b"a\r\nb", size=2)
def test_every_line_is_accounted_for_wherever_blocks_end(data: bytes, size: int) -> None:
    class Slow(io.BytesIO):
        def read1(self, _: int | None = -1, /) -> bytes:
            return super().read1(size)

    read_tables = list(tables(Slow(data), COMBINED))
    rejected = [reject for table in read_tables for reject in table.rejected]
    expected = naive.lines(data)
    skipped = [skip for table in read_tables for skip in table.skipped]
    assert [skip.line for skip in skipped] == [at for at, line in enumerate(expected, 1) if naive.is_blank(line)]
    assert sum(table.parsed for table in read_tables) + len(rejected) + len(skipped) == len(expected)
    numbers = {reject.line for reject in rejected} | {skip.line for skip in skipped}
    assert len(numbers) == len(rejected) + len(skipped)
    for number, offset, text in rejected:
        assert expected[number - 1] == text
        assert naive.lines(data[offset:])[0] == text
    parsed = [COMBINED.expression.fullmatch(line) for number, line in enumerate(expected, 1) if number not in numbers]
    clients = [client for table in read_tables for client in table.column("client")]
    assert clients == [match and match["client"] for match in parsed]
    assert all(match and match["rejected"] is None for match in parsed)


@given(naive.octets)
def test_a_list_rejects_nothing(data: bytes) -> None:
    assert rows(data, *LIST.columns, format=LIST) == [split(line) for line in naive.lines(data)]
    assert rows(data, "reference", format=LIST) == [(line,) for line in naive.lines(data)]
    assert not any(table.rejected for table in read(data, LIST))


target = st.text(st.characters(codec="ascii", exclude_characters='"\\\n\r')).map(str.encode)


@given(target)
def test_targets_are_split_as_split_does(text: bytes) -> None:
    line = BEFORE + b'"GET ' + text + b' HTTP/1.1"' + AFTER
    assert rows(line, "target", *(f"target_{name}" for name in split("")._fields)) == [(text, *split_target(text))]


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_records_are_the_rows_of_the_tables(format: Format) -> None:
    """The fields are in their order, and the values are those of `Table.values`, with times as datetime."""
    for fields in (format.columns, (*format.fields[::-3], format.fields[-1]), ()):
        rows: list[dict[str, object]] = []
        for table in tables(io.BytesIO(format.sample), format, columns=fields):
            columns = [
                [value if value is None else EPOCH + value * MICROSECOND for value in table.values(name)]  # type: ignore[operator]
                if format.kind(name) is ValueKind.TIME
                else table.values(name)
                for name in fields
            ]
            rows += [
                {name: column[row] for name, column in zip(fields, columns, strict=True)} for row in range(table.parsed)
            ]
        found = list(records(io.BytesIO(format.sample), format, columns=fields))
        assert [list(map(repr, row.items())) for row in found] == [list(map(repr, row.items())) for row in rows]


def test_records_may_be_kept_and_changed() -> None:
    log = io.BytesIO(COMMON.sample)
    first, second = records(log, "common", columns=["ip", "status", "ip"])
    assert list(first) == ["ip", "status"]
    first["ip"] = first["other"] = b""
    assert list(second) == ["ip", "status"]
    assert second["ip"] != b""


def test_records_are_dicts_with_numbers() -> None:
    rejected: list[Rejected] = []
    log = io.BytesIO(BEFORE + b'"GET /a?b HTTP/1.1" 200 007\nnonsense\n' + BEFORE + b'"-" - -\n')
    first, second = records(log, "common", reject=rejected.append)
    assert first == {
        "client": b"192.0.2.7",
        "identity": None,
        "user": b"frank",
        "time": datetime(1996, 11, 10, 20, 55, 36, tzinfo=UTC),
        "method": b"GET",
        "target_scheme": None,
        "target_authority": None,
        "target_path": b"/a",
        "target_query": b"b",
        "target_fragment": None,
        "protocol": b"HTTP/1.1",
        "request": None,
        "status": 200,
        "bytes": 7,
    }
    assert (second["status"], second["bytes"]) == (None, None)
    assert [reject.line for reject in rejected] == [2]
    assert list(records(io.BytesIO(b"nonsense"), COMMON)) == []


def test_an_unknown_format_is_an_error() -> None:
    with pytest.raises(ValueError, match="'pcap'; there are vhost-combined, combined, common, "):
        records(io.BytesIO(), "pcap")


def test_a_stream_of_text_is_refused() -> None:
    with pytest.raises(TypeError, match="not StringIO"):
        next(records(io.StringIO(), COMMON))  # type: ignore[arg-type]


def content(stream: Stream) -> bytes:
    return b"".join(iter(lambda: stream.read1(8192), b""))


@given(naive.octets)
@example(b"")
@example(b"\x1f")
@example(GZIP_MAGIC)
def test_gzip_is_recognized_by_its_first_bytes_and_other_data_is_unchanged(data: bytes) -> None:
    if detect_compression(data) is None:
        assert content(decompressed(pipe(data))) == data
    members = gzip.compress(data) + gzip.compress(data)
    assert content(decompressed(pipe(members))) == data * 2


def test_a_truncated_gzip_is_read_to_its_end_and_then_fails() -> None:
    data = access_log(3000)
    found: list[Table] = []
    with pytest.raises(OSError, match="ended before the end-of-stream marker"):
        found.extend(tables(decompressed(io.BytesIO(gzip.compress(data)[:-2000])), COMBINED))
    assert 1000 < sum(table.lines for table in found) < 3000
