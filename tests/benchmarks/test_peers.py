"""`urisect.logs` and apachelogs parse the same lines of a log alike."""

import io
import os
import re
from datetime import UTC
from pathlib import Path

import pytest
from apachelogs import COMBINED, InvalidEntryError, LogParser

from benchmarks.corpora import access_log
from urisect import logs

# URISECT_LOG adds another log: this holds for every line of any log.
LOGS = [access_log(3000)] + [Path(path).read_bytes() for path in [os.environ.get("URISECT_LOG")] if path]

COLUMNS = ("client", "identity", "user", "time", "method", "target", "protocol", "request", "status", "bytes")
HEADERS = ("referer", "agent")


def unescape(text: bytes | None) -> str | None:
    """Decode the escapes of Apache, as apachelogs does; urisect keeps them."""
    if text is None:
        return None
    known = {b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
    return re.sub(
        rb"\\(?:x([0-9a-fA-F]{2})|(.))",
        lambda found: bytes.fromhex(found[1].decode()) if found[1] else known.get(found[2], found[2]),
        text,
    ).decode("latin-1")


def request_line(record: dict[str, bytes | None]) -> bytes | None:
    """Join the parts of a request line."""
    if record["method"] is None:
        return record["request"]
    return b" ".join(filter(None, (record["method"], record["target"] or b"", record["protocol"])))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{len(log)} bytes")
def test_lines_that_apachelogs_parses_are_parsed_alike(log: bytes) -> None:
    parser = LogParser(COMBINED)
    compared = 0
    for line in log.split(b"\n"):
        try:
            entry = parser.parse(line.decode("latin-1"))
        except InvalidEntryError:
            continue
        [record] = logs.records(io.BytesIO(line), "combined", columns=(*COLUMNS, *HEADERS))
        assert unescape(record["client"]) == entry.remote_host
        assert unescape(record["identity"]) == entry.remote_logname
        assert unescape(record["user"]) == entry.remote_user
        assert record["time"] == entry.request_time.astimezone(UTC)
        assert unescape(request_line(record)) == entry.request_line
        assert (record["status"], record["bytes"]) == (entry.final_status, entry.bytes_sent)
        assert unescape(record["referer"]) == entry.headers_in["Referer"]
        assert unescape(record["agent"]) == entry.headers_in["User-Agent"]
        compared += 1
    assert compared > 0.9 * log.count(b"\n")
