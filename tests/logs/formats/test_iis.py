"""The native format of IIS: lines as in Microsoft's documentation, odd and rejected lines."""

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.entries import microseconds, row
from urisect.logs import records, tables
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.iis import COLUMN_MEANINGS, IIS, IIS_TIME

LINE = (
    b"192.0.2.201, -, 03/20/01, 7:55:20, W3SVC2, SALES1, 198.51.100.45, 4502, 163, 3223, 200, 0, GET, /DeptLogo.gif, -,"
)
ROW = {
    "client": b"192.0.2.201",
    "time": microseconds(datetime(2001, 3, 20, 7, 55, 20, tzinfo=UTC)),
    "site": b"W3SVC2",
    "server": b"SALES1",
    "server_address": b"198.51.100.45",
    "duration": 4.502,
    "bytes_received": 163,
    "bytes_sent": 3223,
    "status": 200,
    "win32_status": 0,
    "method": b"GET",
    "target_path": b"/DeptLogo.gif",
}


def test_a_line_of_the_documentation() -> None:
    assert row(IIS, LINE) == ROW


# A part of the line, what is in its place, and the expected changes of the values; None if the line is rejected.
CHANGES: list[tuple[bytes, bytes, dict[str, Any] | None]] = [
    (b", -, 03", b", EXAMPLE\\frank, 03", {"user": b"EXAMPLE\\frank"}),
    (b", -, 03", b", Smith,J, 03", {"user": b"Smith,J"}),
    (b"192.0.2.201", b"2001:db8::7", {"client": b"2001:db8::7"}),
    (b"192.0.2.201", b"client.example.com", {"client": b"client.example.com"}),
    (b"/DeptLogo.gif, -,", b"/a b.htm, c=d,e,", {"target_path": b"/a b.htm", "target_query": b"c=d,e"}),
    (b"/DeptLogo.gif, -,", b"/a,b, -,", {"target_path": b"/a,b"}),
    (b"/DeptLogo.gif, -,", b"/a, -, ", {"target_path": b"/a"}),
    (b" 200, 0, GET,", b" 0, 0, [376]USER,", {"status": None, "method": b"[376]USER"}),
    (b" 200, 0,", b" -, 2147024894,", {"status": None, "win32_status": 2147024894}),
    (b"4502", b"-", {"duration": None}),
    (b"03/20/01", b"2/29/01", {"time": None}),
    (b"03/20/01", b"20/03/01", None),
    (b"03/20/01", b"20.03.01", None),
    (b"7:55:20", b"24:55:20", None),
    (b"/DeptLogo.gif, -,", b"/DeptLogo.gif, -", None),
    (b"/DeptLogo.gif, -,", b"/DeptLogo.gif,", None),
    (b"4502", b"4.5s", None),
    (b"192.0.2.201", b"web: 192.0.2.201", None),
]


@pytest.mark.parametrize(("part", "replacement", "changes"), CHANGES)
def test_odd_lines(part: bytes, replacement: bytes, changes: dict[str, Any] | None) -> None:
    found = row(IIS, LINE.replace(part, replacement))
    if changes is None:
        assert found is None
    else:
        assert found == {name: value for name, value in (ROW | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (b"11/10/96, 13:55:36", datetime(1996, 11, 10, 13, 55, 36, tzinfo=UTC)),
        (b"11/10/1996, 13:55:36", datetime(1996, 11, 10, 13, 55, 36, tzinfo=UTC)),
        (b"1/2/69, 0:00:00", datetime(1969, 1, 2, tzinfo=UTC)),
        (b"01/02/68, 00:00:60", datetime(2068, 1, 2, 0, 1, tzinfo=UTC)),
        (b"1/2/0050, 0:00:00", datetime(50, 1, 2, tzinfo=UTC)),
        (b"2/30/1996, 1:02:03", None),
    ],
)
def test_times(text: bytes, time: datetime | None) -> None:
    assert IIS_TIME.parse(text) == (None if time is None else microseconds(time))
    found = row(IIS, LINE.replace(b"03/20/01, 7:55:20", text))
    assert found is not None
    assert found.get("time") == IIS_TIME.parse(text)


@pytest.mark.parametrize("client", [b"x192.0.2.201", b"[2001:db8::7", b"a|b"])
def test_implausible_clients(client: bytes) -> None:
    line = LINE.replace(b"192.0.2.201", client)
    assert [found["client"] for found in records(io.BytesIO(line), IIS)] == [client]
    assert list(records(io.BytesIO(line), IIS.strict)) == []


pieces = st.sampled_from([*LINE.split(), b"-", b",", b"\\", b"1/2/3,"])


@given(st.lists(st.lists(pieces | naive.octets).map(b" ".join) | st.just(LINE)).map(b"\n".join))
def test_every_line_is_counted(data: bytes) -> None:
    assert sum(table.lines for table in tables(io.BytesIO(data), IIS)) == len(naive.lines(data))


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"a", b",", b", ", b"-, ", b"a,"])
@pytest.mark.parametrize("before", [b"", LINE[:15], LINE[:40], LINE[:-3]])
def test_hostile_lines_take_linear_time(before: bytes, piece: bytes) -> None:
    line = before + piece * (sizes.LONG // len(piece))
    [table] = tables(io.BytesIO(line), IIS, limit=len(line))
    assert table.lines == 1


def test_own_columns_have_a_meaning() -> None:
    assert {name for name in IIS.columns if name not in COLUMNS} == set(COLUMN_MEANINGS)
