"""Envelopes around lines: what they tell is in columns, and the lines inside are parsed as they are without them."""

import gzip
import io
import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.entries import microseconds
from urisect.logs import COMBINED, FORMATS, LIST, Format, Rejected, Skipped, Table, format_of, nginx, records, tables
from urisect.logs.formats import COLUMN_MEANINGS, enveloped
from urisect.logs.formats.enveloped import Envelope, EnvelopedFormat, enclose, lines_inside
from urisect.logs.formats.envelopes import (
    COLUMN_MEANINGS as ENVELOPE_MEANINGS,
)
from urisect.logs.formats.envelopes import ENVELOPES, LINE_MEMBERS, find_envelope, json_envelope, split_envelope
from urisect.logs.formats.json_lines import JSONFormat, json_lines
from urisect.logs.formats.w3c import W3C
from urisect.logs.scan import parallel, pieces
from urisect.logs.scan.parallel import scan
from urisect.logs.scan.task import Task

LINE = (
    b'192.0.2.7 - frank [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326 "http://example.com/" "Lynx/2.6"'
)
TIME = "1996-11-10T20:55:36.186641234Z"
INSTANT = "1996-11-10 20:55:36.186641+00:00"

MAIN = nginx(
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
)
CADDY = FORMATS["caddy"]
BUILT = json_lines("json:target=url,status=code")
BUILT_LINES = [b'{"url":"/a?b=\\u00e9","code":200}', b'{"url":"http://example.com/\\"","code":404}']

# Formats of the lines inside, each with some lines.
INNER: dict[str, tuple[Format, list[bytes]]] = {
    "combined": (COMBINED, [LINE, LINE.replace(b"frank", b"-"), b"nonsense", b""]),
    "main": (MAIN, [LINE, b"nonsense"]),
    "caddy": (CADDY, [*CADDY.sample.splitlines(), b"{}"]),
    "built": (BUILT, [*BUILT_LINES, b"{"]),
    "list": (LIST, [b"http://example.com/a?b", b"", b"/\xc3\xa9"]),
    "w3c": (W3C, [*W3C.sample.splitlines(), b"nonsense"]),
}
ALL = [*ENVELOPES.values(), json_envelope("event.original"), json_envelope('100%"')]

enveloped_in = pytest.mark.parametrize("envelope", ALL, ids=lambda envelope: envelope.name)


def rows(
    format: Format, data: bytes, size: int = 1 << 18
) -> tuple[list[tuple[Any, ...]], list[Rejected], list[Skipped]]:
    """Return the rows of all columns, the rejected and the skipped lines."""
    return collect(tables(io.BytesIO(data), format, size=size), format.columns)


def collect(
    found: Iterator[Table], columns: tuple[str, ...]
) -> tuple[list[tuple[Any, ...]], list[Rejected], list[Skipped]]:
    each = list(found)
    return (
        [row for table in each for row in zip(*map(table.column, columns), strict=True)],
        [reject for table in each for reject in table.rejected],
        [skip for table in each for skip in table.skipped],
    )


# Names


def test_envelopes_have_distinct_names_and_columns_with_meanings() -> None:
    assert all(name == envelope.name and envelope.title for name, envelope in ENVELOPES.items())
    for envelope in ALL:
        assert {*envelope.columns} <= {*ENVELOPE_MEANINGS}
    assert ENVELOPE_MEANINGS.items() <= COLUMN_MEANINGS.items()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cri+combined", ("cri", "combined")),
        ("json:a.b+%h %U + %s", ("json:a.b", "%h %U + %s")),
        ("docker+auto", ("docker", "auto")),
        ("cri+", ("cri", "")),
        ("cri", None),
        ("%h+%U", None),
        ("json:target=url+b", None),
        ("json:a,b+c", None),
        ("json:+c", None),
    ],
)
def test_names_before_formats(text: str, expected: tuple[str, str] | None) -> None:
    found = split_envelope(text)
    assert (found and (found[0].name, found[1])) == expected


@pytest.mark.parametrize(
    ("name", "suggestion"), [("cry", '; did you mean "cri"?'), ("json", ""), ("json:", ""), ("json:a=b", "")]
)
def test_unknown_envelopes(name: str, suggestion: str) -> None:
    with pytest.raises(ValueError, match=f"^no envelope is called '{name}'; there are cri, .*json:MEMBER") as caught:
        find_envelope(name)
    assert str(caught.value).endswith(suggestion)


def test_a_format_in_an_envelope_is_named() -> None:
    format = format_of("syslog+combined")
    assert format.name == "syslog+combined"
    assert format.columns[-len(COMBINED.columns) :] == COMBINED.columns
    assert format.title == "Apache, Combined Log Format; nginx's default, in syslog (RFC 3164, RFC 5424, rsyslog)"
    assert format.has_implausible
    assert not format.has_extra
    assert format_of("docker+caddy").has_extra
    assert format_of("docker+caddy").strict is format_of("docker+caddy")
    assert [each.stateful for each in map(format_of, ("syslog+common", "cri+common", "syslog+w3c"))] == [
        False,
        True,
        True,
    ]
    with pytest.raises(ValueError, match="no log format is called ''"):
        format_of("cri+")


@enveloped_in
@pytest.mark.parametrize("inner", FORMATS.values(), ids=lambda format: format.name)
def test_samples_in_samples_have_the_values_of_both(envelope: Envelope, inner: Format) -> None:
    format = enclose(envelope, inner)
    found, rejected, _ = rows(format, format.sample)
    expected, expected_rejected, _ = rows(inner, inner.sample)
    width = len(envelope.columns)
    assert [row[width:] for row in found] == expected
    assert len(rejected) == len(expected_rejected) == 0
    assert len({row[:width] for row in found}) == 1


# What the envelope tells

ENVELOPED = [
    ("cri", f"{TIME} stdout F %s", {"time": INSTANT, "stream": b"stdout"}),
    ("cri", "1996-11-10T13:55:36.186641234-07:00 stderr F:tag %s", {"time": INSTANT, "stream": b"stderr"}),
    ("compose", "nginx-1  | %s", {"container": b"nginx-1"}),
    ("compose", "\x1b[36mnginx-1  |\x1b[0m %s", {"container": b"nginx-1"}),
    ("compose", f"web.1 | {TIME} %s", {"container": b"web.1", "time": INSTANT}),
    ("kubectl", "[pod/web-5d4f8c7b9-x2x4p/nginx] %s", {"pod": b"web-5d4f8c7b9-x2x4p", "container": b"nginx"}),
    ("kubectl", f"[pod/web/nginx] {TIME} %s", {"pod": b"web", "container": b"nginx", "time": INSTANT}),
    ("timestamps", f"{TIME} %s", {"time": INSTANT}),
    (
        "syslog",
        "Nov 10 13:55:36 ip-10 nginx[2869]: %s",
        {"time_text": b"Nov 10 13:55:36", "host": b"ip-10", "program": b"nginx", "process": b"2869"},
    ),
    (
        "syslog",
        "<190>Nov  1 13:55:36 web nginx: %s",
        {"time_text": b"Nov  1 13:55:36", "host": b"web", "program": b"nginx", "priority": 190},
    ),
    (
        "syslog",
        "<190>Nov 10 13:55:36 nginx: %s",
        {"time_text": b"Nov 10 13:55:36", "program": b"nginx", "priority": 190},
    ),
    ("syslog", "Nov 10 1996 13:55:36 nginx: %s", {"time_text": b"Nov 10 1996 13:55:36", "program": b"nginx"}),
    (
        "syslog",
        "<190>1 1996-11-10T20:55:36.186641Z web nginx 2869 - - %s",
        {"time": INSTANT, "host": b"web", "program": b"nginx", "process": b"2869", "priority": 190},
    ),
    (
        "syslog",
        '<190>1 1996-11-10T20:55:36.186641Z web nginx - ID47 [a@1 b="[\\"]\\]" c="d"][e@1] %s',
        {"time": INSTANT, "host": b"web", "program": b"nginx", "priority": 190},
    ),
    ("syslog", "<0>1 - - - - - - %s", {"priority": 0}),
    (
        "syslog",
        "1996-11-10T20:55:36.186641+00:00 2001:db8::7 nginx[]: %s",
        {"time": INSTANT, "host": b"2001:db8::7", "program": b"nginx", "process": b""},
    ),
    (
        "syslog",
        "\ufeff<190>Nov 10 13:55:36 nginx: %s",
        {"time_text": b"Nov 10 13:55:36", "program": b"nginx", "priority": 190},
    ),
]
JSON_ENVELOPED: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("docker", "log", {"stream": "stderr", "time": TIME}, {"stream": b"stderr", "time": INSTANT}),
    ("docker", "log", {"time": "yesterday"}, {}),
    (
        "journald",
        "MESSAGE",
        {"__REALTIME_TIMESTAMP": "847659336186641", "_HOSTNAME": "web", "SYSLOG_IDENTIFIER": "nginx", "_PID": "2869"},
        {"time": INSTANT, "host": b"web", "program": b"nginx", "process": b"2869"},
    ),
    (
        "filebeat",
        "message",
        {
            "@timestamp": "1996-11-10T20:55:36.186641Z",
            "host": {"name": "web"},
            "stream": "stdout",
            "kubernetes": {"pod": {"name": "p"}, "container": {"name": "c"}, "namespace": "n"},
        },
        {"time": INSTANT, "host": b"web", "stream": b"stdout", "pod": b"p", "container": b"c", "namespace": b"n"},
    ),
    ("filebeat", "message", {"host": {"os": "x"}, "pod": {}, "namespace": {"a": 1}}, {}),
    ("filebeat", "message", {"host": "web"}, {"host": b"web"}),
    (
        "fluent-bit",
        "log",
        {
            "date": 847659336.186641,
            "kubernetes": {"pod_name": "p", "namespace_name": "n", "host": "node1", "container_name": "c"},
        },
        {"time": INSTANT, "pod": b"p", "namespace": b"n", "host": b"node1", "container": b"c"},
    ),
    ("json:event.original", "event.original", {"hostname": "web", "pid": 7}, {"host": b"web", "process": b"7"}),
]


def expected_record(envelope: Envelope, values: dict[str, Any]) -> dict[str, Any]:
    assert {f"envelope_{name}" for name in values} <= {*envelope.columns}
    return {name: values.get(name.removeprefix("envelope_")) for name in envelope.columns}


@pytest.mark.parametrize("inner", ["combined", "main", "caddy", "built"])
@pytest.mark.parametrize(("name", "text", "values"), ENVELOPED)
def test_what_an_envelope_of_text_tells(name: str, text: str, values: dict[str, Any], inner: str) -> None:
    format, (line, *_) = INNER[inner]
    data = text.encode().replace(b"%s", line) + b"\n"
    [record] = records(io.BytesIO(data), enclose(ENVELOPES[name], format))
    [bare] = records(io.BytesIO(line), format)
    time = record.get("envelope_time")
    shown = record | ({"envelope_time": str(time)} if time else {})
    assert shown == {**expected_record(ENVELOPES[name], values), **bare}


@pytest.mark.parametrize("inner", ["combined", "main", "caddy", "built"])
@pytest.mark.parametrize(("name", "member", "others", "values"), JSON_ENVELOPED)
def test_what_an_envelope_in_json_tells(
    name: str, member: str, others: dict[str, Any], values: dict[str, Any], inner: str
) -> None:
    format, (line, *_) = INNER[inner]
    envelope = find_envelope(name)
    data = json.dumps({member: line.decode() + "\n", **others}).encode()
    [record] = records(io.BytesIO(data), enclose(envelope, format))
    [bare] = records(io.BytesIO(line), format)
    time = record.get("envelope_time")
    shown = record | ({"envelope_time": str(time)} if time else {})
    assert shown == {**expected_record(envelope, values), **bare}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("cri", b"1996-11-10T20:55:36Z stdout X " + LINE),
        ("cri", b"1996-11-10T20:55:36Z stdin F " + LINE),
        ("compose", b"nginx-1 " + LINE),
        ("kubectl", b"[pod/nginx] " + LINE),
        ("timestamps", LINE),
        ("syslog", b"<1900>Nov 10 13:55:36 nginx: " + LINE),
        ("syslog", b"Nov 10 25:55:36 nginx: " + LINE),
        ("syslog", b"Nov 10 13:55:36 web nginx[28]69]: " + LINE),
        ("syslog", b"Nov 10 13:55:36 web nginx " + LINE),
        ("syslog", b'<190>1 1996-11-10T20:55:36Z web nginx 1 - [a b="c] ' + LINE),
        # Not a host: the time of what wrote the line.
        ("syslog", b"1996-11-10T20:55:36Z 1996-11-10T20:55:36Z nginx[7]: " + LINE),
        ("docker", b'{"log":"nonsense\\n"}'),
        ("docker", b'{"message":"' + LINE.replace(b'"', rb"\"") + b'\\n"}'),
        ("docker", b'{"log":null}'),
        ("journald", b'{"MESSAGE":[49,57,50]}'),
        ("filebeat", json.dumps({"message": f"{LINE.decode()}\n{LINE.decode()}"}).encode()),
        ("filebeat", LINE),
    ],
)
def test_what_is_not_in_an_envelope_is_rejected(name: str, line: bytes) -> None:
    format = format_of(f"{name}+combined")
    good = format.sample.splitlines(keepends=True)[0]
    found, rejected, skipped = rows(format, good + line + b"\n" + good)
    assert (len(found), skipped) == (2, [])
    assert rejected == [Rejected(2, len(good), line)]


def test_a_time_with_fewer_digits_belongs_to_the_line() -> None:
    line = FORMATS["elb"].sample.splitlines()[0]
    for envelope, before in (("compose", b"nginx-1 | "), ("kubectl", b"[pod/a/b] ")):
        [record] = records(io.BytesIO(before + line), f"{envelope}+elb")
        assert record["envelope_time"] is None
        assert record["time"] is not None


# Names of columns


def test_columns_of_the_envelope_take_precedence() -> None:
    line = b'nginx-1 | {"a":"/","b":"x","line":"y","part":"z"}'
    format = format_of("compose+json:target=a,envelope_container=b,line=line,part=part")
    assert format.columns.count("envelope_container") == 1
    [record] = records(io.BytesIO(line), format)
    assert (record["envelope_container"], record["line"], record["part"]) == (b"nginx-1", b"y", b"z")


def test_a_format_string_may_name_a_column_of_the_envelope() -> None:
    [record] = records(io.BytesIO(b"nginx-1 | a b"), "compose+%{Envelope-Container}i %{Line}i")
    assert (record["envelope_container"], record["line"]) == (b"nginx-1", b"b")


def test_an_envelope_in_an_envelope() -> None:
    format = format_of("cri+docker+combined")
    assert len({*format.columns}) == len(format.columns)
    envelope = ENVELOPES["cri"]
    whole = ENVELOPES["docker"].wrap(LINE)[:-1]
    parts = whole.replace(rb"Lynx/2.6\"\n", b""), whole.replace(LINE.replace(b'"', rb"\""), rb"Lynx/2.6\"")
    data = b"".join(map(envelope.wrap, (whole, *parts, b"nonsense")))
    for size in (1 << 18, 1):
        found, rejected, skipped = rows(format, data, size)
        assert [row[format.columns.index("agent")] for row in found] == [b"Lynx/2.6"] * 2
        assert [reject.line for reject in rejected] == [4]
        assert [(skip.line, skip.reason) for skip in skipped] == [(2, "partial")]


# A naive reference


def open_naively(envelope: Envelope, lines: list[bytes]) -> list[bytes | None]:
    """Return the line inside each envelope, in the row of its last part; None elsewhere."""
    inside: list[bytes | None] = []
    held: dict[str, bytes] = {}
    for line in lines:
        try:
            if envelope.name == "cri":
                _, stream, tag, text = line.decode().split(" ", 3)
                is_part = tag[0] == "P"
            else:
                entry = json.loads(line)
                stream, text = entry["stream"], entry["log"]
                is_part = not text.endswith("\n")
        except (ValueError, KeyError):
            inside.append(None)
            continue
        held[stream] = held.get(stream, b"") + text.removesuffix("\n").encode()
        inside.append(None if is_part else held.pop(stream))
    return inside


def parse_naively(format: EnvelopedFormat, data: bytes) -> tuple[list[tuple[Any, ...]], list[int], list[int]]:
    """Return the rows of the columns inside, and the numbers of the rejected and the skipped lines."""
    lines = naive.lines(data)
    inside = open_naively(format.envelope, lines)
    whole = [(number, line) for number, line in enumerate(inside, 1) if line is not None]
    found, rejected, skipped = rows(format.inner, b"".join(line + b"\n" for _, line in whole))
    at = [number for number, _ in whole]
    not_parsed = [at[reject.line - 1] for reject in rejected]
    blank = [at[skip.line - 1] for skip in skipped if skip.reason == "blank"]
    directives = [at[skip.line - 1] for skip in skipped if skip.reason == "directive"]
    is_part = {number for number, line in enumerate(lines, 1) if is_part_naively(format.envelope, line)}
    others = [number for number, line in enumerate(inside, 1) if line is None and number not in is_part]
    return found, sorted([*not_parsed, *others]), sorted([*directives, *blank, *is_part])


def is_part_naively(envelope: Envelope, line: bytes) -> bool:
    try:
        if envelope.name == "cri":
            return line.decode().split(" ", 3)[2][0] == "P"
        return not json.loads(line)["log"].endswith("\n")
    except (ValueError, KeyError, IndexError):
        return False


def cri(stream: str, tag: str, text: bytes) -> bytes:
    return f"{TIME} {stream} {tag} ".encode() + text


def docker(stream: str, tag: str, text: bytes) -> bytes:
    end = "\n" if tag[0] == "F" else ""
    return json.dumps({"log": text.decode() + end, "stream": stream, "time": TIME}, separators=(",", ":")).encode()


streams = st.sampled_from(["stdout", "stdout", "stderr"])
tags = st.sampled_from(["F", "F", "P", "P:x", "F:x:y"])
pieces_of_lines = st.sampled_from(
    [LINE, LINE[:50], LINE[50:], LINE[:1], LINE[1:], b"", b"nonsense", b"\\n", b'"', rb"\n\"", b"#Fields: time", b"a b"]
)
w3c_lines = st.sampled_from(W3C.sample.splitlines()) | st.sampled_from([b"#Fields: time", b"13:55:36"])


def logs(make: Any, texts: Any) -> Any:
    entry = st.tuples(streams, tags, texts).map(lambda each: make(*each))
    return st.lists(entry | st.just(b"nonsense"), max_size=9).map(lambda each: b"".join(line + b"\n" for line in each))


@pytest.mark.parametrize("inner", [COMBINED, LIST, W3C], ids=lambda format: format.name)
@pytest.mark.parametrize("make", [cri, docker])
def test_lines_in_parts_are_joined_wherever_blocks_end(make: Any, inner: Format) -> None:
    format = enclose(ENVELOPES[make.__name__], inner)
    assert isinstance(format, EnvelopedFormat)
    texts = pieces_of_lines if inner is not W3C else w3c_lines | pieces_of_lines

    @given(logs(make, texts), st.integers(1, 400))
    @example(make("stdout", "P", LINE[:50]) + b"\n" + make("stdout", "F", LINE[50:]), 1)
    @example(make("stdout", "P", LINE[:50]) + b"\n" + make("stdout", "P", b""), 1)
    @example(make("stdout", "P", b"\\n") + b"\n" + make("stdout", "F", LINE), 1)
    def holds(data: bytes, size: int) -> None:
        found, rejected, skipped = rows(format, data)
        width = len(format.envelope.columns)
        expected = parse_naively(format, data)
        numbers = [line.line for line in rejected], [line.line for line in skipped]
        if inner is LIST:
            expected = expected[0], [*expected[1]], expected[2]
        assert ([row[width:] for row in found], *numbers) == expected
        lines = naive.lines(data)
        assert [reject.text for reject in rejected] == [lines[reject.line - 1] for reject in rejected]
        assert rows(format, data, size) == (found, rejected, skipped)

    holds()


def test_every_block_size_gives_the_same() -> None:
    for make in (cri, docker):
        parts = [
            make("stdout", "P", LINE[:40]),
            make("stderr", "P", b"err"),
            make("stdout", "P", LINE[40:80]),
            make("stderr", "F", b"or"),
            make("stdout", "F", LINE[80:]),
            make("stdout", "F", LINE),
        ]
        data = b"\n".join(parts)
        format = enclose(ENVELOPES[make.__name__], COMBINED)
        expected = rows(format, data)
        assert ([len(each) for each in expected], [skip.line for skip in expected[2]]) == ([2, 1, 3], [1, 2, 3])
        assert {skip.reason for skip in expected[2]} == {"partial"}
        for size in range(1, len(data) + 2):
            assert rows(format, data, size) == expected


@enveloped_in
@pytest.mark.parametrize("inner", INNER)
def test_blocks_of_any_size_of_any_format_inside(envelope: Envelope, inner: str) -> None:
    format, lines = INNER[inner]
    enclosed = enclose(envelope, format)
    data = b"".join(chain.from_iterable((envelope.wrap(line), b"nonsense\n") for line in lines))
    expected = rows(enclosed, data)
    bare = rows(format, b"".join(line + b"\n" for line in lines))
    assert [row[len(envelope.columns) :] for row in expected[0]] == bare[0]
    assert len(expected[1]) == len(bare[1]) + len(lines)
    assert len(expected[2]) == len(bare[2])
    for size in (1, 2, 3, 50, 199, 200, 700):
        assert rows(enclosed, data, size) == expected


@enveloped_in
def test_some_columns_of_an_envelope(envelope: Envelope) -> None:
    format = enclose(envelope, CADDY)
    [whole] = tables(io.BytesIO(format.sample), format, columns=format.fields)
    for field in format.fields:
        [table] = tables(io.BytesIO(format.sample), format, columns=[field])
        assert table.column(field) == whole.column(field)


# Docker's objects


@pytest.mark.parametrize(
    ("line", "is_part"),
    [
        ({"log": "a", "stream": "stdout", "time": TIME}, True),
        ({"log": "a\n", "stream": "stdout", "time": TIME}, False),
        ({"log": "a\\n", "stream": "stdout", "time": TIME}, True),
        ({"log": "a\\\n", "stream": "stdout", "time": TIME}, False),
        ({"log": "a\n", "attrs": {"b": "c\n"}, "stream": "stdout"}, False),
        ({"log": "a", "attrs": {"b": "c\n"}, "stream": "stdout", "time": TIME}, True),
        ({"log": "a"}, False),
        ({"log": "a", "stream": "other"}, False),
    ],
)
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_which_objects_of_docker_are_parts(line: dict[str, Any], separators: tuple[str, str], *, is_part: bool) -> None:
    data = json.dumps(line, separators=separators).encode() + b"\n" + ENVELOPES["docker"].wrap(b"b")
    format = format_of("docker+list")
    first = line["log"].removesuffix("\n").encode()
    for size in (1, 1 << 18):
        found, rejected, skipped = rows(format, data, size)
        assert rejected == []
        assert len(skipped) == is_part
        references = [row[format.columns.index("path")] for row in found]
        assert references == ([first + b"b"] if is_part else [first, b"b"])


def test_an_object_that_docker_does_not_write_is_no_part() -> None:
    data = b'{"log":"/a","other":"b\\n","stream":"stdout"}\n' + ENVELOPES["docker"].wrap(b"/c")
    for size in (1, 1 << 18):
        assert [len(each) for each in rows(format_of("docker+list"), data, size)] == [2, 0, 0]


# Limits


@pytest.mark.parametrize("make", [cri, docker])
def test_a_line_in_too_many_parts_is_rejected(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enveloped, "MAX_JOINED_BYTES", 1000)
    format = enclose(ENVELOPES[make.__name__], LIST)
    short = [make("stdout", "P", b"/" + b"a" * 100)] * 3 + [make("stdout", "F", b"b")]
    long = [make("stdout", "P", b"/" + b"a" * 100)] * 30 + [make("stdout", "F", b"c")]
    data = b"".join(line + b"\n" for line in [*short, *long, make("stdout", "F", b"/d")])
    for size in (1 << 18, 1, 500, 1500):
        found, rejected, skipped = rows(format, data, size)
        assert len(found) == 2
        assert [reject.line for reject in rejected] == [len(short) + len(long)]
        assert rejected[0].text == long[-1]
        assert len(skipped) == 3 + 30


@pytest.mark.parametrize("make", [cri, docker])
@pytest.mark.parametrize("text", [b"", b"a" * 50])
def test_the_header_is_bounded(make: Any, text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enveloped, "MAX_JOINED_BYTES", 1000)
    format = enclose(ENVELOPES[make.__name__], LIST)
    header = b""
    for number in range(100):
        stream = "stdout" if number % 2 else "stderr"
        header = format.header(make(stream, "P", text) + b"\n" + make(f"s{number}", "P", text) + b"\n", header)
    assert 1000 < len(header) < 3000


# Pieces of files


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("name", "inner"), [("cri", "combined"), ("cri", "w3c"), ("docker", "combined"), ("syslog", "w3c")]
)
def test_pieces_of_files(name: str, inner: str, jobs: int, tmp_path: Path) -> None:
    envelope = ENVELOPES[name]
    format, lines = INNER[inner]
    enclosed = enclose(envelope, format)
    make = {"cri": cri, "docker": docker}.get(name, lambda _stream, _tag, text: envelope.wrap(text)[:-1])
    entries = [make("stdout", "F", line) for line in lines]
    if envelope.has_parts:
        entries += [make("stdout", "P", lines[0][:60]), make("stdout", "F", lines[0][60:])]
    data = b"".join(entry + b"\n" for entry in entries * 40)
    expected = rows(enclosed, data)
    paths = tmp_path / "log", tmp_path / "log.gz"
    paths[0].write_bytes(data)
    paths[1].write_bytes(gzip.compress(data))
    for path in paths:
        results = list(scan([str(path)], Task(enclosed, enclosed.columns, _row_tuples), jobs=jobs))
        assert len(results) > 3
        assert [row for result in results for output in result.outputs for row in output] == expected[0]
        assert [reject for result in results for reject in result.rejected] == expected[1]
        assert [skip for result in results for skip in result.skipped] == expected[2]


def _row_tuples(table: Table) -> list[tuple[Any, ...]]:
    return list(zip(*map(table.column, table.format.columns), strict=True))


@pytest.fixture
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 700)
    monkeypatch.setattr(pieces, "STREAM_PIECE_BYTES", 900)
    monkeypatch.setattr(pieces, "TABLE_BYTES", 300)
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", 0)


# Lines inside


def test_lines_inside_of_what_is_no_envelope() -> None:
    assert lines_inside(ENVELOPES["docker"], b'{"log":"a\\n"}\nelse\n{"log":"b\\nc\\n"}\n{"log":""}\n') == [b"a", b""]
    assert lines_inside(ENVELOPES["cri"], cri("stdout", "P", b"a") + b"\n" + cri("stdout", "F", b"b")) == [b"ab"]


def test_detection_knows_the_members_of_the_named_envelopes() -> None:
    members = {place.path[-1] for envelope in ENVELOPES.values() for place in _line_places(envelope)}
    assert members <= {*LINE_MEMBERS}


def _line_places(envelope: Envelope) -> tuple[Any, ...]:
    return envelope.format.members["line"] if isinstance(envelope.format, JSONFormat) else ()


def test_an_envelope_needs_utf_8_only_in_json() -> None:
    assert ENVELOPES["cri"].wrap(b"\xff").endswith(b"F \xff\n")
    [record] = records(io.BytesIO(ENVELOPES["cri"].wrap(b"/\xff")), "cri+list")
    assert record["path"] == b"/\xff"
    with pytest.raises(UnicodeDecodeError):
        ENVELOPES["docker"].wrap(b"\xff")


# Hostile lines

UNITS = [
    *(
        b" ",
        b"-",
        b"1",
        b"a",
        b"a.",
        b"::",
        b"|",
        b"[",
        b"]",
        b"\\",
        b'"',
        b'="',
        b"\x1b[",
        b"\x1b[0m",
        b"[a",
        b'[a b="c"]',
    ),
    *(b'[a b="\\"', b": ", b"<1>", b"/", b"P ", b'\\n","stream":"', b'{"log":"', b"\xef\xbb\xbf"),
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", ENVELOPES)
def test_hostile_lines_take_linear_time(name: str, unit: bytes) -> None:
    envelope = ENVELOPES[name]
    before, after = envelope.sample.rstrip(b"\n").replace(b"%b\\n", b"%b").split(b"%b")
    text = unit * (sizes.LONG_OF_MANY // len(unit))
    cuts = [match.end() for match in re.finditer(rb"[ \[\]:|/]", before)]
    for beginning in {b"", before, *(before[:cut] for cut in cuts)}:
        line = beginning + text
        for inner in (COMBINED, LIST):
            format = enclose(envelope, inner)
            assert len(format.parser(frozenset())(line + b"\n", b"").rejected) == 1
            format.header(line + after + b"\n", b"")


def test_microseconds_are_kept() -> None:
    [table] = tables(io.BytesIO(ENVELOPES["cri"].wrap(b"/")), "cri+list")
    [record] = records(io.BytesIO(ENVELOPES["cri"].wrap(b"/")), "cri+list")
    assert table.values("envelope_time") == [microseconds(record["envelope_time"])]
