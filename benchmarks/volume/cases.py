"""Programs with their cores and inputs, and the best of several measurements of each."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.volume.log_files import Log
from benchmarks.volume.measurement import Run, measure
from benchmarks.volume.programs import Job, Program

__all__ = ["RUNS", "Case", "Figure", "list_cases", "measure_cases"]

RUNS = 3


class Case(NamedTuple):
    """One way to run a program.

    Attributes:
        job: the job it does.
        program: the program.
        compressed: whether the log is compressed.
        cores: the number of cores.
    """

    job: Job
    program: Program
    compressed: bool
    cores: int

    @property
    def source(self) -> str:
        """What the log is read from."""
        return "gzip" if self.compressed else "plain"

    def run(self, log: Log, output: str, *, watched: bool = False) -> Run:
        """Run the program on a log; its output remains."""
        path = log.compressed if self.compressed else log.plain
        return measure(self.program.command(path, self.cores, output), self.cores, watched=watched)


def list_cases(jobs: Iterable[Job]) -> list[Case]:
    """List the cases whose programs are installed."""
    return [
        Case(job, program, compressed, cores)
        for job in jobs
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
    """

    speed: float
    memory: int


def measure_cases(cases: Sequence[Case], log: Log, part: Log, output: str, runs: int = RUNS) -> dict[Case, Figure]:
    """Measure programs in turns.

    Args:
        cases: the cases.
        log: the log.
        part: the part of the log that slow programs read.
        output: the path that programs write to.
        runs: how often each case is run.

    Returns:
        The highest speed and the highest memory of each case.
    """
    best = dict.fromkeys(cases, Figure(0, 0))
    for turn in range(runs):
        for case in cases:
            read = part if case.program.is_slow else log
            seconds, memory, _ = case.run(read, output, watched=True)
            best[case] = Figure(max(best[case].speed, read.size / seconds), max(best[case].memory, memory))
            Path(output).unlink(missing_ok=True)
            print(f"{turn} {case.job.title}: {case.program.name}, {case.source}, {case.cores}: {seconds:.2f} s")
    return best
