"""nginx format strings: every variable, lists of several servers, configurations, errors, and hostile lines."""

import io
import pickle
import re
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.corpora import access_log
from tests.support import naive, sizes
from tests.support.entries import INSTANT, TIME, microseconds, row
from urisect import split
from urisect.logs import tables
from urisect.logs.formats.apache import COMBINED
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.nginx import VARIABLES, nginx

# A variable, what it writes, its column and the value. Each is tested between words and between quotes.
WRITTEN: list[tuple[str, str, str, Any]] = [
    ("$args", "a=b", "target_query", b"a=b"),
    ("$args", "-", "target_query", None),
    ("$args", "", "target_query", None),
    ("$query_string", "a=b", "target_query", b"a=b"),
    ("$body_bytes_sent", "2326", "bytes", 2326),
    ("$bytes_sent", "2640", "bytes_sent", 2640),
    ("$connection", "77", "connection", b"77"),
    ("$connection_requests", "3", "connection_requests", 3),
    ("$connection_time", "1.250", "connection_duration", 1.25),
    ("$cookie_Theme", "dark", "cookie_theme", b"dark"),
    ("$document_uri", "/a", "target_path", b"/a"),
    ("$uri", "/a", "target_path", b"/a"),
    ("$host", "example.com", "host", b"example.com"),
    ("$http_cookie", "a=b", "cookie", b"a=b"),
    ("$http_host", "example.com:8080", "host", b"example.com:8080"),
    ("$http_host", "", "host", b""),
    ("$http_referer", "/a", "referer_path", b"/a"),
    ("$http_referer", "-", "referer_path", None),
    ("$http_user_agent", "Lynx/2.6", "agent", b"Lynx/2.6"),
    ("$http_user_agent", "", "agent", b""),
    ("$http_x_forwarded_for", "192.0.2.7, 192.0.2.8", "forwarded_for", b"192.0.2.7, 192.0.2.8"),
    ("$http_accept_language", "de", "accept_language", b"de"),
    ("$http_status", "odd", "other_status", b"odd"),
    ("$is_args", "?", "is_args", b"?"),
    ("$is_args", "", "is_args", None),
    ("$is_args$args", "?a", "target_query", b"a"),
    ("$is_args$args", "-", "target_query", None),
    ("$msec", "847659336.250", "time", microseconds(INSTANT + timedelta(milliseconds=250))),
    ("$pid", "77", "process", 77),
    ("$pipe", ".", "pipe", b"."),
    ("$proxy_add_x_forwarded_for", "192.0.2.7, 192.0.2.8", "proxy_add_x_forwarded_for", b"192.0.2.7, 192.0.2.8"),
    ("$remote_addr", "2001:db8::7", "client", b"2001:db8::7"),
    ("$remote_port", "50123", "client_port", 50123),
    ("$remote_user", "frank", "user", b"frank"),
    ("$remote_user", "-", "user", None),
    ("$request", "GET /a?b HTTP/1.1", "target_query", b"b"),
    ("$request_filename", "/srv/www/a", "file", b"/srv/www/a"),
    ("$request_id", "0f1e", "id", b"0f1e"),
    ("$request_length", "412", "bytes_received", 412),
    ("$request_method", "GET", "method", b"GET"),
    ("$request_time", "0.250", "duration", 0.25),
    ("$request_uri", "/a?b", "target_query", b"b"),
    ("$scheme", "https", "scheme", b"https"),
    ("$sent_http_content_type", "text/html", "media_type", b"text/html"),
    ("$sent_http_location", "/b", "sent_location", b"/b"),
    ("$server_addr", "2001:db8::1", "server_address", b"2001:db8::1"),
    ("$server_name", "www.example.com", "server", b"www.example.com"),
    ("$server_name", "", "server", b""),
    ("$server_port", "443", "server_port", 443),
    ("$server_protocol", "HTTP/2.0", "protocol", b"HTTP/2.0"),
    ("$ssl_cipher", "TLS_AES_256_GCM_SHA384", "tls_cipher", b"TLS_AES_256_GCM_SHA384"),
    ("$ssl_protocol", "-", "tls_protocol", None),
    ("$status", "499", "status", 499),
    ("${status}", "000", "status", None),
    ("$status", "0", "status", None),
    ("$upstream_status", "000", "upstream_status", None),
    ("$time_iso8601", "1996-11-10T13:55:36-07:00", "time", microseconds(INSTANT)),
    ("$time_local", TIME, "time", microseconds(INSTANT)),
    ("$upstream_addr", "192.0.2.1:80", "upstream", b"192.0.2.1:80"),
    ("$upstream_addr", "192.0.2.1:80, a : unix:/b", "upstreams", b"192.0.2.1:80, a : unix:/b"),
    ("$upstream_bytes_received", "5", "upstream_size_received", 5),
    ("$upstream_bytes_sent", "5, 6", "upstream_sizes_sent", b"5, 6"),
    ("$upstream_cache_status", "HIT", "cache", b"HIT"),
    ("$upstream_connect_time", "0.000", "upstream_connect_duration", 0.0),
    ("$upstream_header_time", "-, 0.250", "upstream_header_durations", b"-, 0.250"),
    ("$upstream_response_length", "0", "upstream_size", 0),
    ("$upstream_response_time", "0.250", "upstream_duration", 0.25),
    ("$upstream_response_time", "0.250", "upstream_durations", None),
    ("$upstream_response_time", "0.250, - : 0.001", "upstream_durations", b"0.250, - : 0.001"),
    ("$upstream_response_time", "0.250, - : 0.001", "upstream_duration", None),
    ("$upstream_response_time", "0.250 : ", "upstream_durations", b"0.250 : "),
    ("$upstream_response_time", "-", "upstream_duration", None),
    ("$upstream_status", "502", "upstream_status", 502),
    ("$upstream_status", "502, 200", "upstream_statuses", b"502, 200"),
    ("$upstream_http_x_id", "x", "upstream_http_x_id", b"x"),
    ("$gzip_ratio", "3.14", "gzip_ratio", b"3.14"),
    ("$Foo", "", "foo", b""),
    ("$time", "noon", "other_time", b"noon"),
    ("$2nd", "x", "other_2nd", b"x"),
    ("$_", "x", "other_", b"x"),
    ("$uri$is_args$args", "/a?b?c", "target_query", b"b?c"),
    ("$uri$is_args$args", "/a-b-", "target_path", b"/a-b"),
    ("$uri$is_args$args", "/a-", "target_query", None),
    ("$document_uri$is_args$query_string", "/a", "target_path", b"/a"),
    ("$scheme://$host$request_uri", "https://example.com/a?b", "host", b"example.com"),
    ("$server_name:$server_port$uri", "example.com:80/a", "target_path", b"/a"),
]


@pytest.mark.parametrize(("variable", "text", "column", "value"), WRITTEN)
@pytest.mark.parametrize("around", ["a {} b", 'a "{}" b', "{}", "a|{}|b", "{} - b"])
def test_variables(variable: str, text: str, column: str, value: Any, around: str) -> None:
    found = row(nginx(around.replace("{}", variable)), around.format(text))
    assert found is not None
    assert found.get(column) == value


def test_every_variable_is_tested() -> None:
    tried = {name for variable, *_ in WRITTEN for name in re.findall(r"\$\w+", variable)}
    assert [name for name in VARIABLES if "*" not in name and name not in tried] == []


def test_columns_of_the_same_name_have_the_same_kind() -> None:
    for directive in VARIABLES.values():
        name = directive.columns[0]
        if name in COLUMNS:
            notation = directive.field_pattern.notation
            assert COLUMNS[name].kind.name == ("TEXT" if notation is None else notation.kind.name)


PREDEFINED = """
    log_format combined '$remote_addr - $remote_user [$time_local] '
                        '"$request" $status $body_bytes_sent '
                        '"$http_referer" "$http_user_agent"';
"""
COMPRESSION = """log_format compression '$remote_addr - $remote_user [$time_local] '
                           '"$request" $status $bytes_sent '
                           '"$http_referer" "$http_user_agent" "$gzip_ratio"';"""
INGRESS = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
    " $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name] $upstream_addr"
    " $upstream_response_length $upstream_response_time $upstream_status $req_id"
)
LINE = f'192.0.2.7 - frank [{TIME}] "GET /a?b HTTP/1.1" 200 2326 "http://example.com/" "Lynx/2.6"'
FOUND: dict[str, Any] = {
    "client": b"192.0.2.7",
    "user": b"frank",
    "time": microseconds(INSTANT),
    "method": b"GET",
    "target_path": b"/a",
    "target_query": b"b",
    "protocol": b"HTTP/1.1",
    "status": 200,
    "bytes": 2326,
    "referer_scheme": b"http",
    "referer_authority": b"example.com",
    "referer_path": b"/",
    "agent": b"Lynx/2.6",
}


@pytest.mark.parametrize("text", [PREDEFINED, "combined", PREDEFINED.strip().removeprefix("log_format combined ")])
def test_the_predefined_format(text: str) -> None:
    assert row(nginx(text), LINE) == FOUND
    assert nginx(text).columns == tuple(name for name in COMBINED.columns if name != "identity")


def test_documented_formats() -> None:
    size = {"bytes_sent": FOUND["bytes"], "gzip_ratio": b"3.14"}
    rest = {name: value for name, value in FOUND.items() if name != "bytes"}
    assert row(nginx(COMPRESSION), f'{LINE} "3.14"') == rest | size
    assert row(
        nginx(INGRESS), f"{LINE} 412 0.250 [default-web-80] [] 192.0.2.1:80, 192.0.2.2:80 0, 5 - 502, 200 0f1e"
    ) == (
        FOUND
        | {"bytes_received": 412, "duration": 0.25, "upstreams": b"192.0.2.1:80, 192.0.2.2:80"}
        | {"proxy_upstream_name": b"default-web-80", "proxy_alternative_upstream_name": b""}
        | {"upstream_sizes": b"0, 5", "upstream_statuses": b"502, 200", "req_id": b"0f1e"}
    )


@given(st.lists(st.sampled_from(access_log(300).splitlines())).map(b"\n".join))
def test_the_predefined_format_is_the_combined_log_format(data: bytes) -> None:
    data = re.sub(rb"(?m)^(\S+) \S+ ", rb"\1 - ", data)
    expected, found = (list(tables(io.BytesIO(data), format)) for format in (COMBINED, nginx("combined")))
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.rejected == theirs.rejected
        assert ours.columns == {name: column for name, column in theirs.columns.items() if name != "identity"}


# Forms of a configuration; each describes the line "a - b".
CONFIGURATIONS = [
    "$x - $y",
    "$x - $y\n",
    "'$x - $y'",
    "'$x ' '- $y';",
    "'$x '\n\t'- $y' ;\n",
    "'$x ' # first\n'- $y' # and second\n;",
    '"$x - $y";'.replace('"', "'"),
    'log_format main "$x " "- $y";',
    "log_format main '$x' ' ' - ' $y'",
    "  log_format\tmain\nescape=default '$x - $y';",
    "escape=default '$x - $y'",
    "log_format main 'escape=none' '$x - $y'",
]


@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_formats_as_in_a_configuration(text: str) -> None:
    assert row(nginx(text, "main"), "a - b") == {"x": b"a", "y": b"b"}
    assert nginx(text, "main").name == "main"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (r"'\"$x\" \'$y\' \\ \t\z'", "\"a\" 'b' \\ \t\\z"),
        (r'"\"$x\" $y"', '"a" b'),
        (r"\"$x\" $y", '"a" b'),
        ('"$x" "$y"', '"a" "b"'),
        ("log_format main $x/$y;", "a/b"),
        ('\'{"x": "$x", "y": $y}\'', '{"x": "a", "y": b}'),
        ("escape=json 'x=\"$x\" y=$y'", 'x="a" y=b'),
        ("'$x é$y'", "a éb"),
        ("${x}1${y}", "a1b"),
    ],
)
def test_quotes_and_escapes_of_a_configuration(text: str, line: str) -> None:
    assert row(nginx(text), line) == {"x": b"a", "y": b"b"}


def test_unescaped_values_end_at_the_following_text() -> None:
    format = nginx('escape=none \'$remote_user "$request" "$http_referer" "$http_user_agent" $status\'')
    found = row(format, r'John Doe "GET /"a"\ HTTP/1.1" "http://h/\" ""a"b"c" 200')
    assert found == {
        "user": b"John Doe",
        "method": b"GET",
        "target_path": b'/"a"\\',
        "protocol": b"HTTP/1.1",
        "referer_scheme": b"http",
        "referer_authority": b"h",
        "referer_path": b"/\\",
        "agent": b'"a"b"c',
        "status": 200,
    }
    assert row(format, ' "" "" "" ') == {}
    assert row(format, '- "-" "-" "-" 200') == {
        "user": b"-",
        "request": b"-",
        "referer_path": b"-",
        "agent": b"-",
        "status": 200,
    }


def test_values_escaped_for_json_may_be_empty() -> None:
    format = nginx('escape=json \'"$http_referer" "$http_user_agent" [$upstream_response_time] $status\'')
    assert row(format, r'"" "a \"b\" \\" [] 200') == {"agent": rb"a \"b\" \\", "status": 200}
    assert row(format, r'"-" "" [0.250] 200') == {"referer_path": b"-", "upstream_duration": 0.25, "status": 200}


NAMES = {
    "$remote_addr $remote_addr": ("client", "client_2"),
    "[$time_local] $msec $time_iso8601": ("time", "time_2", "time_3"),
    "$http_x_foo $sent_http_x_foo $cookie_x_foo $x_foo": ("x_foo", "sent_x_foo", "cookie_x_foo", "x_foo_2"),
    "$status $upstream_status": ("status", "upstream_status", "upstream_statuses"),
    '$uri $args "$request"': (
        *("target_path_2", "target_query_2", "method"),
        *(f"target_{name}" for name in split("")._fields),
        *("protocol", "request"),
    ),
    "$request_uri $request_uri": (*(f"target_{name}" for name in split("")._fields), "target_2"),
    "$server_name$request_uri $host$request_uri": (
        *("server", *(f"target_{name}" for name in split("")._fields), "host", "target_2"),
    ),
}


@pytest.mark.parametrize(("format", "columns"), NAMES.items())
def test_duplicate_names_are_numbered(format: str, columns: tuple[str, ...]) -> None:
    assert nginx(format).columns == columns


def test_every_variable_of_a_target_is_split() -> None:
    line = b"GET /a?b HTTP/1.1"
    for text in ("$request_method $request_uri $server_protocol", "$request_method $uri$is_args$args $server_protocol"):
        [table] = tables(io.BytesIO(line + b"\nGET /a%20b c?d HTTP/2.0\n- - -\n"), nginx(text))
        assert table.column("target_path") == [b"/a", b"/a%20b c", None]
        assert table.column("target_query") == [b"b", b"d", None]
        assert table.column("target") == [b"/a?b", b"/a%20b c?d", None]
        assert table.column("protocol") == [b"HTTP/1.1", b"HTTP/2.0", None]


REJECTED = [
    ("$status $pipe", "20 ."),
    ("$status $pipe", "200 x"),
    ("$remote_addr $status", "\0a 200"),
    ("$remote_addr $status", "a b 200"),
    ("$time_iso8601 $status", "1996-11-10 200"),
    ("$upstream_status $status", "200, 5 200"),
    ("$upstream_status $status", "no 200"),
    ("$upstream_addr $status", "192.0.2.1 200 200"),
    ('"$http_referer" $status', '"a"b" 200'),
    ("$host$request_uri", "example.com-"),
]


@pytest.mark.parametrize(("format", "line"), REJECTED)
def test_lines_that_do_not_match_are_rejected(format: str, line: str) -> None:
    assert row(nginx(format), line) is None


ERRORS = {
    "$remote_addr$remote_user": "cannot tell where $remote_addr ends: $remote_user follows at once",
    "$http_a$request_uri": "cannot tell where $http_a ends: $request_uri follows at once",
    "$args$is_args": "cannot tell where $args ends: $is_args follows at once",
    "$bytes_sent${status}": "cannot tell where $bytes_sent ends: $status follows at once",
    "${bytes_sent}0": "cannot tell where $bytes_sent ends: the digit '0' follows at once",
    "": "no directive, so there is nothing to parse",
    "''": "no directive, so there is nothing to parse",
    "log_format": "no directive, so there is nothing to parse",
    "log_format main;": "no directive, so there is nothing to parse",
    "escape=default": "no directive, so there is nothing to parse",
    "main": "no directive, so there is nothing to parse",
    "$status $": "'$' does not begin with a variable",
    "$status $$": "'$$' does not begin with a variable",
    "$status ${a": "'${a' does not begin with a variable",
    "$status ${a-b}": "'${a-b}' does not begin with a variable",
    "${remote-addr}": """'${remote-addr}' does not begin with a variable; did you mean "$remote_addr"?""",
    "log_format main escape=jsno '$a'": """no escape parameter is called 'jsno'; there are default, json, none; did \
you mean "json"?""",
    "'$a": "misplaced quote or ';' at offset 0",
    "'$a' \"$b": "misplaced quote or ';' at offset 5",
    "'$a'; '$b'": "misplaced quote or ';' at offset 4",
    "'$a\n$b'": "has several lines",
    r"$a\n$b": "has several lines",
    "log_format main escape=xml '$a'": "no escape parameter is called 'xml'; there are default, json, none",
    "log_format main escape=json '{' '\"a\": \"$a\"}';": "this log_format writes JSON lines",
}


@pytest.mark.parametrize(("format", "message"), ERRORS.items())
def test_errors_in_format_strings(format: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        nginx(format)


def test_a_format_can_be_pickled() -> None:
    format = nginx(PREDEFINED)
    assert row(pickle.loads(pickle.dumps(format)), LINE) == FOUND  # noqa: S301


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "$status": st.integers(100, 999),
    "$bytes_sent": st.integers(0, 10**18 - 1),
    "$upstream_status": st.integers(100, 999),
    "$remote_addr": st.text("0123456789abcdef:.", min_size=1),
    "$remote_port": st.integers(0, 65535),
    "$scheme": st.text("abcABC019", min_size=1),
    "$host": st.text("abc.-", min_size=2),
    "$http_foo": st.text("ab /?=-", min_size=2),
    "$bar": st.text(st.characters(codec="utf-8", exclude_characters='"\\\n\r|\0'), min_size=2),
    "$request_id": st.text("0123456789abcdef", min_size=1),
}


@pytest.mark.parametrize(("begin", "between", "end"), [('"', '" "', '"'), ("|", "|", "|"), ("<", '" "', ">|")])
@given(st.data())
def test_written_values_are_parsed(begin: str, between: str, end: str, data: st.DataObject) -> None:
    variables = data.draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=12))
    values = [data.draw(VALUES[variable]) for variable in variables]
    found = row(nginx(begin + between.join(variables) + end), begin + between.join(map(str, values)) + end)
    assert found is not None
    assert list(found.values()) == [value if isinstance(value, int) else value.encode() for value in values]


oddities = naive.octets | st.sampled_from(
    [b"-", b'"', b" ", rb"\"", b" - ", b"\\", b"0.1, - : 2", b"\0", b"\r", b"1" * 300]
)
some_formats = st.lists(
    st.sampled_from([*(variable.replace("*", "foo") for variable in VARIABLES), "${a}", "escape=none ", "escape=json "])
    | st.sampled_from([" ", '"', " - ", '" "', "|", ",", ":", "[", "]", "?", "/", "1", "-", "é", "'", ", ", " : "])
    | st.text("${}abh \n#;'\"\\", max_size=4),
    max_size=12,
).map("".join)


@given(
    some_formats | naive.texts | some_formats.map(lambda text: f"log_format x '{text}';"),
    st.lists(oddities | st.sampled_from(access_log(300).splitlines())).map(b"".join),
)
@example("log_format " + "'" * 300, b"")
def test_any_text_is_a_format_or_a_value_error_and_every_line_is_counted(text: str, data: bytes) -> None:
    try:
        format = nginx(text)
    except ValueError:
        return
    found = list(tables(io.BytesIO(data), format))
    assert sum(table.lines for table in found) == len(naive.lines(data))
    for table in found:
        assert {len(table.values(field)) for field in format.fields} == {table.parsed}


HOSTILE = [b"-", b"- ", b'"', b'\\"', b"a, ", b"1, ", b"1 : ", b"?", b'"-" ', b" - ", b"/"]


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "format",
    [
        "combined",
        "$http_x_forwarded_for $upstream_addr $upstream_response_time,$upstream_status $uri$is_args$args $status",
        'escape=none \'"$request" "$http_referer" "$http_user_agent" $http_x_forwarded_for - $remote_user [$status]\'',
    ],
)
def test_a_hostile_line_takes_linear_time(format: str, text: bytes) -> None:
    line = text * (sizes.LONG // len(text))
    [table] = tables(io.BytesIO(line), nginx(format), limit=len(line))
    assert table.lines == 1
