import io
import json
import os
import pty
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.corpora import access_log
from urisect.cli import main
from urisect.cli.count_tables import draw_ranking
from urisect.logs import COMBINED, tables
from urisect.logs.report.counts import ValueCount

LOG = access_log(2000)


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "access.log"
    path.write_bytes(LOG)
    return str(path)


@pytest.mark.parametrize("field", ["target_path", "status", "time", "referer_host", "target", "user"])
def test_the_most_frequent_values_of_a_field(field: str, log: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    expected: Counter[bytes | None] = Counter()
    for table in tables(io.BytesIO(LOG), COMBINED):
        expected.update(table.texts(field))
    assert main(["top", field, log, "-n", "3", "-q", "--to", "ndjson"]) == 0
    found = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [entry["count"] for entry in found] == [lines for _, lines in expected.most_common(3)]
    for entry in found:
        value = None if entry["value"] is None else entry["value"].encode()
        assert expected[value] == entry["count"]
        assert entry["share"] == pytest.approx(entry["count"] / expected.total(), abs=5e-5)


def test_tab_separated_values_where_nobody_looks(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"//a/\n//a\tb/\n//a\n/\nmailto:b\n")
    assert main(["top", "host", str(path), "--format", "list"]) == 0
    printed = capfd.readouterr()
    assert printed.out == "a\t2\t0.4000\n(none)\t2\t0.4000\na\\tb\t1\t0.2000\n"
    assert printed.err == "read 5, parsed 5, rejected 0\nhost: 2 different values\n"


def test_only_the_lines_that_are_wanted(log: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "status", log, "--to", "tsv", "--where", "target_path = '/favicon.ico' AND status = 200"]) == 0
    printed = capfd.readouterr()
    value, lines, share = printed.out.rstrip("\n").split("\t")
    assert (value, share) == ("200", "1.0000")
    assert f"; selected {lines}\nstatus: 1 different values\n" in printed.err


def test_a_log_without_lines(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "status", "/dev/null", "-q"]) == 0
    assert capfd.readouterr() == ("", "")


def test_a_field_that_there_is_not(log: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "sta\x1btus", log]) == 2
    message = capfd.readouterr().err
    assert "no field is called 'sta\\x1btus'; there are client, identity, user, time, method, " in message
    assert "referer_port" in message


def test_a_file_that_there_is_not(log: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "method", log, f"{log}.none", "-n", "1", "-q"]) == 2
    printed = capfd.readouterr()
    assert printed.out.startswith("GET\t")
    assert "access.log.none: No such file or directory" in printed.err


def test_bars_on_a_terminal(log: str) -> None:
    here, there = pty.openpty()
    code = "import sys; from urisect.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "top", "method", log, "-q", "-n", "2"]
    done = subprocess.run(command, stdout=there, check=True, timeout=60, env={**os.environ, "TERM": "xterm"})
    os.close(there)
    shown = os.read(here, 10_000).decode()
    os.close(here)
    assert done.returncode == 0
    assert "GET" in shown
    assert "%" in shown
    assert "█" in shown


def test_what_is_shown_does_not_act_on_the_terminal() -> None:
    shown = draw_ranking([ValueCount(b"/\x1b[31m" + b"x" * 500, 3), ValueCount(None, 1)], 4)
    first, second = shown.splitlines()
    assert "/\\x1b[31mx" in first
    assert "…" in first
    assert "75.0 %" in first
    assert "(none)" in second
    assert max(map(len, shown.splitlines())) < 200
