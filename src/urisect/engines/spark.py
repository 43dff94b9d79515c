"""Apache Spark: access logs as DataFrames."""

from urisect.engines.spark_logs import read_logs, read_rejects

__all__ = ["read_logs", "read_rejects"]
