"""A check that programs return the same answer for a log, before they are measured."""

import subprocess
import sys
from typing import Any

from benchmarks.volume.cases import Case
from benchmarks.volume.log_files import Log
from benchmarks.volume.readers import Answer
from urisect.logs import COMBINED, tables

__all__ = ["count_refused", "expected_answer"]


def expected_answer(log: Log, summed: str) -> Answer:
    """Return the answer of `urisect.logs.tables`."""
    with open(log.plain, "rb") as file:
        parsed = list(tables(file, COMBINED))
    numbers: list[Any] = [number for table in parsed for number in table.values(summed)]
    return Answer(sum(table.parsed for table in parsed), sum(filter(None, numbers)))


def count_refused(case: Case, sample: Log, output: str) -> int | None:
    """Compare the answer of a program with that of urisect, and count the lines that it does not parse.

    A peer may parse fewer lines than urisect. If it parses as many, its sum must be the same.

    Returns:
        The number of lines; None if the program failed: some accept only UTF-8.
    """
    try:
        answer = case.job.answer(case.run(sample, output).printed, output)
    except subprocess.CalledProcessError as error:
        print(f"{case.program.name}: {error.stderr}", file=sys.stderr)
        return None
    expected = expected_answer(sample, case.job.summed)
    has_all_lines = answer.lines == expected.lines
    has_same_sum = abs(answer.total - expected.total) <= case.job.tolerance * expected.total
    may_refuse = not case.program.is_ours
    agrees = has_same_sum if has_all_lines else may_refuse
    assert agrees, f"{case.program.name} returns {answer}, not {expected}"
    return sample.lines - answer.lines
