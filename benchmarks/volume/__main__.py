r"""Measure how logs are read at volume: `python -m benchmarks.volume [--log FILE] [--size BYTES] [--runs N]`, on Linux.

It writes `docs/volume.md`: the speed and memory of urisect and of other programs that do the same job as
nearly as they can, on one core and on two, from a plain file and from gzip. Each program runs in its own process, timed
from its start to its end. Programs take turns; the shortest run counts.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.corpora import access_log
from benchmarks.volume.agreement import count_refused
from benchmarks.volume.cases import RUNS, list_cases, measure_cases
from benchmarks.volume.log_files import MB, repeat_log, whole_lines, write_log
from benchmarks.volume.programs import JOBS, PART
from benchmarks.volume.report import introduction, markdown
from tests.support.paths import DOCS

__all__ = ["main"]

SIZE = 1000 * MB
LINES = 100_000  # of a generated log
SAMPLE = 4 * MB  # of the log, at most, on which answers are compared; the sample contains it twice
REPORT = DOCS / "volume.md"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.volume", description=__doc__)
    parser.add_argument("--log", metavar="FILE", help="measure on this Combined Log, not on a generated one")
    parser.add_argument(
        "--size", type=int, default=SIZE, metavar="BYTES", help="size of the log, which is repeated to reach it"
    )
    parser.add_argument(
        "--runs", type=int, default=RUNS, metavar="N", help="how often each program is run; the best run counts"
    )
    options = parser.parse_args(arguments)
    name, content = _read_log(options.log, options.size)
    cases = list_cases(JOBS)
    with TemporaryDirectory(prefix="urisect-") as temporary:
        directory = Path(temporary)
        output = str(directory / "output.json")  # GoAccess selects its format by the name
        sample = write_log(directory / "sample", whole_lines(content, SAMPLE), 2)
        log = repeat_log(directory / "log", content, options.size)
        part = repeat_log(directory / "part", content, options.size // PART)
        refused = {case: count_refused(case, sample, output) for case in cases}
        able = [case for case in cases if refused[case] is not None]
        best = measure_cases(able, log, part, output, options.runs)
    about = introduction(name, log, sample, options.runs, [case.program for case in cases])
    REPORT.write_text(markdown(best, refused, about), "utf-8")


def _read_log(path: str | None, size: int) -> tuple[str, bytes]:
    if path is None:
        return "A generated log", access_log(LINES)
    with open(path, "rb") as file:
        return Path(path).name, file.read(size)


if __name__ == "__main__":
    main()
