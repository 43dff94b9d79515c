"""Attack the command and write what happens into `docs/attacks.md`: `python -m benchmarks.attacks`, on Linux.

Each attack is a line of bash that runs in its own directory. If the exit status, the message or the effect is not as
expected, nothing is written. Memory is the peak of the largest process, as reported by the operating system.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.support.pages import table
from tests.support.paths import DOCS

MB = 10**6
BOMB_BYTES = 2 << 30  # of the line in a compressed file
PIPED_BYTES = 1_000_000_000  # of the line in a pipe
ENDLESS_SECONDS = 3  # until the reader of an endless file is stopped
MAX_MEMORY_BYTES = 100 * MB  # of a command on any of these lines

PAGE = DOCS / "attacks.md"

BASH = shutil.which("bash") or "bash"
URISECT = quote(str(Path(sys.executable).with_name("urisect")))
COMMANDS = (
    "split", "check", "normalize", "resolve http://a/", "hazards", "compose", "find", "logs --format combined",
    "logs", "top target_path --format combined", "report --format combined",
)  # fmt: skip
BOMBS = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma", "zstd": "backports.zstd"}


class Attack(NamedTuple):
    """An attack and its expected outcome.

    Attributes:
        title: the attack in a few words.
        script: the attack in bash.
        effect: the expected effect, in words.
        status: the expected exit status.
        message: a text that must occur on standard error.
        condition: a command of bash that succeeds afterwards if the effect is as expected.
    """

    title: str
    script: str
    effect: str
    status: int = 0
    message: str = ""
    condition: str = "true"


class Outcome(NamedTuple):
    """The outcome of a script.

    Attributes:
        status: its exit status.
        peak: the peak memory of its largest process, in bytes.
        messages: its standard error.
    """

    status: int
    peak: int
    messages: str


def run(script: str, directory: str) -> Outcome:
    """Run a line of bash in a directory; `urisect` in it is the command."""
    program = f'urisect() {{ {URISECT} "$@"; }}\nset -o pipefail\n{script}'
    with open(os.path.join(directory, ".messages"), "w+b") as messages:
        process = subprocess.Popen([BASH, "-c", program], cwd=directory, stdout=subprocess.DEVNULL, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return Outcome(process.returncode, usage.ru_maxrss * 1024, messages.read().decode(errors="replace"))


def check(attack: Attack) -> Outcome:
    """Run an attack in an empty directory, and assert its expected outcome."""
    with TemporaryDirectory() as directory:
        outcome = run(attack.script, directory)
        assert outcome.status == attack.status, (attack, outcome)
        assert attack.message in outcome.messages, (attack, outcome)
        assert "Traceback" not in outcome.messages, (attack, outcome)
        held = subprocess.run([BASH, "-c", attack.condition], cwd=directory, check=False)
        assert held.returncode == 0, (attack, outcome, sorted(os.listdir(directory)))
    return outcome


def write_bomb(path: str, module: str) -> None:
    """Compress one long line."""
    block = bytes(1 << 20)
    with import_module(module).open(path, "wb") as file:
        for _ in range(BOMB_BYTES // len(block)):
            file.write(block)


@contextmanager
def bombs() -> Iterator[dict[str, str]]:
    """Write compressed files with one line of 2 GiB, and remove them afterwards.

    Each is written by another process, since the peak memory of this process also counts for its children.
    """
    with TemporaryDirectory() as directory:
        paths = {name: os.path.join(directory, f"bomb.{name}") for name in BOMBS}
        for name, module in BOMBS.items():
            process = get_context("spawn").Process(target=write_bomb, args=(paths[name], module))
            process.start()
            process.join()
            assert process.exitcode == 0, name
        yield paths


LINE = '127.0.0.1 - - [10/Nov/1996:13:55:36 -0700] "GET /a HTTP/1.0" 200 9 "-" "-"'

EXPRESSIONS = (
    Attack(
        "A value of unlimited size",
        f"echo '{LINE}' | urisect logs --where \"length(repeat(target_path, 100000000)) > 0\"",
        "Refused: `repeat` is not an allowed function.",
        2,
        "repeat",
    ),
    Attack(
        "SQL injection",
        f"echo '{LINE}' | urisect logs --where \"true) FROM lines; SET memory_limit = '9GB'; SELECT (true\"",
        "Refused: it is not one expression.",
        2,
    ),
    Attack(
        "A subquery",
        f"echo '{LINE}' | urisect logs --where \"(SELECT count(*) FROM range(1000000000)) > 0\"",  # noqa: S608
        "Refused: a subquery is not allowed.",
        2,
        "subquery",
    ),
    Attack(
        "Reading a local file",
        f"echo '{LINE}' | urisect logs --where \"EXISTS (FROM read_text('/etc/passwd'))\"",
        "Refused.",
        2,
    ),
    Attack(
        "Too little memory",
        "ulimit -v 400000; head -c 300000000 /dev/zero | urisect split --limit 1000000000",
        "An error message, no traceback.",
        2,
        "memory",
    ),
)

WRITE_LIST = "echo http://a.example/ > list"
FILES = (
    Attack(
        "Standard output by name",
        f"{WRITE_LIST}; echo before > out; urisect split list -q -o /dev/stdout >> out; echo after >> out",
        "The rows are appended; the lines before and after stay.",
        condition='[ "$(wc -l < out)" = 3 ] && head -n 1 out | grep -q before && tail -n 1 out | grep -q after',
    ),
    Attack(
        "Standard error by name",
        f"{WRITE_LIST}; echo 'http://a b/' >> list; echo before > app.log; "
        "urisect split list -q --strict --rejects /dev/stderr 2>> app.log; echo after >> app.log",
        "The rejects are appended; the lines before and after stay.",
        condition='[ "$(wc -l < app.log)" = 3 ] && head -n 1 app.log | grep -q before',
    ),
    Attack(
        "Planted symbolic links to another file",
        f'{WRITE_LIST}; echo precious > victim; python3 -c "import os; '
        f"[os.symlink('victim', f'.rows.tsv.{{n}}.part') for n in range($$, $$ + 99)]\"; "
        "urisect split list -q -o rows.tsv",
        "The links are not followed: the name of the temporary file cannot be predicted.",
        condition="grep -q precious victim && grep -q a.example rows.tsv",
    ),
    Attack(
        "Planted FIFOs",
        f"{WRITE_LIST}; mkfifo $(seq -f .rows.tsv.%g.part $$ $(($$ + 99))); "
        "timeout 20 bash -c " + quote(f"{URISECT} split list -q -o rows.tsv"),
        "They are not opened; the command does not hang.",
        condition="grep -q a.example rows.tsv",
    ),
    Attack(
        "A file name of 250 bytes",
        f"{WRITE_LIST}; urisect split list -q -o $(printf 'n%.0s' $(seq 250))",
        "The file is written.",
        condition="ls | grep -q nnnn",
    ),
    Attack(
        "An output file of mode 4750",
        f"{WRITE_LIST}; touch rows.tsv; chmod 4750 rows.tsv; urisect split list -q -o rows.tsv",
        "The file keeps its mode, without the set-user-ID bit.",
        condition='[ "$(stat -c %a rows.tsv)" = 750 ]',
    ),
    Attack(
        "A mistyped input name for a report",
        "echo good > good.html; urisect report mistyped -o good.html",
        "Nothing is written; the old report stays.",
        2,
        "mistyped",
        "grep -q good good.html",
    ),
    Attack(
        "A mistyped input name for rows",
        "echo good > rows.tsv; urisect logs mistyped -o rows.tsv",
        "Nothing is written; the old file stays.",
        2,
        "mistyped",
        "grep -q good rows.tsv",
    ),
    Attack(
        "One of two inputs cannot be opened",
        f"{WRITE_LIST}; urisect split list mistyped -o rows.tsv",
        "The rows of the other input are written; the summary and the exit status report the failure.",
        2,
        "mistyped",
        "grep -q a.example rows.tsv",
    ),
    Attack(
        "A suffix without `--to`",
        f"{WRITE_LIST}; urisect split list -q -o rows.parquet",
        "The suffix selects the format, Parquet.",
        condition="head -c 4 rows.parquet | grep -q PAR1",
    ),
    Attack(
        "A suffix that contradicts `--to`",
        f"{WRITE_LIST}; urisect split list -q --to csv -o rows.parquet",
        "A usage error.",
        2,
        "parquet",
        "[ ! -e rows.parquet ]",
    ),
    Attack(
        "A file with content and a size of 0",
        "urisect logs --format list /proc/self/status -q -o rows.tsv",
        "The file is read.",
        condition="grep -q VmPeak rows.tsv",
    ),
    Attack(
        "A FIFO in a directory",
        f"mkdir logs; echo '{LINE}' > logs/access.log; mkfifo logs/fifo; timeout 20 {URISECT} logs logs -o rows.tsv",
        "The FIFO is skipped with a message; the log is read.",
        message="fifo",
        condition="[ $(wc -l < rows.tsv) = 1 ]",
    ),
    Attack(
        "A loop of symbolic links",
        f"mkdir logs; echo '{LINE}' > logs/access.log; ln -s .. logs/loop; urisect logs -q 'logs/**' -o rows.tsv",
        "No file is read twice.",
        condition="[ $(wc -l < rows.tsv) = 1 ]",
    ),
    Attack(
        "Standard error is closed",
        f"{WRITE_LIST}; echo 'http://a b/' >> list; urisect split list --strict -o rows.tsv 2>&-",
        "The output file contains only rows.",
        condition="[ $(wc -l < rows.tsv) = 1 ]",
    ),
    Attack(
        "Standard input is closed",
        f"{WRITE_LIST}; urisect split list -q -o rows.tsv <&-",
        "The file is read.",
        condition="[ $(wc -l < rows.tsv) = 1 ]",
    ),
    Attack(
        "SIGTERM",
        f"sleep 4 | timeout --preserve-status 2 {URISECT} split -q -o rows.tsv",
        "No file remains.",
        143,
        condition='[ -z "$(ls -A | grep -v messages)" ]',
    ),
    Attack(
        "No line can be parsed",
        "seq 99 | urisect logs --format combined -q -o rows.tsv",
        "The exit status is 1.",
        1,
    ),
)


def endless(command: str) -> str:
    """Return a script that reads a file without end, and stops."""
    return f"timeout --preserve-status --signal TERM {ENDLESS_SECONDS} {URISECT} {command} -q < /dev/zero"


def piped(command: str) -> str:
    """Return a script that reads one line of a gigabyte from a pipe."""
    return f"head -c {PIPED_BYTES} /dev/zero | urisect {command} -q"


def run_commands(paths: dict[str, str]) -> Iterator[tuple[str, list[Outcome]]]:
    """Run each command on each long line."""
    for command in COMMANDS:
        scripts = [endless(command), piped(command), *(f"urisect {command} -q {path}" for path in paths.values())]
        outcomes = []
        for script in scripts:
            with TemporaryDirectory() as directory:
                outcome = run(script, directory)
            assert outcome.peak < MAX_MEMORY_BYTES, (script, outcome)
            assert "Traceback" not in outcome.messages, (script, outcome)
            outcomes.append(outcome)
        yield command, outcomes


def megabytes(outcome: Outcome) -> str:
    return f"{outcome.peak / MB:.0f}"


def as_code(script: str) -> str:
    """Format a script as code, as a user would type it."""
    return f"`` {script.replace(URISECT, 'urisect')} ``"


def run_attacks(attacks: Iterable[Attack]) -> list[str]:
    """Run attacks, and write a table of their outcomes."""
    outcomes = [(attack, check(attack)) for attack in attacks]
    return table(
        ("attack", "what happens", "exit status", "peak memory, MB", "command"),
        (
            (attack.title, attack.effect, str(outcome.status), megabytes(outcome), as_code(attack.script))
            for attack, outcome in outcomes
        ),
    )


def _environment() -> str:
    python = f"Python {platform.python_version()}"
    return f"urisect {version('urisect')}, {python}, {platform.system()} {platform.machine()}"


INTRODUCTION = """
What the command does with hostile lines, expressions and files. Each attack runs in an empty directory, and is
followed by a check of its effect. [Limits](reference/limits.md) explains the limits, [Reliability](reliability.md) how
the rest is tested.

Written by `make attacks` on {today}: {environment}.
If an outcome is not as expected, the page is not written.
""".strip()


def main() -> None:
    """Run all attacks, and write the page."""
    with bombs() as paths:
        rows = [
            (f"`{command}`", *(f"{megabytes(outcome)} ({outcome.status})" for outcome in outcomes))
            for command, outcomes in run_commands(paths)
        ]
    heads = ("command", "`/dev/zero`", "1 GB piped", *(f"2 GiB in {name}" for name in BOMBS))
    lines = [
        "# Attacks on the command",
        "",
        *INTRODUCTION.format(today=datetime.now(UTC).date(), environment=_environment()).splitlines(),
        "",
        "## One endless line",
        "",
        "The peak memory in MB and, in parentheses, the exit status of each command for a line that is longer than the",
        "limit. The line is skipped and counted. `/dev/zero` never ends: the command is stopped with SIGTERM.",
        "",
        *table(heads, rows),
        "",
        "## Expressions from untrusted users",
        "",
        *run_attacks(EXPRESSIONS),
        "",
        "## Files",
        "",
        "File names, links, pipes and descriptors that are not what the command expects.",
        "",
        *run_attacks(FILES),
        "",
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
