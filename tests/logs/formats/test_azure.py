"""The access logs of Azure Front Door and Application Gateway."""

import io
import json

import pytest

from tests.support.entries import row
from urisect.logs import tables
from urisect.logs.formats.azure import AZURE_APPLICATION_GATEWAY, AZURE_FRONT_DOOR

FRONT_DOOR, TIMED_OUT = AZURE_FRONT_DOOR.sample.splitlines()
GATEWAY, BAD_GATEWAY = AZURE_APPLICATION_GATEWAY.sample.splitlines()


def test_front_door() -> None:
    found = row(AZURE_FRONT_DOOR, FRONT_DOOR)
    assert found is not None
    assert found.pop("resource").startswith(b"/SUBSCRIPTIONS/")
    assert found == {
        "time": 847634136123456,
        "id": b"0eHQ4VgAAAAD0",
        "client": b"192.0.2.7",
        "client_port": 51234,
        "peer": b"198.51.100.7",
        "method": b"GET",
        "target_scheme": b"https",
        "target_authority": b"example.com:443",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "http_version": b"2.0.0.0",
        "scheme": b"HTTPS",
        "host": b"example.com",
        "referer_scheme": b"https",
        "referer_authority": b"example.com",
        "referer_path": b"/",
        "agent": b"Lynx/2.6",
        "status": 200,
        "bytes_received": 412,
        "bytes_sent": 2326,
        "duration": 0.052,
        "first_byte_duration": 0.05,
        "cache": b"MISS",
        "upstream": b"192.0.2.20:443",
        "upstream_status": 200,
        "tls_protocol": b"TLSv1.3",
        "tls_cipher": b"TLS_AES_128_GCM_SHA256",
        "tls_host": b"example.com",
        "edge": b"LAX",
        "endpoint": b"example.azurefd.example.net",
    }
    found = row(AZURE_FRONT_DOOR, TIMED_OUT)
    assert found is not None
    assert (found["client"], found["error"], found["duration"]) == (b"2001:db8::7", b"OriginTimeout", 30.001)
    assert not found.keys() & {"agent", "upstream", "upstream_status", "referer_path"}


def test_application_gateway() -> None:
    found = row(AZURE_APPLICATION_GATEWAY, GATEWAY)
    assert found is not None
    assert found.pop("resource").startswith(b"/SUBSCRIPTIONS/")
    assert found == {
        "time": 847634136000000,
        "id": b"0123456789abcdef0123456789abcdef",
        "client": b"192.0.2.7",
        "client_port": 51234,
        "method": b"GET",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "original_target": b"/a/b?c=d",
        "protocol": b"HTTP/1.1",
        "host": b"example.com",
        "agent": b"Lynx/2.6",
        "status": 200,
        "bytes_received": 412,
        "bytes_sent": 2326,
        "duration": 0.052,
        "upstream": b"192.0.2.20:443",
        "upstream_status": 200,
        "upstream_duration": 0.05,
        "tls_protocol": b"TLSv1.3",
        "tls_cipher": b"TLS_AES_128_GCM_SHA256",
        "instance": b"appgw_1",
        "listener": b"https",
        "backend": b"web",
    }
    found = row(AZURE_APPLICATION_GATEWAY, BAD_GATEWAY)
    assert found is not None
    assert (found["host"], found["error"]) == (b"example.com", b"ERRORINFO_UPSTREAM_TIMED_OUT")
    assert not found.keys() & {"target_query", "agent", "upstream", "upstream_status"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [("c=d", b"/a/b?c=d"), ("?c=d", b"/a/b?c=d"), ("", b"/a/b"), ("-", b"/a/b"), (None, b"/a/b"), ("-=1", b"/a/b?-=1")],
)
def test_targets_of_application_gateway(query: str | None, expected: bytes) -> None:
    entry = json.loads(GATEWAY)
    entry["properties"]["requestQuery"] = query
    [table] = tables(io.BytesIO(json.dumps(entry).encode()), AZURE_APPLICATION_GATEWAY, columns=["target"])
    assert table.column("target") == [expected]


@pytest.mark.parametrize(
    "line",
    [
        '{"properties":{"requestUri":"/","httpStatusCode":"200"}}',
        '{"properties":{"requestUri":"/","trackingReference":"x","ruleName":"block"}}',
        '{"properties":{"requestUri":"/","httpStatus":200}}',
        '{"properties":{"requestUri":"/","instanceId":"appgw_1","ruleId":"1"}}',
        '{"requestUri":"/"}',
    ],
)
def test_other_records_are_rejected(line: str) -> None:
    assert row(AZURE_FRONT_DOOR, line) is None
    assert row(AZURE_APPLICATION_GATEWAY, line) is None
