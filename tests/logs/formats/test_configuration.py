"""Formats of a server's configuration: which files are read, which format a name means, and what messages say."""

import io
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import sizes
from urisect import logs
from urisect.cli import main
from urisect.logs import Format, JSONFormat, format_of
from urisect.logs.formats import configuration
from urisect.logs.formats.nginx import VARIABLES, variable_field
from urisect.logs.formats.nginx_json import nginx_json

# The layout of nginx's own packages.
NGINX = r"""
user  nginx;
error_log  /var/log/nginx/error.log notice;

events {
    worker_connections  1024;
}

http {
    include       /etc/nginx/no-mime.types;
    default_type  application/octet-stream;

    log_format  main  '$remote_addr - $remote_user [$time_local] "$request" '
                      '$status $body_bytes_sent "$http_referer" '  # that's a comment;
                      '"$http_user_agent" "$http_x_forwarded_for"';
    # log_format commented '$remote_addr';
	log_format	quoted	"$remote_addr\t\"$request\"	$status ${request_time}s";

    access_log  /var/log/nginx/access.log  main;
    include conf.d/*.conf;
}
"""
SITE = "server {\r\n\tlisten 80;\r\n\taccess_log /var/log/nginx/site.log timed;\r\n\taccess_log off;\r\n}\r\n"
TIMED = "log_format timed $remote_addr:$status escape=none;\r\nlog_format timed '$remote_addr $request_time';\r\n"

# The layout of an ingress controller: Lua, whose quotes and braces are not nginx's, and escape=json.
INGRESS = r"""
http {
    init_by_lua_block {
        -- don't stop at "
        --[[ nor here ' } ]]
        local options = { text = "}", other = '{' .. [[ " } ]] }
        error("not loaded: " .. tostring(options))
    }
    log_format upstreaminfo escape=default '$remote_addr - $remote_user [$time_local] "$request" $status '
        '$body_bytes_sent "$http_referer" "$http_user_agent" $request_length $request_time '
        '[$proxy_upstream_name] $upstream_addr $upstream_response_time $upstream_status $req_id';
    log_format json escape=json '{"ts": "$time_iso8601", "http": {"line": "$request", "status": $status},'
        '"took": $request_time, "upstream": {"took": "$upstream_response_time", "at": "$upstream_addr"},'
        '"user": "$remote_user", "referer": "$http_referer", "sent": "$msec", "source": "ingress", "path": "$uri"}';
    log_format mixed escape=json '{"url": "$scheme://$host$request_uri", "ts": "$msec", "status": "$status"}';
    map $uri $loggable { ~^/healthz{1} 0; default 1; }
    access_log /var/log/nginx/access.log upstreaminfo if=$loggable;
}
"""
UNCLOSED_LUA = "log_format a '$status';\ncontent_by_lua_block { if {\nlog_format b '$uri';\n"

# Debian's layout.
DEBIAN = r"""
# A comment that goes on \
LogFormat "%h" no
#ServerRoot "/etc/apache2"
IncludeOptional mods-enabled/*.load
Include ports.conf
LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined
LogFormat "%h %l %u %t \"%r\" %>s %O \
\"%{Referer}i\" \"%{User-Agent}i\"" combined
logformat '%h "%r" %D' 'timed'
LogFormat timed alias
IncludeOptional conf-enabled
IncludeOptional sites-enabled/*.conf
"""
DEBIAN_SITE = """<VirtualHost *:80>
\tCustomLog ${APACHE_LOG_DIR}/access.log combined
\tCustomLog "|/usr/bin/rotatelogs -l \\"a b\\"" combined env=!quiet
</VirtualHost>
"""


def write(directory: Path, files: dict[str, str]) -> str:
    """Write files, and return the path of the first one."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return str(directory / next(iter(files)))


def message(text: str) -> str:
    """Return the message for a text that names no format."""
    with pytest.raises(ValueError, match=r".") as caught:
        format_of(text)
    return str(caught.value)


@pytest.fixture
def nginx(tmp_path: Path) -> str:
    return write(tmp_path, {"nginx.conf": NGINX, "conf.d/a.conf": TIMED, "conf.d/b.conf": SITE})


@pytest.fixture
def debian(tmp_path: Path) -> str:
    files = {"ports.conf": "\ufeffListen 80\n", "sites-enabled/a.conf": DEBIAN_SITE, "conf-enabled/x/b.conf": ""}
    return write(tmp_path, {"apache2.conf": DEBIAN, **files})


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("main", ("client", "user", "time", "method", "forwarded_for")),
        ("quoted", ("client", "method", "target_path", "status", "duration")),
        ("timed", ("client", "duration")),
        ("combined", ("client", "user", "time", "agent")),
    ],
)
def test_a_log_format_of_nginx(nginx: str, name: str, columns: tuple[str, ...]) -> None:
    format = format_of(f"{nginx}:{name}")
    assert format.name == name
    assert [column for column in format.columns if column in columns] == [*columns]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("vhost_combined", ("server", "server_port", "client", "bytes_sent", "agent")),
        ("combined", ("client", "bytes_sent", "agent")),
        ("timed", ("client", "method", "duration")),
        ("alias", ("client", "method", "duration")),
        ("combinedio", ("client", "bytes_received", "bytes_sent")),
    ],
)
def test_a_log_format_of_httpd(debian: str, name: str, columns: tuple[str, ...]) -> None:
    format = format_of(f"{debian}:{name}")
    assert format.name == name
    assert [column for column in format.columns if column in columns] == [*columns]


def test_lines_are_read_with_the_format(nginx: str) -> None:
    line = b'192.0.2.7\t"GET /a?b HTTP/1.0"\t200 0.052s\n'
    [record] = logs.records(io.BytesIO(line), f"{nginx}:quoted", columns=["client", "target", "duration"])
    assert record == {"client": b"192.0.2.7", "target": b"/a?b", "duration": 0.052}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("log_format own '$status';", "own"),
        ("log_format own '$status'; access_log /a.log;", "own"),
        ("log_format a '$status'; log_format b '$uri'; access_log /a b; access_log off; access_log /c b if=$x;", "b"),
        ("log_format a '$status'; log_format b '$uri'; access_log /a;", "combined"),
        ("access_log /a.log;", "combined"),
        ('LogFormat "%h" own', "own"),
        ('LogFormat "%h" a\nLogFormat "%u" b\nCustomLog a b', "b"),
        ('LogFormat "%h" a\nLogFormat "%u" b\nCustomLog a "%s %r"', "apache"),
        ("CustomLog a '%s %r'", "apache"),
        ("CustomLog a '%s %r", "apache"),
        ("TransferLog a", "common"),
        ('LogFormat "%s"\nTransferLog a', "apache"),
        ("LogFormat combinedio\nTransferLog a", "combinedio"),
        ("GlobalLog a vhost_common", "vhost_common"),
    ],
)
def test_the_only_format_needs_no_name(tmp_path: Path, text: str, name: str) -> None:
    path = write(tmp_path, {"a.conf": text})
    assert format_of(path).name == format_of(f"{path}:").name == name


def test_all_logs_of_debian_have_one_format(debian: str) -> None:
    assert format_of(debian).name == "combined"


def test_a_message_lists_the_names(nginx: str, debian: str) -> None:
    assert message(nginx).endswith("defines the log formats main, quoted, timed; name one of them, as in "
                                   f"{nginx}:main")  # fmt: skip
    assert message(f"{nginx}:mian") == (
        f"{nginx!r} defines no log format 'mian'; there are main, quoted, timed, combined; did you mean \"main\"?; "
        "could not read '/etc/nginx/no-mime.types' (no such file)"
    )
    assert message(f"{debian}:vhost-combined").endswith(
        "there are vhost_combined, combined, timed, alias, common, combinedio, vhost_common, referer, agent; "
        'did you mean "vhost_combined"?'
    )


def test_a_message_says_which_format_string_is_wrong(tmp_path: Path) -> None:
    path = write(tmp_path, {"a.conf": "log_format a '$host$status';\n"})
    reason = "cannot tell where $host ends: $status follows at once; put text between them"
    assert message(path) == f"{path!r}, log format 'a': {reason}"


@pytest.mark.parametrize("text", ["", "nothing of the kind\n", "http { }\n", "LogLevel warn\n"])
def test_a_file_without_formats(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, {"a": text})
    reason = "it has no log_format of nginx, and no LogFormat of httpd with a name"
    assert message(path) == f"{path!r} defines no log format: {reason}"


def test_a_path_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text, path in (("no/file:main", "no/file"), ("x.conf", "x.conf"), ("C:/x/y.conf", "C:/x/y.conf")):
        assert message(text).startswith(f"there is no file {path!r}; ")
    assert message(f"{tmp_path}:main").startswith(f"{str(tmp_path)!r} is a directory; ")
    assert message("own:main").startswith("no log format is called 'own:main'; ")
    assert main(["logs", "--format", "x.conf:main", os.devnull]) == 2


def test_a_colon_in_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"a:b": "log_format c '$status';", "a": "log_format b '$uri';", "C": "log_format d '$uri';"})
    assert [format_of(text).name for text in ("a:b", "a:b:c", "a", "C")] == ["c", "c", "b", "d"]
    assert message("C:\\x.conf").startswith("there is no file 'C:\\\\x.conf'; ")


def test_a_format_string_is_no_path() -> None:
    assert [format_of(text).name for text in ("%h /a.conf", "$uri/:$status")] == ["apache", "nginx"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("apache:vhost_common", "vhost_common"),
        ("apache:referer", "referer"),
        ("apache:combined", "combined"),
        ("apache:%h", "apache"),
        ("nginx:combined", "combined"),
        ("nginx:$status", "nginx"),
        ('nginx:{"a": "$status";}', "nginx"),
    ],
)
def test_formats_that_a_server_predefines(text: str, name: str) -> None:
    assert format_of(text).name == name


def test_unknown_predefined_formats() -> None:
    assert message("apache:vhost").startswith("Apache predefines no log format 'vhost'; there are common, ")
    assert message("nginx:combned").endswith('there are combined; did you mean "combined"?')


# Included files


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    path = write(tmp_path, {"a.conf": "include *.conf;\ninclude a.conf;\nlog_format a '$status';\n"})
    assert format_of(path).name == "a"


def test_included_files_in_the_directory_of_httpd(tmp_path: Path) -> None:
    files = {
        "conf/httpd.conf": f'ServerRoot "{tmp_path}"\nInclude conf.d/*.conf\nInclude local.conf\nInclude no/*.conf\n',
        "conf.d/a.conf": 'LogFormat "%h" a\n',
        "conf/local.conf": 'LogFormat "%h" b\n',
    }
    path = write(tmp_path, files)
    assert message(path).endswith(f"defines the log formats a, b; name one of them, as in {path}:a")


def test_the_last_definition_counts(tmp_path: Path) -> None:
    path = write(tmp_path, {"a.conf": 'LogFormat "%h" a\nInclude b.conf\n', "b.conf": 'LogFormat "%s" a\n'})
    assert format_of(path).columns == ("status",)


def test_a_pipe_is_not_included(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.conf")
    path = write(tmp_path, {"nginx.conf": "include pipe.conf;\ninclude pi*;\nlog_format a '$uri';\n"})
    assert format_of(path).name == "a"
    assert f"could not read '{tmp_path}/pipe.conf' (no such file)" in message(f"{path}:b")


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, {"a.conf": "include b.conf;\nlog_format a '$uri';\n", "b.conf": "log_format b '$uri';\n"})

    def refuse(name: str, _: str) -> io.BytesIO:
        if name.endswith(refused):
            raise PermissionError(13, "Permission denied")
        return io.BytesIO(Path(name).read_bytes())

    monkeypatch.setattr(configuration, "open", refuse, raising=False)
    refused = "b.conf"
    assert message(f"{path}:b").endswith(f"; could not read '{tmp_path}/b.conf' (Permission denied)")
    refused = "a.conf"
    assert message(path) == f"cannot read the configuration {path!r}: Permission denied"


def test_only_so_many_files_and_bytes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"{number:02}.conf": "log_format a '$uri';\n" for number in range(9)}
    path = write(tmp_path, {"nginx": "include [0-9]*.conf;\n", **files, "9.conf": "log_format x '$uri';\n"})
    assert format_of(f"{path}:x").name == "x"
    monkeypatch.setattr(configuration, "MAX_FILES", 5)
    assert f"could not read '{tmp_path}/04.conf' (only the first 5 files are read), " in message(f"{path}:x")
    monkeypatch.undo()
    monkeypatch.setattr(configuration, "MAX_BYTES", 60)
    assert "/02.conf' (only the first 0 MiB of a configuration are read), " in message(f"{path}:x")
    assert message(f"{path}:x").endswith(" and 6 more")
    monkeypatch.setattr(configuration, "MAX_BYTES", 5)
    assert message(path).startswith("cannot read the configuration")


# Lua


def test_blocks_of_lua_are_skipped(tmp_path: Path) -> None:
    path = write(tmp_path, {"nginx.conf": INGRESS, "unclosed.conf": UNCLOSED_LUA})
    format = format_of(f"{path}:upstreaminfo")
    assert {"proxy_upstream_name", "upstream_duration", "req_id"} < {*format.columns}
    assert format_of(path).name == "upstreaminfo"
    assert format_of(str(tmp_path / "unclosed.conf")).name == "a"


PIECES = ["log_format ", "LogFormat ", "CustomLog a ", "include ", "a", "%h", "$uri", *"'\"\\;{}#\n "]


@given(st.lists(st.sampled_from(PIECES)))
def test_any_text_has_a_format_or_is_refused(pieces: list[str]) -> None:
    with TemporaryDirectory() as directory, suppress(ValueError):
        assert isinstance(format_of(write(Path(directory), {"a.conf": "".join(pieces)})), Format)


@pytest.mark.parametrize(
    "unit", ['"', "'", r"\"", "[[", "--[[", "{ ", "a_by_lua_block {", "#", "$", "include x;", "\\\n"]
)
def test_what_is_not_closed_takes_linear_time(unit: str, tmp_path: Path) -> None:
    """Quadratic time would exceed the time limit of a test."""
    text = f"log_format a '$uri';\na_by_lua_block {{ {unit * sizes.LONG_OF_MANY}"
    assert format_of(write(tmp_path, {"nginx.conf": text})).name == "a"
    text = f'LogFormat "%h" a\n{unit * sizes.LONG_OF_MANY}'
    assert format_of(write(tmp_path, {"httpd.conf": text})).name == "a"
    text = f"log_format a '$uri';\n{unit * sizes.LONG_OF_MANY}"
    assert format_of(f"{write(tmp_path, {'nginx.conf': text})}:a").name == "a"


# JSON

ENTRY = (
    b'{"ts": "1996-11-10T20:55:36+00:00", "http": {"line": "GET /a?b HTTP/1.0", "status": 200}, "took": 0.052, '
    b'"upstream": {"took": "0.010", "at": "192.0.2.1:80"}, "user": "", "referer": "http://example.com/", '
    b'"sent": "847659336.123", "source": "ingress", "path": "/a"}\n'
)


def test_an_object_becomes_columns(tmp_path: Path) -> None:
    format = format_of(f"{write(tmp_path, {'nginx.conf': INGRESS})}:json")
    assert isinstance(format, JSONFormat)
    assert format.name == "json"
    other = ENTRY.replace(b"GET /a?b HTTP/1.0", b"\\u0016\\u0003").replace(b'"0.010"', b'"0.010, 0.020 : -"')
    oldest = ENTRY.replace(b"GET /a?b HTTP/1.0", b"GET /old path").replace(b"http://example.com/", b"")
    first, second, third = logs.records(
        io.BytesIO(ENTRY + other + oldest), format, columns=[*format.columns, "target", "referer", "extra"]
    )
    assert {name: value for name, value in first.items() if value is not None and name not in {"time", "time_2"}} == {
        "method": b"GET",
        "target_path": b"/a",
        "target_query": b"b",
        "target": b"/a?b",
        "protocol": b"HTTP/1.0",
        "status": 200,
        "duration": 0.052,
        "upstream_duration": 0.01,
        "upstream": b"192.0.2.1:80",
        "referer_scheme": b"http",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "referer": b"http://example.com/",
        "target_path_2": b"/a",
        "extra": b'{"source":"ingress"}',
    }
    assert first["time"].isoformat() == "1996-11-10T20:55:36+00:00"
    assert first["time_2"].isoformat() == "1996-11-10T20:55:36.123000+00:00"
    assert (second["method"], second["target"], second["request"]) == (None, None, b"\x16\x03")
    assert (second["upstream_duration"], second["upstream_durations"]) == (None, b"0.010, 0.020 : -")
    assert (third["method"], third["target"], third["protocol"]) == (b"GET", b"/old path", None)
    assert (third["referer"], third["request"]) == (None, None)


def test_the_first_value_of_several_counts() -> None:
    format = nginx_json('{"a": "$request_method", "b": "$request_uri", "c": "$request", "d": "$http_method"}')
    lines = b'{"a": "PUT", "b": "/b", "c": "GET /c HTTP/1.0", "d": "x"}\n{"c": "GET /c HTTP/1.0"}\n'
    found = list(logs.records(io.BytesIO(lines), format, columns=["method", "target", "other_method"]))
    assert [tuple(record.values()) for record in found] == [(b"PUT", b"/b", b"x"), (b"GET", b"/c", None)]


@pytest.mark.parametrize("variable", [name[1:] for name in VARIABLES if "*" not in name])
def test_each_variable_has_its_columns(variable: str) -> None:
    columns = variable_field(variable).columns
    assert {*nginx_json(f'{{"a": ${variable}}}').columns} == {*columns}
    assert nginx_json(f'{{"a": "${{{variable}}}"}}').columns == nginx_json(f'{{"a": ${variable}}}').columns


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"url": "$scheme://$host", "ts": "$msec", "u": "$request_uri", "l": "$request"}',
         "the value of the member url is not one variable; name the members instead: json:time=ts,target=u"),
        ('{"a": {"b": "x $status"}}', "member a.b is not one variable; name the members instead: json:url"),
        ('{"a": [1, {"b": $status}]}', "the value of the member a.b is not one variable"),
        ('{"$host": {}}', "is not one variable"),
        ('{"a": 1, "b": [null], "c": "$", "d": "$-"}', "no member has a variable"),
        ('{"a": $host$uri}', "its lines are not JSON objects; if they contain one, name the members: json:url"),
        ('{"a": 1} $status', "its lines are not JSON objects"),
        ("[$status]", "its lines are not JSON objects"),
        ('{"a": "' + r"\"" * 100_000, "its lines are not JSON objects"),
        ('{"a":' * 100_000, "its lines are not JSON objects"),
    ],
    ids=lambda value: value[:40],
)  # fmt: skip
def test_other_objects_are_refused(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        nginx_json(text)
    assert expected in str(caught.value)


def test_a_refused_object_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, {"nginx.conf": INGRESS})
    assert message(f"{path}:mixed") == (
        f"{path!r}, log format 'mixed': the value of the member url is not one variable; name the members instead: "
        "json:time=ts,status=status"
    )


def test_text_with_escape_json_is_no_object(tmp_path: Path) -> None:
    path = write(tmp_path, {"nginx.conf": "log_format a escape=json '$remote_addr {$status}';"})
    assert format_of(path).columns == ("client", "status")
