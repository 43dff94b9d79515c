"""`urisect top`: the most frequent values of a field."""

import io
import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support.command import LOG, on_a_terminal, without_speed
from urisect.cli import main
from urisect.cli.count_tables import draw_ranking
from urisect.logs import COMBINED, tables
from urisect.logs.report.counts import ValueCount


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
    assert without_speed(printed.err) == "read 5, parsed 5, rejected 0\nhost: 2 different values\n"


def test_where_selects_lines(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["top", "status", str(log), "--to", "tsv", "--where", "target_path = '/favicon.ico' AND status = 200"])
        == 0
    )
    printed = capfd.readouterr()
    value, lines, share = printed.out.rstrip("\n").split("\t")
    assert (value, share) == ("200", "1.0000")
    assert f"; selected {lines}\nstatus: 1 different values\n" in printed.err


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


def test_bars_on_a_terminal(log: Path) -> None:
    shown = on_a_terminal("top", "method", str(log), "-q", "-n", "2").decode()
    assert "GET" in shown
    assert "%" in shown
    assert "█" in shown


def test_values_do_not_act_on_the_terminal() -> None:
    shown = draw_ranking([ValueCount(b"/\x1b[31m" + b"x" * 500, 3), ValueCount(None, 1)], 4)
    first, second = shown.splitlines()
    assert "/\\x1b[31mx" in first
    assert "…" in first
    assert "75.0 %" in first
    assert "(none)" in second
    assert max(map(len, shown.splitlines())) < 200
