"""What an expression of a filter may be: one that needs no more memory than the lines it is evaluated for.

DuckDB's limit of memory does not hold for the values of an expression, so the expression is checked before it is
evaluated. DuckDB's own parser reads it; what it found is a tree, in which everything has to be known as harmless.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from typing import Any

__all__ = ["FUNCTIONS", "TYPES", "RefusedError", "columns_of"]

# How long an expression may be, in bytes.
LONGEST = 1 << 16

# How many operators and calls it may have: each takes up to 64 kB for a batch of lines.
MOST = 500

# How many of these may make text or match a regular expression, and how long a constant may be, in bytes: each makes
# up to 2,048 of such values at once, or of the values of the lines; RE2 takes up to 8 MB for an expression.
MOST_COSTLY = 16
LONGEST_TEXT = 4096

# What may be called. No result is longer than the longest argument.
FUNCTIONS: Mapping[str, Sequence[str]] = {
    "text": (
        *("lower", "lcase", "upper", "ucase", "substring", "substr", "left", "right", "trim", "ltrim", "rtrim"),
        *("reverse", "regexp_extract", "url_decode", "strip_accents"),
    ),
    "questions about text": (
        *("length", "len", "char_length", "strlen", "octet_length", "contains", "starts_with", "ends_with", "prefix"),
        *("suffix", "position", "strpos", "instr", "ascii", "unicode", "regexp_matches", "regexp_full_match", "hash"),
    ),
    "undefined values and choices": ("coalesce", "ifnull", "nullif", "if", "greatest", "least"),
    "numbers": (
        *("abs", "sign", "ceil", "ceiling", "floor", "round", "trunc", "mod", "sqrt", "exp", "ln", "log", "log10"),
        *("log2", "pow", "power", "isnan", "isinf", "isfinite"),
    ),
    "times": (
        *("year", "month", "day", "hour", "minute", "second", "quarter", "week", "yearweek", "weekday", "dayofweek"),
        *("isodow", "isoyear", "dayofmonth", "dayofyear", "dayname", "monthname", "last_day", "epoch", "epoch_ms"),
        *("date_part", "datepart", "date_trunc", "datetrunc", "date_diff", "datediff", "date_sub", "datesub", "age"),
        *("time_bucket", "timezone", "now", "today", "get_current_timestamp", "transaction_timestamp"),
        *("make_date", "make_time", "make_timestamp", "to_timestamp"),
        *("to_years", "to_months", "to_weeks", "to_days", "to_hours", "to_minutes", "to_seconds", "to_milliseconds"),
    ),
}

# Types to which values may be cast, as DuckDB's parser calls them.
TYPES = (
    *("BOOLEAN", "BOOL", "TINYINT", "SMALLINT", "INTEGER", "INT", "INT2", "INT4", "INT8", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "REAL", "FLOAT4", "DOUBLE", "FLOAT8", "DECIMAL"),
    *("NUMERIC", "VARCHAR", "TEXT", "STRING", "CHAR", "DATE", "TIME", "TIMESTAMP", "DATETIME", "TIMESTAMPTZ"),
    *("TIMESTAMP WITH TIME ZONE", "INTERVAL", "UUID"),
)

# Those of which the second argument is a pattern, which is compiled, and may not come from the log.
PATTERNS = frozenset(
    (
        *("regexp_matches", "regexp_full_match", "regexp_extract", "~~", "!~~", "~~*", "!~~*", "~~~"),
        *("like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape"),
    )
)

# Operators that the parser takes for functions.
OPERATORS = PATTERNS | frozenset(("+", "-", "*", "/", "//", "%", "**", "^", "&", "|", "<<", ">>", "~", "@", "^@"))

ALLOWED = OPERATORS.union(*FUNCTIONS.values())

# Where the parser says that they are: `agent.lower()` would be one of "agent".
BUILT_IN = frozenset(("", "main", "pg_catalog"))

# Names that are not fields, but functions without parentheses.
NOW = frozenset(("current_date", "current_timestamp"))

# What the parser calls the rest of an expression that may be there.
CLASSES = frozenset(("BETWEEN", "CASE", "CAST", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION"))
OTHER = frozenset(
    (
        *("OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE", "OPERATOR_TRY"),
        *("COMPARE_IN", "COMPARE_NOT_IN", "ARRAY_EXTRACT", "ARRAY_SLICE"),
    )
)

# What makes text of text, or matches a regular expression.
COSTLY = frozenset((*FUNCTIONS["text"], "ARRAY_EXTRACT", "ARRAY_SLICE", "regexp_matches", "regexp_full_match"))

# What makes one row of many, or many of one.
NOT_BY_LINE = frozenset(
    (
        *("any_value", "avg", "count", "count_star", "first", "last", "list", "max", "median", "min", "mode"),
        *("string_agg", "sum", "unnest"),
    )
)

Node = dict[str, Any]


class RefusedError(ValueError):
    """An expression that is not evaluated; the message says why.

    >>> raise RefusedError("a subquery is not allowed")
    Traceback (most recent call last):
    urisect.logs.scan.expression.RefusedError: a subquery is not allowed
    """


def columns_of(parsed: Node, blank: Node, fields: Sequence[str]) -> frozenset[str]:
    """Check an expression, and tell of which fields it speaks.

    Args:
        parsed: what `json_serialize_sql` of DuckDB gives for a statement that selects the expression.
        blank: the same for any other expression.
        fields: the columns that it may speak of.

    Raises:
        RefusedError: it may not be evaluated.
    """
    if parsed["error"]:
        raise RefusedError(_fault(parsed["error_message"]))
    if len(parsed["statements"]) > 1:
        raise RefusedError("this is more than one statement; an expression is allowed, and nothing behind it")
    [[statement], [expected]] = parsed["statements"], blank["statements"]
    node, frame = statement["node"], expected["node"]
    if _without_places({**node, "select_list": []}) != _without_places({**frame, "select_list": []}):
        raise RefusedError("this is more than an expression; no clause is allowed behind it")
    if len(node["select_list"]) != 1:
        raise RefusedError("this is more than one expression; AND and OR join them")
    return _Check(fields).columns(node["select_list"][0])


def _fault(message: str) -> str:
    """Say what the parser says; it tells a statement that is no query only so."""
    if message.startswith("Only SELECT"):
        return "this is a statement; an expression is allowed, and nothing behind it"
    return message.partition("\n")[0]


def _without_places(thing: Any) -> Any:
    """Leave out where something stands in the text."""
    if isinstance(thing, dict):
        return {name: _without_places(part) for name, part in thing.items() if not name.startswith("query_location")}
    return [_without_places(part) for part in thing] if isinstance(thing, list) else thing


class _Check:
    """Checks one expression."""

    def __init__(self, fields: Sequence[str]) -> None:
        self._fields = {field.lower(): field for field in fields}
        self._columns: set[str] = set()
        self._operations = self._costly = 0

    def columns(self, expression: Node) -> frozenset[str]:
        for node in _nodes(expression):
            kind = node["class"]
            if kind == "COLUMN_REF":
                self._column(node["column_names"])
            elif kind == "CONSTANT":
                self._constant(node)
            elif kind == "FUNCTION":
                self._function(node)
            elif kind == "CAST":
                self._cast(node)
            elif kind == "STAR":
                raise RefusedError("this does not tell of each line whether it is wanted: * is no expression")
            elif kind == "SUBQUERY":
                raise RefusedError("a subquery is not allowed, only an expression over the columns")
            elif kind not in CLASSES and node["type"] not in OTHER and kind != "TYPE":
                raise RefusedError(f"{_spoken(node['type'])} is not allowed")
            self._count(node)
        return frozenset(self._columns)

    def _count(self, node: Node) -> None:
        self._operations += node["class"] not in {"COLUMN_REF", "CONSTANT", "TYPE"}
        self._costly += node["type"] in COSTLY or node.get("function_name", "").lower() in COSTLY
        if self._operations > MOST:
            raise RefusedError(f"this has more than {MOST} operators and calls; a list for IN may have any length")
        if self._costly > MOST_COSTLY:
            raise RefusedError(
                f"this makes text, as by lower(), or matches regular expressions more than {MOST_COSTLY} times;"
                " one expression may have many alternatives: 'a|b'"
            )

    def _column(self, names: Sequence[str]) -> None:
        *qualifier, name = names
        field = self._fields.get(name.lower())
        if field and qualifier in ([], ["lines"]):
            self._columns.add(field)
        elif qualifier or name.lower() not in NOW:
            written = ".".join(names)
            raise RefusedError(
                f'Referenced column "{written}" not found{_similar(written, self._fields)};'
                f" there are {', '.join(self._fields.values())}"
            )

    def _constant(self, node: Node) -> None:
        if len(_text(node).encode("utf-8", "surrogatepass")) > LONGEST_TEXT:
            raise RefusedError(f"a text is longer than {LONGEST_TEXT:,} bytes; in a list for IN it may be longer")

    def _function(self, node: Node) -> None:
        name = node["function_name"].lower()
        if name in NOT_BY_LINE:
            raise RefusedError(f"this does not tell of each line whether it is wanted: {name} is no function of a line")
        if name not in ALLOWED:
            raise RefusedError(
                f"the function {name} is not allowed{_similar(name, chain(*FUNCTIONS.values()))};"
                " docs/limits.md lists those that are, which make no value longer than the line"
            )
        if node["schema"] not in BUILT_IN:
            raise RefusedError(f"the function {name} is called by its name alone: {name}(…)")
        if name in PATTERNS and not _is_constant(_arguments(node)[1:2]):
            raise RefusedError("a pattern has to be a text in quotes, not one that is made of the line")

    def _cast(self, node: Node) -> None:
        type = node.get("type_expr") or node["cast_type"]  # DuckDB 2.0, and what came before it
        name = type.get("type_name") or type["id"]
        if name.upper() not in TYPES:
            raise RefusedError(f"a cast to {name.upper()} is not allowed{_similar(name.upper(), TYPES)}")


def _nodes(expression: Node) -> Iterator[Node]:
    """Give everything in a tree that is an expression; of a list for IN only what is no constant."""
    waiting: list[Any] = [expression]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, dict):
            if thing.get("class") == "OPERATOR" and thing["type"] in {"COMPARE_IN", "COMPARE_NOT_IN"}:
                tested, *listed = thing["children"]
                listed = [item for item in listed if item["class"] != "CONSTANT"]
                thing = {**thing, "children": [tested, *listed]}
            if "class" in thing:
                yield thing
            waiting += thing.values()
        elif isinstance(thing, list):
            waiting += thing


def _arguments(function: Node) -> list[Node]:
    """Give the arguments of a call."""
    if "children" in function:  # before DuckDB 2.0
        return list(function["children"])
    return [argument["expression"] for argument in function["arguments"]]


def _is_constant(patterns: Sequence[Node]) -> bool:
    return all(pattern["class"] == "CONSTANT" for pattern in patterns)


def _text(constant: Node) -> str:
    """Give a constant as it is written."""
    if "literal" in constant:
        return str(constant["literal"]["text"])
    return str(constant["value"].get("value", ""))  # before DuckDB 2.0


def _spoken(type: str) -> str:
    """Name what the parser calls in capitals."""
    return type.removeprefix("OPERATOR_").lower().replace("_", " ")


def _similar(name: str, known: Iterable[str]) -> str:
    found = get_close_matches(name, known, 1)
    return f", did you mean {found[0]}?" if found else ""
