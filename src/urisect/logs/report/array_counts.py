"""Count the values of columnar tables: a column becomes codes of its different values, and codes are counted.

Counting a code takes 2 ns, encoding a text 20 to 60; a dictionary of Python took 100 to 200, and a list before it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from urisect.arrow_packages import np, pa, pc
from urisect.boundaries import authority_boundaries
from urisect.logs.columnar.table import ColumnarTable
from urisect.logs.columnar.texts import take_array
from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import format_values
from urisect.logs.report.bots import are_bots
from urisect.logs.report.pages import ASSET_PATTERN
from urisect.logs.report.rounding import MAX_MICROSECONDS, ROUNDING_LIMITS
from urisect.logs.report.value_columns import MICROSECONDS_PER_MINUTE, MINUTES_PER_DAY, SUMS, PartialCounts, sum_by_key

__all__ = [
    "ArrayCounter",
    "EncodedColumn",
    "count_array",
    "count_array_combinations",
    "encode",
    "encode_pairs",
    "join_counts",
    "take_list",
]

# Sums of floats are exact as long as they are smaller.
_MAX_EXACT = 1 << 53

# If partial counts have more rows per line, most values occur once, and joining removes too few rows for its time.
_MAX_SHARE = 0.7


class EncodedColumn(NamedTuple):
    """A column as codes of its different values, which are in the order of their first lines.

    Attributes:
        codes: the code of each line.
        values: the value of each code; null for undefined.
    """

    codes: Any
    values: Any

    @property
    def distinct(self) -> int:
        """The number of different values."""
        return len(self.values)

    def lines(self) -> Any:
        """Return the number of lines per value."""
        return np.bincount(self.codes, minlength=self.distinct)

    def sums(self, numbers: Any) -> Any:
        """Return the sum of numbers, one per line, per value, as floats; sums of integers are exact before that."""
        if numbers.dtype != np.float64 and len(numbers) and int(np.abs(numbers).max()) * len(numbers) > _MAX_EXACT:
            return np.array([float(number) for number in sum_by_key(self.codes.tolist(), numbers.tolist()).values()])
        return np.bincount(self.codes, numbers, self.distinct)

    def maxima(self, numbers: Any) -> Any:
        """Return the greatest of numbers, one per line, per value; 0 if all are negative."""
        greatest = np.zeros(self.distinct)
        np.maximum.at(greatest, self.codes, numbers)
        return greatest


def encode(array: Any) -> EncodedColumn:
    """Encode an array; null is a value like others.

    >>> encode(pa.array([b"a", None, b"a"])).codes.tolist()
    [0, 1, 0]
    """
    encoded = array.dictionary_encode("encode")
    return EncodedColumn(encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary)


def _encode_undefined(lines: int) -> EncodedColumn:
    """Encode a column without defined values."""
    return EncodedColumn(np.zeros(lines, np.int32), pa.nulls(min(lines, 1), pa.binary()))


def _hosts(authorities: Any) -> Any:
    """Return the hosts of authorities."""
    _, offset_buffer, content = authorities.buffers()
    if not content:
        return authorities
    offsets = np.frombuffer(offset_buffer, np.int32, len(authorities) + 1, 4 * authorities.offset)
    starts = authority_boundaries(np.frombuffer(content, np.uint8), offsets).starts[:-1]
    return pc.if_else(authorities.is_valid(), take_array(content, starts[:, 2], starts[:, 3]), _UNDEFINED)


def encode_pairs(first: EncodedColumn, second: EncodedColumn) -> tuple[EncodedColumn, Any, Any]:
    """Encode the pairs of two columns; return their codes, and the codes of their first and of their second values.

    >>> pairs, first, second = encode_pairs(encode(pa.array([b"a", b"a", b"b"])), encode(pa.array([b"1", b"2", b"1"])))
    >>> pairs.codes.tolist(), first.tolist(), second.tolist()
    ([0, 1, 2], [0, 0, 1], [0, 1, 0])
    """
    pairs = encode(pa.array(first.codes.astype(np.int64) * second.distinct + second.codes))
    return pairs, *np.divmod(pairs.values.to_numpy(), max(second.distinct, 1))


def count_array(table: ColumnarTable, field: str) -> PartialCounts:
    """Count the lines of a table per value of a field; see `count_values`."""
    column = encode(table.array(field))
    notation = table.format.notations.get(table.format.field(field))
    if notation is None:
        return PartialCounts(column.values, column.lines())
    counts: Counter[bytes | None] = Counter()
    for text, lines in zip(format_values(column.values.to_pylist(), notation), column.lines().tolist(), strict=True):
        counts[text] += lines
    return PartialCounts(list(counts), list(counts.values()))


def count_array_combinations(table: ColumnarTable, fields: Sequence[str]) -> dict[tuple[bytes | None, ...], int]:
    """Count the lines of a table per combination of values; numbers and times are counted as normalized text.

    Args:
        table: a table whose columns suffice for the fields.
        fields: at least one of `table.format.fields`.
    """
    return _count_combinations([_encode_texts(table, field) for field in fields])


def _count_combinations(columns: Sequence[EncodedColumn]) -> dict[tuple[bytes | None, ...], int]:
    """Count the lines per combination of the values of some columns, at least one."""
    combined = columns[0]._replace(values=range(columns[0].distinct))
    rows: list[Any] = [np.arange(columns[0].distinct)]
    for column in columns[1:]:
        combined, before, added = encode_pairs(combined, column)
        rows = [*(codes[before] for codes in rows), added]
    texts = (take_list(column.values, codes) for column, codes in zip(columns, rows, strict=True))
    return dict(zip(zip(*texts, strict=True), combined.lines().tolist(), strict=True))


def _encode_texts(table: ColumnarTable, field: str) -> EncodedColumn:
    """Encode a column as normalized text."""
    column = encode(table.array(field))
    notation = table.format.notations.get(table.format.field(field))
    if notation is None:
        return column
    texts = encode(pa.array(format_values(column.values.to_pylist(), notation), pa.binary()))
    return EncodedColumn(texts.codes[column.codes], texts.values)


def take_list(values: Any, codes: Any) -> Column:
    """Return the values of some codes as a list.

    >>> take_list(pa.array([b"a", b"b"]), [1, 1, 0])
    [b'b', b'b', b'a']
    """
    texts: Column = values.take(pa.array(codes, pa.int64())).to_pylist()
    return texts


def join_counts(parts: Sequence[PartialCounts]) -> PartialCounts:
    """Join partial counts of the same thing: one row per value, and per minute if they have minutes.

    >>> join_counts([PartialCounts([b"a", b"b"], [1, 2]), PartialCounts([b"b"], [3])]).lines.tolist()
    [1, 5]
    """
    rows = sum(len(part.values) for part in parts)
    all_lines = _join([part.lines for part in parts], pa.int64()).to_numpy()
    all_values = _join([part.values for part in parts], pa.binary())
    if rows > _MAX_SHARE * all_lines.sum():
        names = [name for name in PartialCounts._fields[2:] if any(getattr(part, name) is not None for part in parts)]
        types = {name: pa.int64() if name == "minutes" else pa.float64() for name in names}
        optional = {
            name: _join_optional([getattr(part, name) for part in parts], parts, type) for name, type in types.items()
        }
        return PartialCounts(all_values, all_lines, **optional)
    column = encode(all_values)
    keys, values, minutes = column, column.values, None
    if any(part.minutes is not None for part in parts):
        times = encode(_join_optional([part.minutes for part in parts], parts, pa.int64()))
        keys, value_codes, minute_codes = encode_pairs(column, times)
        values, minutes = column.values.take(pa.array(value_codes)), times.values.take(pa.array(minute_codes))

    def joined(name: str, join_numbers: Any) -> Any:
        numbers = [getattr(part, name) for part in parts]
        if all(each is None for each in numbers):
            return None
        return join_numbers(keys, _join_optional(numbers, parts, pa.float64()).fill_null(0).to_numpy())

    sums = {name: joined(name, EncodedColumn.sums) for name in SUMS}
    return PartialCounts(
        values,
        np.bincount(keys.codes, all_lines, keys.distinct).astype(np.int64),
        longest=joined("longest", EncodedColumn.maxima),
        minutes=minutes,
        **sums,
    )


def _join(columns: Iterable[Any], type: Any) -> Any:
    return pa.concat_arrays([each if isinstance(each, pa.Array) else pa.array(each, type) for each in columns])


def _join_optional(columns: Iterable[Any], parts: Sequence[PartialCounts], type: Any) -> Any:
    return _join(
        (
            pa.nulls(len(part.values), type) if column is None else column
            for column, part in zip(columns, parts, strict=True)
        ),
        type,
    )


class SummaryFields(Protocol):
    """The fields that a summary is about; see `TableSummarizer`."""

    path: str | None
    query: str | None
    status: str | None
    agent: str | None
    time: str | None
    size: str | None
    duration: str | None


class ArrayCounter:
    """Counts what the report shows of a columnar table."""

    def __init__(self, table: ColumnarTable, fields: SummaryFields) -> None:
        """Encode the columns that several counts are about.

        Args:
            table: the table.
            fields: names of its fields; None for those that the format does not have.
        """
        self._table = table
        self._fields = fields
        self._encoded: dict[str | None, EncodedColumn] = {}
        self.sizes, self.durations = self._numbers(fields.size), self._numbers(fields.duration)
        self.times = None if fields.time is None else table.value_array(fields.time)

    def encoded(self, name: str | None) -> EncodedColumn:
        """Return a column, encoded; undefined values for None."""
        if name not in self._encoded:
            self._encoded[name] = self._encode(name)
        return self._encoded[name]

    def _encode(self, name: str | None) -> EncodedColumn:
        if name is None:
            return _encode_undefined(self._table.parsed)
        uri = name.removesuffix("host")
        authority = f"{uri}authority"
        if uri in self._table.format.uris and name != uri and authority in self._table.format.columns:
            # Different authorities are a fraction of all, and their hosts are found again in each of them.
            authorities = self.encoded(authority)
            hosts = encode(_hosts(authorities.values))
            return EncodedColumn(hosts.codes[authorities.codes], hosts.values)
        array = self._table.array(name)
        return _encode_undefined(len(array)) if array.null_count == len(array) else encode(array)

    def _numbers(self, name: str | None) -> Any:
        """Return a column of numbers, with 0 for unknown ones."""
        if name is None:
            return np.zeros(self._table.parsed, np.int64)
        return self._table.value_array(name).fill_null(0).to_numpy()

    def time_span(self) -> tuple[int | None, int | None]:
        """Return the earliest and the latest time, in microseconds since 1970."""
        if self.times is None:
            return None, None
        span = pc.min_max(self.times.view(pa.int64())).as_py()
        return span["min"], span["max"]

    def responses(self, rows: Any) -> Iterable[tuple[bytes | None, int | None]]:
        """Return the path and the time of some lines."""
        chosen = pa.array(rows, pa.int64())
        paths = self.encoded(self._fields.path)
        times = pa.nulls(len(rows)) if self.times is None else self.times.view(pa.int64()).take(chosen)
        return zip(take_list(paths.values, paths.codes[rows]), times.to_pylist(), strict=True)

    def measure(self, name: str, *, sized: bool = True, timed: bool = False) -> PartialCounts:
        """Count lines per value: all, those of bots, and errors; and sum up bytes and response times, if wanted."""
        column = self.encoded(name)
        counts = PartialCounts(column.values, column.lines(), **self._kinds(column))
        if sized:
            counts = counts._replace(bytes=column.sums(self.sizes))
        if timed:
            counts = counts._replace(seconds=column.sums(self.durations), longest=column.maxima(self.durations))
        return counts

    def _kinds(self, column: EncodedColumn) -> dict[str, Any]:
        """Return how many lines per value are those of bots, and errors."""
        return {
            name: None if rows is None else np.bincount(column.codes[rows], minlength=column.distinct)
            for name, rows in (
                ("bots", self._bot_rows),
                ("client_errors", self._error_rows.get(b"4")),
                ("server_errors", self._error_rows.get(b"5")),
            )
        }

    @cached_property
    def _bot_rows(self) -> Any:
        """The lines of bots; None if the format has no user agent."""
        if self._fields.agent is None:
            return None
        agents = self.encoded(self._fields.agent)
        return np.flatnonzero(np.array(are_bots(agents.values.to_pylist()), np.bool_)[agents.codes])

    @cached_property
    def _error_rows(self) -> dict[bytes, Any]:
        """The lines with an error, by the first digit of their status code; empty if the format has none."""
        if self._fields.status is None:
            return {}
        statuses = self.encoded(self._fields.status)
        digits = [None if status is None else status[:1] for status in statuses.values.to_pylist()]
        is_digit = {digit: np.array([each == digit for each in digits], np.bool_) for digit in (b"4", b"5")}
        return {digit: np.flatnonzero(flags[statuses.codes]) for digit, flags in is_digit.items()}

    @cached_property
    def _minutes(self) -> EncodedColumn:
        """The minute of each line, counted from 1970."""
        if self.times is None:
            return encode(pa.nulls(self._table.parsed, pa.int64()))
        times = self.times.view(pa.int64())
        minute_of = np.floor_divide(times.fill_null(0).to_numpy(), MICROSECONDS_PER_MINUTE)
        return encode(pa.array(minute_of, mask=times.is_null().to_numpy(zero_copy_only=False)))

    def count_per_minute(self) -> PartialCounts:
        """Count lines and bytes per minute and status code."""
        statuses = self.encoded(self._fields.status)
        pairs, minute_codes, status_codes = encode_pairs(self._minutes, statuses)
        return PartialCounts(
            values=statuses.values.take(pa.array(status_codes)),
            lines=pairs.lines(),
            bytes=pairs.sums(self.sizes),
            minutes=self._minutes.values.take(pa.array(minute_codes)),
            bots=self._kinds(pairs)["bots"],
        )

    def count_visitors(self, client: str) -> PartialCounts:
        """Count lines per visitor and the first minute of the day; a visitor is a client with a user agent."""
        clients, agents = self.encoded(client), self.encoded(self._fields.agent)
        visitors, client_codes, agent_codes = encode_pairs(clients, agents)
        minutes = self._minutes.values
        first_minutes = np.floor_divide(minutes.fill_null(0).to_numpy(), MINUTES_PER_DAY) * MINUTES_PER_DAY
        days = encode(pa.array(first_minutes, mask=minutes.is_null().to_numpy(zero_copy_only=False)))
        day_of = days._replace(codes=days.codes[self._minutes.codes])
        pairs, visitor_codes, day_codes = encode_pairs(visitors, day_of)
        client_texts = clients.values.take(pa.array(client_codes[visitor_codes]))
        agent_texts = agents.values.take(pa.array(agent_codes[visitor_codes]))
        texts = pc.binary_join_element_wise(client_texts, agent_texts, b" ", null_handling="skip")
        return PartialCounts(
            values=pc.if_else(client_texts.is_valid(), texts, _UNDEFINED),
            lines=pairs.lines(),
            minutes=day_of.values.take(pa.array(day_codes)),
            bots=self._kinds(pairs)["bots"],
        )

    def count_durations(self, path: str | None) -> tuple[PartialCounts, PartialCounts]:
        """Count rounded response times per minute, as text, and per path, as number in the place of the minute."""
        microseconds = np.clip(self.durations * 1_000_000 + 0.5, 0, MAX_MICROSECONDS).astype(np.int64)
        units = 10 ** np.searchsorted(np.array(ROUNDING_LIMITS), microseconds, "right")
        durations = encode(pa.array((microseconds + units // 2) // units * units))
        pairs, duration_codes, minute_codes = encode_pairs(durations, self._minutes)
        texts = durations.values.cast(pa.string()).cast(pa.binary())
        per_minute = PartialCounts(
            values=texts.take(pa.array(duration_codes)),
            lines=pairs.lines(),
            minutes=self._minutes.values.take(pa.array(minute_codes)),
        )
        paths = self.encoded(path)
        pairs, path_codes, duration_codes = encode_pairs(paths, durations)
        return per_minute, PartialCounts(
            values=paths.values.take(pa.array(path_codes)),
            lines=pairs.lines(),
            minutes=durations.values.take(pa.array(duration_codes)),
        )

    def count_links(self, status: bytes, names: Sequence[str]) -> Mapping[tuple[bytes | None, ...], int]:
        """Count the combinations of the values of some columns in the lines with a status code."""
        statuses = self.encoded(self._fields.status)
        has_status = np.array([each == status for each in statuses.values.to_pylist()], np.bool_)
        return self._count_in_rows(np.flatnonzero(has_status[statuses.codes]), names)

    def count_entries(self, path: str, host: str) -> Mapping[tuple[bytes | None, ...], int]:
        """Count the combinations of path and referring host in the lines of people who request a page."""
        paths, hosts = self.encoded(path), self.encoded(host)
        is_asset = pc.match_substring_regex(paths.values, ASSET_PATTERN)
        is_page = pc.coalesce(pc.invert(is_asset), pa.scalar(value=False))
        is_known = hosts.values.is_valid().to_numpy(zero_copy_only=False)
        is_entry = is_page.to_numpy(zero_copy_only=False)[paths.codes] & is_known[hosts.codes]
        if self._bot_rows is not None:
            is_entry[self._bot_rows] = False
        return self._count_in_rows(np.flatnonzero(is_entry), (path, host))

    def _count_in_rows(self, rows: Any, names: Sequence[str]) -> Mapping[tuple[bytes | None, ...], int]:
        """Count the combinations of the values of some columns in some lines."""
        return _count_combinations([column._replace(codes=column.codes[rows]) for column in map(self.encoded, names)])

    def count_error_paths(self, names: Mapping[bytes, str]) -> dict[str, PartialCounts]:
        """Count the lines with an error per status code and path, as one value with a space between them.

        Args:
            names: names of the counts, by the first digit of the status code.
        """
        statuses, paths = self.encoded(self._fields.status), self.encoded(self._fields.path)
        counts = {}
        for digit, name in names.items():
            rows = self._error_rows.get(digit, _NO_ROWS)
            pairs, status_codes, path_codes = encode_pairs(
                statuses._replace(codes=statuses.codes[rows]), paths._replace(codes=paths.codes[rows])
            )
            path_texts = paths.values.take(pa.array(path_codes))
            path_texts = pc.if_else(pc.equal(pc.binary_length(path_texts), 0), _UNDEFINED, path_texts)
            texts = pc.binary_join_element_wise(
                statuses.values.take(pa.array(status_codes)), path_texts, b" ", null_handling="skip"
            )
            counts[name] = PartialCounts(texts, pairs.lines())
        return counts

    def count_parameters(self, name: str) -> tuple[PartialCounts, PartialCounts]:
        """Count the lines with each parameter of queries, as written between "&", and with each name, before "="."""
        queries = self.encoded(name)
        lists = pc.split_pattern(queries.values, b"&")
        parameters = encode(pc.list_flatten(lists))
        parents = pc.list_parent_indices(lists).to_numpy()
        is_defined = pc.not_equal(pc.binary_length(parameters.values), 0).to_numpy(zero_copy_only=False)
        defined = np.flatnonzero(is_defined[parameters.codes])
        parameters, parents = parameters._replace(codes=parameters.codes[defined]), parents[defined]
        names_of = encode(pc.list_element(pc.split_pattern(parameters.values, b"=", max_splits=1), 0))
        names = names_of._replace(codes=names_of.codes[parameters.codes])
        lines = queries.lines()
        return _count_once(parameters, parents, lines), _count_once(names, parents, lines)


def _count_once(column: EncodedColumn, parents: Any, lines: Any) -> PartialCounts:
    """Count the lines of parents that have each value, at least once.

    Args:
        column: values of parents.
        parents: the number of the parent of each of them.
        lines: the lines of each parent.
    """
    parent_of, codes = np.divmod(np.unique(parents * max(column.distinct, 1) + column.codes), max(column.distinct, 1))
    counts = np.bincount(codes, lines[parent_of], column.distinct).astype(np.int64)
    rows = np.flatnonzero(counts)
    return PartialCounts(column.values.take(pa.array(rows)), counts[rows])


_UNDEFINED = pa.scalar(None, pa.binary())
_NO_ROWS = np.empty(0, np.int64)
