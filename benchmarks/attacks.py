"""Attack the command, and report what happens: `python -m benchmarks.attacks`, on Linux; it writes `docs/attacks.md`.

Each attack is a line of bash, run in a folder of its own. It must end with the exit status, the message and the effect
that are expected, or nothing is written. Memory is the peak of the largest process, from the operating system.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import NamedTuple

MB = 10**6
BOMB = 2 << 30  # bytes of the one line in a compressed file
PIPED = 1_000_000_000  # bytes of the one line in a pipe
SECONDS = 3  # that an endless file is read before it is stopped
MOST = 100 * MB  # what a command may take on any of them

ROOT = Path(__file__).parent.parent
REPORT = ROOT / "docs" / "attacks.md"

BASH = shutil.which("bash") or "bash"
URISECT = quote(str(Path(sys.executable).with_name("urisect")))
COMMANDS = (
    "split", "check", "normalize", "resolve http://a/", "hazards", "compose", "find", "logs --format combined",
    "logs", "top target_path --format combined", "report --format combined",
)  # fmt: skip
BOMBS = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma", "zstd": "backports.zstd"}


class Attack(NamedTuple):
    """An attack, and what is expected of it.

    Attributes:
        title: what somebody does.
        script: how, in bash.
        effect: what happens.
        status: the exit status of the script.
        says: what stands in the messages.
        holds: a condition of bash that is true afterwards if the effect is as said.
    """

    title: str
    script: str
    effect: str
    status: int = 0
    says: str = ""
    holds: str = "true"


class Outcome(NamedTuple):
    """What came of a script.

    Attributes:
        status: its exit status.
        peak: the most memory that one of its processes took, in bytes.
        messages: what it wrote to standard error.
    """

    status: int
    peak: int
    messages: str


def run(script: str, folder: str) -> Outcome:
    """Run a line of bash in a folder; `urisect` in it is the command."""
    program = f'urisect() {{ {URISECT} "$@"; }}\nset -o pipefail\n{script}'
    with open(os.path.join(folder, ".messages"), "w+b") as messages:
        process = subprocess.Popen([BASH, "-c", program], cwd=folder, stdout=subprocess.DEVNULL, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return Outcome(process.returncode, usage.ru_maxrss * 1024, messages.read().decode(errors="replace"))


def try_out(attack: Attack) -> Outcome:
    """Run an attack in an empty folder, and make sure that it ends as expected."""
    with TemporaryDirectory() as folder:
        outcome = run(attack.script, folder)
        assert outcome.status == attack.status, (attack, outcome)
        assert attack.says in outcome.messages, (attack, outcome)
        assert "Traceback" not in outcome.messages, (attack, outcome)
        held = subprocess.run([BASH, "-c", attack.holds], cwd=folder, check=False)
        assert held.returncode == 0, (attack, outcome, sorted(os.listdir(folder)))
    return outcome


def write_bomb(path: str, module: str) -> None:
    """Compress one endless line."""
    block = bytes(1 << 20)
    with import_module(module).open(path, "wb") as file:
        for _ in range(BOMB // len(block)):
            file.write(block)


@contextmanager
def bombs() -> Iterator[dict[str, str]]:
    """Make compressed files that hold one line of 2 GiB, in a folder that goes when they are not needed.

    Each is made in a process of its own: the memory that this process took at most counts for those it starts.
    """
    with TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, f"bomb.{name}") for name in BOMBS}
        for name, module in BOMBS.items():
            process = get_context("spawn").Process(target=write_bomb, args=(paths[name], module))
            process.start()
            process.join()
            assert process.exitcode == 0, name
        yield paths


LINE = '127.0.0.1 - - [10/Nov/1996:13:55:36 -0700] "GET /a HTTP/1.0" 200 9 "-" "-"'

EXPRESSIONS = (
    Attack(
        "A value of any size",
        f"echo '{LINE}' | urisect logs --where \"length(repeat(target_path, 100000000)) > 0\"",
        "Refused: `repeat` is not among the functions that may be called.",
        2,
        "repeat",
    ),
    Attack(
        "A way out of the expression",
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
        "A file of the machine",
        f"echo '{LINE}' | urisect logs --where \"EXISTS (FROM read_text('/etc/passwd'))\"",
        "Refused.",
        2,
    ),
    Attack(
        "Too little memory",
        "ulimit -v 400000; head -c 300000000 /dev/zero | urisect split --limit 1000000000",
        "A message, and no traceback.",
        2,
        "memory",
    ),
)

LIST = "echo http://a.example/ > list"
FILES = (
    Attack(
        "Standard output, by its name",
        f"{LIST}; echo before > out; urisect split list -q -o /dev/stdout >> out; echo after >> out",
        "The rows are appended; the lines before and after stay.",
        holds='[ "$(wc -l < out)" = 3 ] && head -n 1 out | grep -q before && tail -n 1 out | grep -q after',
    ),
    Attack(
        "Standard error, by its name",
        f"{LIST}; echo 'http://a b/' >> list; echo before > app.log; "
        "urisect split list -q --strict --rejects /dev/stderr 2>> app.log; echo after >> app.log",
        "The rejects are appended; the lines before and after stay.",
        holds='[ "$(wc -l < app.log)" = 3 ] && head -n 1 app.log | grep -q before',
    ),
    Attack(
        "A planted link to somebody's file",
        f'{LIST}; echo precious > victim; python3 -c "import os; '
        f"[os.symlink('victim', f'.rows.tsv.{{n}}.part') for n in range($$, $$ + 99)]\"; "
        "urisect split list -q -o rows.tsv",
        "The link is not followed: the name of the temporary file cannot be foreseen.",
        holds="grep -q precious victim && grep -q a.example rows.tsv",
    ),
    Attack(
        "A planted FIFO",
        f"{LIST}; mkfifo $(seq -f .rows.tsv.%g.part $$ $(($$ + 99))); "
        "timeout 20 bash -c " + quote(f"{URISECT} split list -q -o rows.tsv"),
        "It is not opened, and nothing hangs.",
        holds="grep -q a.example rows.tsv",
    ),
    Attack(
        "A name of 250 bytes",
        f"{LIST}; urisect split list -q -o $(printf 'n%.0s' $(seq 250))",
        "Written.",
        holds="ls | grep -q nnnn",
    ),
    Attack(
        "A file of mode 4750",
        f"{LIST}; touch rows.tsv; chmod 4750 rows.tsv; urisect split list -q -o rows.tsv",
        "It keeps its mode, without the set-id bit.",
        holds='[ "$(stat -c %a rows.tsv)" = 750 ]',
    ),
    Attack(
        "A mistyped input of a report",
        "echo good > good.html; urisect report mistyped -o good.html",
        "Nothing is written: the old report stays.",
        2,
        "mistyped",
        "grep -q good good.html",
    ),
    Attack(
        "A mistyped input of rows",
        "echo good > rows.tsv; urisect logs mistyped -o rows.tsv",
        "Nothing is written: the old file stays.",
        2,
        "mistyped",
        "grep -q good rows.tsv",
    ),
    Attack(
        "One input of two that cannot be opened",
        f"{LIST}; urisect split list mistyped -o rows.tsv",
        "The rows of the other are written; the summary and the exit status say so.",
        2,
        "mistyped",
        "grep -q a.example rows.tsv",
    ),
    Attack(
        "A suffix without `--to`",
        f"{LIST}; urisect split list -q -o rows.parquet",
        "The suffix decides: it is Parquet.",
        holds="head -c 4 rows.parquet | grep -q PAR1",
    ),
    Attack(
        "A suffix against `--to`",
        f"{LIST}; urisect split list -q --to csv -o rows.parquet",
        "A usage error.",
        2,
        "parquet",
        "[ ! -e rows.parquet ]",
    ),
    Attack(
        "A file whose size is said to be 0",
        "urisect logs --format list /proc/self/status -q -o rows.tsv",
        "It is read.",
        holds="grep -q VmPeak rows.tsv",
    ),
    Attack(
        "A FIFO in a folder",
        f"mkdir logs; echo '{LINE}' > logs/access.log; mkfifo logs/fifo; timeout 20 {URISECT} logs logs -o rows.tsv",
        "It is passed over, with a note; the log is read.",
        says="fifo",
        holds="[ $(wc -l < rows.tsv) = 1 ]",
    ),
    Attack(
        "A loop of links",
        f"mkdir logs; echo '{LINE}' > logs/access.log; ln -s .. logs/loop; urisect logs -q 'logs/**' -o rows.tsv",
        "No file is read twice.",
        holds="[ $(wc -l < rows.tsv) = 1 ]",
    ),
    Attack(
        "Standard error is closed",
        f"{LIST}; echo 'http://a b/' >> list; urisect split list --strict -o rows.tsv 2>&-",
        "Rows only where rows belong.",
        holds="[ $(wc -l < rows.tsv) = 1 ]",
    ),
    Attack(
        "Standard input is closed",
        f"{LIST}; urisect split list -q -o rows.tsv <&-",
        "The file is read all the same.",
        holds="[ $(wc -l < rows.tsv) = 1 ]",
    ),
    Attack(
        "SIGTERM",
        f"sleep 4 | timeout --preserve-status 2 {URISECT} split -q -o rows.tsv",
        "Nothing is left behind.",
        143,
        holds='[ -z "$(ls -A | grep -v messages)" ]',
    ),
    Attack(
        "Nothing can be parsed",
        "seq 99 | urisect logs --format combined -q -o rows.tsv",
        "The exit status says so.",
        1,
    ),
)


def endless(command: str) -> str:
    """Read a file that never ends, for a while."""
    return f"timeout --preserve-status --signal TERM {SECONDS} {URISECT} {command} -q < /dev/zero"


def piped(command: str) -> str:
    """Read one line of a GB from a pipe."""
    return f"head -c {PIPED} /dev/zero | urisect {command} -q"


def memory(paths: dict[str, str]) -> Iterator[tuple[str, list[Outcome]]]:
    """Run each command on each endless line."""
    for command in COMMANDS:
        scripts = [endless(command), piped(command), *(f"urisect {command} -q {path}" for path in paths.values())]
        outcomes = []
        for script in scripts:
            with TemporaryDirectory() as folder:
                outcome = run(script, folder)
            assert outcome.peak < MOST, (script, outcome)
            assert "Traceback" not in outcome.messages, (script, outcome)
            outcomes.append(outcome)
        yield command, outcomes


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    r"""Write a table of Markdown.

    >>> table(["a", "b"], [["1", "x|y"]])
    ['| a | b |', '| --- | --- |', '| 1 | x\\|y |']
    """
    cells = [heads, ["---"] * len(heads), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return [f"| {' | '.join(row)} |" for row in cells]


def megabytes(outcome: Outcome) -> str:
    return f"{outcome.peak / MB:.0f}"


def shown(script: str) -> str:
    """Write a script as code, as a reader would type it."""
    return f"`` {script.replace(URISECT, 'urisect')} ``"


def tried(attacks: Iterable[Attack]) -> list[str]:
    """Run attacks, and write a table of what came of them."""
    outcomes = [(attack, try_out(attack)) for attack in attacks]
    return table(
        ("attack", "command", "what happens", "exit status", "peak memory, MB"),
        (
            (attack.title, shown(attack.script), attack.effect, str(outcome.status), megabytes(outcome))
            for attack, outcome in outcomes
        ),
    )


def _environment() -> str:
    python = f"Python {platform.python_version()}"
    return f"urisect {version('urisect')}, {python}, {platform.system()} {platform.machine()}"


def main() -> None:
    """Run all attacks, and write the report."""
    with bombs() as paths:
        rows = [
            (f"`{command}`", *(f"{megabytes(outcome)} ({outcome.status})" for outcome in outcomes))
            for command, outcomes in memory(paths)
        ]
    heads = ("command", "`/dev/zero`", "1 GB piped", *(f"2 GiB in {name}" for name in BOMBS))
    lines = [
        "# Attacks on the command",
        "",
        f"Written by `make attacks` on {datetime.now(UTC):%Y-%m-%d}: {_environment()}.",
        "",
        "## One endless line",
        "",
        "The peak of memory in MB and, in parentheses, the exit status, of each command on a line that is longer than",
        "its limit. Such a line is skipped and counted. `/dev/zero` never ends: it is stopped with SIGTERM.",
        "",
        *table(heads, rows),
        "",
        "## Somebody else's expression",
        "",
        *tried(EXPRESSIONS),
        "",
        "## Files",
        "",
        *tried(FILES),
        "",
    ]
    REPORT.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
