"""W3C logs: fields of every shape, directives that change the layout, and both ways to parse a layout."""

import io
import json
import pickle
import sys
from itertools import chain
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import split
from urisect.logs import Rejected, Skipped, Table, records, tables
from urisect.logs.formats import w3c_layouts
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.w3c import COLUMN_MEANINGS, W3C, W3C_FIELDS

COMPONENTS = split("")._fields
IIS = b"#Software: Microsoft Internet Information Services 10.0\n"


def read(data: bytes, *columns: str, size: int = 1 << 16, limit: int = sys.maxsize) -> list[Table]:
    return list(tables(io.BytesIO(data), W3C, columns=columns or W3C.columns, size=size, limit=limit))


def rows(data: bytes, *columns: str, size: int = 1 << 16) -> list[tuple[Any, ...]]:
    return [
        row
        for table in read(data, *columns, size=size)
        for row in zip(*map(table.column, columns), strict=True)
    ]  # fmt: skip


def outcome(data: bytes, size: int = 1 << 16, limit: int = sys.maxsize) -> tuple[Any, ...]:
    """Columns, rejected lines, skipped lines and the number of lines, of all blocks together."""
    found = read(data, *W3C.fields, size=size, limit=limit)
    line = 0
    rejected, skipped = [], []
    for table in found:
        rejected += table.rejected
        skipped += table.skipped
        line += table.lines
    columns = {name: list(chain.from_iterable(table.column(name) for table in found)) for name in W3C.fields}
    return columns, rejected, skipped, line


# The names after "#Fields: ", an entry, and its values; all others are undefined.
ENTRIES: list[tuple[bytes, bytes, dict[str, bytes | None]]] = [
    # white space
    (b"c-ip sc-status", b"192.0.2.7\t \t200", {"client": b"192.0.2.7", "status": b"200"}),
    (b"c-ip sc-status ", b"192.0.2.7 200 \t", {"client": b"192.0.2.7", "status": b"200"}),
    (b"c-ip\tsc-status\r", b"192.0.2.7\t200\r", {"client": b"192.0.2.7", "status": b"200"}),
    (b"c-ip", b"\xef\xbb\xbf192.0.2.7", {"client": b"192.0.2.7"}),
    (b"cs(Cookie)", b"\r\x0b\x00\xff", {"cookie": b"\r\x0b\x00\xff"}),
    # names
    (b"C-IP CS(user-agent)", b"192.0.2.7 Lynx", {"client": b"192.0.2.7", "agent": b"Lynx"}),
    # dates and times
    (b"date time", b"1996-11-10 13:55:36", {"time": b"1996-11-10 13:55:36"}),
    (b"date time", b"1996-11-10\t13:55", {"time": b"1996-11-10\t13:55"}),
    (b"time date", b"13:55:36 1996-11-10", {"time": b"1996-11-10 13:55:36"}),
    (b"date c-ip time", b"1996-11-10 h 13:55:36.25", {"time": b"1996-11-10 13:55:36.25", "client": b"h"}),
    (b"date time c-ip", b"- 13:55:36 h", {"client": b"h"}),
    (b"date time c-ip", b"1996-11-10 - h", {"client": b"h"}),
    (b"date time c-ip", b"- - h", {"client": b"h"}),
    (b"date c-ip time", b"- h 13:55:36", {"client": b"h"}),
    (b"time date", b"- 1996-11-10", {}),
    (b"time", b"whenever", {"extra": b'{"time":"whenever"}'}),
    (b"date", b"1996-11-10", {"extra": b'{"date":"1996-11-10"}'}),
    (b"date time date", b"1996-11-10 13:55 x", {"time": b"1996-11-10 13:55", "extra": b'{"date":"x"}'}),
    # numbers
    (b"sc-status s-port", b"- -", {}),
    (b"sc-status sc-bytes", b"0 007", {"status": b"0", "bytes_sent": b"007"}),
    (b"time-taken", b"250", {"duration": b"250"}),
    # strings
    (b"cs(User-Agent) c-ip", b'"Lynx 2.6 ""beta""" h', {"agent": b'Lynx 2.6 "beta"', "client": b"h"}),
    (b"cs(User-Agent)", b'""', {"agent": b""}),
    (b"cs(User-Agent)", b'"-"', {"agent": b"-"}),
    (b"cs(User-Agent)", b"-x", {"agent": b"-x"}),
    (b"cs(User-Agent)", b'"Lynx', {"agent": b'"Lynx'}),
    (b"cs(User-Agent)", b'"Lynx"x"', {"agent": b'"Lynx"x"'}),
    (b"cs(User-Agent)", b'Lynx"2.6"', {"agent": b'Lynx"2.6"'}),
    (b"cs(User-Agent)", b'"""', {"agent": b'"""'}),
    (b"x-a c-ip", b'"a ""b""\t\\" h', {"client": b"h", "extra": rb'{"x-a":"a \"b\"\t\\"}'}),
    # URIs
    (b"cs-uri-stem cs-uri-query", b"/a?b#c d=e", {"target_path": b"/a?b#c", "target_query": b"d=e"}),
    (
        b"cs-uri",
        b"http://u@h:80/a?b#c",
        {
            "target_scheme": b"http",
            "target_authority": b"u@h:80",
            "target_path": b"/a",
            "target_query": b"b",
            "target_fragment": b"c",
        },
    ),
    (b"cs-uri", b'"/a b?c ""d"""', {"target_path": b"/a b", "target_query": b'c "d"'}),
    (b"cs-uri", b'""', {"target_path": b""}),
    (b"cs-uri", b'"/a"b', {"target_path": b'"/a"b'}),
    (b"cs-uri", b'a:"b"', {"target_scheme": b"a", "target_path": b'"b"'}),
    (b"cs-uri", b"-", {}),
    (b"cs-method cs-uri", b"CONNECT h:443", {"method": b"CONNECT", "target_authority": b"h:443", "target_path": b""}),
    (b"cs-uri cs-method", b'"h:443" CONNECT', {"method": b"CONNECT", "target_authority": b"h:443", "target_path": b""}),
    (b"cs-method cs-uri", b"GET h:CONNECT", {"method": b"GET", "target_scheme": b"h", "target_path": b"CONNECT"}),
    (b"cs-uri", b"CONNECT:443", {"target_scheme": b"CONNECT", "target_path": b"443"}),
    (b"cs(Referer)", b"-//h/p?", {"referer_path": b"-//h/p", "referer_query": b""}),
    (
        b"cs(Referer)",
        b'"http://h/a b"',
        {"referer_scheme": b"http", "referer_authority": b"h", "referer_path": b"/a b"},
    ),
    # duplicate and unknown fields
    (b"c-ip c-dns c-ip", b"192.0.2.7 h -", {"client": b"192.0.2.7", "extra": b'{"c-dns":"h"}'}),
    (b"cs-uri-stem cs-uri", b"/a /b?c", {"target_path": b"/a", "extra": b'{"cs-uri":"/b?c"}'}),
    (b"cs-uri cs-uri-query", b"/a?b c", {"target_path": b"/a", "target_query": b"b", "extra": b'{"cs-uri-query":"c"}'}),
    (b"X-A x-a", b"1 2", {"extra": b'{"X-A":"1","x-a":"2"}'}),
    (b"x-a x-a", b"1 2", {"extra": b'{"x-a":"1","x-a":"2"}'}),
    (b"x-a x-b", b"- -", {}),
    (
        b'x-\xc3\xa9" x-\xff',
        b"\xc3\xa9 \xff\x01",
        {"extra": b'{"x-\xc3\xa9\\"":"\xc3\xa9","x-\\udcff":"\\udcff\\u0001"}'},
    ),
]


@pytest.mark.parametrize(("fields", "entry", "expected"), ENTRIES)
@pytest.mark.parametrize("compile_after", [0, sys.maxsize], ids=["at once", "one by one"])
def test_entries(
    fields: bytes, entry: bytes, expected: dict[str, bytes | None], compile_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(w3c_layouts, "COMPILE_AFTER_BYTES_PER_FIELD", compile_after)
    names = (*W3C.columns, "extra")
    [table] = read(b"#Fields: " + fields + b"\n" + entry + b"\n", *names)
    assert table.rejected == []
    assert {name: column for name in names if (column := table.column(name)) != [None]} == {
        name: [value] for name, value in expected.items()
    }


# The same for servers of Microsoft, where quotes are data, and white space except the separator.
OF_MICROSOFT: list[tuple[bytes, bytes, dict[str, bytes]]] = [
    (b"cs(User-Agent) c-ip", b'"Lynx 192.0.2.7"', {"agent": b'"Lynx', "client": b'192.0.2.7"'}),
    (b"cs(User-Agent) c-ip", b"Lynx\t2.6 192.0.2.7 ", {"agent": b"Lynx\t2.6", "client": b"192.0.2.7"}),
    (b"cs(User-Agent)", b'"Lynx"', {"agent": b'"Lynx"'}),
    (b"cs(Referer)", b'"http://h/"', {"referer_scheme": b'"http', "referer_authority": b"h", "referer_path": b'/"'}),
    (b"cs(User-Agent)\tc-ip", b"Lynx 2.6\t192.0.2.7", {"agent": b"Lynx 2.6", "client": b"192.0.2.7"}),
    (b"date time", b"1996-11-10 13:55:36", {"time": b"1996-11-10 13:55:36"}),
]


@pytest.mark.parametrize(("fields", "entry", "expected"), OF_MICROSOFT)
@pytest.mark.parametrize("compile_after", [0, sys.maxsize], ids=["at once", "one by one"])
def test_microsoft_logs_have_no_strings(
    fields: bytes, entry: bytes, expected: dict[str, bytes], compile_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(w3c_layouts, "COMPILE_AFTER_BYTES_PER_FIELD", compile_after)
    [table] = read(IIS + b"#Fields: " + fields + b"\n" + entry + b"\n")
    assert {name: column[0] for name, column in table.columns.items() if column != [None]} == expected


# Fields, an entry, and the defined values.
OTHER_FIELDS: list[tuple[bytes, bytes, dict[str, bytes]]] = [
    (b"date time", b'"1996-11-10" "13:55:36"', {"time": b"1996-11-10 13:55:36"}),
    (b"date time", b'"1996-11-10" -', {}),
    (b"date time", b'- "13:55:36"', {}),
    (b"date c-ip time", b'"1996-11-10" h "13:55:36.5"', {"time": b"1996-11-10 13:55:36.5", "client": b"h"}),
    (b"date time c-ip", b"1996-11-10 13:55:36 h", {"time": b"1996-11-10 13:55:36", "client": b"h"}),
    (b"date-local time-local", b"1996-11-10 13:55:36.123", {"time": b"1996-11-10 13:55:36.123"}),
    (b"date-utc time-utc date-local time-local", b"1996-11-10 20:55:36 x 13:55:36", {"time": b"1996-11-10 20:55:36"}),
    (b"date-local time-local date time", b"x y 1996-11-10 20:55:36", {"time": b"1996-11-10 20:55:36"}),
    (b"date time-local", b"1996-11-10 13:55:36", {}),
    (b"TimeTakenMS c-status", b"15 404", {"duration": b"15", "status": b"404"}),
    (b"s-contentpath cs-version", b'"C:\\a b.htm" HTTP/1.1', {"file": b"C:\\a b.htm", "protocol": b"HTTP/1.1"}),
    (
        b"c-ip\tc-agent\tcs-referred\tr-ip\tcs-mime-type\ts-object-source\ts-operation\tcs-protocol",
        b"h\tLynx/2.6\thttp://example.com/\t192.0.2.7\ttext/html\tCache\tGET\thttp",
        {
            "client": b"h",
            "agent": b"Lynx/2.6",
            "referer_scheme": b"http",
            "referer_authority": b"example.com",
            "referer_path": b"/",
            "upstream": b"192.0.2.7",
            "media_type": b"text/html",
            "cache": b"Cache",
            "method": b"GET",
            "scheme": b"http",
        },
    ),
    (
        b"rs-status sr-bytes rs-bytes s-supplier-name x-cs-connection-negotiated-cipher",
        b"200 512 2326 example.net ECDHE-RSA-AES128-SHA",
        {
            "upstream_status": b"200",
            "upstream_size_sent": b"512",
            "upstream_size_received": b"2326",
            "upstream": b"example.net",
            "tls_cipher": b"ECDHE-RSA-AES128-SHA",
        },
    ),
]


@pytest.mark.parametrize(("fields", "entry", "expected"), OTHER_FIELDS)
@pytest.mark.parametrize("compile_after", [0, sys.maxsize], ids=["at once", "one by one"])
def test_fields_of_other_servers(
    fields: bytes, entry: bytes, expected: dict[str, bytes], compile_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(w3c_layouts, "COMPILE_AFTER_BYTES_PER_FIELD", compile_after)
    [table] = read(b"#Software: IIS Advanced Logging Module\n#Fields: " + fields + b"\n" + entry + b"\n")
    assert table.rejected == []
    assert {name: column[0] for name, column in table.columns.items() if column != [None]} == expected


def test_quoted_and_other_times_in_the_same_file() -> None:
    log = b'#Fields: date time\n"1996-11-10" "13:55:36"\n1996-11-10 13:55:37\n- -\n'
    [table] = read(log)
    assert table.values("time") == [847634136_000000, 847634137_000000, None]


def test_a_status_of_zero_is_undefined() -> None:
    [table] = read(b"#Fields: sc-status rs-status\n0 000\n200 12202\n")
    assert table.column("status") == [b"0", b"200"]
    assert (table.values("status"), table.values("upstream_status")) == ([None, 200], [None, 12202])


REJECTED = [
    (b"c-ip sc-status", b"h"),
    (b"c-ip sc-status", b"h "),
    (b"c-ip sc-status", b" h 200"),
    (b"c-ip sc-status", b"h 200 x"),
    (b"c-ip sc-status", b"h 200x"),
    (b"c-ip sc-status", b"h -200"),
    (b"c-ip sc-status", b"h 9999999999999999999"),
    (b"c-ip sc-status", b'h "200"'),
    (b"cs(Referer) c-ip", b"h"),
    (b"date time", b"1996-11-10T13:55:36"),
    (b"date time", b"1996-11-10 25:55:36"),
    (b"date time", b"1996-13-10 13:55:36"),
    (b"date time", b"13:55:36 1996-11-10"),
    (b"date time", b"whenever -"),
    (b"date time", b"- whenever"),
    (b"time c-ip date", b"13:55:36 h whenever"),
    (b"s-port", b"123456"),
    (b"time-taken", b"-1"),
    (b"", b"h"),
    (b" ".join([b"x"] * 257), b" ".join([b"x"] * 257)),
]


@pytest.mark.parametrize(("fields", "entry"), REJECTED)
@pytest.mark.parametrize("software", [b"", IIS], ids=["draft", "Microsoft"])
@pytest.mark.parametrize("compile_after", [0, sys.maxsize], ids=["at once", "one by one"])
def test_entries_that_do_not_match_the_fields_are_rejected(
    fields: bytes, entry: bytes, software: bytes, compile_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(w3c_layouts, "COMPILE_AFTER_BYTES_PER_FIELD", compile_after)
    before = software + b"#Fields: " + fields + b"\n"
    assert outcome(before + entry + b"\n")[1] == [Rejected(before.count(b"\n") + 1, len(before), entry)]


def test_the_maximum_number_of_fields() -> None:
    names = [f"x{at}" for at in range(256)]
    line = " ".join(names).encode()
    [(extra,)] = rows(b"#Fields: " + line + b"\n" + line, "extra")
    assert json.loads(extra) == dict(zip(names, names, strict=True))


def test_entries_before_any_fields_are_rejected() -> None:
    assert outcome(b"#Version: 1.0\n192.0.2.7\n#Fields: c-ip\n192.0.2.7\n")[1] == [Rejected(2, 14, b"192.0.2.7")]


CHANGING = b"""\
192.0.2.0
#Version: 1.0
#Date: 1996-11-10 13:55:36
#fields: time c-ip
13:55:36 192.0.2.1
#Remark: nothing
#Date:1996-11-11
13:55:37 192.0.2.2
#FIELDS:c-ip time x-a
192.0.2.3 13:55:38 "a b"
#Software: Microsoft HTTP API 2.0\r
192.0.2.4 13:55:39 "a\r
\xef\xbb\xbf#Fields: date time c-ip\r
1996-11-12 13:55:40 192.0.2.5\r
#Date: today
1996-11-12 13:55:41 192.0.2.6
#Fields: time c-ip
13:55:42 192.0.2.7
#Fields: c-ip\r
192.0.2.8\r\
"""
CHANGED = [
    (b"192.0.2.1", b"1996-11-10 13:55:36", None),
    (b"192.0.2.2", b"1996-11-11 13:55:37", None),
    (b"192.0.2.3", b"1996-11-11 13:55:38", b'{"x-a":"a b"}'),
    (b"192.0.2.4", b"1996-11-11 13:55:39", rb'{"x-a":"\"a"}'),
    (b"192.0.2.5", b"1996-11-12 13:55:40", None),
    (b"192.0.2.6", b"1996-11-12 13:55:41", None),
    (b"192.0.2.7", None, b'{"time":"13:55:42"}'),
    (b"192.0.2.8\r", None, None),
]


@pytest.mark.parametrize("size", [1, 7, 30, 100, 1 << 16])
def test_directives_change_later_lines_wherever_blocks_end(size: int) -> None:
    assert rows(CHANGING, "client", "time", "extra", size=size) == CHANGED
    columns, rejected, skipped, lines = outcome(CHANGING, size)
    assert (columns, rejected, skipped, lines) == outcome(CHANGING)
    assert [reject.line for reject in rejected] == [1]
    assert [skip.line for skip in skipped] == [2, 3, 4, 6, 7, 9, 11, 13, 15, 17, 19]
    assert lines == 20


def test_directives_are_skipped_with_offset_and_length() -> None:
    data = b"\xef\xbb\xbf#Fields: c-ip\r\nh\n#\n # h\n"
    assert outcome(data)[2] == [Skipped(1, 0, 16, "directive"), Skipped(3, 20, 1, "directive")]
    assert outcome(data)[1] == [Rejected(4, 22, b" # h")]


def test_the_header_has_the_directives_in_force() -> None:
    header = W3C.header(IIS + b"#Fields:  date\tc-ip \r\nx\n#Date: 1996-11-10 13:55:36\n", b"")
    assert header == b"#Software: Microsoft\n#Fields: date\tc-ip\n#Date: 1996-11-10\n"
    assert W3C.header(b"h\n#Remark\nthe #Fields: x\n", header) == header
    assert W3C.header(b"#Date: \n#Software:\n#Fields: " + b"x " * 257, header) == b"#Software: \n#Fields: \n#Date: \n"


def test_typed_values() -> None:
    log = b"#Fields: date time time-taken sc-bytes\n1996-11-10 13:55 250 7\n1996-11-10\t13:55:36.5 0.25 -\n- - - 8\n"
    [table] = read(log)
    assert table.values("time") == [847634100_000000, 847634136_500000, None]
    assert table.values("duration") == [0.25, 0.25, None]
    assert table.values("bytes_sent") == [7, None, 8]
    assert read(b"#Fields: date time\n1996-02-31 13:55:36.\n1996-11-10 13:55:36.\n")[0].values("time") == [
        None,
        847634136_000000,
    ]


def test_records_of_the_sample() -> None:
    first, second = records(io.BytesIO(W3C.sample), W3C, columns=["client", "referer", "target", "duration", "extra"])
    assert first == {
        "client": b"198.51.100.7",
        "referer": b"https://www.example.com/",
        "target": b"/a/b?c=d",
        "duration": 0.015,
        "extra": None,
    }
    assert (second["client"], second["target"], second["referer"]) == (b"2001:db8::7", b"/a+b.htm", None)


@pytest.mark.parametrize("columns", [["status"], ["extra"], ["referer"], ["target_host"], ["time"], []])
def test_rejected_lines_do_not_depend_on_the_requested_columns(columns: list[str]) -> None:
    log = (
        b"#Fields: cs-method cs-uri cs(Referer) x-a sc-status date time\nCONNECT h:1 /a b 200 - -\nGET /a /b c d - -\n"
    )
    found = list(tables(io.BytesIO(log), W3C, columns=columns))
    assert [(table.parsed, len(table.rejected), len(table.skipped)) for table in found] == [(1, 1, 1)]
    assert {len(found[0].column(name)) for name in columns} <= {1}


def test_unknown_fields_are_key_errors() -> None:
    with pytest.raises(KeyError, match=r"no field is called 'x-a'; there are time, .*, extra"):
        read(b"", "x-a")
    assert "extra" not in W3C.columns
    assert "extra" in W3C.fields


def test_every_column_has_one_meaning() -> None:
    for name in W3C.columns:
        assert (name in COLUMNS) is not (name in COLUMN_MEANINGS)
    for name, notation in W3C.notations.items():
        assert name not in COLUMNS or COLUMNS[name].kind is notation.kind


def test_a_format_can_be_pickled() -> None:
    copy = pickle.loads(pickle.dumps(W3C))  # noqa: S301  it is ours
    assert copy.columns == W3C.columns
    assert [table.columns for table in tables(io.BytesIO(CHANGING), copy)] == [
        table.columns for table in tables(io.BytesIO(CHANGING), W3C)
    ]


names = st.sampled_from([*map(str.encode, W3C_FIELDS), b"x-a", b"X-B"])
values = st.sampled_from(
    [
        b"-",
        b"/a?b",
        b"http://h/#f",
        b'"a b"',
        b'""',
        b"192.0.2.7",
        b"1996-11-10",
        b"13:55:36",
        b"200",
        b"0.5",
        b"CONNECT",
    ]
)
spaces = st.sampled_from([b" ", b"\t", b"  "])
lines = (
    st.builds(lambda names, space: b"#Fields:" + space + space.join(names), st.lists(names, max_size=4), spaces)
    | st.builds(lambda values, space: space.join(values), st.lists(values, max_size=4), spaces)
    | st.sampled_from(
        [IIS[:-1], b"#Software: other", b"#Date: 1996-11-09", b"#Date:", b"#Remark: -", b"\xef\xbb\xbf#Fields: c-ip"]
    )
    | naive.octets
)
logs = st.lists(lines, max_size=20).map(b"\n".join) | st.lists(lines, max_size=20).map(b"\r\n".join)


@given(data=logs, size=st.integers(1, 100))
@example(data=b"\n", size=1)
@example(data=b"\r", size=1)
@example(data=b"#Fields: c-ip\r\nb\r", size=2)
def test_every_line_is_counted_wherever_blocks_end(data: bytes, size: int) -> None:
    columns, rejected, skipped, count = outcome(data)
    texts = naive.lines(data)
    assert count == len(texts)
    parsed = count - len(rejected) - len(skipped)
    assert {len(column) for column in columns.values()} <= {parsed}
    assert [reject.text for reject in rejected] == [texts[reject.line - 1] for reject in rejected]
    plain = [text.removeprefix(b"\xef\xbb\xbf") for text in texts]
    of_directives = [line for line, text in enumerate(plain, 1) if text.startswith(b"#")]
    assert [skip.line for skip in skipped if skip.reason == "directive"] == of_directives
    assert {skip.line for skip in skipped} - {*of_directives} <= {
        line for line, text in enumerate(plain, 1) if not text.strip()
    }
    assert outcome(data, size) == (columns, rejected, skipped, count)


@given(logs)
def test_whole_lines_and_single_fields_are_parsed_alike(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(w3c_layouts, "COMPILE_AFTER_BYTES_PER_FIELD", 0)
        at_once = outcome(data)
        patch.setattr(w3c_layouts, "COMPILE_AFTER_BYTES_PER_FIELD", sys.maxsize)
        assert outcome(data) == at_once


octets = st.binary().map(lambda value: value.translate(None, b"\r\n"))


@given(st.lists(octets, min_size=1, max_size=3))
def test_strings_survive_a_round_trip(values: list[bytes]) -> None:
    fields = b" ".join([b"x-a", b"cs(User-Agent)", b"cs(Cookie)"][: len(values)])
    entry = b" ".join(b'"%b"' % value.replace(b'"', b'""') for value in values)
    [(extra, *found)] = rows(b"#Fields: " + fields + b"\n" + entry, "extra", "agent", "cookie")
    assert json.loads(extra)["x-a"].encode("utf-8", "surrogateescape") == values[0]
    assert [*filter(lambda value: value is not None, found)] == values[1:]


bare = octets.map(lambda value: value.translate(None, b" ")).filter(lambda value: value not in (b"", b"-"))


@given(st.lists(bare, min_size=5, max_size=5))
def test_iis_values_survive_a_round_trip(values: list[bytes]) -> None:
    header = IIS + b"#Fields: c-ip s-sitename cs-uri-stem cs-uri-query cs-username cs(Cookie)\n"
    columns = ("site", "target_path", "target_query", "user", "cookie")
    assert rows(header + b" ".join([b"h", *values]) + b"\n", *columns) == [tuple(values)]


@given(bare)
def test_uris_are_split_like_split(uri: bytes) -> None:
    log = IIS + b"#Fields: c-ip cs(Referer) cs-uri\nh %b %b\n" % (uri, uri)
    for prefix in ("referer_", "target_"):
        assert rows(log, *(prefix + name for name in COMPONENTS)) == [split(uri)]
    assert rows(log, "target", "referer") == [(uri, uri)]
    quoted = uri.replace(b'"', b'""')
    log = b'#Fields: cs(Referer) cs-uri\n"%b" "%b"\n' % (quoted, quoted)
    for prefix in ("referer_", "target_"):
        assert rows(log, *(prefix + name for name in COMPONENTS)) == [split(uri)]
    assert rows(log, "target", "referer") == [(uri, uri)]


def test_fields_that_change_with_each_line() -> None:
    entries = [b"#Fields: x%d c-ip\nh%d h\n" % (number, number) for number in range(3000)]
    found = rows(b"".join(entries), "client", "extra")
    assert found == [(b"h", b'{"x%d":"h%d"}' % (number, number)) for number in range(3000)]


# Lines, and whether each is an entry of two fields: for a server of Microsoft, and by the draft.
LONG_LINES = [
    (b"h " + b"a" * sizes.LONG, 1, 1),
    (b"h " * (sizes.LONG // 2), 0, 0),
    (b'"' * sizes.LONG + b" h", 1, 1),
    (b'h "' + b'""' * (sizes.LONG // 2), 1, 1),
    (b'"x ' * (sizes.LONG // 3), 0, 0),
    (b"h" + b" \t" * (sizes.LONG // 2), 0, 0),
    (b"h " + b":/?#" * (sizes.LONG // 4), 1, 1),
    (b"#Fields: " + b"x " * (sizes.LONG // 2), 0, 0),
    (b"#" * sizes.LONG, 0, 0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("line", "parsed", "draft"), LONG_LINES)
@pytest.mark.parametrize("software", [b"", IIS], ids=["draft", "Microsoft"])
def test_long_lines(line: bytes, parsed: int, draft: int, software: bytes) -> None:
    [table] = read(software + b"#Fields: x-a cs-uri\n" + line + b"\n", "target", "extra", size=2 * sizes.LONG)
    assert table.lines == software.count(b"\n") + 2
    assert table.parsed == (parsed if software else draft)
