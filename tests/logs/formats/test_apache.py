"""Apache format strings: every directive, times in pieces, names of columns, errors, and hostile lines."""

import io
import pickle
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.corpora import access_log
from tests.support import naive, sizes
from tests.support.entries import INSTANT, TIME, microseconds, row
from urisect import split
from urisect.logs import tables
from urisect.logs.formats.apache import COMBINED, COMMON, DIRECTIVES, NICKNAMES, VHOST_COMBINED, apache
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import LOG_TIME, NUMBER, STATUS
from urisect.logs.formats.request import OPTIONAL_BOM, QUOTED_AGENT, QUOTED_REFERER, QUOTED_REQUEST, optional_value

NOON = datetime(1996, 11, 10, 13, 55, 36, tzinfo=UTC)


# A directive, what it writes, its column and the value. Each is tested between words and between quotes.
WRITTEN: list[tuple[str, str, str, Any]] = [
    ("%a", "192.0.2.7", "client", b"192.0.2.7"),
    ("%{c}a", "2001:db8::7", "peer", b"2001:db8::7"),
    ("%A", "2001:db8::1", "server_address", b"2001:db8::1"),
    ("%b", "0", "bytes", 0),
    ("%b", "-", "bytes", None),
    ("%B", "2326", "bytes", 2326),
    ("%{Theme}C", "dark", "cookie_theme", b"dark"),
    ("%{Theme}C", "", "cookie_theme", b""),
    ("%{version}c", "TLSv1.3", "tls_protocol", b"TLSv1.3"),
    ("%{cipher}c", "TLS_AES_256_GCM_SHA384", "tls_cipher", b"TLS_AES_256_GCM_SHA384"),
    ("%{errcode}c", "-", "tls_errcode", None),
    ("%D", "1500", "duration", 0.0015),
    ("%{UNIQUE_ID}e", "YkLm-@0", "id", b"YkLm-@0"),
    ("%{Foo_Bar}e", "x", "env_foo_bar", b"x"),
    ("%f", "/srv/www/a", "file", b"/srv/www/a"),
    ("%h", "client.example", "client", b"client.example"),
    ("%{c}h", "proxy.example", "peer", b"proxy.example"),
    ("%H", "HTTP/2.0", "protocol", b"HTTP/2.0"),
    ("%H", "-", "protocol", None),
    ("%{Cookie}i", "a=b;c=d", "cookie", b"a=b;c=d"),
    ("%{Host}i", "example.com:8080", "host", b"example.com:8080"),
    ("%{Host}i", "", "host", b""),
    ("%{Referer}i", "/a", "referer_path", b"/a"),
    ("%{Referer}i", "-", "referer_path", None),
    ("%{USER-AGENT}i", "Lynx/2.6", "agent", b"Lynx/2.6"),
    ("%{X-Forwarded-For}i", "192.0.2.7, 192.0.2.8", "forwarded_for", b"192.0.2.7, 192.0.2.8"),
    ("%{X-Forwarded-For}i", "192.0.2.7,192.0.2.8", "forwarded_for", b"192.0.2.7,192.0.2.8"),
    ("%{X-Forwarded-For}i", "-", "forwarded_for", None),
    ("%{Accept-Language}i", "de", "accept_language", b"de"),
    ("%{Status}i", "odd", "other_status", b"odd"),
    ("%{File}i", "odd", "other_file", b"odd"),
    ("%{Target}i", "odd", "other_target", b"odd"),
    ("%{2nd}i", "odd", "other_2nd", b"odd"),
    ("%{é}i", "odd", "other_", b"odd"),
    ("%I", "412", "bytes_received", 412),
    ("%k", "3", "keepalives", 3),
    ("%l", "-", "identity", None),
    ("%l", "ident", "identity", b"ident"),
    ("%L", "Zx+/1", "id", b"Zx+/1"),
    ("%{c}L", "-", "connection", None),
    ("%m", "PROPFIND", "method", b"PROPFIND"),
    ("%{Foo}n", "x", "note_foo", b"x"),
    ("%{Content-Type}o", "text/html", "media_type", b"text/html"),
    ("%{Location}o", "/b", "sent_location", b"/b"),
    ("%O", "2640", "bytes_sent", 2640),
    ("%p", "443", "server_port", 443),
    ("%{Canonical}p", "443", "server_port", 443),
    ("%{local}p", "443", "server_port", 443),
    ("%{remote}p", "50123", "client_port", 50123),
    ("%P", "77", "process", 77),
    ("%{pid}P", "77", "process", 77),
    ("%{tid}P", "140229338982144", "thread", 140229338982144),
    ("%{hextid}P", "7f8a1c", "thread", 0x7F8A1C),
    ("%q", "?a=b", "target_query", b"a=b"),
    ("%q", "?", "target_query", b""),
    ("%q", "", "target_query", None),
    ("%r", "GET /a?b HTTP/1.1", "target_query", b"b"),
    ("%R", "proxy-server", "handler", b"proxy-server"),
    ("%s", "304", "status", 304),
    ("%>s", "304", "status", 304),
    ("%>s", "0", "status", None),
    ("%s", "000", "status", None),
    ("%<s", "-", "status", None),
    ("%S", "3052", "bytes_total", 3052),
    ("%t", f"[{TIME}]", "time", microseconds(INSTANT)),
    ("%T", "2", "duration", 2.0),
    ("%{s}T", "2", "duration", 2.0),
    ("%{ms}T", "1500", "duration", 1.5),
    ("%{US}T", "1500", "duration", 0.0015),
    ("%u", "-", "user", None),
    ("%u", "frank", "user", b"frank"),
    ("%U", "/a", "target_path", b"/a"),
    ("%U", "-", "target_path", None),
    ("%U%q", "/a?b?c", "target_query", b"b?c"),
    ("%U%q", "/a", "target_query", None),
    ("%v", "www.example.com", "server", b"www.example.com"),
    ("%V", "www.example.com", "server", b"www.example.com"),
    ("%{SSL_PROTOCOL}x", "TLSv1.2", "tls_protocol", b"TLSv1.2"),
    ("%{SSL_CIPHER}x", "-", "tls_cipher", None),
    ("%{SSL_CLIENT_S_DN}x", "CN=a", "ssl_client_s_dn", b"CN=a"),
    ("%X", "X", "connection_status", b"X"),
    ("%X", "-", "connection_status", b"-"),
    ("%^FB", "1200", "first_byte_duration", 0.0012),
    ("%{Foo}^ti", "x", "trailer_foo", b"x"),
    ("%{Foo}^to", "x", "sent_trailer_foo", b"x"),
    ("%!200,304{Accept}i", "-", "accept", None),
    ("%200h", "-", "client", None),
    ("%200h", "192.0.2.7", "client", b"192.0.2.7"),
    ("%{Accept}404i", "*/*", "accept", b"*/*"),
    ("%404t", "-", "time", None),
    ("%404t", f"[{TIME}]", "time", microseconds(INSTANT)),
    ("%404q", "-", "target_query", None),
    ("%404U", "/a", "target_path", b"/a"),
    ("%404{%A}t", "-", "time_text", None),
]


@pytest.mark.parametrize(("directive", "text", "column", "value"), WRITTEN)
@pytest.mark.parametrize("around", ["a {} b", 'a "{}" b', "{}", "a|{}|b", "{} - b"])
def test_directives(directive: str, text: str, column: str, value: Any, around: str) -> None:
    found = row(apache(around.format(directive)), around.format(text))
    assert found is not None
    assert found.get(column) == value


def test_every_directive_is_tested() -> None:
    def key(directive: str) -> str:
        return re.sub(r"[!<>,0-9]", "", directive).replace("%U%q", "%U").lower()

    tried = {key(directive) for directive, *_ in WRITTEN}
    wild = {re.sub(r"\{.*\}", "{*}", directive) for directive in tried}
    assert [directive for directive in DIRECTIVES if key(directive) not in tried | wild] == []


def test_columns_of_the_same_name_have_the_same_kind() -> None:
    for directive in DIRECTIVES.values():
        [name, *_] = directive.columns
        if name in COLUMNS and directive.field_pattern.notation:
            assert directive.field_pattern.notation.kind is COLUMNS[name].kind
        elif name in COLUMNS and name != "time":
            assert COLUMNS[name].kind.name == "TEXT"


TIMES: list[tuple[str, str, datetime | None]] = [
    ("%t", f"[{TIME}]", INSTANT),
    ("%{}t", f"[{TIME}]", INSTANT),
    ("%{begin}t", f"[{TIME}]", INSTANT),
    ("%{end:}t", f"[{TIME}]", INSTANT),
    ("%{%d/%b/%Y:%H:%M:%S %z}t", TIME, INSTANT),
    ("%{[%d/%b/%Y:%T %z]}t", f"[{TIME}]", INSTANT),
    ("%{%Y-%m-%dT%H:%M:%S%z}t", "1996-11-10T13:55:36-0700", INSTANT),
    ("%{end:%FT%TZ}t", "1996-11-10T13:55:36Z", NOON),
    ("%{%Y-%m-%d}t %{%H:%M:%S}t", "1996-11-10 13:55:36", NOON),
    ("%{%d/%b/%Y %T}t.%{msec_frac}t %{%z}t", "10/Nov/1996 13:55:36.250 -0700", INSTANT + timedelta(milliseconds=250)),
    ("[%{%F}t%{ %T}t.%{usec_frac}t]", "[1996-11-10 13:55:36.000250]", NOON + timedelta(microseconds=250)),
    ("%t %{msec_frac}t", f"[{TIME}] 250", INSTANT + timedelta(milliseconds=250)),
    ("%{%D %R}t", "11/10/96 13:55", NOON.replace(second=0)),
    ("%{%D %R}t", "11/10/68 13:55", NOON.replace(second=0, year=2068)),
    ("%{%D %R}t", "11/10/69 13:55", NOON.replace(second=0, year=1969)),
    ("%{%e %B %Y, %l:%M:%S %p}t", "10 November 1996,  1:55:36 PM", NOON),
    ("%{%e %h %Y, %I:%M:%S %P}t", " 1 May 1996, 12:55:36 am", NOON.replace(month=5, day=1, hour=0)),
    ("%{%A %j %Y %k.%M.%S}t", "Sunday 315 1996 13.55.36", NOON),
    ("%{%Y %j %T}t", "1995 366 13:55:36", None),
    ("%{%Y %j %T}t", "0000 001 13:55:36", None),
    ("%{%Y %j %T}t", "9999 366 13:55:36", None),
    ("%{%F %T}t", "1996-11-31 13:55:36", None),
    ("%{%c}t", "Sun Nov 10 13:55:36 1996", NOON),
    ("%{%x %r}t", "11/10/96 01:55:36 PM", NOON),
    ("%{%x%t%X %%}t", "11/10/96\t13:55:36 %", NOON),
    ("%{%F %T %Z (%z)}t", "1996-11-10 13:55:36 MST (-0700)", INSTANT),
    ("%{%s}t", "847659336", INSTANT),
    ("%{sec}t", "847659336", INSTANT),
    ("%{sec}t.%{usec_frac}t", "847659336.000250", INSTANT + timedelta(microseconds=250)),
    ("%{sec}t%{msec_frac}t", "847659336250", INSTANT + timedelta(milliseconds=250)),
    ("%{msec}t", "847659336250", INSTANT + timedelta(milliseconds=250)),
    ("%{begin:usec}t", "847659336000250", INSTANT + timedelta(microseconds=250)),
    ("%404{%F %T}t", "1996-11-10 13:55:36", NOON),
    ("%404{(%F %T)}t", "(1996-11-10 13:55:36)", NOON),
]


@pytest.mark.parametrize(("directive", "text", "time"), TIMES)
@pytest.mark.parametrize("around", ["{}", "a {} b", '"{}" b'])
def test_times(directive: str, text: str, time: datetime | None, around: str) -> None:
    format = apache(around.format(directive))
    assert format.kind("time").name == "TIME"
    found = row(format, around.format(text))
    assert found is not None
    assert found.get("time") == (None if time is None else microseconds(time))


# Times that cannot be parsed: each is a text column of its own.
NO_TIMES: list[tuple[str, str, dict[str, Any]]] = [
    ("%{%H:%M}t", "13:55", {"time_text": b"13:55"}),
    ("%{%A %Z}t %h", "Sunday MST h", {"time_text": b"Sunday MST", "client": b"h"}),
    ("%{%F %T %Z}t", "1996-11-10 13:55:36 CET", {"time_text": b"1996-11-10 13:55:36 CET"}),
    ("%{%F %H:%M}t.%{msec_frac}t", "1996-11-10 13:55.250", {"time": microseconds(NOON.replace(second=0))}),
    ("%{%F %I:%M:%S}t", "1996-11-10 01:55:36", {"time_text": b"1996-11-10 01:55:36"}),
    ("%{%F %H:%H}t", "1996-11-10 13:13", {"time_text": b"1996-11-10 13:13"}),
    ("%{%F %T %q}t x", "1996-11-10 13:55:36 4 x", {"time_text": b"1996-11-10 13:55:36 4"}),
    ("%{%F %}t", "1996-11-10 %", {"time_text": b"1996-11-10 %"}),
    ("%{noon}t", "noon", {"time_text": b"noon"}),
    ("%{%H}t%{%M}t", "1355", {"time_text": b"13", "time_text_2": b"55"}),
    ("%{%s %s}t", "1 2", {"time_text": b"1 2"}),
    ("%{msec_frac}t", "250", {"time_text": b"250"}),
    ("%{msec}t.%{usec_frac}t", "1.000250", {"time": 1000, "time_text": b"000250"}),
]


@pytest.mark.parametrize(("format", "line", "expected"), NO_TIMES)
def test_times_that_cannot_be_parsed_are_text(format: str, line: str, expected: dict[str, Any]) -> None:
    found = row(apache(format), line)
    assert found is not None
    assert expected.items() <= found.items()


def test_complete_times_are_not_merged() -> None:
    line = f"[{TIME}] 1996-11-10 13:55:36 847659336 13:55"
    assert row(apache("%t %{%F %T}t %{end:sec}t %{%R}t"), line) == {
        "time": microseconds(INSTANT),
        "time_2": microseconds(NOON),
        "time_3": microseconds(INSTANT),
        "time_text": b"13:55",
    }
    assert row(apache("%{%F}t %h %{%T}t"), "1996-11-10 h 13:55:36") == {
        "time_text": b"1996-11-10",
        "client": b"h",
        "time_text_2": b"13:55:36",
    }
    assert row(apache("%{begin:%F}t %{end:%T}t %{foo}t"), "1996-11-10 13:55:36 foo") == {
        "time_text": b"1996-11-10",
        "time_text_2": b"13:55:36",
        "time_text_3": b"foo",
    }


NAMES = {
    "%h %a %a": ("client", "client_2", "client_3"),
    "%{Foo}i %{Foo-2}i %{foo}i": ("foo", "foo_2", "foo_3"),
    "%{Foo}i %{Foo}o %{Foo}C %{Foo}e %{Foo}n": ("foo", "sent_foo", "cookie_foo", "env_foo", "note_foo"),
    "%U%q": ("target_path", "target_query"),
    "%{Referer}i %{Referer}i": (*(f"referer_{name}" for name in split("")._fields), "referer_2"),
    '"%r" %m %U%q %H %r': (
        *("method", *(f"target_{name}" for name in split("")._fields), "protocol", "request"),
        *("method_2", "target_path_2", "target_query_2", "protocol_2", "request_2"),
    ),
}


@pytest.mark.parametrize(("format", "columns"), NAMES.items())
def test_duplicate_names_are_numbered(format: str, columns: tuple[str, ...]) -> None:
    assert apache(format).columns == columns


def test_the_components_of_a_request_line_are_named_first() -> None:
    assert row(apache('%U %s "%r"'), '/b 200 "GET /a HTTP/1.1"') == {
        "target_path_2": b"/b",
        "status": 200,
        "method": b"GET",
        "target_path": b"/a",
        "protocol": b"HTTP/1.1",
    }


def test_an_adjacent_path_and_query_are_a_target() -> None:
    format = apache("%m %U%q %h")
    assert format.fields[-2:] == ("client", "target")
    [table] = tables(io.BytesIO(b"GET /a?b h\n- - h\n"), format)
    assert table.column("target") == [b"/a?b", None]


# Common formats, each with a line and some of its values.
COMMON_FORMATS: list[tuple[str, str, dict[str, Any]]] = [
    ("%{Referer}i -> %U", "http://example.com/a -> /b", {"referer_authority": b"example.com", "target_path": b"/b"}),
    ("%{Referer}i -> %U", "a -- > b -> /x y", {"referer_path": b"a -- > b", "target_path": b"/x y"}),
    ("%{Referer}i -> %U", "- -> -", {}),
    ("agent", "Lynx/2.6 (a; b)", {"agent": b"Lynx/2.6 (a; b)"}),
    (r"%h\t%{User-Agent}i\t%b", "h\ta b\t5", {"client": b"h", "agent": b"a b", "bytes": 5}),
    ("%h %{User-Agent}i %>s %b", "h a 1 b 200 5", {"client": b"h", "agent": b"a 1 b", "status": 200, "bytes": 5}),
    ("%h %{User-Agent}i %>s", "h - 200 200", {"agent": b"- 200", "status": 200}),
    ("%h %{User-Agent}i.", "h a.b.", {"agent": b"a.b"}),
    ("%u %>s", "John A. Doe 200", {"user": b"John A. Doe", "status": 200}),
    ("%v:%p %h", "[2001:db8::1]:80 h", {"server": b"[2001:db8::1]", "server_port": 80, "client": b"h"}),
    ("%a:%{remote}p", "2001:db8::7:50123", {"client": b"2001:db8::7", "client_port": 50123}),
    ("https://%v%U %s", "https://example.com/a 200", {"server": b"example.com", "target_path": b"/a", "status": 200}),
    ("%{Host}i%U%q %s", "example.com/a?b 200", {"host": b"example.com", "target_query": b"b", "status": 200}),
    ('"%m %U%q %H" %s', '"GET /a b?c HTTP/1.1" 200', {"target_path": b"/a b", "target_query": b"c", "status": 200}),
    ('"%m %U%q %H" %s', r'"GET /a\"b HTTP/1.1" 200', {"target_path": rb"/a\"b", "protocol": b"HTTP/1.1"}),
    ('"%m %U%q %H" %s', '"- - -" 400', {"status": 400}),
    ("%h %r %s", "h GET /a b HTTP/1.1 200", {"target_path": b"/a b", "protocol": b"HTTP/1.1", "status": 200}),
    ("%h %r %s", "h GET /a 200", {"target_path": b"/a", "status": 200}),
    ("%h %r %s", "h GET /a b 200", {"target_path": b"/a b", "status": 200}),
    ("%h %r %s", "h - 200", {"status": 200}),
    ("%h %r %s", "h x 200", {"request": b"x", "status": 200}),
    ("%r %h", "GET /a HTTP/1.1 h", {"target_path": b"/a", "protocol": b"HTTP/1.1", "client": b"h"}),
    ("%h %r", "h CONNECT example.com:443 HTTP/1.1", {"target_authority": b"example.com:443", "protocol": b"HTTP/1.1"}),
    ("%h %r", "h RECONNECT example.com:443 HTTP/1.1", {"target_scheme": b"example.com", "target_path": b"443"}),
    ("%h|%r|%s", "h|GET /a|b HTTP/1.1|200", {"target_path": b"/a|b", "status": 200}),
    ("%h,%r,%s", "h,\x16\x03,200", {"request": b"\x16\x03", "status": 200}),
    ("%s%X%t%b", f"200+[{TIME}]5", {"status": 200, "connection_status": b"+", "bytes": 5}),
    (
        '%{X-Forwarded-For}i %l %u %t "%r"',
        f'192.0.2.7, 192.0.2.8 - - [{TIME}] "GET / HTTP/1.1"',
        {"forwarded_for": b"192.0.2.7, 192.0.2.8", "time": microseconds(INSTANT)},
    ),
    ("%{X-Forwarded-For}i,%s", "192.0.2.7, 192.0.2.8,200", {"forwarded_for": b"192.0.2.7, 192.0.2.8", "status": 200}),
    ("%{X-Forwarded-For}i, %s", "192.0.2.7,192.0.2.8, 200", {"forwarded_for": b"192.0.2.7,192.0.2.8", "status": 200}),
    ("100%% %h", "100% h", {"client": b"h"}),
    (r"\\%h\x \'%h\'", r"\h\x 'g'", {"client": b"h", "client_2": b"g"}),
    ("é%{User-Agent}ié", "éa\u00c3é", {"agent": "a\u00c3".encode()}),
    ("'%{User-Agent}i' %s", "'it's' 200", {"agent": b"it's", "status": 200}),
    (r'"%{A}i %{B}i"', r'"a b \" c"', {"a": b"a", "b": rb"b \" c"}),
    (' LogFormat "%h \\"%f\\" " odd', 'h "a b" ', {"client": b"h", "file": b"a b"}),
    ("logformat '%h \"%f\"'\n", 'h "a b"', {"client": b"h", "file": b"a b"}),
    ("%h\r\n", "h", {"client": b"h"}),
    ("%h %f", "h \udcff\0", {"file": b"\xff\0"}),
]


@pytest.mark.parametrize(("format", "line", "expected"), COMMON_FORMATS)
def test_common_formats_and_lines(format: str, line: str, expected: dict[str, Any]) -> None:
    found = row(apache(format), line)
    assert found is not None
    assert expected.items() <= found.items()


REJECTED: list[tuple[str, str]] = [
    ("%h %s", "h 20"),
    ("%h %b", "h 9999999999999999999"),
    ("%h %b", "h five"),
    ("%h %b", " 5"),
    ("%h %b", "a b 5"),
    ("%h %b", "h 5 "),
    ("%h %b", "\0\0h 5"),
    ("%t %h", "[10/Nov/1996 13:55:36 -0700] h"),
    ("%t %h", "[10/Nov/1996:13:55:36 +9999] h"),
    ("%t %h", "[10/Nov/1996:13:55:36 +2400] h"),
    ("%{%F %T %z}t", "1996-11-10 13:55:36 +2400"),
    ("%{%F %T %z}t", "1996-11-10 13:55:36 -0060"),
    ("%t %h", "- h"),
    ("%{%F %T}t", "1996-13-10 13:55:36"),
    ("%u %t", f" [{TIME}]"),
    ('"%m" %h', '"GET h'),
    ('"%m %U"', '"GET /a"b"'),
    ("%v%U", "example.com-"),
    ("%X", "Y"),
    ("%q", "a"),
    ("%p", "123456"),
]


@pytest.mark.parametrize(("format", "line"), REJECTED)
def test_lines_that_do_not_match_are_rejected(format: str, line: str) -> None:
    assert row(apache(format), line) is None


ERRORS = {
    "%h%u": "cannot tell where %h ends: %u follows at once",
    "%{A}i%U": "cannot tell where %{A}i ends: %U follows at once",
    "%r%q": "cannot tell where %r ends: %q follows at once",
    "%{%F %T %z %Z}t%h": r"cannot tell where %{%F %T %z %Z}t ends: %h follows at once",
    "%b1": "cannot tell where %b ends: the digit '1' follows at once",
    "%{sec}t0": "cannot tell where %{sec}t ends: the digit '0' follows at once",
    "": "no directive, so there is nothing to parse",
    "combination": "no directive, so there is nothing to parse",
    r"%h\n%u": "has several lines",
    "%h\r\n%u": "has several lines",
    "%{%F%n%T}t": "has several lines",
    "%{%H%n}t": "has several lines",
    "%h %y": "no directive is called '%y', at offset 3; there are %a, %{c}a, %A, ",
    'LogFormat "%y"': "no directive is called '%y', at offset 11;",
    "%i": "no directive is called '%i', at offset 0;",
    "%{}i": "no directive is called '%{}i', at offset 0;",
    "%{foo}p": "no directive is called '%{foo}p', at offset 0;",
    "%{remot}p": 'did you mean "%{remote}p"?',
    "%{foo}h": "no directive is called '%{foo}h', at offset 0;",
    "%{foo": "no directive is called '%{', at offset 0;",
    "%>": "no directive is called '%>', at offset 0;",
    "%^xx": "no directive is called '%^xx', at offset 0;",
    "%": "no directive is called '%', at offset 0;",
    "%h \ud800": "surrogates not allowed",
}


@pytest.mark.parametrize(("format", "message"), ERRORS.items())
def test_errors_in_format_strings(format: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        apache(format)


# Handwritten expressions of the Common and the Combined Log Format.
COMMON_LINE = (
    rf"{OPTIONAL_BOM}(?P<client>[^ \x00\n]++)"
    r"[ ](?:-|(?P<identity>[^ \n]++))"
    r"[ ](?:-|(?P<user>[^ \n]++(?>(?:[ ](?!\[)[^ \n]*+)*)))"
    rf"[ ]\[(?P<time>{LOG_TIME.pattern})\]"
    rf"[ ]{QUOTED_REQUEST}"
    rf"[ ]{optional_value('status', STATUS)}"
    rf"[ ]{optional_value('bytes', NUMBER)}"
)
BY_HAND = {"common": COMMON_LINE, "combined": rf"{COMMON_LINE}[ ]{QUOTED_REFERER}[ ]{QUOTED_AGENT}"}

lines = st.sampled_from(access_log(300).splitlines())
oddities = naive.octets | st.sampled_from([b"-", b'"', b" ", rb"\"", b" - ", b"\\", b'"-"', b"\0", b"\r"])


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A log line with a part of it replaced."""
    line = draw(lines)
    begin = draw(st.integers(0, len(line)))
    end = draw(st.integers(begin, min(begin + 9, len(line))))
    return line[:begin] + draw(oddities) + line[end:]


@given(st.lists(lines | damaged() | damaged().map(lambda line: line.partition(b' "http')[0])).map(b"\n".join))
def test_named_formats_parse_like_handwritten_expressions(data: bytes) -> None:
    for format in (COMMON, COMBINED):
        by_hand = PatternFormat(format.name, BY_HAND[format.name], uris=format.uris, notations=format.notations)
        assert by_hand.columns == format.columns
        expected, found = (list(tables(io.BytesIO(data), each)) for each in (by_hand, format))
        assert [table[1:] for table in found] == [table[1:] for table in expected]


def test_the_documented_format_strings_are_the_named_formats() -> None:
    combined = apache(r"%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\"")
    assert (combined.line, combined.columns) == (COMBINED.line, COMBINED.columns)
    assert apache('%h %l %u %t "%r" %>s %b').line == COMMON.line
    assert apache("vhost_combined").line == VHOST_COMBINED.line
    assert {name: apache(name, name).name for name in NICKNAMES} == {name: name for name in NICKNAMES}


@pytest.mark.parametrize("format", [COMMON, COMBINED, VHOST_COMBINED], ids=lambda format: format.name)
def test_samples(format: PatternFormat) -> None:
    first, second = (row(format, line) for line in format.sample.splitlines())
    assert first is not None
    assert second is not None
    assert (first["client"], first["time"], first["status"], first["method"]) == (
        *(b"192.0.2.7", microseconds(INSTANT), 200, b"GET"),
    )
    assert (second["user"], second["status"], second.get("bytes")) == (b"frank", 304, None)
    assert format.fields[: len(format.columns)] == format.columns


def test_virtual_host_and_bytes_sent() -> None:
    found = row(VHOST_COMBINED, VHOST_COMBINED.sample.splitlines()[0])
    assert found is not None
    assert (found["server"], found["server_port"], found["bytes_sent"]) == (b"www.example.com", 80, 2640)


def test_a_format_can_be_pickled() -> None:
    format = apache('%h [%{%F}t %{%T}t.%{msec_frac}t] "%r"')
    line = b'h [1996-11-10 13:55:36.250] "GET / HTTP/1.1"'
    assert row(pickle.loads(pickle.dumps(format)), line) == row(format, line)  # noqa: S301


def test_leading_nul_is_rejected_and_a_byte_order_mark_is_dropped() -> None:
    for format in ("%h %b", '%{A}i "%B"', "%f", "%{X-Forwarded-For}i %b"):
        line = re.sub("%[^% ]*[a-zA-Z]", "1", format).encode()
        assert row(apache(format), b"\xef\xbb\xbf" + line) == row(apache(format), line) is not None
        assert row(apache(format), b"\0" + line) is None


PEER_FORMATS = [
    *(NICKNAMES[name].replace('\\"', '"') for name in ("common", "combined", "vhost_common", "vhost_combined")),
    '%t "%r" %h %>s %B',
    "%a %s %b %{%Y-%m-%d %H:%M:%S %z}t",
    "%>s|%B|%h|%{sec}t",
    "%h %l %u %{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t %>s %b",
    '%v %h "%{User-Agent}i" %t %>s %b %D %I',
]
PEER_VALUES = {
    "%h": ["192.0.2.7", "2001:db8::7"],
    "%a": ["192.0.2.7"],
    "%l": ["-"],
    "%u": ["-", "John A. Doe"],
    "%t": [f"[{TIME}]", "[29/Feb/2024:00:00:00 +0000]"],
    "%>s": ["200", "404"],
    "%s": ["200"],
    "%b": ["-", "2326"],
    "%B": ["0", "2326"],
    "%O": ["1"],
    "%D": ["1"],
    "%I": ["1"],
    "%p": ["80"],
    "%v": ["example.com"],
    "%r": ["GET /a?b HTTP/1.1", "-"],
    "%{Referer}i": ["-"],
    "%{User-agent}i": ["a b", "-"],
    "%{User-Agent}i": ["a b", "-"],
    "%{%Y-%m-%d %H:%M:%S %z}t": ["1996-11-10 13:55:36 -0700"],
    "%{sec}t": ["847659336"],
    "%{%d/%b/%Y:%T}t": ["10/Nov/1996:13:55:36"],
    "%{msec_frac}t": ["250"],
    "%{%z}t": ["-0700", "+0530"],
}


@given(st.sampled_from(PEER_FORMATS), st.data())
def test_apachelogs_parses_the_same(text: str, data: st.DataObject) -> None:
    line = re.sub(r"%>?(?:\{.*?\})?[a-zA-Z]", lambda found: data.draw(st.sampled_from(PEER_VALUES[found[0]])), text)
    found = row(apache(text), line)
    peer = pytest.importorskip("apachelogs").LogParser(text).parse(line)
    assert found is not None
    status = peer.final_status if "%>s" in text else peer.status
    client = getattr(peer, "remote_host" if "%h" in text else "remote_address")
    size = peer.bytes_out if "%O" in text else peer.bytes_sent
    assert (found["client"].decode(), found["status"]) == (client, status)
    assert (found.get("bytes", found.get("bytes_sent"))) == size
    if "msec" in text:
        expected = peer.request_time_fields
        time = datetime(1996, 11, 10, 13, 55, 36, 250_000, expected["timezone"])
        assert found["time"] == microseconds(time)
    else:
        assert peer.request_time is not None
        assert found["time"] == microseconds(peer.request_time)


# Directives, and values that are written unchanged and contain no separator.
NAMES_OF = ["%h", "%a", "%A", "%l", "%m", "%v", "%V", "%L", "%u", "%{Host}i"]
TEXTS = ["%f", "%R", "%{Foo}i", "%{Bar}o", "%{Foo}C", "%{A}e", "%{A}n", "%{User-Agent}i", "%{A}x", "%{A}^ti"]


def values(separators: str) -> st.SearchStrategy[list[tuple[str, Any]]]:
    unwritten = '"\\\r\n' + separators
    plain = st.text(st.characters(codec="utf-8", exclude_characters=unwritten), min_size=1).filter(
        lambda text: text != "-"
    )
    value = st.one_of(
        st.tuples(st.sampled_from(TEXTS), plain.filter(lambda text: "\0" not in text)),
        st.tuples(st.sampled_from(NAMES_OF), st.text("abcABC019-_", min_size=1).filter(lambda name: name != "-")),
        st.tuples(st.sampled_from(["%b", "%B", "%I", "%O", "%S", "%k", "%P"]), st.integers(0, 10**18 - 1)),
        st.tuples(st.sampled_from(["%s", "%>s"]), st.integers(100, 999)),
        st.tuples(st.sampled_from(["%p", "%{local}p", "%{remote}p"]), st.integers(0, 65535)),
    )
    return st.lists(value, min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("around", "between", "separators"),
    [
        ("", " ", " "),
        ("", "|", "|"),
        ("", ", ", ","),
        ('"', '" "', ""),
        ('"', " ", " "),
        ("", ' "|" ', " "),
        ("[", "] [", "]"),
    ],
)
@given(st.data())
def test_written_values_are_parsed(around: str, between: str, separators: str, data: st.DataObject) -> None:
    pieces = data.draw(values(separators))
    end = around.replace("[", "]")
    found = row(
        apache(around + between.join(directive for directive, _ in pieces) + end),
        around + between.join(str(value) for _, value in pieces) + end,
    )
    assert found is not None
    assert list(found.values()) == [value if isinstance(value, int) else value.encode() for _, value in pieces]


some_formats = st.lists(
    st.sampled_from(
        [*(directive.replace("*", "Foo") for directive in DIRECTIVES), "%{%F %T}t", "%{%z}t", "%404h", "%%"]
    )
    | st.sampled_from([" ", '"', " - ", '" "', "|", ",", ":", "[", "]", "?", "/", "1", "-", "é"])
    | st.text("%{}<>!,0\\\"'abhrt \n^", max_size=4),
    max_size=12,
).map("".join)


@given(
    some_formats | naive.texts, st.lists(oddities | lines | st.sampled_from([b"1" * 300, b"- " * 150])).map(b"".join)
)
@example("%{%s%s%s%s%s%s%s%s}t", b"1" * 100)
@example("%{sec}t%{msec_frac}t" * 9, b"1" * 300)
@example("%{hextid}Pa" * 9, b"a" * 300)
@example("%{%Z}ta" * 9, b"a" * 300)
@example("%{%Z}t%{%Z}t%{%Z}t%{%Z}t%{%Z}t%{%Z}t", b"A" * 100)
def test_any_text_is_a_format_or_a_value_error_and_every_line_is_counted(text: str, data: bytes) -> None:
    try:
        format = apache(text)
    except ValueError:
        return
    found = list(tables(io.BytesIO(data), format))
    assert sum(table.lines for table in found) == len(naive.lines(data))
    for table in found:
        assert {len(table.values(field)) for field in format.fields} == {table.parsed}


HOSTILE = [b"-", b"- ", b'"', b'\\"', b"a, ", b"1", b"A/1 ", b"?", b'"-" ', b"[", b" - "]


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "format", ["combined", "%{A}i %{B}i - %r %b %H", '"%U%q %H" %{X-Forwarded-For}i "%{A}i" %u [%U] %{B}i']
)
def test_a_hostile_line_takes_linear_time(format: str, text: bytes) -> None:
    line = text * (sizes.LONG // len(text))
    [table] = tables(io.BytesIO(line), apache(format), limit=len(line))
    assert table.lines == 1
