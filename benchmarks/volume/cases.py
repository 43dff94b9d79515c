"""Programs with their logs, inputs and cores, and the best of several measurements of each."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from benchmarks.volume.log_files import Log
from benchmarks.volume.measurement import Run, measure
from benchmarks.volume.programs import Job, Program

__all__ = ["BEATEN", "MINUTES", "RUNS", "Case", "Figure", "list_cases", "measure_cases"]

RUNS = 3
MINUTES = 50  # after which no case is run again
BEATEN = 1.5  # times as long as urisect: a program that took this twice is not run again


class Case(NamedTuple):
    """One way to run a program on a log.

    Attributes:
        job: the job it does.
        program: the program.
        log: the log.
        compressed: whether the log is compressed.
        cores: the number of cores.
    """

    job: Job
    program: Program
    log: Log
    compressed: bool
    cores: int

    @property
    def source(self) -> str:
        """What the log is read from."""
        return "gzip" if self.compressed else "plain"

    @property
    def of_urisect(self) -> "Case":
        """The same case for urisect."""
        return self._replace(program=self.job.ours)

    def run(self, log: Log, output: str, *, watched: bool = False) -> Run:
        """Run the program on a log; its output remains."""
        path = log.compressed if self.compressed else log.plain
        return measure(self.program.command(path, self.cores, output), self.cores, watched=watched)


def list_cases(jobs: Iterable[Job], logs: Sequence[Log]) -> list[Case]:
    """List the cases whose programs are installed."""
    return [
        Case(job, program, log, compressed, cores)
        for job in jobs
        for log in logs
        for program in job.programs
        if program.is_installed
        for compressed in (False, True)[: 1 + program.compressed]
        for cores in program.cores
    ]


class Figure(NamedTuple):
    """The speed and the memory of a program.

    Attributes:
        speed: bytes of the plain log per second.
        memory: the peak, in bytes.
        runs: how often it was measured.
    """

    speed: float
    memory: int
    runs: int = 1


def measure_cases(cases: Sequence[Case], output: str, runs: int = RUNS, minutes: float = MINUTES) -> dict[Case, Figure]:
    """Measure programs in turns.

    Args:
        cases: the cases.
        output: the path that programs write to.
        runs: how often each case is run.
        minutes: the time after which no case is run again.

    Returns:
        The highest speed and the highest memory of each case.
    """
    best = dict.fromkeys(cases, Figure(0, 0, 0))
    end = monotonic() + minutes * 60
    for turn in range(runs):
        for case, (speed, highest, _) in best.items():
            if turn and monotonic() > end:
                break
            if turn > 1 and speed * BEATEN < best.get(case.of_urisect, best[case]).speed:
                continue
            seconds, memory, _ = case.run(case.log, output, watched=True)
            best[case] = Figure(max(speed, case.log.size / seconds), max(highest, memory), turn + 1)
            Path(output).unlink(missing_ok=True)
            print(_progress(case, turn, seconds), flush=True)
    return best


def _progress(case: Case, turn: int, seconds: float) -> str:
    name = f"{case.job.title}: {case.program.name}, {case.log.name}, {case.source}"
    return f"{turn} {name}, {case.cores}: {seconds:.2f} s"
