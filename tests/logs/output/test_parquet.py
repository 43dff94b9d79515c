"""Parquet: dictionaries and statistics only where they pay."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from urisect.logs.output.arrow_files import write_parquet


def test_a_column_of_parquet_has_a_dictionary_if_its_values_are_repeated() -> None:
    rows = range(20_000)
    columns = {"agent": [f"agent {row % 9}" for row in rows], "query": [f"id={row}" for row in rows], "bytes": [*rows]}
    batches = pa.table(columns).to_batches(max_chunksize=3000)
    file: Any = io.BytesIO()
    write_parquet(file, batches[0].schema, batches)
    assert pq.read_table(file).to_pydict() == columns
    row_group = pq.ParquetFile(file).metadata.row_group(0)
    assert [row_group.column(number).has_dictionary_page for number in range(3)] == [True, False, False]
    assert [row_group.column(number).is_stats_set for number in range(3)] == [False, False, True]
    assert row_group.column(2).statistics.max == rows[-1]


def test_a_parquet_file_without_rows_has_a_schema() -> None:
    schema = pa.schema({"status": pa.int64()})
    file: Any = io.BytesIO()
    write_parquet(file, schema, [])
    assert pq.read_table(file) == schema.empty_table()
    assert pq.ParquetFile(file).num_row_groups == 0
