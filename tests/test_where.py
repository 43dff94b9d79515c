import io
import json
import pickle
import signal
import subprocess
import sys
from operator import methodcaller
from pathlib import Path

import pytest

from tests.test_command import LOG, run
from urisect.logs import COMBINED, COMMON, FORMATS, Format, Table, WhereError, tables
from urisect.logs.where import Where

LINES = (
    b'192.0.2.1 - - [10/Nov/1996:13:55:36 -0700] "GET /a?q=1 HTTP/1.0" 200 5 "http://example.com/" "x"\n'
    b'192.0.2.2 - a [11/Nov/1996:00:00:00 +0000] "POST /api/b HTTP/1.1" 500 - "-" "it\'s"\n'
    b'192.0.2.3 - - [11/Nov/1996:00:00:01 +0000] "-" - - "-" "-"\n'
    b'192.0.2.4 - - [31/Nov/1996:00:00:00 +0000] "GET /\xff\xc3\xa9 HTTP/1.1" 404 12 "-" ""\n'
)

# Expressions, and the last numbers of the clients whose lines they select.
EXPRESSIONS = {
    "status = 200": [1],
    "status >= 400": [2, 4],
    "STATUS = 200": [1],
    '"status" = 200': [1],
    "status <> 200": [2, 4],  # what is undefined is neither
    "status IS NULL": [3],
    "bytes / 2 = 2.5": [1],
    "status": [1, 2, 4],  # a number that is not 0
    "target_path LIKE '/api/%'": [2],
    "target_path = '/\\xffé'": [4],  # a byte that is no UTF-8 is written as four characters
    "target_query = 'q=1'": [1],
    "target = '/a?q=1'": [1],
    "referer_host = 'example.com'": [1],
    "target_path ~ '/a.*'": [1, 2],
    "agent = 'it''s'": [2],
    "agent = ''": [4],
    "agent IS NULL": [3],
    "method IN ('GET', 'POST') AND status BETWEEN 200 AND 404": [1, 4],
    "time >= '1996-11-11'": [2, 3],
    "time = TIMESTAMPTZ '1996-11-10 20:55:36Z'": [1],
    "time = '1996-11-10 20:55:36'": [1],
    "hour(time) = 20": [1],
    "time::DATE = '1996-11-11'": [2, 3],
    "time IS NULL": [4],
    "client > '192.0.2.2'": [3, 4],
    "true": [1, 2, 3, 4],
    "false": [],
    "NULL": [],
    "status = 200 OR method = 'POST' -- and nothing more": [1, 2],
    "status = 200) OR (status = 500": [1, 2],
}

# Expressions that are none, and what is said of them.
FAULTS = {
    "": "",
    "status >": "syntax error",
    "nothing = 1": 'Referenced column "nothing" not found',
    "status; DROP TABLE lines": "syntax error",
    "status) FROM lines; SELECT (status": "",
    "true /*": "unterminated",
    "count(*) > 0": "this does not tell of each line whether it is wanted",
    "unnest([true, false])": "this does not tell of each line whether it is wanted",
    "COLUMNS(*) IS NULL": "this does not tell of each line whether it is wanted",
    "(SELECT count(*) FROM read_csv('/etc/passwd')) > 0": "disabled by configuration",
    "(SELECT count(*) FROM '/etc/passwd') > 0": "does not exist",
    "(SELECT count(*) FROM glob('/*')) > 0": "disabled by configuration",
    "(SELECT count(*) FROM read_text('/etc/passwd')) > 0": "disabled by configuration",
    "error('as told')": "as told",
    "'status'": "Could not convert string 'status' to BOOL",
    "status = 'two'": "Could not convert string 'two'",
}


def table(data: bytes = LINES, format: Format = COMBINED) -> Table:
    [only] = tables(io.BytesIO(data), format)
    return only


def selected(where: Where) -> list[int]:
    return [int((client or b"")[-1:]) for client in where(table()).column("client")]


@pytest.mark.parametrize(("expression", "expected"), EXPRESSIONS.items())
def test_expressions_select_lines(expression: str, expected: list[int]) -> None:
    assert selected(Where(expression, COMBINED)) == expected


@pytest.mark.parametrize(("expression", "reason"), FAULTS.items())
def test_what_is_no_expression_is_refused_with_a_reason(expression: str, reason: str) -> None:
    with pytest.raises(WhereError) as caught:
        Where(expression, COMMON)
    message = str(caught.value)
    assert message.startswith(f"where {expression!r}: ")
    assert reason in message
    assert "\n" not in message


def test_an_expression_that_fails_on_a_line_is_refused_then() -> None:
    where = Where("target_path::BOOLEAN", COMBINED)
    with pytest.raises(WhereError, match=r"where 'target_path::BOOLEAN': .*Could not convert string '/a' to BOOL"):
        where(table())


def test_an_expression_knows_of_which_columns_it_speaks() -> None:
    assert Where("status > 1 AND Target_Path <> ''", COMMON).columns == ("target_path", "status")
    assert Where("target = '/'", COMMON).columns == ("target",)
    assert Where("true", COMMON).columns == COMMON.columns[:1]


@pytest.mark.parametrize("expression", ["status = 200", "target_host IS NULL", "true"])
def test_only_those_columns_have_to_be_cut(expression: str) -> None:
    where = Where(expression, COMBINED)
    [whole] = tables(io.BytesIO(LINES), COMBINED)
    [narrow] = tables(io.BytesIO(LINES), COMBINED, columns=where.columns)
    assert where(narrow).parsed == where(whole).parsed


def test_what_was_rejected_stays_and_no_line_needs_no_answer() -> None:
    where = Where("status = 200", COMBINED)
    whole = table(b"nonsense\n" + LINES)
    assert where(whole).rejected == whole.rejected != []
    nothing = table(b"nonsense\n")
    assert where(nothing) is nothing


def test_an_expression_goes_to_other_processes() -> None:
    where: Where = pickle.loads(pickle.dumps(Where("status >= 400", COMBINED)))  # noqa: S301
    assert selected(where) == [2, 4]
    there = pickle.loads(pickle.dumps(where.then(methodcaller("column", "status"))))  # noqa: S301
    assert there(table()) == [b"500", b"404"]


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_every_field_of_every_format_can_be_spoken_of(format: Format) -> None:
    for field in format.fields:
        [lines] = tables(io.BytesIO(format.sample), format, columns=[field])
        values = lines.values(field)
        where = Where(f'"{field}" IS NOT NULL', format)
        assert field in where.columns
        assert where(lines).parsed == len(values) - values.count(None)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_command_gives_the_lines_that_are_wanted(jobs: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(LOG)
    every = run("logs", "--to", "ndjson", str(path))[1].splitlines()
    wanted = [line for line in every if (json.loads(line)["status"] or 0) >= 400]
    status, output, messages = run("logs", "--to", "ndjson", "--jobs", jobs, "--where", "status >= 400", str(path))
    assert (status, output.splitlines()) == (0, wanted)
    assert messages.endswith(f"; selected {len(wanted)}\n")
    narrow = run("logs", "--fields", "client", "--where", "status >= 400", str(path), "--quiet")
    assert narrow == (0, b"".join(b"%b\n" % json.loads(line)["client"].encode() for line in wanted), "")


def test_the_command_says_what_is_wrong_with_an_expression(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(LOG)
    for expression in ("nothing > 1", "target_path::INTEGER > 1"):
        output = tmp_path / "rows"
        status, _, messages = run("logs", "--where", expression, str(path), "-o", str(output), "--quiet")
        assert status == 2
        assert messages.startswith(f"urisect: where '{expression}': ")
        assert messages.count("\n") == 1
        assert list(tmp_path.iterdir()) == [path]


def test_a_filter_needs_an_extra() -> None:
    program = (
        "import sys; sys.modules['duckdb'] = None\n"
        "from urisect.cli import main\n"
        "sys.exit(main(['logs', '--where', 'status = 1', '/dev/null']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "urisect: a filter needs duckdb, which is not installed; pip install 'urisect[logs]' brings it\n"
    )


def test_an_interrupt_stays_one() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            Where("(SELECT count(*) FROM range(1_000_000_000_000) t(i) WHERE hash(i) % 7 = 1) > status", COMMON)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
