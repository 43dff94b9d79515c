"""`urisect logs` on a terminal: a table that fits its width."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.command import LOG, URISECT, on_a_terminal
from urisect.cli.row_table import RowTable, whole_uri_fields
from urisect.cli.widths import display_width
from urisect.logs import ALB, COMBINED, COMMON, LIST, Format, json_lines

FIELDS = ("time", "target", "status", "bytes", "user")


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def draw(
    path: Path,
    width: int,
    *blocks: bytes,
    format: Format = COMMON,
    fields: Sequence[str] = FIELDS,
    is_selection: bool = False,
    is_live: bool = False,
    null: str = "",
) -> list[str]:
    """Draw a table into a file, and return its lines."""
    os.environ["COLUMNS"] = str(width)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    table = RowTable(format, fields, descriptor=descriptor, is_selection=is_selection, is_live=is_live, null=null)
    os.close(descriptor)
    with table:
        for block in blocks:
            table.write(block)
    return path.read_text().splitlines()


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "drawn"


def row(target: str = "/", status: int | None = 200, size: int | None = 5, user: str | None = None) -> bytes:
    cells = ["1996-11-10T20:55:36Z", target, *(r"\N" if each is None else f"{each}" for each in (status, size, user))]
    return "\t".join(cells).encode() + b"\n"


def plain(lines: list[str]) -> list[str]:
    return [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]


def test_columns_are_aligned_below_their_names(drawn: Path) -> None:
    lines = plain(draw(drawn, 80, row("/a/b", 200, 8192), row("/", None, 5, "fred")))
    assert lines == [
        "time                  target  status  bytes  user",
        "1996-11-10T20:55:36Z  /a/b       200   8192  -",
        "1996-11-10T20:55:36Z  /            -      5  fred",
    ]


def test_colours(drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(status=status) for status in (200, 304, 404, 503, None)]
    header, *lines, footer = draw(drawn, 80, *rows)
    assert header.startswith("\x1b[1mtime\x1b[0m ")
    colours = [re.search(r"(\x1b\[\d+m)?(\d+|-)(?:\x1b\[0m)? +5$", line) for line in lines]
    assert [found and found[1] for found in colours] == [None, None, "\x1b[33m", "\x1b[31m", "\x1b[2m"]
    assert footer == "\x1b[2mNot shown: user (undefined in the first 5 rows). --fields shows them.\x1b[0m"
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert draw(drawn, 80, *rows) == plain([header, *lines, footer])


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("is_live", [False, True])
def test_the_table_fits_the_width(width: int, is_live: bool, drawn: Path) -> None:  # noqa: FBT001  a parameter of the test
    target = "/a/long/path/" + "価格" * 20
    rows = [row(f"{target}{number}", user="u" * number) for number in range(1, 60)]
    header, *lines, footer = plain(draw(drawn, width, b"".join(rows), is_live=is_live))
    if width >= 40:
        assert max(map(display_width, (header, *lines, footer))) <= width
    assert "target" in header
    assert ("user" in header) == (width >= 80)
    assert ("bytes" in header) == (width >= 80)
    if width < 200:
        assert "…" in lines[0]
    assert footer.endswith("shows them.") == (width < 80)


def test_columns_without_space_are_named(drawn: Path) -> None:
    *_, last = plain(draw(drawn, 60, row("/" + "a" * 100, user="fred")))
    assert last == "Not shown: bytes, user (no space). --fields shows them."


def test_selected_columns_are_all_shown(drawn: Path) -> None:
    header, line = plain(draw(drawn, 20, row(), is_selection=True))
    assert header.split() == ["time", "target", "status", "bytes", "user"]
    assert line.split() == ["1996-11-10T20:55:36Z", "/", "200", "5", "-"]


def test_undefined_values_are_drawn_as_asked(drawn: Path) -> None:
    _, line = plain(draw(drawn, 80, row(status=None, user="fred"), row(), null="\x1b?"))[:2]
    assert line.split() == ["1996-11-10T20:55:36Z", "/", "\\x1b?", "5", "fred"]


def test_a_table_without_any_value_has_its_first_column(drawn: Path) -> None:
    lines = plain(draw(drawn, 80, b"\\N\t\\N\n", format=LIST, fields=("scheme", "query")))
    assert lines == ["scheme  query", "-       -"]


def test_numbers_and_times_are_not_shortened(drawn: Path) -> None:
    first = b"".join(row(size=number % 10) for number in range(200))
    lines = plain(draw(drawn, 80, first, row(size=123456789012, user="u" * 200), row()))
    assert lines[201].split()[-1] == "123456789012"
    assert lines[202].split()[-1] == "5"


def test_later_values_are_shortened_to_the_widths_of_the_first_rows(drawn: Path) -> None:
    first = b"".join(row(f"/{number:09}") for number in range(200))
    lines = plain(draw(drawn, 80, first, row("/a/long/path/to/it.html"), row("/")))
    assert lines[201].split()[1] == "/a/lon…tml"
    assert len({line.index("200") for line in lines[1:203]}) <= 2
    assert lines[201].index("  200") == lines[202].index("  200")


def test_a_column_may_be_very_narrow(drawn: Path) -> None:
    format = json_lines("json:a=b,u=c")
    lines = plain(draw(drawn, 80, b"1\t2\n" * 200, b"long\tlonger\n", format=format, fields=("u", "a")))
    assert lines[201] == "…  longer"


def test_most_values_count_if_space_is_short(drawn: Path) -> None:
    rows = [row("/" + "a" * 30, user="u" * (4 if number else 60)) for number in range(40)]
    header, first, second, *_ = plain(draw(drawn, 80, b"".join(rows)))
    assert "a" * 30 in second
    assert header.split()[-1] == "user"
    assert "…" in first


def test_rows_wait_for_others_only_in_files(drawn: Path) -> None:
    descriptor = os.open(drawn, os.O_WRONLY | os.O_CREAT)
    for is_live, blocks in ((True, 1), (False, 16)):
        os.truncate(drawn, 0)
        with RowTable(COMMON, FIELDS, descriptor=descriptor, is_live=is_live) as table:
            table.write(b"")
            for number in range(1, blocks + 1):
                assert not drawn.read_bytes()
                table.write(row() if number == 1 else b"")
                if number + (not is_live) >= blocks:
                    break
            assert drawn.read_bytes()
        assert b"undefined in the first 1 rows" in drawn.read_bytes()
    os.close(descriptor)


def test_nothing_is_drawn_without_rows_or_after_an_error(drawn: Path) -> None:
    assert draw(drawn, 80, b"", b"") == []
    descriptor = os.open(drawn, os.O_WRONLY)
    with pytest.raises(ZeroDivisionError), RowTable(COMMON, FIELDS, descriptor=descriptor) as table:  # noqa: PT012
        table.write(row())
        raise ZeroDivisionError
    os.close(descriptor)
    assert not drawn.read_bytes()


def test_backslashes_are_shown_once_and_nothing_acts(drawn: Path) -> None:
    _, line, _ = draw(drawn, 80, row("/\\\\x16\\t\x1b[2J\u202e\x9b\\\\N"))
    assert "/\\x16\\t\\x1b[2J\\u202e\\x9b\\N" in line


@pytest.mark.parametrize(
    ("format", "fields"),
    [
        (LIST, ("reference",)),
        (COMMON, ("client", "identity", "user", "time", "method", "target", "protocol", "request", "status", "bytes")),
        (json_lines("json:target=u,took=t"), ("target", "took")),
    ],
)
def test_uris_are_whole(format: Format, fields: tuple[str, ...]) -> None:
    assert whole_uri_fields(format) == fields
    assert set(fields) <= set(format.fields)


@pytest.mark.parametrize("format", [COMBINED, ALB])
@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_log_on_a_terminal(format: Format, width: int, tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_bytes(LOG if format is COMBINED else format.sample)
    variables = {"COLUMNS": str(width), "NO_COLOR": "1"}
    sent = on_a_terminal("logs", "--format", format.name, str(path), variables=variables).decode()
    header, *rows = sent.replace("\r\n", "\n").splitlines()
    assert {"target", "status"} <= set(header.split())
    assert max(map(display_width, (header, *rows))) <= width
    assert re.search(r"\nNot shown: [^\n]+(?:\n[^\n]+)*\s--fields\sshows\sthem\.\n$", sent.replace("\r\n", "\n"))


def test_selected_fields_on_a_terminal(log: Path) -> None:
    sent = on_a_terminal("logs", "--fields", "ip,user,status", "--null", "none", "--header", str(log))
    header, first, *_ = plain(sent.decode().splitlines())
    assert header.split() == ["ip", "user", "status"]
    assert first.split()[1] == "none"


@pytest.mark.parametrize("arguments", [("--to", "tsv"), ("-o", "/dev/stdout")])
def test_other_rows_on_a_terminal_are_not_drawn(arguments: tuple[str, ...], log: Path) -> None:
    sent = on_a_terminal("logs", "--fields", "status,user", *arguments, str(log))
    assert sent.startswith(b"304\t\r\n200\t\r\n")


def test_rows_of_standard_input_are_drawn_as_they_arrive() -> None:
    parent, child = os.openpty()
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    with subprocess.Popen(
        [*URISECT, "logs", "--format", "common", "-q"], stdin=subprocess.PIPE, stdout=child, env=environment
    ) as process:
        os.close(child)
        assert process.stdin
        process.stdin.write(COMMON.sample)
        process.stdin.flush()
        sent = b""
        while sent.count(b"\n") < 3:  # standard input is still open
            sent += os.read(parent, 65536)
        process.stdin.close()
    os.close(parent)
    assert sent.startswith(b"client ")
