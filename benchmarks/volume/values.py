"""How many different values the columns of a log have."""

from importlib import import_module
from pathlib import Path

from benchmarks.volume.log_files import Log
from urisect.logs import convert

__all__ = ["count_different_values"]


def count_different_values(log: Log, directory: Path) -> dict[str, int]:
    """Count the different values of each column, one column at a time; an undefined value does not count."""
    path = directory / "values.parquet"
    convert(log.plain, path, "combined", jobs=2)
    compute, parquet = import_module("pyarrow.compute"), import_module("pyarrow.parquet")
    counts = {
        name: compute.count_distinct(parquet.read_table(path, columns=[name])[name]).as_py()
        for name in parquet.read_schema(path).names
    }
    path.unlink()
    return counts
