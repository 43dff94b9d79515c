"""Check that an expression of a filter takes no more memory than the lines that it is evaluated for.

DuckDB's memory limit does not cover the values of an expression. So DuckDB only parses the expression first; then every
node of the syntax tree has to be on a list of harmless ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from urisect.suggestion import did_you_mean

__all__ = ["MAX_EXPRESSION_BYTES", "RefusedError", "check_expression"]

MAX_EXPRESSION_BYTES = 1 << 16

# Operators and calls in an expression: each takes up to 64 kB for a batch of lines.
MAX_OPERATIONS = 500

# Operations that build text or match a regular expression, and bytes of a constant: each holds up to 2,048 such
# constants, or values of lines, at once; RE2 takes up to 8 MB for a regular expression.
MAX_COSTLY_OPERATIONS = 16
MAX_CONSTANT_BYTES = 4096

# Functions that an expression may call. No result is longer than the longest argument.
FUNCTIONS: Mapping[str, Sequence[str]] = {
    "text": (
        *("lower", "lcase", "upper", "ucase", "substring", "substr", "left", "right", "trim", "ltrim", "rtrim"),
        *("reverse", "regexp_extract", "url_decode", "strip_accents"),
    ),
    "tests of text": (
        *("length", "len", "char_length", "strlen", "octet_length", "contains", "starts_with", "ends_with", "prefix"),
        *("suffix", "position", "strpos", "instr", "ascii", "unicode", "regexp_matches", "regexp_full_match", "hash"),
    ),
    "undefined values and conditions": ("coalesce", "ifnull", "nullif", "if", "greatest", "least"),
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

# Types that a value may be cast to, as DuckDB's parser names them.
CAST_TYPES = (
    *("BOOLEAN", "BOOL", "TINYINT", "SMALLINT", "INTEGER", "INT", "INT2", "INT4", "INT8", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "REAL", "FLOAT4", "DOUBLE", "FLOAT8", "DECIMAL"),
    *("NUMERIC", "VARCHAR", "TEXT", "STRING", "CHAR", "DATE", "TIME", "TIMESTAMP", "DATETIME", "TIMESTAMPTZ"),
    *("TIMESTAMP WITH TIME ZONE", "INTERVAL", "UUID"),
)

# Functions whose second argument is a pattern. It is compiled, so it must not come from the log.
PATTERN_FUNCTIONS = frozenset(
    (
        *("regexp_matches", "regexp_full_match", "regexp_extract", "~~", "!~~", "~~*", "!~~*", "~~~"),
        *("like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape"),
    )
)

# Operators that the parser represents as functions.
OPERATORS = PATTERN_FUNCTIONS | frozenset(
    ("+", "-", "*", "/", "//", "%", "**", "^", "&", "|", "<<", ">>", "~", "@", "^@")
)

ALLOWED_FUNCTIONS = OPERATORS.union(*FUNCTIONS.values())

# Schemas of built-in functions. The parser takes `agent.lower()` for a function in a schema "agent".
BUILT_IN_SCHEMAS = frozenset(("", "main", "pg_catalog"))

# Functions without parentheses, which the parser takes for columns.
DATE_KEYWORDS = frozenset(("current_date", "current_timestamp"))

# Other nodes that an expression may have: classes, and types of other classes.
ALLOWED_CLASSES = frozenset(
    ("BETWEEN", "CASE", "CAST", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION")
)
ALLOWED_TYPES = frozenset(
    (
        *("OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE", "OPERATOR_TRY"),
        *("COMPARE_IN", "COMPARE_NOT_IN", "ARRAY_EXTRACT", "ARRAY_SLICE"),
    )
)

# Operations that build text or match a regular expression.
COSTLY_OPERATIONS = frozenset(
    (*FUNCTIONS["text"], "ARRAY_EXTRACT", "ARRAY_SLICE", "regexp_matches", "regexp_full_match")
)

# Functions that turn many rows into one, or one row into many.
AGGREGATES = frozenset(
    (
        *("any_value", "avg", "count", "count_star", "first", "last", "list", "max", "median", "min", "mode"),
        *("string_agg", "sum", "unnest"),
    )
)

Node = dict[str, Any]


class RefusedError(ValueError):
    """An expression that is not allowed; the message says why.

    >>> raise RefusedError("a subquery is not allowed")
    Traceback (most recent call last):
    urisect.logs.scan.expression.RefusedError: a subquery is not allowed
    """


def check_expression(parsed: Node, reference: Node, fields: Mapping[str, str]) -> frozenset[str]:
    """Check an expression, and return the names of the fields that it uses.

    Args:
        parsed: what DuckDB's `json_serialize_sql` returns for a statement that selects the expression.
        reference: the same for a harmless expression: nothing but the expression may differ.
        fields: the names that it may use, in lower case, each with its field.

    Returns:
        The names that it uses, in lower case.

    Raises:
        RefusedError: the expression is not allowed.
    """
    if parsed["error"]:
        raise RefusedError(_parse_error(parsed["error_message"]))
    if len(parsed["statements"]) > 1:
        raise RefusedError("it is more than one statement; only a single expression is allowed")
    [[statement], [expected]] = parsed["statements"], reference["statements"]
    node, frame = statement["node"], expected["node"]
    if _without_locations({**node, "select_list": []}) != _without_locations({**frame, "select_list": []}):
        raise RefusedError("it is more than an expression; clauses are not allowed after it")
    if len(node["select_list"]) != 1:
        raise RefusedError("it is more than one expression; join them with AND or OR")
    return _Checker(fields).names(node["select_list"][0])


def _parse_error(message: str) -> str:
    """Return the parser's message, or a better one for a statement that is not a query."""
    if message.startswith("Only SELECT"):
        return "it is a statement; only a single expression is allowed"
    return message.partition("\n")[0]


def _without_locations(node: Any) -> Any:
    """Return a tree without positions in the text."""
    if isinstance(node, dict):
        return {name: _without_locations(part) for name, part in node.items() if not name.startswith("query_location")}
    return [_without_locations(part) for part in node] if isinstance(node, list) else node


class _Checker:
    """Checks one expression."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields
        self._names: set[str] = set()
        self._operations = self._costly_operations = 0

    def names(self, expression: Node) -> frozenset[str]:
        for node in _walk(expression):
            kind = node["class"]
            if kind == "COLUMN_REF":
                self._check_column(node["column_names"])
            elif kind == "CONSTANT":
                _check_constant(node)
            elif kind == "FUNCTION":
                _check_function(node)
            elif kind == "CAST":
                _check_cast(node)
            elif kind == "STAR":
                raise RefusedError("it has to be true or false for each line; * is not an expression")
            elif kind == "SUBQUERY":
                raise RefusedError("a subquery is not allowed")
            elif kind not in ALLOWED_CLASSES and node["type"] not in ALLOWED_TYPES and kind != "TYPE":
                raise RefusedError(f"{_type_in_words(node['type'])} is not allowed")
            self._count(node)
        return frozenset(self._names)

    def _check_column(self, names: Sequence[str]) -> None:
        *qualifier, name = names
        if name.lower() in self._fields and qualifier in ([], ["lines"]):
            self._names.add(name.lower())
        elif qualifier or name.lower() not in DATE_KEYWORDS:
            unknown = ".".join(names)
            fields = dict.fromkeys(self._fields.values())
            suggestion = did_you_mean(unknown, [*self._fields, *fields])
            raise RefusedError(f"no field is called {unknown!r}; there are {', '.join(fields)}{suggestion}")

    def _count(self, node: Node) -> None:
        self._operations += node["class"] not in {"COLUMN_REF", "CONSTANT", "TYPE"}
        function = node.get("function_name", "").lower()
        self._costly_operations += node["type"] in COSTLY_OPERATIONS or function in COSTLY_OPERATIONS
        if self._operations > MAX_OPERATIONS:
            raise RefusedError(f"it has more than {MAX_OPERATIONS} operators and calls; a list for IN has no limit")
        if self._costly_operations > MAX_COSTLY_OPERATIONS:
            raise RefusedError(
                f"it builds text, as lower() does, or matches regular expressions more than {MAX_COSTLY_OPERATIONS}"
                " times; use alternatives in one regular expression: 'a|b'"
            )


def _check_constant(node: Node) -> None:
    if len(_constant_text(node).encode("utf-8", "surrogatepass")) > MAX_CONSTANT_BYTES:
        raise RefusedError(f"a constant is longer than {MAX_CONSTANT_BYTES:,} bytes; only in a list for IN it may be")


def _check_function(node: Node) -> None:
    name = node["function_name"].lower()
    if name in AGGREGATES:
        raise RefusedError(f"it has to be true or false for each line; {name} is not a function of one line")
    if name not in ALLOWED_FUNCTIONS:
        raise RefusedError(
            f'the function {name} is not allowed; "Limits" in the documentation lists the functions that are'
            f"{did_you_mean(name, chain(*FUNCTIONS.values()))}"
        )
    if node["schema"] not in BUILT_IN_SCHEMAS:
        raise RefusedError(f"a function cannot be called as a method; write {name}(…)")
    if name in PATTERN_FUNCTIONS and any(argument["class"] != "CONSTANT" for argument in _arguments(node)[1:2]):
        raise RefusedError("a pattern has to be a constant text in quotes")


def _check_cast(node: Node) -> None:
    type = node.get("type_expr") or node["cast_type"]  # since DuckDB 2.0, and before
    name = (type.get("type_name") or type["id"]).upper()
    if name not in CAST_TYPES:
        raise RefusedError(f"a cast to {name} is not allowed{did_you_mean(name, CAST_TYPES)}")


def _walk(expression: Node) -> Iterator[Node]:
    """Yield every node of a tree, without the constants in a list for IN."""
    pending: list[Any] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if node.get("class") == "OPERATOR" and node["type"] in {"COMPARE_IN", "COMPARE_NOT_IN"}:
                tested, *listed = node["children"]
                listed = [item for item in listed if item["class"] != "CONSTANT"]
                node = {**node, "children": [tested, *listed]}
            if "class" in node:
                yield node
            pending += node.values()
        elif isinstance(node, list):
            pending += node


def _arguments(function: Node) -> list[Node]:
    """Return the arguments of a call."""
    if "children" in function:  # before DuckDB 2.0
        return list(function["children"])
    return [argument["expression"] for argument in function["arguments"]]


def _constant_text(constant: Node) -> str:
    """Return the text of a constant."""
    if "literal" in constant:
        return str(constant["literal"]["text"])
    return str(constant["value"].get("value", ""))  # before DuckDB 2.0


def _type_in_words(type: str) -> str:
    """Turn the parser's name of a type into words.

    >>> _type_in_words("OPERATOR_IS_NULL")
    'is null'
    """
    return type.removeprefix("OPERATOR_").lower().replace("_", " ")
