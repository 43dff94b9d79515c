"""The access log of Envoy in JSON, as Istio and Envoy Gateway configure it."""

import json

import pytest

from tests.support.entries import row
from urisect.logs.formats.envoy_json import ENVOY_JSON

ISTIO, GATEWAY = ENVOY_JSON.sample.splitlines()


def test_istio() -> None:
    assert row(ENVOY_JSON, ISTIO) == {
        "time": 847634136123000,
        "method": b"GET",
        "target_path": b"/a/b",
        "target_query": b"c=d",
        "protocol": b"HTTP/1.1",
        "status": 200,
        "response_details": b"via_upstream",
        "request_bytes": 0,
        "bytes": 2326,
        "duration": 0.052,
        "upstream_duration": 0.051,
        "forwarded_for": b"198.51.100.7",
        "agent": b"Lynx/2.6",
        "id": b"1c2d3e4f-0000-4000-8000-000000000007",
        "host": b"example.com",
        "upstream": b"192.0.2.20:8080",
        "upstream_cluster": b"outbound|80||web.example.com",
        "upstream_local_address": b"192.0.2.1:40112",
        "server_address": b"192.0.2.1",
        "server_port": 443,
        "client": b"198.51.100.7",
        "client_port": 51234,
        "tls_host": b"example.com",
        "route": b"default",
    }


def test_envoy_gateway() -> None:
    assert row(ENVOY_JSON, GATEWAY) == {
        "time": 847634137000000,
        "method": b"GET",
        "target_path": b"/old",
        "protocol": b"HTTP/2",
        "status": 404,
        "response_flags": b"NR",
        "response_details": b"route_not_found",
        "request_bytes": 0,
        "bytes": 19,
        "duration": 0.0,
        "forwarded_for": b"2001:db8::7",
        "agent": b"Lynx/2.6",
        "id": b"1c2d3e4f-0000-4000-8000-000000000008",
        "host": b"example.com",
        "server_address": b"2001:db8::1",
        "server_port": 443,
        "client": b"2001:db8::7",
        "client_port": 51235,
    }


@pytest.mark.parametrize("undefined", [None, "-"])
def test_a_connection_without_a_request(undefined: str | None) -> None:
    names = ("method", "path", "protocol", "authority", "user_agent", "upstream_service_time", "x_forwarded_for")
    found = row(ENVOY_JSON, json.dumps(json.loads(ISTIO) | dict.fromkeys(names, undefined) | {"response_code": 0}))
    assert found is not None
    assert found["client"] == b"198.51.100.7"
    assert not found.keys() & {"method", "target_path", "protocol", "host", "agent", "upstream_duration", "status"}


@pytest.mark.parametrize("line", ['{"response_code":200,"path":"/"}', '{"response_flags":"-","path":"/"}'])
def test_other_lines_are_rejected(line: str) -> None:
    assert row(ENVOY_JSON, line) is None
