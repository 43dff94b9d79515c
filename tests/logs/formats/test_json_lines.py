"""JSON lines: values of members, rejected lines, `extra`, `json:` texts, and the format of Caddy."""

import io
import json
import pickle
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import split
from urisect.logs.formats import Format
from urisect.logs.formats.caddy import CADDY
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.json_lines import JSONFormat, Member, json_lines, member_paths
from urisect.logs.formats.notation import ANY_NUMBER, ValueKind
from urisect.logs.input.reader import Rejected, Table, tables
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
        b'{"level":"info","ts":1646861400.1,"logger":"admin","msg":"admin endpoint started"}',
        b'{"level":"error","ts":1646861400.1,"logger":"http.log.error","msg":"no","request":{"uri":"/"},"status":502}',
        b'{"ts":"soon","request":{"uri":"/"},"size":0}',
        b'{"ts":1646861400.1,"request":{"uri":"/"},"size":1.5}',
        b'{"ts":1646861400.1,"request":"/","size":1}',
    ],
)
def test_other_messages_of_caddy_are_rejected(line: bytes) -> None:
    assert row(line, format=CADDY) is None


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
    assert row(b'{"path": "/a", "query": "b"}', "target_path", "target_query", format=format) == (b"/a", b"b")
    assert "target" not in format.fields


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
