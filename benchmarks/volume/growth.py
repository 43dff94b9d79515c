"""The time and the memory of urisect for logs of growing size."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.volume.cases import RUNS, Case, Figure, measure_cases
from benchmarks.volume.log_files import GB, repeated, write_log
from benchmarks.volume.programs import CORES, Job

__all__ = ["GROWTH_SIZES", "Growth", "measure_growth"]

GROWTH_SIZES = (GB // 10, GB, 10 * GB)
LONG = 5 * GB  # a longer log is read once, which takes a minute or more
NEEDED = 1.5  # times the size of the log must be free on the disk, also for what is written


class Growth(NamedTuple):
    """The figure of a job for one size.

    Attributes:
        job: the job.
        size: the size of the log, in bytes.
        figure: the speed and the memory; None if the log does not fit on the disk.
    """

    job: Job
    size: int
    figure: Figure | None


def measure_growth(
    jobs: Sequence[Job], content: bytes, sizes: Sequence[int], directory: Path, output: str, runs: int = RUNS
) -> list[Growth]:
    """Measure urisect on all cores, on repetitions of a log. Each log is removed before the next one is written."""
    return [
        growth
        for size in sizes
        for growth in _measure_size(jobs, content, size, directory, output, 1 if size > LONG else runs)
    ]


def _measure_size(
    jobs: Sequence[Job], content: bytes, size: int, directory: Path, output: str, runs: int
) -> list[Growth]:
    if shutil.disk_usage(directory).free < size * NEEDED:
        return [Growth(job, size, None) for job in jobs]
    log = write_log(directory / "growing", repeated(content, size), name=f"{size:,} bytes", compressed=False)
    cases = [Case(job, job.ours, log, compressed=False, cores=CORES[-1]) for job in jobs]
    figures = measure_cases(cases, output, runs)
    Path(log.plain).unlink()
    return [Growth(case.job, log.size, figure) for case, figure in figures.items()]
