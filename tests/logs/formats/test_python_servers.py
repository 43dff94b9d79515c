"""Python's servers: what they write before a request, quotes and colours in it, and messages that are no entries."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.entries import TIME, microseconds, row
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.python_servers import DJANGO, GUNICORN, UVICORN, UWSGI, WERKZEUG

NOON = datetime(1996, 11, 10, 13, 55, 36, tzinfo=UTC)
DAY = "10/Nov/1996 13:55:36"
RED, BOLD, END = "\x1b[31m", "\x1b[1m", "\x1b[0m"

UWSGI_END = "(HTTP/1.1 200) 4 headers in 127 bytes (1 switches on core 0)"
UWSGI_BEGIN = "[pid: 2817|app: 0|req: 7/15] 192.0.2.7 () {42 vars in 675 bytes} [Sun Nov 10 13:55:36 1996]"
UWSGI_LINE = f"{UWSGI_BEGIN} GET /a?b => generated 5 bytes in 8 msecs {UWSGI_END}"

LINES: list[tuple[PatternFormat, str, dict[str, Any]]] = [
    (GUNICORN, f' - - [{TIME}] "GET /a?b HTTP/1.1" 200 5 "-" "gunicorn\\"s"', {"client": None, "target_query": b"b"}),
    (GUNICORN, f' - frank [{TIME}] "-" 400 - "-" "-"', {"client": None, "user": b"frank", "method": None}),
    # uvicorn
    (UVICORN, 'INFO:     192.0.2.7:51234 - "GET /a?b HTTP/1.1" 200 OK', {"client_port": 51234, "status": 200}),
    (UVICORN, 'INFO:      - "GET /a?b HTTP/1.1" 200 OK', {"client": None, "target_query": b"b"}),
    (UVICORN, 'INFO:     2001:db8::7:51234 - "GET /a HTTP/1.1" 404 Not Found', {"client": b"2001:db8::7"}),
    (UVICORN, 'INFO:     testclient:50000 - "GET /a HTTP/1.1" 200 OK', {"client": b"testclient"}),
    (UVICORN, 'INFO:     192.0.2.7:1 - "GET /a HTTP/1.1" 418 I\'m a Teapot', {"status": 418}),
    (UVICORN, 'INFO:     192.0.2.7:1 - "GET /?a="b" HTTP/1.1" 200 OK', {"target_query": b'a="b"'}),
    (UVICORN, 'INFO:     192.0.2.7:1 - "WebSocket /ws?a" [accepted]', {"method": b"WebSocket", "status": None}),
    (UVICORN, 'INFO:     192.0.2.7:1 - "WebSocket /ws" 403', {"target_path": b"/ws", "status": 403}),
    (UVICORN, 'INFO:uvicorn.access:192.0.2.7:1 - "GET / HTTP/1.1" 200', {"client": b"192.0.2.7", "client_port": 1}),
    (UVICORN, '192.0.2.7:0 - "GET / HTTP/1.0" 200', {"client_port": 0, "protocol": b"HTTP/1.0", "time": None}),
    (
        UVICORN,
        f'{RED}INFO{END}:     192.0.2.7:1 - "{BOLD}GET /a HTTP/1.1{END}" {RED}200 OK{END}',
        {"target_path": b"/a", "protocol": b"HTTP/1.1", "status": 200},
    ),
    *(
        (UVICORN, f'{before}192.0.2.7:51234 - "GET /a HTTP/1.1" 200 OK', {"time": microseconds(NOON), "status": 200})
        for before in (
            "1996-11-10 13:55:36 INFO:     ",
            "1996-11-10 13:55:36,000 - INFO - ",
            "1996-11-10 13:55:36,000 - uvicorn.access - INFO - ",
            "1996-11-10T13:55:36Z | INFO     | uvicorn.access | ",
            "[1996-11-10 13:55:36] [INFO] ",
            "[1996-11-10 13:55:36 +0000] [2817] [INFO] ".replace(" +0000", ""),
            "INFO:     1996-11-10 13:55:36 - ",
            "[INFO] 1996-11-10 13:55:36: ",
            f"1996-11-10 13:55:36 {RED}INFO{END}:     ",
        )
    ),
    # uWSGI
    (UWSGI, UWSGI_LINE, {"client": b"192.0.2.7", "user": None, "time": microseconds(NOON), "duration": 0.008}),
    (UWSGI, UWSGI_LINE.replace("8 msecs", "950 micros"), {"duration": 0.00095, "bytes": 5, "status": 200}),
    (UWSGI, UWSGI_LINE.replace(" (HTTP", " via sendfile() (HTTP"), {"duration": 0.008, "protocol": b"HTTP/1.1"}),
    (UWSGI, UWSGI_LINE.replace("()", "(frank)"), {"user": b"frank", "process": 2817}),
    (UWSGI, UWSGI_LINE.replace("app: 0|req: 7/15", "app: -1|req: -1/15"), {"app": None, "request_number": 15}),
    (UWSGI, UWSGI_LINE.replace("192.0.2.7", ""), {"client": None, "variables": 42}),
    (UWSGI, UWSGI_LINE.replace("/a?b", "/a b?c => d"), {"target_path": b"/a b", "target_query": b"c => d"}),
    (UWSGI, UWSGI_LINE.replace("GET /a?b", "- -"), {"method": None, "target_path": None}),
    (UWSGI, UWSGI_LINE.replace("GET /a?b", " "), {"method": None, "target_path": None}),
    (UWSGI, UWSGI_LINE.replace("(HTTP/1.1 200)", "( 500)"), {"protocol": None, "status": 500}),
    (UWSGI, UWSGI_LINE.replace("Nov 10", "Nov  3"), {"time": microseconds(NOON - timedelta(days=7))}),
    (
        UWSGI,
        f"{{address space usage: 62914560 bytes/60MB}} {{rss usage: 31457280 bytes/30MB}} {UWSGI_LINE}",
        {"process": 2817, "headers": 4, "headers_size": 127, "switches": 1, "core": 0},
    ),
    # werkzeug and http.server
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "GET /a?b HTTP/1.1" 200 -', {"time": microseconds(NOON), "bytes": None}),
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "GET /a" 200 5', {"protocol": None, "bytes": 5}),
    (WERKZEUG, f'INFO:werkzeug:192.0.2.7 - - [{DAY}] "GET /a HTTP/1.1" 200 -', {"client": b"192.0.2.7"}),
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "{RED}GET /a HTTP/1.1{END}" 404 -', {"protocol": b"HTTP/1.1", "status": 404}),
    (WERKZEUG, f'::1 - - [{DAY}] "{BOLD}{RED}GET /a b HTTP/1.1{END}{END}" 500 -', {"target_path": b"/a b"}),
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "GET /?a="b" 5 HTTP/1.1" 200 -', {"target_query": b'a="b" 5'}),
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "CONNECT example.com:443 HTTP/1.1" 501 -', {"method": b"CONNECT"}),
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "nonsense" 400 -', {"request": b"nonsense", "method": None}),
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "" 400 -', {"request": b""}),
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "-" 400 -', {"request": None}),
    (WERKZEUG, f'192.0.2.7 - - [{DAY}] "GET /a HTTP/1.1" - -', {"status": None}),
    # Django
    (DJANGO, f'[{DAY}] "GET /a?b HTTP/1.1" 200 2326', {"time": microseconds(NOON), "bytes": 2326}),
    (DJANGO, f'[{DAY}] {RED}"GET /a HTTP/1.1" 404 1789{END}', {"status": 404, "bytes": 1789}),
    (DJANGO, f'[{DAY}] "" 400 -', {"request": b"", "bytes": None}),
]


@pytest.mark.parametrize(("format", "line", "expected"), LINES)
def test_lines(format: PatternFormat, line: str, expected: dict[str, Any]) -> None:
    found = row(format.strict, line)
    assert found is not None
    assert {column: found.get(column) for column in expected} == expected
    assert found == row(format, line)


MESSAGES = [
    (UVICORN, "INFO:     Started server process [2817]"),
    (UVICORN, "INFO:     Waiting for application startup."),
    (UVICORN, f"{RED}INFO{END}:     Application startup complete."),
    (UVICORN, "INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)"),
    (UVICORN, "1996-11-10 13:55:36 INFO:     Shutting down"),
    (UVICORN, "WARNING:  Invalid HTTP request received."),
    (UVICORN, "INFO:     connection open"),
    (WERKZEUG, f"192.0.2.7 - - [{DAY}] code 404, message File not found"),
    (WERKZEUG, " * Running on http://127.0.0.1:5000"),
    (WERKZEUG, "INFO:werkzeug: * Restarting with stat"),
    (WERKZEUG, f"{BOLD}{RED}WARNING: This is a development server. Do not use it in production.{END}"),
    (WERKZEUG, f"{RED}Press CTRL+C to quit{END}"),
    (DJANGO, f"[{DAY}] code 400, message Bad request syntax ('x')"),
    (DJANGO, f"[{DAY}] - Broken pipe from ('192.0.2.7', 51234)"),
    (DJANGO, "Not Found: /none"),
    (DJANGO, "Forbidden (CSRF cookie not set.): /a"),
]


@pytest.mark.parametrize(("format", "line"), MESSAGES)
def test_messages_are_skipped(format: PatternFormat, line: str) -> None:
    block = format.strict.parser(frozenset())(line.encode() + b"\n", b"")
    assert (list(block.directives), block.rejected) == ([line.encode()], [None])


IMPLAUSIBLE_LINES = [
    (GUNICORN, f'192.0.2.7 - - [{TIME}] "GET / HTTP/1.1" 200 5 "-" "-"'),
    (UVICORN, 'INFO:     a/b:51234 - "GET / HTTP/1.1" 200 OK'),
    (UWSGI, UWSGI_LINE.replace("192.0.2.7", "a/b")),
    (UWSGI, UWSGI_LINE.replace("()", "(a b)")),
    (WERKZEUG, f'a/b - - [{DAY}] "GET / HTTP/1.1" 200 -'),
]
REJECTED_LINES = [
    (UVICORN, 'app 192.0.2.7:51234 - "GET / HTTP/1.1" 200 OK'),
    (UVICORN, 'INFO:     192.0.2.7 - "GET / HTTP/1.1" 200 OK'),
    (UVICORN, 'INFO:     192.0.2.7:1 - "GET / HTTP/1.1"'),
    (UVICORN, "INFO:     my own message"),
    (UWSGI, "*** Starting uWSGI 2.0.21 (64bit) on [Sun Nov 10 13:55:36 1996] ***"),
    (UWSGI, f"{UWSGI_LINE} x"),
    (WERKZEUG, f'192.0.2.7 - - [{TIME}] "GET / HTTP/1.1" 200 -'),
    (WERKZEUG, " * an item of a list"),
    (DJANGO, "Watching for file changes with StatReloader"),
    (DJANGO, f'[{DAY}] "GET / HTTP/1.1" 200'),
]


@pytest.mark.parametrize(("format", "line"), IMPLAUSIBLE_LINES)
def test_implausible_lines(format: PatternFormat, line: str) -> None:
    assert row(format, line) is not None
    assert row(format.strict, line) is None


@pytest.mark.parametrize(("format", "line"), REJECTED_LINES)
def test_rejected_lines(format: PatternFormat, line: str) -> None:
    assert row(format, line) is None
