"""JSON lines: values of members, rejected lines, `extra`, `json:` texts, and the format of Caddy."""

import io
import json
import pickle
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import split
from urisect.logs.formats import COMBINED, FORMATS, Format
from urisect.logs.formats.caddy import CADDY
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.json_lines import JSONFormat, Member, json_lines, member_paths
from urisect.logs.formats.notation import ANY_NUMBER, ValueKind
from urisect.logs.input.reader import Rejected, Skipped, Table, tables
from urisect.logs.input.records import records

# A number, a URI, a text inside an object, and a text with two possible members.
FORMAT = JSONFormat(
    "example",
    {
        "status": member_paths("status"),
        "target": member_paths("request.uri"),
        "agent": member_paths("request.headers.User-Agent"),
        "client": (*member_paths("client_ip"), Member(("remote",), r"([0-9.]+):[0-9]+")),
    },
    uris=("target_",),
    notations={"status": ANY_NUMBER},
)


def read(data: bytes, format: Format = FORMAT, fields: tuple[str, ...] | None = None) -> list[Table]:
    return list(tables(io.BytesIO(data), format, columns=format.fields if fields is None else fields, size=1 << 24))


def row(line: bytes, *fields: str, format: Format = FORMAT) -> tuple[bytes | None, ...] | None:
    """The values of one line; None if it is rejected."""
    [table] = read(line, format)
    assert table.lines == 1
    return tuple(table.column(field)[0] for field in fields) if table.parsed else None


def text_of(value: str) -> bytes | None:
    """The text of a value, given as JSON."""
    [table] = read(b'{"v": %b}' % value.encode(), json_lines("x=v"))
    return table.column("x")[0] if table.parsed else b"rejected"


def test_the_sample_of_caddy() -> None:
    first, second = records(io.BytesIO(CADDY.sample), CADDY)
    assert {name: first[name] for name in first if first[name] is not None} == {
        "time": first["time"],
        "client": b"192.0.2.7",
        "peer": b"192.0.2.7",
        "client_port": 41342,
        "protocol": b"HTTP/2.0",
        "method": b"GET",
        "host": b"example.com",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "referer_scheme": b"https",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "agent": b"Lynx/2.6",
        "tls_protocol": b"772",
        "tls_cipher": b"4865",
        "bytes_received": 0,
        "duration": 0.000929675,
        "bytes": 2326,
        "status": 200,
        "media_type": b"text/html; charset=utf-8",
    }
    assert first["time"].isoformat() == "1996-11-10T20:55:36.123000+00:00"
    assert {name: second[name] for name in second if second[name] is not None} == {
        "time": second["time"],
        "client": b"2001:db8::7",
        "client_port": 41343,
        "user": b"frank",
        "protocol": b"HTTP/1.1",
        "method": b"HEAD",
        "host": b"example.com",
        "target_path": b"/",
        "duration": 0.0001,
        "bytes": 0,
    }
    assert second["time"].isoformat() == "1996-11-10T20:55:37+00:00"
    [table] = read(CADDY.sample, CADDY)
    rest, less = table.column("extra")
    assert rest == (
        b'{"level":"info","logger":"http.log.access.log0","msg":"handled request","request":{"tls":{"resumed":false,'
        b'"proto":"h2","server_name":"example.com"}},"resp_headers":{"Server":["Caddy"]}}'
    )
    assert less == b'{"level":"info","logger":"http.log.access","msg":"handled request"}'


@pytest.mark.parametrize(
    "line",
    [
        b'{"level":"info","ts":847634136.1,"logger":"admin","msg":"admin endpoint started"}',
        b'{"level":"info","ts":847634136.1,"msg":"using config from file","file":"/etc/caddy/Caddyfile"}',
        b'{"level":"info","ts":"1996/11/10 13:55:36","logger":"tls","msg":"cleaning storage unit"}',
        b'{"level":"error","ts":847634136.1,"logger":"http.log.error","msg":"no","request":{"uri":"/"},"status":502}',
    ],
)
def test_other_messages_of_caddy_are_skipped(line: bytes) -> None:
    [table] = read(line, CADDY)
    assert (table.parsed, table.rejected) == (0, [])
    assert table.skipped == [Skipped(1, 0, len(line), "directive")]


@pytest.mark.parametrize(
    "line",
    [
        b'{"ts":"soon","request":{"uri":"/"},"size":0}',
        b'{"level":"info","ts":"soon","msg":"handled request","request":{"uri":"/"},"size":0}',
        b'{"ts":847634136.1,"request":{"uri":"/"},"size":1.5}',
        b'{"ts":847634136.1,"request":"/","size":1}',
        b'{"ts":847634136.1,"msg":"no level"}',
        b'{"level":"info","ts":847634136.1,"msg":',
    ],
)
def test_other_lines_are_rejected_by_caddy(line: bytes) -> None:
    assert row(line, format=CADDY) is None
    assert not read(line, CADDY)[0].skipped


def test_caddy_forms_of_times_and_durations() -> None:
    lines = (
        b'{"ts":%b,"request":{"uri":"/"},"size":0,"duration":%b}\n' % pair
        for pair in (
            (b"847634136.123", b"0.25"),
            (b"847634136123.0", b'"250ms"'),
            (b"847634136123000000", b'"0.25s"'),
            (b'"1996-11-10T06:55:36.123-0700"', b"0.25"),
            (b'"1996/11/10 13:55:36.123"', b"2.5e-1"),
        )
    )
    for record in records(io.BytesIO(b"".join(lines)), CADDY, columns=["time", "duration"]):
        assert record["time"].isoformat() == "1996-11-10T13:55:36.123000+00:00"
        assert record["duration"] == 0.25


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"a b"', b"a b"),
        ('""', b""),
        (r'"\u00e9\ud83d\ude00"', "é😀".encode()),
        (r'"\ud800"', b"\xed\xa0\x80"),
        (r'"\u0000\n"', b"\0\n"),
        ("1", b"1"),
        ("-0.10", b"-0.10"),
        ("1E400", b"1E400"),
        ("9" * 5000, b"9" * 5000),
        ("true", b"true"),
        ("false", b"false"),
        ("null", None),
        ("[]", None),
        ("[null]", None),
        ('["a", "b"]', b"a"),
        ("[[1, 2.50]]", b"[1,2.50]"),
        ("[{}]", b"{}"),
        (r'{"a": [1e5, null, true], "": {}}', b'{"a":[1e5,null,true],"":{}}'),
        (r'{"\u0041": "\"\u00e9\ud800\u0000"}', '{"A":"\\"é\\ud800\\u0000"}'.encode()),
        ("NaN", b"rejected"),
        ("-Infinity", b"rejected"),
        ("[Infinity]", b"rejected"),
        ("01", b"rejected"),
        ('"\t"', b"rejected"),
        ("1} {", b"rejected"),
        ('1, "v": 2', b"2"),
    ],
)  # fmt: skip
def test_texts_of_values(value: str, expected: bytes | None) -> None:
    assert text_of(value) == expected


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"[]",
        b"1",
        b'"{}"',
        b"{} {}",
        b"{}x",
        b"{",
        b"{'a': 1}",
        b'{"a": "\xff"}',
        b'{"a": "\xed\xa0\x80"}',
        b'{"status": "OK"}',
        b'{"status": true}',
        b'{"status": {}}',
        b'{"status": 1e2}',
        b'{"status": 1000000000000000000}',
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b"\0{}",
        b"\x0c{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":%b}' % (b"[" * 50_000 + b"]" * 50_000),
    ],
)
def test_invalid_lines_are_rejected(line: bytes) -> None:
    good = b'{"status": 200}\r\n'
    [table] = read(good + line + b"\r\n" + good)
    assert table.column("status") == [b"200", b"200"]
    assert table.rejected == [Rejected(2, len(good), line)]


@pytest.mark.parametrize(
    "line", [b" \t{ } \r", b"\xef\xbb\xbf{}", b"\xef\xbb\xbf {}", b"{}\r\n", b"{}\n", b'{"a":"\\n"}']
)
def test_white_space_and_a_byte_order_mark_are_ignored(line: bytes) -> None:
    assert row(line) == ()


@pytest.mark.parametrize("value", [b"null", b'""', b'"-"', b"[]", b'[""]'])
def test_an_unknown_number_is_none(value: bytes) -> None:
    assert row(b'{"status": %b}' % value, "status") == (None,)


def test_text_that_is_a_hyphen_or_empty_stays() -> None:
    line = b'{"request": {"uri": "-", "headers": {"User-Agent": ""}}, "client_ip": "-"}'
    assert row(line, "target", "target_path", "agent", "client") == (b"-", b"-", b"", b"-")


def test_the_first_member_with_a_value_counts() -> None:
    lines = {
        b'{"client_ip": "192.0.2.1", "remote": "192.0.2.2:80"}': b"192.0.2.1",
        b'{"client_ip": null, "remote": "192.0.2.2:80"}': b"192.0.2.2",
        b'{"remote": "192.0.2.2:80"}': b"192.0.2.2",
        b'{"client_ip": "", "remote": "192.0.2.2:80"}': b"",
        b'{"remote": "somewhere"}': None,
        b"{}": None,
    }
    [table] = read(b"\n".join((*lines, b"")))
    assert table.column("client") == [*lines.values()]


def test_a_value_in_place_of_an_object_has_no_members() -> None:
    line = b'{"request": "/a", "status": [204, 404], "x": 1}'
    assert row(line, "target", "target_path", "agent", "extra", "status") == (
        *(None, None, None),
        b'{"request":"/a","status":[204,404],"x":1}',
        b"204",
    )


def test_extra_members() -> None:
    lines = {
        b"{}": None,
        b'{"status": 200, "request": {"headers": {}, "uri": "/"}}': None,
        b'{"status": 200, "z": 1.50, "a": {"request": {}}}': b'{"z":1.50,"a":{"request":{}}}',
        b'{"request": {"uri": "/", "id": "\\ud800"}}': b'{"request":{"id":"\\ud800"}}',
        b'{"request": {"headers": {"User-Agent": ["a", "b"], "Via": ["c"]}}}': (
            b'{"request":{"headers":{"User-Agent":["a","b"],"Via":["c"]}}}'
        ),
        b'{"request": [{"uri": "/"}]}': b'{"request":[{"uri":"/"}]}',
    }
    [table] = read(b"\n".join((*lines, b"")))
    assert table.column("extra") == [*lines.values()]
    assert "extra" in FORMAT.fields
    assert "extra" not in FORMAT.columns


def test_deeply_nested_values() -> None:
    depth = 500
    line = b'{"a": %b}' % (b"[" * depth + b"{}" + b"]" * depth)
    assert row(line, "extra") == (line.replace(b" ", b""),)
    assert row(line.replace(b"a", b"client_ip"), "client") == (b"[" * (depth - 1) + b"{}" + b"]" * (depth - 1),)


def test_targets_are_split_only_on_request() -> None:
    line = b'{"request": {"uri": "http://u@h:80/p?q#f"}}'
    block = FORMAT.parser(FORMAT.needed(["target"]))(line, b"")
    assert (set(block.columns), set(block.unsplit)) == ({"target"}, set())
    block = FORMAT.parser(FORMAT.needed(["target_host"]))(line, b"")
    assert (set(block.columns), set(block.unsplit)) == ({"target_authority"}, {"target_"})
    assert row(line, "target", "target_host", "target_port", "target_query") == (
        b"http://u@h:80/p?q#f",
        b"h",
        b"80",
        b"q",
    )


@pytest.mark.parametrize(
    ("method", "uri", "authority", "path"),
    [
        (b"CONNECT", b"example.com:443", b"example.com:443", b""),
        (b"CONNECT", b"http://example.com/", b"example.com", b"/"),
        (b"GET", b"example.com:443", None, b"443"),
        (b"OPTIONS", b"*", None, b"*"),
    ],
)
def test_the_target_of_connect_is_an_authority(method: bytes, uri: bytes, authority: bytes | None, path: bytes) -> None:
    line = b'{"method": "%b", "uri": "%b"}' % (method, uri)
    [table] = read(line, json_lines("target=uri,method=method"), ("target_authority", "target_path"))
    assert (table.column("target_authority"), table.column("target_path")) == ([authority], [path])


@pytest.mark.parametrize("field", ["", "target_", "target_text", "rejected", "directive", "request", "referer"])
def test_an_unknown_field_is_a_key_error(field: str) -> None:
    assert field not in FORMAT.fields
    with pytest.raises(KeyError, match=f"no field is called {field!r}; there are status, "):
        FORMAT.needed([field])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    max_leaves=10,
)
objects = st.fixed_dictionaries(
    {},
    optional={
        "status": json_values,
        "request": st.fixed_dictionaries({}, optional={"uri": json_values, "headers": json_values}) | json_values,
        "client_ip": json_values,
        "remote": json_values,
    },
)
json_texts = st.builds(json.dumps, json_values | objects, ensure_ascii=st.booleans()).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)


@given(st.lists(json_texts | naive.octets).map(b"\n".join), st.sampled_from([FORMAT, CADDY, json_lines("url")]))
@example(b"\n", FORMAT)
@example(b"\r", FORMAT)
@example(b"{}\r\n{", FORMAT)
def test_every_line_is_parsed_or_rejected_for_any_requested_fields(data: bytes, format: JSONFormat) -> None:
    expected = naive.lines(data)
    for fields in (format.fields, ("extra",), ("target",), ()):
        rejected: list[Rejected] = []
        parsed = 0
        for table in read(data, format, fields):
            parsed += table.parsed
            rejected += table.rejected
            assert {len(table.column(field)) for field in fields} <= {table.parsed}
            blank = [line.line for line in table.skipped if line.reason == "blank"]
            assert len(blank) == len(table.skipped)
            assert not any(expected[line - 1].removeprefix(b"\xef\xbb\xbf").strip() for line in blank)
            parsed += len(blank)
        assert parsed + len(rejected) == len(expected)
        assert all(expected[reject.line - 1] == reject.text for reject in rejected)
        assert all(naive.lines(data[reject.offset :])[0] == reject.text for reject in rejected)
        assert [reject.line for reject in rejected] == [
            reject.line for table in read(data, format, format.fields) for reject in table.rejected
        ]


texts = st.text(st.characters(exclude_categories=()))


@given(st.lists(st.tuples(st.none() | texts, st.none() | texts, st.none() | st.integers(-(10**18) + 1, 10**18 - 1))))
def test_records_survive_a_round_trip(rows: list[tuple[str | None, str | None, int | None]]) -> None:
    format = json_lines("target=request.uri,agent=agent,bytes=size")
    lines = "".join(
        json.dumps({"request": {"uri": uri}, "agent": agent, "size": size}) + "\n" for uri, agent, size in rows
    )
    found = list(records(io.BytesIO(lines.encode()), format, columns=("target", "agent", "bytes", "target_query")))
    expected = [
        {
            "target": uri,
            "agent": agent,
            "bytes": size,
            "target_query": None if uri is None else split(uri).query,
        }
        for uri, agent, size in rows
    ]
    assert found == [
        {name: v.encode("utf-8", "surrogatepass") if isinstance(v, str) else v for name, v in record.items()}
        for record in expected
    ]


def finite(value: Any) -> Any:
    """A value without infinity and NaN, which JSON does not have."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {name: finite(member) for name, member in value.items()}
    return list(map(finite, value)) if isinstance(value, list) else value


@given(json_values.map(finite))
def test_the_text_of_an_object_has_the_same_value(value: Any) -> None:
    [table] = read(json.dumps({"v": value}).encode(), json_lines("x=y"))
    [extra] = table.column("extra")
    assert extra is not None
    assert json.loads(extra) == {"v": value}
    assert b" " not in extra or " " in json.dumps(value, separators=(",", ":"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        b'{"request": {"uri": "%b"}}' % (b"/" * sizes.LONG),
        b'{"request": {"uri": "%b"}}' % (b"\\\\" * (sizes.LONG // 2)),
        b'{"remote": "%b"}' % (b"1:" * (sizes.LONG // 2)),
        b'{"request": {"uri": [%b]}}' % (b"1," * (sizes.LONG // 20) + b"1"),
        b'{"remote": %b}' % (b"9" * sizes.LONG),
        b'{"a": %b' % (b"[" * sizes.LONG),
        b'{"a": "%b' % (b"x" * sizes.LONG),
        b" " * sizes.LONG,
        b"\xff" * sizes.LONG,
    ],
    ids=range(9),
)
def test_hostile_lines_take_linear_time(line: bytes) -> None:
    [table] = tables(io.BytesIO(line), FORMAT, columns=FORMAT.fields, limit=len(line))
    assert table.lines == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "value",
    [
        b'"GET %b"' % (b" A/1" * (sizes.LONG // 4)),
        b'"GET /%b"' % (b" " * sizes.LONG),
        b'"%b HTTP/1.1"' % (b"G" * sizes.LONG),
        b'"%b"' % (b"1:" * (sizes.LONG // 2) + b"["),
        b'"[%b"' % (b"1" * sizes.LONG),
        b'"[%b"' % (b"[" * sizes.LONG),
        b'"%b"' % (b"?" * sizes.LONG),
        b'[%b{"name":"b"}]' % (b'{"name":"a"},' * (sizes.LONG // 20)),
        b'{%b"b":1}' % b"".join(b'"a%d":1,' % number for number in range(sizes.LONG // 20)),
    ],
    ids=range(9),
)
def test_hostile_values_take_linear_time(value: bytes) -> None:
    format = json_lines("request=headers,client=headers,client_port=headers,agent=headers.b,x=headers.c")
    line = b'{"headers": %b}' % value
    [table] = tables(io.BytesIO(line), format, columns=format.fields, limit=len(line))
    assert table.lines == 1
    [table] = tables(io.BytesIO(line), json_lines("target_path=x,target_query=headers"), limit=len(line))
    assert table.lines == 1


def test_addresses_with_ports_in_old_caddy_logs() -> None:
    def client(address: bytes) -> tuple[bytes | None, ...] | None:
        line = b'{"request": {"uri": "/", "remote_addr": "%b"}, "size": 0}' % address
        return row(line, "client", "client_port", "peer", format=CADDY)

    assert client(b"192.0.2.7:80") == (b"192.0.2.7", b"80", None)
    assert client(b"[2001:db8::7]:80") == (b"2001:db8::7", b"80", None)
    assert client(b"[fe80::1%eth0]:80") == (b"fe80::1%eth0", b"80", None)
    assert client(b"@") == (None, None, None)
    assert client(b"192.0.2.7:100000") is None


def test_proxies_are_peers_of_caddy() -> None:
    line = b'{"request": {"uri": "/", "remote_ip": "192.0.2.1", "client_ip": "198.51.100.7"}, "size": 0}'
    assert row(line, "client", "peer", format=CADDY) == (b"198.51.100.7", b"192.0.2.1")


@pytest.mark.parametrize(
    "format", [CADDY, json_lines("json:duration=took:ms,target=url")], ids=lambda format: format.name
)
def test_a_format_can_be_pickled(format: JSONFormat) -> None:
    again = pickle.loads(pickle.dumps(format))  # noqa: S301  it is our own
    [table], [expected] = read(CADDY.sample, again), read(CADDY.sample, format)
    assert {name: table.values(name) for name in again.fields} == {
        name: expected.values(name) for name in format.fields
    }


def test_columns_of_a_json_text() -> None:
    text = "target=request.uri, time=@timestamp ,status=response.code,client=remote.ip,duration=took:us,bytes=n,zone=z"
    format = json_lines(f"json:{text}")
    assert format.name == f"json:{text}"
    assert format.columns[5:] == ("time", "status", "client", "duration", "bytes", "zone")
    assert [format.kind(name) for name in format.columns[5:]] == [
        *(ValueKind.TIME, ValueKind.NUMBER, ValueKind.TEXT, ValueKind.SECONDS, ValueKind.NUMBER, ValueKind.TEXT)
    ]
    line = (
        b'{"request": {"uri": "/a?b"}, "@timestamp": "1996-11-10T12:00:00Z", "response": {"code": "200"},'
        b' "remote.ip": "192.0.2.7", "took": 250, "n": -1, "z": null}'
    )
    [record] = records(io.BytesIO(line), format)
    assert record.pop("time").isoformat() == "1996-11-10T12:00:00+00:00"
    assert {name: value for name, value in record.items() if value is not None} == {
        "target_path": b"/a",
        "target_query": b"b",
        "status": 200,
        "client": b"192.0.2.7",
        "duration": 0.00025,
        "bytes": -1,
    }


@pytest.mark.parametrize(
    ("unit", "expected"), {"": 250.0, ":s": 250.0, ":ms": 0.25, ":us": 0.00025, ":ns": 2.5e-7}.items()
)
def test_units_of_durations(unit: str, expected: float) -> None:
    [record] = records(io.BytesIO(b'{"latency": 250}'), json_lines(f"duration=latency{unit}"))
    assert record == {"duration": expected}


def test_a_member_may_have_dots_in_its_name() -> None:
    format = json_lines("http.url")
    assert row(b'{"http.url": "/a", "http": {"url": "/b"}}', "target", format=format) == (b"/a",)
    assert row(b'{"http": {"url": "/b"}}', "target", format=format) == (b"/b",)


def test_a_member_may_have_a_colon_or_an_equals_sign_in_its_name() -> None:
    assert row(b'{"log:url": "/a", "a=b": 1}', "target", "x", format=json_lines("log:url,x=a=b")) == (b"/a", b"1")


def test_the_parts_of_a_target_may_be_members_too() -> None:
    format = json_lines("target_path=path,target_query=query")
    lines = {
        b'{"path": "/a", "query": "b"}': (b"b", b"/a?b"),
        b'{"path": "/a", "query": "?b"}': (b"b", b"/a?b"),
        b'{"path": "/a", "query": "?"}': (None, b"/a"),
        b'{"path": "/a", "query": ""}': (None, b"/a"),
        b'{"path": "/a"}': (None, b"/a"),
        b'{"path": "//a", "query": "?b"}': (b"b", b"//a?b"),
        b'{"query": "b"}': (b"b", None),
    }
    for line, expected in lines.items():
        assert row(line, "target_query", "target", format=format) == expected
    assert "target" not in json_lines("target_query=query").fields


@pytest.mark.parametrize(
    ("line", "method", "target", "protocol", "malformed"),
    [
        ("GET /a?b HTTP/1.1", b"GET", b"/a?b", b"HTTP/1.1", None),
        ("GET /a", b"GET", b"/a", None, None),
        ("GET /a b HTTP/2", b"GET", b"/a b", b"HTTP/2", None),
        ("GET /a HTTP/1.1 HTTP/1.1", b"GET", b"/a HTTP/1.1", b"HTTP/1.1", None),
        ("GET / http/1.1", b"GET", b"/ http/1.1", None, None),
        ('GET /"\\\n HTTP/1.0', b"GET", b'/"\\\n', b"HTTP/1.0", None),
        ("GET ", b"GET", b"", None, None),
        ("CONNECT example.com:443 HTTP/1.1", b"CONNECT", b"example.com:443", b"HTTP/1.1", None),
        ("GET //a//b HTTP/1.1", b"GET", b"//a//b", b"HTTP/1.1", None),
        ("-", None, None, None, None),
        ("GET", None, None, None, b"GET"),
        ("\x16\x03\x01", None, None, None, b"\x16\x03\x01"),
        ("/a HTTP/1.1", None, None, None, b"/a HTTP/1.1"),
        ("", None, None, None, b""),
    ],
)
def test_request_lines(
    line: str, method: bytes | None, target: bytes | None, protocol: bytes | None, malformed: bytes | None
) -> None:
    entry = json.dumps({"request": line}).encode()
    format = json_lines("request=request")
    expected = (method, target, protocol, malformed)
    assert row(entry, "method", "target", "protocol", "request", format=format) == expected
    assert row(entry, "extra", format=format) == (None,)
    if target and line.isprintable() and '"' not in line:
        combined = f'192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "{line}" 200 - "-" "-"\n'.encode()
        fields = ("method", "target", "protocol", "request", "target_authority", "target_path", "target_query")
        assert row(entry, *fields, format=format) == row(combined, *fields, format=COMBINED)


def test_a_request_line_may_be_joined_by_other_columns() -> None:
    format = json_lines("status=code,request=line")
    assert format.columns == (
        *("status", "method", "target_scheme", "target_authority", "target_path", "target_query", "target_fragment"),
        *("protocol", "request"),
    )
    with pytest.raises(ValueError, match="names the column method twice"):
        json_lines("request=line,method=verb")
    with pytest.raises(ValueError, match="as a whole and in parts: target_path"):
        json_lines("request=line,target_path=path")


@pytest.mark.parametrize(
    ("text", "entry", "expected"),
    [
        ("date+time", {"date": "1996-11-10", "time": "13:55:36"}, "1996-11-10T13:55:36Z"),
        ("date+time", {"date": "1996-11-10", "time": "13:55:36.5+01:00"}, "1996-11-10T12:55:36.500000Z"),
        ("at.date+at.time", {"at": {"date": "1996-11-10", "time": "13:55:36"}}, "1996-11-10T13:55:36Z"),
        ("date+time", {"date": "1996-11-10"}, None),
        ("date+time", {"time": "13:55:36", "date": None}, None),
        ("date+time", {"date+time": "1996-11-10T13:55:36Z", "date": "1996-11-11", "time": "0"}, "1996-11-10T13:55:36Z"),
        ("date+time", {"date": "1996-11-10", "time": "noon"}, "rejected"),
        ("ts:s", {"ts": 847634136.5}, "1996-11-10T13:55:36.500000Z"),
        ("ts:ms", {"ts": 847634136500}, "1996-11-10T13:55:36.500000Z"),
        ("ts:ms", {"ts": 1500}, "1970-01-01T00:00:01.500000Z"),
        ("ts:us", {"ts": "847634136500000"}, "1996-11-10T13:55:36.500000Z"),
        ("ts:us", {"ts": 84763413650000}, "1972-09-08T01:23:33.650000Z"),
        ("ts:ns", {"ts": 847634136500000000}, "1996-11-10T13:55:36.500000Z"),
        ("ts:ns", {"ts": 1500}, "1970-01-01T00:00:00.000001Z"),
        ("ts:ms", {"ts": "1996-11-10T13:55:36Z"}, "rejected"),
        ("ts", {"ts": "-"}, None),
    ],
)
def test_times(text: str, entry: dict[str, object], expected: str | None) -> None:
    [table] = read(json.dumps(entry).encode(), json_lines(f"time={text}"))
    assert (table.texts("time") if table.parsed else [b"rejected"]) == [expected and expected.encode()]


def test_a_date_and_a_time_are_not_extra() -> None:
    line = b'{"date": "1996-11-10", "time": "13:55:36", "zone": "Z"}'
    assert row(line, "extra", format=json_lines("time=date+time")) == (b'{"zone":"Z"}',)


@pytest.mark.parametrize(
    ("headers", "expected", "extra"),
    [
        ({"User-Agent": "a", "Accept": "b"}, b"a", {"Accept": "b"}),
        ({"user-agent": ["a"], "accept": "b"}, b"a", {"accept": "b"}),
        ({"USER-AGENT": ["a", "b"]}, b"a", {"USER-AGENT": ["a", "b"]}),
        ({"user-agent": "a", "USER-AGENT": "b"}, b"a", {"USER-AGENT": "b"}),
        ({"user-agent": "b", "User-Agent": "a"}, b"a", {"user-agent": "b"}),
        (
            [{"name": "Accept", "value": "b"}, {"name": "USER-Agent", "value": "a"}],
            b"a",
            [{"name": "Accept", "value": "b"}],
        ),
        (
            [{"name": "user-agent", "value": "a"}, {"name": "user-agent", "value": "b"}],
            b"a",
            [{"name": "user-agent", "value": "b"}],
        ),
        ([{"name": "user-agent"}, 1, "x", {"name": ["user-agent"]}], None, [1, "x", {"name": ["user-agent"]}]),
        ([], None, None),
        ("user-agent", None, "user-agent"),
        (None, None, None),
    ],
)
def test_headers_in_any_case(headers: object, expected: bytes | None, extra: object) -> None:
    line = json.dumps({"request": {"headers": headers}}).encode()
    found = row(line, "agent", "extra", format=json_lines("agent=request.headers.User-Agent"))
    assert found is not None
    agent, rest = found
    assert agent == expected
    if headers:
        assert rest == (json.dumps({"request": {"headers": extra}}, separators=(",", ":")).encode() if extra else None)


def test_only_headers_may_be_in_any_case() -> None:
    assert row(b'{"Request": {"Url": "/"}}', "target", format=json_lines("request.url")) == (None,)


@pytest.mark.parametrize(
    ("address", "client", "port"),
    [
        (b"192.0.2.7:51234", b"192.0.2.7", b"51234"),
        (b"[2001:db8::7]:51234", b"2001:db8::7", b"51234"),
        (b"[2001:db8::7]", b"2001:db8::7", None),
        (b"2001:db8::7", b"2001:db8::7", None),
        (b"::1", b"::1", None),
        (b"fe80::1%eth0", b"fe80::1%eth0", None),
        (b"192.0.2.7", b"192.0.2.7", None),
        (b"localhost:80", b"localhost", b"80"),
        (b"", b"", None),
        (b"-", b"-", None),
        (b"[x", b"[x", None),
        (b"a]b:c", b"a]b:c", None),
    ],
)
def test_clients_with_ports(address: bytes, client: bytes, port: bytes | None) -> None:
    line = b'{"peer": "%b"}' % address
    assert row(line, "client", "extra", format=json_lines("client=peer")) == (client, None)
    if port:
        assert row(line, "client", "client_port", format=json_lines("client=peer,client_port=peer")) == (client, port)


def test_a_port_of_its_own() -> None:
    format = json_lines("client_port=port")
    assert row(b'{"port": 80}', "client_port", format=format) == (b"80",)
    assert row(b'{"port": "x"}', "client_port", format=format) is None


@pytest.mark.parametrize("text", ["target=uri,method=method", "request=line"])
def test_a_target_that_begins_with_two_slashes_has_no_authority(text: str) -> None:
    line = b'{"method": "GET", "uri": "//xmlrpc.php?rsd", "line": "GET //xmlrpc.php?rsd HTTP/1.1"}'
    assert row(line, "target_authority", "target_path", "target_query", format=json_lines(text)) == (
        *(None, b"//xmlrpc.php", b"rsd"),
    )


JSON_FORMATS = [format for format in FORMATS.values() if isinstance(format, JSONFormat)]


@pytest.mark.parametrize("format", JSON_FORMATS, ids=lambda format: format.name)
def test_no_named_format_matches_the_sample_of_another(format: JSONFormat) -> None:
    assert len(JSON_FORMATS) >= 12
    for other in JSON_FORMATS:
        found = read(other.sample, format, ())
        assert any(table.parsed for table in found) == (other is format), other.name
        assert not (other is format and any(table.rejected for table in found))


@pytest.mark.parametrize("format", JSON_FORMATS, ids=lambda format: format.name)
def test_the_signature_is_found_in_every_entry(format: JSONFormat) -> None:
    entries = [line for line in format.sample.splitlines() if not line.startswith(b"!")]
    assert all(re.search(format.signature.encode(), line) for line in entries)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' names no member; write json:url, or "),
        ("json:", "'' names no member"),
        ("url,", "'' names no member"),
        ("target=", "'target=' names no member"),
        ("=url", "invalid column name ''; use a-z"),
        ("Target=url", "invalid column name 'Target'"),
        ("extra=x", "invalid column name 'extra'"),
        ("rejected=x", "invalid column name 'rejected'"),
        ("referer_text=x", "invalid column name 'referer_text'"),
        ("url,target=uri", "'url,target=uri' names the column target twice"),
        ("url,target_path=path", "names a URI as a whole and in parts: target_path"),
        ("duration=took:minutes", "unknown unit 'minutes'; there are s, ms, us, ns$"),
        ("duration=took:milliseconds", r"unknown unit 'milliseconds'; there are s, ms, us, ns; did you mean \"ms\"\?"),
        ("time=ts:utc", r"unknown unit 'utc'; there are s, ms, us, ns"),
        ("request=", "write json:url, or json:target=request.uri,time=ts,status=code, or json:request=line for a"),
        ("duration=took:MS", r"unknown unit 'MS'; there are s, ms, us, ns; did you mean \"ms\"\?"),
    ],
)
def test_errors_in_json_texts(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        json_lines(text)


@given(st.text() | st.text("a=,.:_json target duration"))
def test_any_text_is_a_format_or_a_value_error(text: str) -> None:
    try:
        format = json_lines(text)
    except ValueError:
        return
    assert format.name.startswith("json:")
    assert read(b'{"a": 1}', format)


def test_own_columns_have_a_meaning() -> None:
    assert set(CADDY.fields) & {"peer", "extra"} <= set(COLUMNS)
