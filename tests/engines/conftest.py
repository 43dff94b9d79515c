"""What the tests of engines share."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark with two cores; tests that need it are skipped where Java or pyspark is missing."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if not ("JAVA_HOME" in os.environ or shutil.which("java")):
        pytest.skip("Spark needs Java 17 or later: put java on PATH, or set JAVA_HOME")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark's own
        session = (
            sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()
