"""Apache Spark: columns of references are split, checked, resolved and normalized; access logs are DataFrames."""

from urisect.engines.spark_columns import hazards, is_valid, normalize, register, resolve, split, violations
from urisect.engines.spark_logs import read_logs, read_rejects

__all__ = [
    "hazards",
    "is_valid",
    "normalize",
    "read_logs",
    "read_rejects",
    "register",
    "resolve",
    "split",
    "violations",
]
