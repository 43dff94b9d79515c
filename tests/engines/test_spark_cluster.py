"""Spark on a cluster: two executors, processes of their own, make the same of a million URIs as plain Python does.

One executor is killed with SIGKILL by a task that has already returned rows.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from tests.support import spark_cluster
from tests.support.paths import ROOT

pytestmark = pytest.mark.unmeasured  # Spark starts many processes


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
@pytest.mark.skipif(not ("JAVA_HOME" in os.environ or shutil.which("java")), reason="Spark needs Java")
@pytest.mark.timeout(400)
def test_a_million_uris_are_the_same_if_an_executor_is_killed(tmp_path: Path) -> None:
    driver = subprocess.Popen(
        [sys.executable, "-m", "tests.support.spark_cluster", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    expected = spark_cluster.count_in_python()
    printed, errors = driver.communicate(timeout=380)
    assert driver.returncode == 0, errors[-5000:]
    result = json.loads(printed)
    assert result["counts"] == expected

    executors = result["executors"]  # by partition and attempt
    assert {*executors} >= {f"{partition}-0" for partition in range(spark_cluster.PARTITIONS)}
    killed, survivor = (executors[f"{spark_cluster.KILLED_PARTITION}-{attempt}"] for attempt in range(2))
    assert killed != survivor
