"""The access log of Traefik in JSON."""

import io
import json

import pytest

from tests.support.entries import row
from urisect.logs import tables
from urisect.logs.formats.traefik_json import TRAEFIK_JSON

FIRST, SECOND = TRAEFIK_JSON.sample.splitlines()


def test_the_sample() -> None:
    assert row(TRAEFIK_JSON, FIRST) == {
        "time": 847634136123456,
        "client": b"192.0.2.7",
        "client_port": 51234,
        "method": b"GET",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "protocol": b"HTTP/2.0",
        "scheme": b"https",
        "host": b"example.com",
        "status": 200,
        "bytes": 2326,
        "request_bytes": 0,
        "duration": 0.052,
        "upstream": b"192.0.2.20:8080",
        "upstream_status": 200,
        "upstream_size": 2326,
        "upstream_duration": 0.0515,
        "referer_scheme": b"https",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "agent": b"Lynx/2.6",
        "tls_protocol": b"1.3",
        "tls_cipher": b"TLS_AES_128_GCM_SHA256",
        "entry_point": b"websecure",
        "route": b"web@docker",
        "backend": b"web@docker",
        "retries": 0,
    }
    second = row(TRAEFIK_JSON, SECOND)
    assert second is not None
    assert (second["user"], second["duration"], "upstream_status" in second) == (b"frank", 0.000084, False)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ClientUsername": "-"}, {}),
        ({"request_User-Agent": None, "request_user-agent": "Lynx"}, {"agent": b"Lynx"}),
        ({"ClientPort": "-"}, {}),
        ({"StartUTC": None, "StartLocal": "1996-11-10T13:55:37+01:00"}, {"time": 847630537000000}),
        ({"DownstreamStatus": 0}, {}),
        ({"RequestPath": "//a?b"}, {"target_path": b"//a", "target_query": b"b"}),
    ],
)
def test_values(changes: dict[str, object], expected: dict[str, object]) -> None:
    found = row(TRAEFIK_JSON, json.dumps(json.loads(FIRST) | changes))
    assert found is not None
    assert found.items() >= expected.items()
    for name, column in (("ClientUsername", "user"), ("ClientPort", "client_port"), ("DownstreamStatus", "status")):
        assert (column in found) == (column in expected or (name not in changes and column != "user"))


@pytest.mark.parametrize(
    ("line", "parsed", "skipped"),
    [
        (b'{"level":"info","msg":"Configuration loaded","time":"1996-11-10T13:55:36Z"}', 0, 1),
        (b'{"RequestPath":"/","RouterName":"web"}', 1, 0),
        (b'{"RequestPath":"/"}', 0, 0),
        (b'{"DownstreamStatus":200}', 0, 0),
    ],
)
def test_other_lines(line: bytes, parsed: int, skipped: int) -> None:
    [table] = tables(io.BytesIO(line), TRAEFIK_JSON)
    assert (table.parsed, len(table.skipped)) == (parsed, skipped)
