"""Apache Spark: split, check, resolve, normalize and key columns of references; read access logs as DataFrames."""

from urisect.engines.spark_columns import (
    hazards,
    is_valid,
    key,
    normalize,
    register,
    resolve,
    site,
    split,
    surt,
    violations,
)
from urisect.engines.spark_logs import read_logs, read_rejects

__all__ = [
    "hazards",
    "is_valid",
    "key",
    "normalize",
    "read_logs",
    "read_rejects",
    "register",
    "resolve",
    "site",
    "split",
    "surt",
    "violations",
]
