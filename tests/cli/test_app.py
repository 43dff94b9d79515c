"""The command as a program: what it loads, its help, its completion, and its failures."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.support.command import LOG, URISECT, loaded_modules, run_here
from urisect.cli import main
from urisect.cli.app import COMMANDS, urisect
from urisect.cli.unreadable import similar_file

CONTEXT = click.Context(urisect)
NAMES = urisect.list_commands(CONTEXT)


# What is loaded

# Packages and modules that take long to import, none of which these commands need.
HEAVY = {
    *("rich", "duckdb", "pyarrow", "numpy", "jinja2", "regex", "multiprocessing", "concurrent", "logging", "socket"),
    *(
        "tempfile",
        "random",
        "hashlib",
        "decimal",
        "csv",
        "json.decoder",
        "unicodedata",
        "difflib",
        "importlib.metadata",
    ),
    *("urisect.specs", "urisect.text", "urisect.security", "urisect.normalization", "urisect.resolution"),
    *("urisect.composition", "urisect.address", "urisect.logs.report", "urisect.logs.input.detection"),
    *("urisect.logs.formats.apache", "urisect.logs.formats.nginx", "urisect.logs.formats.aws"),
    *("urisect.logs.formats.w3c", "urisect.logs.formats.json_lines", "urisect.logs.output.arrow"),
}


@pytest.mark.parametrize(("arguments", "most"), [(("split",), 47), (("--help",), 5)], ids=["split", "help"])
def test_a_command_loads_only_what_it_runs(arguments: tuple[str, ...], most: int) -> None:
    modules = loaded_modules(*arguments)
    assert HEAVY & modules == set()
    assert len([name for name in modules if name.partition(".")[0] == "urisect"]) <= most


def test_each_command_loads_no_other() -> None:
    others = {f"urisect.cli.{name}" for name in NAMES} - {"urisect.cli.formats"}
    assert loaded_modules("formats") & others == set()


def test_the_table_of_commands_matches_the_commands() -> None:
    for section in COMMANDS.values():
        for name, help in section.items():
            command = urisect.get_command(CONTEXT, name)
            assert command
            assert (command.name, command.short_help) == (name, help)
    assert urisect.get_command(CONTEXT, "nothing") is None


# Failures


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["slpit"], "No such command 'slpit'; did you mean \"split\"?"),
        (["xyz"], "No such command 'xyz'."),
        (["logs", "--to", "csvv"], "'arrow'; did you mean \"csv\"?"),
        (["logs", "--to", "xyz"], "'arrow'."),
        (["check", "--spec", "rfc39866"], 'did you mean "rfc3986"?'),
        (["key", "--profile", "page"], 'did you mean "page-1"?'),
        (["check", "--rule", "uri"], 'did you mean "URI"?'),
        (["hazards", "--only", "userinof"], 'did you mean "userinfo"?'),
        (["get", "{hots}"], 'did you mean "host"?'),
        (["set", "--drop", "fragmnet"], 'did you mean "fragment"?'),
        (["encode", "--component", "segmnet"], 'did you mean "segment"?'),
        (["top", "stauts", "--format", "common"], 'did you mean "status"?'),
        (["logs", "--fields", "stauts", "--format", "common"], 'did you mean "status"?'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistyped_name_gets_a_suggestion(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, os.devnull]) == 2
    assert message in capfd.readouterr().err


READ_FILES = {
    **{name: [name] for name in ("check", "compose", "dedupe", "explain", "find", "hazards", "links", "normalize")},
    **{name: [name] for name in ("repair", "site", "split", "surt", "key")},
    "get": ["get", "{path}"],
    "set": ["set", "--fragment", "x"],
    "resolve": ["resolve", "http://h/"],
    "logs": ["logs", "--format", "list", "--fields", "path", "-n", "1"],
    "top": ["top", "path", "--format", "list", "--to", "tsv"],
    "report": ["report", "--format", "list"],
}


@pytest.mark.parametrize("name", READ_FILES)
def test_a_missing_file_is_reported_before_the_first_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "links.html").write_bytes(b'{"path":"a"}\n')
    good, mistyped = str(tmp_path / "links.html"), str(tmp_path / "lniks.html")
    message = f'urisect: {mistyped}: No such file or directory; did you mean "{good}"?\n'
    status, output, _ = run_here(*READ_FILES[name], good, mistyped, together=True)
    assert status == 2
    assert output.startswith(message.encode())
    assert len(output) > len(message) or name in ("links", "site")
    assert run_here(*READ_FILES[name], mistyped, mistyped) == (2, b"", message * 2)


def test_only_a_name_in_the_same_directory_is_suggested(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    for missing in ("b/a.txt", "urls.txt", "a.txt/a.txt", ""):
        _, _, messages = run_here("find", f"{tmp_path}/{missing}")
        assert messages.startswith(f"urisect: {tmp_path}/{missing}: ")
        assert "did you mean" not in messages
    assert run_here("find", "")[2] == "urisect: '': No such file or directory\n"
    assert similar_file("a\0.txt") is None


def test_a_forgotten_field_is_noticed(log: Path) -> None:
    status, output, messages = run_here("top", str(log))
    assert (status, output) == (2, b"")
    assert messages.endswith(f"{str(log)!r} is a file; name a field before it: urisect top client {log}\n")


def test_the_report_of_the_demo_is_written_before_anything_is_printed(tmp_path: Path) -> None:
    status, output, messages = run_here("demo", "--report", f"{tmp_path}/no/report.html")
    assert (status, output, messages) == (2, b"", f"urisect: {tmp_path}/no/report.html: No such file or directory\n")


def test_envelopes_are_listed_all(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["formats", "--envelopes", "syslog"]) == 2
    assert capfd.readouterr().err.endswith("Error: --envelopes lists all envelopes; leave out FORMAT.\n")


def test_an_unexpected_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("urisect.cli.files.read_blocks", fail)
    with pytest.raises(ZeroDivisionError):
        main(["normalize", os.devnull])


def test_a_killed_worker_is_reported_with_advice(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from urisect.logs import WorkerError  # noqa: PLC0415

    def fail(*_: object, **__: object) -> None:
        raise WorkerError("a worker process was killed; jobs=1 takes the least memory")

    monkeypatch.setattr("urisect.logs.scan.parallel.scan", fail)
    assert main(["split", os.devnull]) == 2
    assert capfd.readouterr().err == "urisect: a worker process was killed; --jobs 1 takes the least memory\n"


def test_without_the_extra_a_message_names_it() -> None:
    program = f"import sys; sys.modules['click'] = None\n{URISECT[2]}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "urisect: the command needs click, which is not installed; pip install 'urisect[cli]' brings it\n"
    )


def test_a_missing_module_of_another_name_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "urisect.cli.app", None)
    with pytest.raises(ModuleNotFoundError, match=r"urisect\.cli\.app"):
        main([])


def test_help_and_version(capfd: pytest.CaptureFixture[str]) -> None:
    for command in ([], *([name] for name in NAMES)):
        assert main([*command, "--help"]) == 0
        assert max(map(len, capfd.readouterr().out.splitlines())) <= 80
    assert main(["--version"]) == 0
    assert re.fullmatch(r"urisect, version \d+\.\d+\.\d+\n", capfd.readouterr().out)
    assert main(["--nothing"]) == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_valid(shell: str) -> None:
    environment = {**os.environ, "_URISECT_COMPLETE": f"{shell}_source"}
    done = subprocess.run(URISECT, env=environment, capture_output=True, text=True, check=True)
    assert "_URISECT_COMPLETE" in done.stdout
    if path := shutil.which(shell):
        subprocess.run([path, "-n"], input=done.stdout, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("urisect re", {"repair", "report", "resolve"}),
        ("urisect encode --component q", {"query", "query-value"}),
        ("urisect logs --format com", {"combined", "combinedio", "combined-more", "common", "common-more"}),
        ("urisect logs --to p", {"parquet"}),
        ("urisect report --wh", {"--where"}),
    ],
)
def test_words_are_completed(words: str, expected: set[str]) -> None:
    variables = {"_URISECT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(URISECT, env={**os.environ, **variables}, capture_output=True, text=True, check=True)
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == expected


def test_a_process_of_its_own_says_nothing_but_its_message() -> None:
    """Objects are frozen before the command runs: DuckDB would otherwise report those that are left at exit."""
    status, _, messages = run_here("logs", "--format", "combined", "--where", "stauts > 3", stdin=LOG)
    assert status == 2
    assert messages.count("\n") == 1
    assert messages.endswith('; did you mean "status"?\n')
