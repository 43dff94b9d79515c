"""The predicate of `--where`: what it selects, what it refuses, and that no expression takes much memory."""

import io
import json
import pickle
import re
import signal
import subprocess
import sys
from operator import methodcaller
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support import sizes
from tests.support.command import LOG, run_here
from tests.support.paths import DOCS
from urisect.logs import COMBINED, COMMON, FORMATS, LIST, Format, Table, WhereError, tables
from urisect.logs.columnar.parser import ColumnarParser
from urisect.logs.columnar.table import ColumnarTable
from urisect.logs.input.blocks import Block
from urisect.logs.scan import where as where_module
from urisect.logs.scan.expression import (
    FUNCTIONS,
    MAX_CONSTANT_BYTES,
    MAX_COSTLY_OPERATIONS,
    MAX_EXPRESSION_BYTES,
    MAX_OPERATIONS,
    RefusedError,
    _Checker,
)
from urisect.logs.scan.where import Where

LINES = (
    b'192.0.2.1 - - [10/Nov/1996:13:55:36 -0700] "GET /a?q=1 HTTP/1.0" 200 5 "http://example.com/" "x"\n'
    b'192.0.2.2 - a [11/Nov/1996:00:00:00 +0000] "POST /api/b HTTP/1.1" 500 - "-" "it\'s"\n'
    b'192.0.2.3 - - [11/Nov/1996:00:00:01 +0000] "-" - - "-" "-"\n'
    b'192.0.2.4 - - [31/Nov/1996:00:00:00 +0000] "GET /\xff\xc3\xa9 HTTP/1.1" 404 12 "-" ""\n'
)

# Expressions, and the last byte of the clients whose lines they select.
EXPRESSIONS = {
    "status = 200": [1],
    "status >= 400": [2, 4],
    "STATUS = 200": [1],
    '"status" = 200': [1],
    "status <> 200": [2, 4],  # an undefined value is neither
    "status IS NULL": [3],
    "bytes / 2 = 2.5": [1],
    "status": [1, 2, 4],  # a number that is not 0
    "target_path LIKE '/api/%'": [2],
    "target_path = '/\\xffé'": [4],  # a byte that is not UTF-8 becomes four characters
    "target_query = 'q=1'": [1],
    "target = '/a?q=1'": [1],
    "url = '/a?q=1'": [1],
    "path LIKE '/api/%' OR IP = '192.0.2.1'": [1, 2],
    "lines.user_agent = 'x' AND agent = 'x' AND Referrer = 'http://example.com/'": [1],
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

# Invalid expressions, each with a part of the message.
FAULTS = {
    "": "",
    "status >": "syntax error",
    "nothing = 1": "no field is called 'nothing'; there are client, ",
    "status; DROP TABLE lines": "syntax error",
    "status) FROM lines; SELECT (status": "",
    "true /*": "unterminated",
    "count(*) > 0": "it has to be true or false for each line",
    "unnest([true, false])": "it has to be true or false for each line",
    "COLUMNS(*) IS NULL": "it has to be true or false for each line",
    "(SELECT count(*) FROM read_csv('/etc/passwd')) > 0": "a subquery is not allowed",
    "(SELECT count(*) FROM '/etc/passwd') > 0": "a subquery is not allowed",
    "(SELECT count(*) FROM glob('/*')) > 0": "a subquery is not allowed",
    "(SELECT count(*) FROM read_text('/etc/passwd')) > 0": "a subquery is not allowed",
    "EXISTS (SELECT 1)": "a subquery is not allowed",
    "status IN (SELECT 200)": "a subquery is not allowed",
    "error('on purpose')": "the function error is not allowed",
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


def columnar(data: bytes, format: Format = COMBINED) -> Any:
    """Parse lines into a columnar table; few lines are not."""
    [only] = ColumnarParser(format, format.fields).tables([Block(0, data)], line=0)  # type: ignore[arg-type]
    assert isinstance(only, ColumnarTable)
    return only


def test_columnar_tables_are_filtered_like_others() -> None:
    data = LINES * 99
    for expression in EXPRESSIONS:
        where = Where(expression, COMBINED)
        filtered, expected = where(columnar(data)), where(table(data))
        for field in ("client", "status", "target_path", "agent", "referer_host"):
            assert filtered.values(field) == expected.values(field)


@pytest.mark.parametrize("can_read_again", [False, True])
def test_predicates_can_take_turns(monkeypatch: pytest.MonkeyPatch, can_read_again: bool) -> None:  # noqa: FBT001
    where_module._prepare.cache_clear()
    if not can_read_again:  # as with DuckDB 1
        monkeypatch.setattr(where_module, "CAN_READ_AGAIN", False)
    successes, errors = Where("status = 200", COMBINED), Where("status >= 400", COMBINED)
    for _ in range(2):
        assert selected(successes) == [1]
        assert selected(successes) == [1]
        assert selected(errors) == [2, 4]
    where_module._prepare.cache_clear()


@pytest.mark.parametrize(("expression", "reason"), FAULTS.items())
def test_invalid_expressions_are_refused_with_a_reason(expression: str, reason: str) -> None:
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


def test_columns_are_the_fields_that_an_expression_uses() -> None:
    assert Where("status > 1 AND Target_Path <> ''", COMMON).columns == ("target_path", "status")
    assert Where("target = '/'", COMMON).columns == ("target",)
    assert Where("url = '/' OR target_path = path", COMMON).columns == ("target_path", "target")
    assert Where("true", COMMON).columns == COMMON.columns[:1]


@pytest.mark.parametrize("expression", ["status = 200", "target_host IS NULL", "path = '/'", "true"])
def test_only_those_columns_have_to_be_parsed(expression: str) -> None:
    where = Where(expression, COMBINED)
    [full] = tables(io.BytesIO(LINES), COMBINED)
    [narrow] = tables(io.BytesIO(LINES), COMBINED, columns=where.columns)
    assert where(narrow).parsed == where(full).parsed


def test_rejected_lines_stay_and_an_empty_table_is_not_evaluated() -> None:
    where = Where("status = 200", COMBINED)
    full = table(b"nonsense\n" + LINES)
    assert where(full).rejected == full.rejected != []
    nothing = table(b"nonsense\n")
    assert where(nothing) is nothing


def test_a_predicate_can_be_pickled_for_workers() -> None:
    where: Where = pickle.loads(pickle.dumps(Where("status >= 400", COMBINED)))  # noqa: S301
    assert selected(where) == [2, 4]
    statuses = pickle.loads(pickle.dumps(where.wrap(methodcaller("column", "status"))))  # noqa: S301
    assert statuses(table()) == [b"500", b"404"]


def test_an_alias_means_another_field_unless_the_format_has_a_field_of_that_name() -> None:
    assert Where("path = '/' OR Path IS NULL", COMMON).columns == ("target_path",)
    assert Where("path = '/'", LIST).columns == ("path",)
    with pytest.raises(WhereError, match="no field is called 'url'; there are scheme, "):
        Where("url = '/'", LIST)


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_every_field_of_every_format_can_be_used(format: Format) -> None:
    for field in sizes.some(format.fields):
        [lines] = tables(io.BytesIO(format.sample), format, columns=[field])
        values = lines.values(field)
        where = Where(f'"{field}" IS NOT NULL', format)
        assert field in where.columns
        assert where(lines).parsed == len(values) - values.count(None)


@pytest.mark.unmeasured
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_command_writes_the_selected_lines(jobs: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(LOG)
    every = run_here("logs", "--to", "ndjson", str(path))[1].splitlines()
    wanted = [line for line in every if (json.loads(line)["status"] or 0) >= 400]
    status, output, messages = run_here("logs", "--to", "ndjson", "--jobs", jobs, "--where", "status >= 400", str(path))
    assert (status, output.splitlines()) == (0, wanted)
    assert f" parsed ({len(wanted):,} selected), " in messages
    narrow = run_here("logs", "--fields", "client", "--where", "status >= 400", str(path), "--quiet")
    assert narrow == (0, b"".join(b"%b\n" % json.loads(line)["client"].encode() for line in wanted), "")


def test_the_command_reports_an_invalid_expression_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(LOG)
    for expression in ("nothing > 1", "target_path::INTEGER > 1"):
        output = tmp_path / "rows"
        status, _, messages = run_here("logs", "--where", expression, str(path), "-o", str(output), "--quiet")
        assert status == 2
        assert messages.startswith(f"urisect: where '{expression}': ")
        assert messages.count("\n") == 1
        assert list(tmp_path.iterdir()) == [path]


def test_duckdb_is_an_optional_package() -> None:
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


# Attempts to escape from the SELECT: further statements, clauses and expressions.
ESCAPES = {
    "true) FROM lines; SET memory_limit = '9GB'; SELECT (true": "it is a statement",
    "true) FROM lines; SELECT (true": "it is more than one statement",
    "true); SELECT (true": "it is more than one statement",
    "true) FROM lines WHERE (true": "syntax error",
    "true) FROM lines, lines AS others ORDER BY (1": "syntax error",
    "true) FROM lines UNION SELECT (true": "it is more than an expression",
    "true) FROM lines EXCEPT SELECT (true": "it is more than an expression",
    "true), (false": "it is more than one expression",
    "true) -- nothing more": "syntax error",
    "true) FROM lines --": "syntax error",
    "true /* */) FROM lines; /*": "unterminated",
    "'": "unterminated",
}

# Expressions that may build values of any size, or that use more than the line.
REFUSED = {
    "length(repeat(target_path, 100000000)) > 0": "the function repeat is not allowed",
    "length(main.repeat('a', 9)) > 0": "the function repeat is not allowed",
    "length(lpad(agent, 1000000000, ' ')) > 0": "the function lpad is not allowed",
    "length(printf('%1000000000d', 1)) > 0": "the function printf is not allowed",
    "length(replace(agent, 'a', 'aaaaaaaaaa')) > 0": "the function replace is not allowed",
    "length(regexp_replace(agent, '', 'aa', 'g')) > 0": "the function regexp_replace is not allowed",
    "length(concat(agent, agent)) > 0": "the function concat is not allowed",
    "agent || agent = 'x'": "the function || is not allowed",
    "len(range(1000000000)) > 0": "the function range is not allowed",
    "[status] = [200]": "the function list_value is not allowed",
    "list_transform(agent, x -> x)": "is not allowed",
    "array[status] IS NULL": "array constructor is not allowed",
    "status::INTEGER[] IS NULL": "a cast to LIST is not allowed",
    "status::BIT IS NULL": "a cast to BIT is not allowed",
    "status::STRUCT(a INTEGER) IS NULL": "a cast to STRUCT is not allowed",
    "status::INTGER = 1": "a cast to ",
    "getenv('HOME') = ''": "the function getenv is not allowed",
    "current_setting('threads') = '1'": "the function current_setting is not allowed",
    "random() < 0.5": "the function random is not allowed",
    "row_number() OVER () = 1": "window row number is not allowed",
    "agent COLLATE nocase = 'x'": "collate is not allowed",
    "status = ?": "value parameter is not allowed",
    "#1": "positional reference is not allowed",
    "*": "it has to be true or false for each line",
    "sum(status) > 1": "it has to be true or false for each line",
    "agent.lower() = 'x'": "a function cannot be called as a method; write lower(…)",
    "agent LIKE referer": "a pattern has to be a constant text in quotes",
    "agent ~ lower(referer)": "a pattern has to be a constant text in quotes",
    "regexp_extract(agent, referer) = 'x'": "a pattern has to be a constant text in quotes",
    "agent ~ '(\\pL{900}){900}'": "",
    "lowr(agent) = 'x'": '; did you mean "lower"?',
    "statu = 200": '; did you mean "status"?',
    "target.path = '/'": '; did you mean "target_path"?',
    "current_user = 'x'": "no field is called 'current_user'",
    f"agent = '{'x' * 5000}'": "a constant is longer than 4,096 bytes",
    " OR ".join(f"status = {number}" for number in range(600)): "more than 500 operators and calls",
    " OR ".join(f"lower(agent) = '{number}'" for number in range(17)): "more than 16 times",
    "NOT " * 900 + "true": "",
    "(" * 20000 + "true" + ")" * 20000: "",
    "true OR " * 9000 + "true": "it is longer than 65,536 bytes",
    "agent = '\udcff'": "it is not valid Unicode",
}

CLIENTS = ", ".join(f"'192.0.2.{last}'" for last in range(2, 2000))

# Expressions that take no more memory than the line.
ACCEPTED = {
    "status NOT BETWEEN 300 AND 499 AND method NOT IN ('GET', 'HEAD')": [2],
    "lower(agent) LIKE 'x' OR agent ILIKE '%T%S'": [1, 2],
    "agent SIMILAR TO '[a-z]' OR agent GLOB 'it*'": [1, 2],
    "agent LIKE 'it_s' ESCAPE '!'": [2],
    "regexp_matches(target_path, '^/A', 'i')": [1, 2],
    "regexp_extract(target_path, '/([a-z]+)/', 1) = 'api'": [2],
    "CASE WHEN status = 500 THEN true WHEN status = 404 THEN method = 'GET' ELSE false END": [2, 4],
    "if(status = 200, true, false)": [1],
    "coalesce(bytes, 0) + 1 = 1": [2, 3],
    "nullif(method, 'GET') IS NOT NULL": [2],
    "TRY_CAST(target_query AS INTEGER) IS NULL AND target_query IS NOT NULL": [1],
    "round(bytes / 7.0, 1)::DECIMAL(10, 2) = 1.7": [4],
    "substring(target_path FROM 2 FOR 3) = 'api'": [2],
    "target_path[2] = 'a' AND target_path[2:4] = 'api'": [2],
    "starts_with(target_path, '/api') OR contains(target_path, 'é')": [2, 4],
    "position('b' IN target_path) > 0": [2],
    "length(trim(target_path, '/')) = 1": [1],
    "EXTRACT(hour FROM time) = 20 OR time > TIMESTAMPTZ '1996-11-11 00:00:00Z'": [1, 3],
    "time + INTERVAL 1 DAY >= '1996-11-12' AND time - INTERVAL '1 day' < now()": [2, 3],
    "date_trunc('day', time) = DATE '1996-11-10' AND time::DATE < current_date": [1],
    "(time AT TIME ZONE 'Asia/Tokyo')::TIME >= '09:00:00'": [2, 3],
    "dayname(time) = 'Sunday'": [1],
    "lines.status = 200": [1],
    f"client IN ({CLIENTS})": [2, 3, 4],
    f"agent IN ('x', '{'x' * 5000}')": [1],
    " OR ".join(["status = 200"] * 240): [1],
}


@pytest.mark.parametrize(("expression", "reason"), (ESCAPES | REFUSED).items(), ids=lambda text: text[:60])
def test_anything_but_an_expression_of_bounded_size_is_refused(expression: str, reason: str) -> None:
    with pytest.raises(WhereError) as caught:
        Where(expression, COMBINED)
    assert reason in str(caught.value).removeprefix(f"where {expression!r}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("expression", "expected"), ACCEPTED.items(), ids=lambda text: str(text)[:60])
def test_ordinary_expressions_are_accepted(expression: str, expected: list[int]) -> None:
    assert selected(Where(expression, COMBINED)) == expected


def test_allowed_functions_exist_in_duckdb_and_build_no_longer_values() -> None:
    connection = duckdb.connect(config={"threads": 1})
    known = {name for [name] in connection.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()}
    allowed = {name for names in FUNCTIONS.values() for name in names}
    assert allowed - known <= {"coalesce", "if", "ifnull"}  # handled by the parser
    assert not allowed & {
        "repeat",
        "rpad",
        "lpad",
        "list",
        "range",
        "concat",
        "format",
        "printf",
        "replace",
        "string_agg",
    }


def test_syntax_trees_of_older_versions_of_duckdb_are_checked_too() -> None:
    column = {"class": "COLUMN_REF", "type": "COLUMN_REF", "column_names": ["agent"]}
    constant = {"class": "CONSTANT", "type": "VALUE_CONSTANT", "value": {"type": {"id": "VARCHAR"}, "value": "x"}}
    call = {"class": "FUNCTION", "type": "FUNCTION", "function_name": "~~", "schema": ""}
    cast = {"class": "CAST", "type": "OPERATOR_CAST", "child": column, "cast_type": {"id": "VARCHAR"}}
    for fine in ({**call, "children": [column, constant]}, cast):
        assert _Checker({"agent": "agent"}).names(fine) == {"agent"}
    long = {**constant, "value": {"value": "x" * 5000}}
    for wrong in ({**call, "children": [column, column]}, {**cast, "cast_type": {"id": "LIST"}}, long):
        with pytest.raises(RefusedError):
            _Checker({"agent": "agent"}).names(wrong)


def test_deep_nesting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def nested(_: str) -> None:
        raise RecursionError

    monkeypatch.setattr("urisect.logs.scan.where.json.loads", nested)
    with pytest.raises(WhereError, match="where 'true': it is nested too deeply"):
        Where("true", COMMON)


def test_the_configuration_of_duckdb_is_locked() -> None:
    with pytest.raises(duckdb.Error, match="lock"):
        where_module._connection().execute("SET memory_limit = '9GB'")


def test_the_documentation_lists_what_is_allowed() -> None:
    document = (DOCS / "reference" / "limits.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", document, re.MULTILINE)
    listed = {title: re.findall(r"`(\w+)`", names) for title, names in rows}
    assert {title: listed.get(title) for title in FUNCTIONS} == {
        title: list(names) for title, names in FUNCTIONS.items()
    }
    for number in (MAX_EXPRESSION_BYTES, MAX_OPERATIONS, MAX_COSTLY_OPERATIONS, MAX_CONSTANT_BYTES):
        assert f"{number:,}" in document


def test_an_interrupt_ends_the_evaluation() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    where = Where("status = 200", COMBINED)
    where._expression = "(SELECT count(*) FROM range(1_000_000_000_000) t(i) WHERE hash(i) % 7 = 1) > status"
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            where(table())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
