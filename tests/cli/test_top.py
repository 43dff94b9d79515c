"""`urisect top`: the most frequent values of one or several fields."""

import io
import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.command import LOG, on_a_terminal, without_speed
from urisect.cli import main
from urisect.cli.count_tables import draw_ranking
from urisect.cli.widths import display_width, fit_widths, shorten_to_width
from urisect.logs import COMBINED, CombinationCount, CombinationRanking, tables


@pytest.mark.parametrize("field", ["target_path", "status", "time", "referer_host", "target", "user"])
def test_the_most_frequent_values_of_a_field(field: str, log: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    expected: Counter[bytes | None] = Counter()
    for table in tables(io.BytesIO(LOG), COMBINED):
        expected.update(table.texts(field))
    assert main(["top", field, str(log), "-n", "3", "-q", "--to", "ndjson"]) == 0
    found = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [entry["count"] for entry in found] == [lines for _, lines in expected.most_common(3)]
    for entry in found:
        value = None if entry["value"] is None else entry["value"].encode()
        assert expected[value] == entry["count"]
        assert entry["share"] == pytest.approx(entry["count"] / expected.total(), abs=5e-5)


def test_output_that_is_not_a_terminal_is_tsv(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"//a/\n//a\tb/\n//a\n/\nmailto:b\n")
    assert main(["top", "host", str(path), "--format", "list"]) == 0
    printed = capfd.readouterr()
    assert printed.out == "a\t2\t0.4000\n(none)\t2\t0.4000\na\\tb\t1\t0.2000\n"
    assert without_speed(printed.err) == "5 lines read: 5 parsed, 0 rejected\nhost: 2 different values\n"


def test_where_selects_lines(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["top", "status", str(log), "--to", "tsv", "--where", "target_path = '/favicon.ico' AND status = 200"])
        == 0
    )
    printed = capfd.readouterr()
    value, lines, share = printed.out.rstrip("\n").split("\t")
    assert (value, share) == ("200", "1.0000")
    assert f" parsed ({lines} selected), " in printed.err
    assert printed.err.endswith("\nstatus: 1 different value\n")


def test_a_log_without_lines(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "status", "/dev/null", "-q"]) == 0
    assert capfd.readouterr() == ("", "")


def test_an_unknown_field_is_reported(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "sta\x1btus", str(log)]) == 2
    message = capfd.readouterr().err
    assert "no field is called 'sta\\x1btus'; there are client, identity, user, time, method, " in message
    assert "referer_port" in message


def test_a_missing_file_is_reported_and_the_others_are_counted(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "method", str(log), f"{log}.none", "-n", "1", "-q"]) == 2
    printed = capfd.readouterr()
    assert printed.out.startswith("GET\t")
    assert "access.log.none: No such file or directory" in printed.err


COMBINATIONS = (
    ("tsv", b"host\tpath\tcount\tshare\n", b"a\t/\t2\t0.5000\n(none)\t\\t,\t1\t0.2500\n(none)\tb\t1\t0.2500\n"),
    ("csv", b"host,path,count,share\r\n", b'a,/,2,0.5000\r\n(none),"\t,",1,0.2500\r\n(none),b,1,0.2500\r\n'),
    (
        "ndjson",
        b"",
        (
            b'{"host":"a","path":"/","count":2,"share":0.5000}\n{"host":null,"path":"\\t,","count":1,"share":0.2500}\n'
            b'{"host":null,"path":"b","count":1,"share":0.2500}\n'
        ),
    ),
)


@pytest.fixture
def urls(tmp_path: Path) -> Path:
    path = tmp_path / "list"
    path.write_bytes(b"//a/\n\t,\n//a/?b\nmailto:b\n")
    return path


@pytest.mark.parametrize(("to", "header", "rows"), COMBINATIONS)
def test_combinations_of_several_fields(
    to: str, header: bytes, rows: bytes, urls: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    command = ["top", "host, path", str(urls), "--format", "list", "--to", to]
    assert main(command) == 0
    printed = capfdbinary.readouterr()
    assert printed.out == rows
    assert printed.err.endswith(b"host,path: 3 different combinations\n")
    assert main([*command, "-q", "--header"]) == 0
    assert capfdbinary.readouterr() == (header + rows, b"")


@pytest.mark.parametrize(("to", "header", "rows"), COMBINATIONS)
def test_the_name_of_the_output_selects_its_format(
    to: str, header: bytes, rows: bytes, urls: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / f"counts.{to}"
    command = ["top", "host,path", str(urls), "--format", "list", "-q", "--header", "-o"]
    assert main([*command, str(output)]) == 0
    assert output.read_bytes() == header + rows
    assert main([*command, str(tmp_path / "counts"), "--to", to]) == 0
    assert (tmp_path / "counts").read_bytes() == header + rows
    assert capfd.readouterr() == ("", "")


def test_a_header_names_the_field(urls: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "host", str(urls), "--format", "list", "-q", "--header", "-n", "1"]) == 0
    assert capfd.readouterr().out == "host\tcount\tshare\na\t2\t0.5000\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["host", "-o", "counts.parquet"], "top does not write parquet; choose one of tsv, csv, ndjson"),
        (["host", "-o", "counts.csv", "--to", "tsv"], "means csv, but tsv is asked for"),
        (["host,port,host"], "two columns would be called 'host'"),
        (["extra,count", "--format", "json:count=a", "--to", "ndjson"], "two columns would be called 'count'"),
        ([",".join(["host"] * 9)], "at most 8 fields"),
        (["host,prot"], 'did you mean "port"?'),
        (["host,"], "no field is called ''"),
    ],
)
def test_usage_errors(arguments: list[str], message: str, urls: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "--format", "list", *arguments, str(urls)]) == 2
    assert message in " ".join(capfd.readouterr().err.split())


def test_an_output_that_cannot_be_counted_is_kept(
    urls: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "counts.csv"
    output.write_text("before")
    assert main(["top", "host", f"{urls}.none", "--format", "list", "--header", "-o", str(output)]) == 2
    assert output.read_text() == "before"
    assert main(["top", "host", str(urls), "--format", "list", "-o", str(urls)]) == 2
    assert "is one of the files to read" in capfd.readouterr().err


@pytest.mark.parametrize("package", ["duckdb", "pyarrow"])
def test_plain_python_counts_without_a_package(
    package: str, urls: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["top", "host,path", str(urls), "--format", "list"]
    assert main([*command, "-q"]) == 0
    expected = capfd.readouterr()
    monkeypatch.setitem(sys.modules, package, None)
    assert main([*command, "-q"]) == 0
    assert capfd.readouterr() == expected
    assert main(command) == 0
    note = f"{package} is not installed: plain Python counts up to 1,000,000 different values\n"
    assert capfd.readouterr().err.startswith(note)
    monkeypatch.setattr("urisect.logs.report.plain_counts.MAX_PLAIN_VALUES", 2)
    assert main([*command, "-q"]) == 2
    assert f"needs {package}, which is not installed; pip install 'urisect[logs]'" in capfd.readouterr().err


def test_bars_on_a_terminal(log: Path) -> None:
    shown = on_a_terminal("top", "method", str(log), "-q", "-n", "2").decode()
    header, first, _ = re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()
    assert header.split() == ["method", "lines", "share"]
    assert first.startswith("GET")
    assert "%" in first
    assert "█" in first
    assert header.index("share") + len("share") == first.index("%") + 1


def test_nothing_is_drawn_without_lines() -> None:
    assert on_a_terminal("top", "method", "/dev/null", "-q") == b""


def draw(fields: list[str], counts: list[CombinationCount], width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    return draw_ranking(fields, CombinationRanking(counts, 4, 1)).splitlines()


def test_values_do_not_act_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [CombinationCount((b"/\x1b[31m" + b"x" * 500,), 3), CombinationCount((None,), 1)]
    header, first, second = draw(["target_path"], counts, 100, monkeypatch)
    assert header.startswith("target_path ")
    assert "/\\x1b[31mx" in first
    assert "…" in first
    assert "75.0 %" in first
    assert "(none)" in second
    assert max(map(len, (first, second))) <= 100


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_several_fields_are_aligned_within_the_width(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [
        CombinationCount((b"192.0.2.7", b"/" + b"a" * 90, "価格".encode() * 30), 2),
        CombinationCount((b"2001:db8::1", None, b"/"), 1),
        CombinationCount((None, b"/", b"GET"), 1),
    ]
    rows = draw(["client", "target_path", "agent"], counts, width, monkeypatch)
    assert max(map(display_width, rows)) <= width
    assert len({display_width(row[: row.index("%")]) for row in rows[1:]}) == 1


@given(
    columns=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=5),
    available=st.integers(0, 200),
)
def test_widths_fit_if_they_can(columns: list[tuple[int, int]], available: int) -> None:
    needed = [max(pair) for pair in columns]
    least = [min(pair) for pair in columns]
    widths = fit_widths(needed, least, available)
    assert all(low <= width <= need for low, width, need in zip(least, widths, needed, strict=True))
    assert sum(widths) <= max(available, sum(least))
    assert widths == needed or sum(widths) + len(widths) > available  # no column could be wider


@given(text=st.text(st.sampled_from("a/価\u0301"), max_size=40), width=st.integers(1, 30))
def test_a_shortened_text_fits_and_keeps_its_ends(text: str, width: int) -> None:
    shortened = shorten_to_width(text, width)
    assert display_width(shortened) <= width
    assert (shortened == text) == (len(text) <= width and display_width(text) <= width)
    if shortened != text:
        first, last = shortened.split("…")
        assert text.startswith(first)
        assert text.endswith(last)
        assert (first and last) or width < 5
