"""Write the SQL expression that splits a column of references, for several databases.

No extra is needed: the result is text, and the database runs it where the data is. There are two ways to write it. In
both, an undefined component is NULL and an empty one is '', although RE2 and Spark cannot tell an optional group that
is absent from one that is empty.

- *Heads*, for DuckDB and Spark. A head is the beginning of a reference, up to the end of a component: "http:",
  "http://example.com". What a head has more than the head before it is a component with its delimiter. Expressions of
  RFC 3986, Appendix B, match the heads, without groups: RE2 then runs an automaton only. Heads occur several times, but
  both databases compute equal expressions once per row.
- *Steps*, for ClickHouse and PostgreSQL, and in DuckDB for anything but a column. Each step finds delimiters with
  POSITION or cuts at them, and names its results for the next one. No regular expression is needed, which would take
  four times as long in both databases; and in ClickHouse a text may be any bytes.

Nanoseconds per URL, one thread, the time of reading it included; DuckDB 2.0.0 stores the result in a table. With steps,
DuckDB takes 1,037 and 1,508.

===============  =====  =====  ================================================================
                 five   eight  in comparison
===============  =====  =====  ================================================================
DuckDB             641  1,086  `regexp_extract` with five names 1,076, with nine 1,239
Spark 4.3.0      2,201  3,780  `try_parse_url` for six parts 4,708, the scan alone 327
ClickHouse 26.9    232    331  `extractGroups`, five groups 865
PostgreSQL 15    1,979  2,481  `regexp_match`, five groups 8,585
===============  =====  =====  ================================================================
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from urisect.engines.fields import FIELDS, check_fields
from urisect.reference import APPENDIX_B, AUTHORITY, without_atomic_groups
from urisect.suggestion import did_you_mean

__all__ = ["DIALECTS", "split"]


def split(dialect: str, column: str, fields: Iterable[str] = FIELDS) -> str:
    """Return an SQL expression that splits a column as `urisect.split` splits each row (RFC 3986, Appendix B).

    A field is NULL where its component is undefined, and '' where it is empty. All fields of a NULL are NULL. In DuckDB
    and Spark the expression is a STRUCT, in ClickHouse a named Tuple. In PostgreSQL it is a subquery in parentheses:
    one row, with a column for each field. It belongs in FROM, after LATERAL; with a single field it is a value, too.

    Args:
        dialect: "clickhouse", "duckdb", "postgresql" or "spark".
        column: the name of the column, or any SQL expression of the type text. It is not quoted, but inserted as it is:
            never take it from someone you do not trust.
        fields: the components and sub-components to return, in this order.

    Raises:
        ValueError: the dialect or a field is unknown, a field is named twice, or none is named.

    >>> print(split("clickhouse", "url", ["fragment"]))  # doctest: +ELLIPSIS
    CAST(arrayMap(t -> tuple(...), ...)[1] AS Tuple(fragment Nullable(String)))
    >>> import duckdb
    >>> urls = duckdb.sql("SELECT * FROM (VALUES ('http://a@b:80/?'), ('c')) AS urls(url)")
    >>> urls.select(split("duckdb", "url", ["host", "query"])).fetchall()
    [({'host': 'b', 'query': ''},), ({'host': None, 'query': None},)]
    """
    if dialect not in _WRITERS:
        known = ", ".join(DIALECTS)
        raise ValueError(f"unknown dialect {dialect!r} (known: {known}){did_you_mean(str(dialect), DIALECTS)}")
    return _WRITERS[dialect](column, check_fields(fields))


# Heads


class _HeadSyntax(NamedTuple):
    """How a database writes what heads need, with numbered arguments.

    Attributes:
        match: the text that an expression matches, '' if it does not.
        backslash: a backslash inside an expression.
        before: the text before the first occurrence of a character; all of it if there is none.
        field: a field of a struct.
        struct: a struct.
    """

    match: str
    backslash: str
    before: str
    field: str
    struct: str


_DUCKDB: Final = _HeadSyntax(
    match="regexp_extract({0}, '{1}')",
    backslash="\\",
    before="CASE WHEN strpos({0}, '{1}') > 0 THEN left({0}, strpos({0}, '{1}') - 1) ELSE {0} END",
    field="{0}: {1}",
    struct="{{{0}}}",
)
_SPARK: Final = _HeadSyntax(
    match="regexp_extract({0}, concat('{1}'), 0)",
    backslash="', char(92), '",  # what it means in a literal depends on the configuration
    before="substring_index({0}, '{1}', 1)",
    field="'{0}', {1}",
    struct="named_struct({0})",
)

# A name, perhaps quoted, or several with dots. It may be repeated; any other expression may be slow, or have another
# value each time.
_COLUMN_NAME: Final = re.compile(r"""(?:\w+|"[^"]+"|`[^`]+`)(?:\.(?:\w+|"[^"]+"|`[^`]+`))*""")


def _parts(expression: str) -> list[str]:
    """Return the parts of an expression, one for each component, for engines without possessive quantifiers.

    Whether a part can give characters back is all the same: nothing that follows it can fail.

    >>> _parts(APPENDIX_B)
    ['(?:([^:/?#]+)[:]|)', '(?:[/][/]([^/?#]*)|)', '([^?#]*)', '(?:[?]([^#]*)|)', '(?:[#](.*)|)']
    """
    greedy = re.sub(r"(?<=[+*?])\+", "", without_atomic_groups(expression))
    return re.findall(r"\(\?:.+?\|\)|\(.+?\)", greedy)


def _write_heads(syntax: _HeadSyntax, column: str, fields: Sequence[str]) -> str:
    """Write the expression with heads.

    Args:
        syntax: that of the database.
        column: the name of the column; it is repeated.
        fields: the fields.
    """
    scheme_part, authority_part, *_ = _parts(APPENDIX_B)
    userinfo_part, host_part, _ = (part.replace("\\", syntax.backslash) for part in _parts(AUTHORITY))
    scheme = syntax.match.format(column, f"^{scheme_part}")
    authority = syntax.match.format(column, f"^{scheme_part}{authority_part}")
    userinfo = syntax.match.format(authority, f"(?s)^{scheme_part}//{userinfo_part}")
    host = syntax.match.format(authority, f"(?s)^{scheme_part}//{userinfo_part}{host_part}")
    query = syntax.before.format(column, "#")
    path = syntax.before.format(query, "?")
    has_authority = f"length({authority}) > length({scheme})"
    # Nothing is NULL but a position. Within THEN, Spark would compute an expression again.
    values = {
        "scheme": f"left({scheme}, length({scheme}) - CASE WHEN {scheme} <> '' THEN 1 END)",
        "authority": f"substring({authority}, length({scheme}) + CASE WHEN {has_authority} THEN 3 END)",
        "userinfo": f"substring({userinfo}, length({scheme}) + CASE WHEN {userinfo} LIKE '%@' THEN 3 END, "
        f"length({userinfo}) - length({scheme}) - 3)",
        "host": f"substring({host}, length({userinfo}) + CASE WHEN {has_authority} THEN 1 END)",
        "port": f"substring({authority}, length({host}) + "
        f"CASE WHEN {host} <> '' AND length({authority}) > length({host}) THEN 2 END)",
        "path": f"substring({path}, length({authority}) + 1)",
        "query": f"substring({query}, length({path}) + CASE WHEN length({query}) > length({path}) THEN 2 END)",
        "fragment": f"substring({column}, length({query}) + CASE WHEN length({column}) > length({query}) THEN 2 END)",
    }
    return syntax.struct.format(", ".join(syntax.field.format(name, values[name]) for name in fields))


# Steps: the results of each, by name. A result of the step before, and at first the column as `uri`, is in braces.
# POSITION is 0 where a character does not occur.

_FIND_DELIMITERS: Final = {
    "uri": "{uri}",
    "hash": "coalesce(nullif(position('#' IN {uri}), 0), length({uri}) + 1)",  # or behind the end
    "mark": "position('?' IN {uri})",
    "colon": "position(':' IN {uri})",
    "slash": "position('/' IN {uri})",
}
_FIND_ENDS: Final = {
    "uri": "{uri}",
    "hash": "{hash}",
    "path_end": "CASE WHEN {mark} BETWEEN 1 AND {hash} THEN {mark} ELSE {hash} END",
    "colon": "CASE WHEN {colon} BETWEEN 2 AND {hash} AND ({slash} = 0 OR {colon} < {slash}) "
    "AND ({mark} = 0 OR {colon} < {mark}) THEN {colon} ELSE 0 END",  # 0: no scheme
}
_HAS_AUTHORITY: Final = "substring({uri}, {colon} + 1, 2) = '//'"
_CUT: Final = {
    "scheme": "CASE WHEN {colon} > 0 THEN left({uri}, {colon} - 1) END",
    "has_authority": _HAS_AUTHORITY,
    "rest": f"CASE WHEN {_HAS_AUTHORITY} THEN substring({{uri}}, {{colon}} + 3, {{path_end}} - {{colon}} - 3) "
    "ELSE substring({uri}, {colon} + 1, {path_end} - {colon} - 1) END",  # authority and path
    "query": "CASE WHEN {path_end} < {hash} THEN substring({uri}, {path_end} + 1, {hash} - {path_end} - 1) END",
    "fragment": "CASE WHEN {hash} <= length({uri}) THEN substring({uri}, {hash} + 1) END",
}
_CUT_REST: Final = {
    "scheme": "{scheme}",
    "authority": "CASE WHEN {has_authority} THEN CASE WHEN position('/' IN {rest}) > 0 "
    "THEN left({rest}, position('/' IN {rest}) - 1) ELSE {rest} END END",
    "path": "CASE WHEN {has_authority} THEN CASE WHEN position('/' IN {rest}) > 0 "
    "THEN substring({rest}, position('/' IN {rest})) ELSE '' END ELSE {rest} END",
    "query": "{query}",
    "fragment": "{fragment}",
}
_COMPONENTS: Final = {name: f"{{{name}}}" for name in _CUT_REST}  # as they are
_PORT_COLON_BEHIND_BRACKET: Final = "position(':' IN substring({host_port}, position(']' IN {host_port})))"
_FIND_PORT: Final = {
    **_COMPONENTS,
    "host_port": "{host_port}",
    "port_colon": "CASE WHEN left({host_port}, 1) <> '[' THEN position(':' IN {host_port}) "
    f"WHEN position(']' IN {{host_port}}) > 0 AND {_PORT_COLON_BEHIND_BRACKET} > 0 "
    f"THEN position(']' IN {{host_port}}) + {_PORT_COLON_BEHIND_BRACKET} - 1 ELSE 0 END",  # 0: no port
}
_CUT_AUTHORITY: Final = {
    **_COMPONENTS,
    "userinfo": "CASE WHEN length({host_port}) < length({authority}) "
    "THEN left({authority}, length({authority}) - length({host_port}) - 1) END",
    "host": "CASE WHEN {port_colon} > 0 THEN left({host_port}, {port_colon} - 1) ELSE {host_port} END",
    "port": "CASE WHEN {port_colon} > 0 THEN substring({host_port}, {port_colon} + 1) END",
}


def _list_steps(fields: Sequence[str], behind_last: str) -> list[dict[str, str]]:
    """List the steps that lead to some fields, each with only those results that a later one needs.

    Args:
        fields: the fields.
        behind_last: the text behind the last "@" of a text that has one; {0} stands for it.
    """
    host_port = f"CASE WHEN position('@' IN {{authority}}) > 0 THEN {behind_last} ELSE {{authority}} END"
    steps: list[Mapping[str, str]] = [_FIND_DELIMITERS, _FIND_ENDS, _CUT, _CUT_REST]
    if not _CUT_REST.keys() >= set(fields):
        steps += [{**_COMPONENTS, "host_port": host_port.replace("{0}", "{authority}")}, _FIND_PORT, _CUT_AUTHORITY]
    needed: Iterable[str] = fields
    listed = []
    for step in reversed(steps):
        listed.append({name: step[name] for name in needed})
        needed = dict.fromkeys(re.findall(r"\{(\w+)\}", " ".join(listed[-1].values())))
    return listed[::-1]


def _write_clickhouse(column: str, fields: Sequence[str]) -> str:
    """Write the expression with a tuple for each step."""
    value, names = f"[{column}]", {"uri": "t"}
    for step in _list_steps(fields, "splitByChar('@', {0})[-1]"):
        results = ", ".join(result.format_map(names) for result in step.values())
        value = f"arrayMap(t -> tuple({results}), {value})"
        names = {name: f"t.{number}" for number, name in enumerate(step, 1)}
    return f"CAST({value}[1] AS Tuple({', '.join(f'{name} Nullable(String)' for name in fields)}))"


def _write_duckdb(column: str, fields: Sequence[str]) -> str:
    """Write the expression with heads for a column, and with a struct for each step for any other expression."""
    if _COLUMN_NAME.fullmatch(column):
        return _write_heads(_DUCKDB, column, fields)
    value, names = f"[{column}]", {"uri": "t"}
    for step in _list_steps(fields, _BEHIND_LAST):
        results = ", ".join(f"{name}: {result.format_map(names)}" for name, result in step.items())
        value = f"list_transform({value}, lambda t: {{{results}}})"
        names = {name: f"t.{name}" for name in step}
    return f"{value}[1]"


def _write_postgresql(column: str, fields: Sequence[str]) -> str:
    """Write the expression with a subquery for each step; OFFSET keeps the planner from merging them into one."""
    value, names = f"(SELECT {column} AS uri OFFSET 0)", {"uri": "t.uri"}
    for step in _list_steps(fields, _BEHIND_LAST):
        results = ", ".join(f"{result.format_map(names)} AS {name}" for name, result in step.items())
        value = f"(SELECT {results} FROM {value} AS t OFFSET 0)"  # noqa: S608  the user runs it
        names = {name: f"t.{name}" for name in step}
    return value


_BEHIND_LAST: Final = "split_part({0}, '@', -1)"


def _write_spark(column: str, fields: Sequence[str]) -> str:
    """Write the expression with heads; any expression but a column gets a name, so that it is computed once."""
    if _COLUMN_NAME.fullmatch(column):
        return _write_heads(_SPARK, column, fields)
    return f"transform(array({column}), uri -> {_write_heads(_SPARK, 'uri', fields)})[0]"


_WRITERS: Final[Mapping[str, Callable[[str, Sequence[str]], str]]] = {
    "clickhouse": _write_clickhouse,
    "duckdb": _write_duckdb,
    "postgresql": _write_postgresql,
    "spark": _write_spark,
}

# The names of the databases.
DIALECTS: Final[tuple[str, ...]] = (*_WRITERS,)
