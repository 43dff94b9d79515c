"""Measure how logs are read at volume: `python -m benchmarks.volume [--log FILE] [--size BYTES] …`, on Linux.

It writes `docs/volume.md`: the speed and memory of urisect and of other programs that do the same job as
nearly as they can, on one core and on two, from a plain file and from gzip; on two logs, one as servers write them, and
one whose values are nearly all different. Each program runs in its own process, timed from its start to its end.
Programs take turns; the shortest run counts. Then urisect reads logs of growing size. It takes up to an hour.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.corpora import access_log
from benchmarks.volume.agreement import count_refused
from benchmarks.volume.cases import MINUTES, RUNS, list_cases, measure_cases
from benchmarks.volume.different import different_log
from benchmarks.volume.growth import GROWTH_SIZES, measure_growth
from benchmarks.volume.log_files import GB, MB, repeated, whole_lines, write_log
from benchmarks.volume.programs import GROWING, JOBS
from benchmarks.volume.report import Results, markdown
from benchmarks.volume.values import count_different_values
from tests.support.paths import DOCS

__all__ = ["main"]

LINES = 100_000  # of a generated log
DIFFERENT = "All different"  # the name of the other log
SAMPLE = 4 * MB  # of a log, at most, on which answers are compared
REPORT = DOCS / "volume.md"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.volume", description=__doc__)
    parser.add_argument("--log", metavar="FILE", help="measure on this Combined Log, not on a generated one")
    parser.add_argument("--size", type=int, default=GB, metavar="BYTES", help="size of each log; FILE is repeated")
    parser.add_argument(
        "--runs", type=int, default=RUNS, metavar="N", help="how often each program is run; the best run counts"
    )
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, metavar="N", help="after this time, no program is run again"
    )
    parser.add_argument(
        "--growth", type=int, nargs="*", default=GROWTH_SIZES, metavar="BYTES", help="sizes of the growing log"
    )
    options = parser.parse_args(arguments)
    name, content = _read_log(options.log, options.size)
    with TemporaryDirectory(prefix="urisect-") as temporary:
        directory = Path(temporary)
        output = str(directory / "output.json")  # GoAccess selects its format by the name
        parts = {
            name: (repeated(content, options.size), [whole_lines(content, SAMPLE)] * 2),
            DIFFERENT: (different_log(options.size), different_log(SAMPLE)),
        }
        with ThreadPoolExecutor(len(parts)) as pool:
            written = [
                (
                    pool.submit(write_log, directory / f"log{number}", log, name=name),
                    write_log(directory / f"sample{number}", sample, name=name),
                )
                for number, (name, (log, sample)) in enumerate(parts.items())
            ]
        samples = {log.result(): sample for log, sample in written}
        cases = list_cases(JOBS, list(samples))
        refused = {case: count_refused(case, samples[case.log], output) for case in cases}
        able = [case for case in cases if refused[case] is not None]
        figures = measure_cases(able, output, options.runs, options.minutes)
        growing = [job for job in JOBS if job.title in GROWING]
        results = Results(
            figures,
            refused,
            samples,
            {log: count_different_values(log, directory) for log in samples},
            measure_growth(growing, content, options.growth, directory, output, options.runs),
        )
    REPORT.write_text(markdown(results), "utf-8")


def _read_log(path: str | None, size: int) -> tuple[str, bytes]:
    if path is None:
        return "A generated log", access_log(LINES)
    with open(path, "rb") as file:
        return Path(path).name, file.read(size)


if __name__ == "__main__":
    main()
