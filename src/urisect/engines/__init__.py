"""Split, check, resolve and normalize whole columns of references: Arrow, SQL, Polars, DuckDB, Spark.

Each module needs the extra of its name: `pip install 'urisect[polars]'`.
"""
