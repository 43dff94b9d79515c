"""Nothing acts on a terminal: neither log lines, nor file names, nor arguments."""

import gzip
import os
import pty
import re
import shutil
import subprocess
import sys
import tty
from pathlib import Path

import pytest
from click import Context

from tests.support.command import read_terminal

# What acts on a terminal: C0 and C1 controls, in Latin-1 and in UTF-8, and characters that reorder or hide text.
HOSTILE = (
    b"\x1b[7;53m\x1b]0;title\x07\x1b[2J\x9b7;53m\x9d0;t\x9c\xc2\x9b7;53m\xc2\x85\x07\x08\x0b\x0c\x0e\x7f\xff\xfe\xc3"
    b"\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8\xed\xa0\x80\xf4\x90\x80\x80"
)
INSIDE = HOSTILE + b"\r\x00\x1b[5A"
TYPED = "\x1b[7;53m\x9b2J\r\x07\u202e\u2066\x7f\x85\udcff"  # what an argument can hold

TIME = b"10/Nov/1996:13:55:36 -0700"
LOG = b"".join(
    b'%b - %b [%b] "GET /%b?%b HTTP/1.0" 200 5 "http://h%b/" "%b"\n'
    % (b"192.0.2.7", user, TIME, path, path, path, user)
    for user in (b"fred", HOSTILE)
    for path in (b"a", HOSTILE, INSIDE, b"%1b%00")
)
LIST = b"http://u@%b/a\n%b\nhttp://127.1/%b\n%%\n\n" % (HOSTILE, INSIDE, INSIDE) + b"x" * 300 + INSIDE + b"\n" + INSIDE
PARTS = (
    b'{"scheme":"%b"}\n{"host":"\\u001b[7;53m","path":["\\ud800"]}\n%b\n{"\\u001b[2J\\ud800":1}\n'
    b'{"path":"\\u202e"}\n{"port":"\\u009b"}\n{"scheme":"\\ud800"}\n' % (HOSTILE, INSIDE)
)
TEXT = b"See <http://a/%b> and http://b/%b, \x1b[7;53m.\n" % (INSIDE, HOSTILE)
JSON_LINES = b'{"uri":"http://a/\\u001b[7;53m\\u202e\\ud800","ts":1,"\\u001b[2J":"\\r"}\n' * 3

NAME = f"log{TYPED}"
FILES = {
    NAME: LOG,
    f"list{TYPED}": LIST,
    f"parts{TYPED}": PARTS,
    f"text{TYPED}": TEXT,
    f"json{TYPED}": JSON_LINES,
    f"cut{TYPED}.gz": gzip.compress(LOG * 50)[:-30],
    f"bad{TYPED}": INSIDE * 5,
    f"page{TYPED}": b"<a href='%b'>%b</a><img src='%b'>" % (INSIDE, HOSTILE, HOSTILE),
}
LISTED, IN_PARTS, PROSE, IN_JSON, CUT, BAD, PAGE = list(FILES)[1:]
MISSING = f"missing{TYPED}"

# Command lines; the current directory holds these files, and a pipe.
COMMANDS: list[tuple[str, ...]] = [
    # Rows
    *(("split", "--to", to, LISTED) for to in ("tsv", "csv", "ndjson")),
    ("split", "--strict", LISTED),
    ("split", "--strict", "--fields", "reference", "--null", TYPED, LISTED),
    ("split", "--strict", LISTED, "--rejects", "/dev/stdout"),
    ("split", "--fields", TYPED, LISTED),
    ("sql", TYPED, TYPED),
    ("sql", "duckdb", "url", "--fields", TYPED),
    ("split", "-o", f"no{TYPED}/rows", LISTED),
    ("split", "-o", LISTED, LISTED),
    ("split", "--by-day", "-o", f"days{TYPED}", LISTED),
    *(("logs", "--format", "combined", "--to", to, NAME) for to in ("tsv", "csv", "ndjson")),
    ("logs", "--format", "combined", "--null", TYPED, NAME),
    ("logs", "--format", f"json:target=uri,{TYPED}=ts", "--fields", f"target,{TYPED}", IN_JSON),
    ("logs", "--format", "common", NAME, "--rejects", "/dev/stderr"),
    ("logs", NAME, BAD, CUT, MISSING),
    ("logs", "."),
    ("logs", f"{TYPED}*"),
    ("logs", BAD),
    ("logs", "--format", TYPED, NAME),
    ("logs", "--format", f"$remote_addr {TYPED}", NAME),
    ("logs", "--format", f"%h {TYPED} %u", BAD),
    ("logs", "--format", f"json:{TYPED}", IN_JSON),
    ("logs", "--format", "json:uri", IN_JSON),
    ("logs", "--format", "combined", "--where", f"{TYPED} >", NAME),
    ("logs", "--format", "combined", "--where", f"status = '{TYPED}'", NAME),
    ("logs", "--to", f"csv{TYPED}", NAME),
    ("logs", "--limit", TYPED, NAME),
    # Counts and reports
    *(("top", field, NAME) for field in ("target_path", "target", "referer_host", "user", "agent")),
    ("top", "client,target,agent", NAME),
    ("top", "target_path", "--to", "tsv", NAME),
    ("top", "target_path", "--to", "ndjson", NAME),
    ("top", TYPED, NAME),
    ("top", "target", "--format", "combined", MISSING, CUT),
    ("report", NAME),
    ("report", "-o", "page.html", NAME, CUT, MISSING),
    ("report", "-o", f"no{TYPED}/page.html", NAME),
    ("report", "-o", "titled.html", "--title", TYPED, "--where", f"status = 200 -- {TYPED}", NAME),
    # References and text
    *(("check", "--to", to, LISTED) for to in ("text", "ndjson")),
    ("check", "--spec", "url1996", "--rule", "URI", LISTED, MISSING),
    ("check", "--spec", TYPED, LISTED),
    *(("hazards", "--to", to, LISTED) for to in ("text", "ndjson")),
    ("hazards", "--only", TYPED, LISTED),
    *(("explain", "--to", to, LISTED) for to in ("text", "ndjson")),
    *(("normalize", "--level", level, LISTED) for level in ("string", "scheme")),
    ("normalize", "--level", TYPED),
    ("resolve", "http://a/b/", LISTED),
    ("resolve", f"http://a/{TYPED}", LISTED),
    ("resolve", TYPED.replace("\r", ""), LISTED),
    ("resolve", "http://a/b", "--relativize", LISTED),
    ("compose", IN_PARTS),
    *((command, f"http://a/{TYPED}") for command in ("split", "check", "hazards", "normalize", "repair")),
    ("check", f"a:{TYPED}\n"),
    ("repair", LISTED),
    *((command, LISTED, f"http://a/{TYPED}") for command in ("key", "surt", "site", "dedupe")),
    ("key", "--profile", TYPED, LISTED),
    ("get", "{host} {query:a}", LISTED),
    ("get", f"{{path}}{TYPED}", f"http://{TYPED}/{TYPED}"),
    ("get", f"{{{TYPED}}}", LISTED),
    ("set", "--fragment", TYPED.replace("\r", ""), LISTED),
    ("set", "--port", TYPED, LISTED),
    ("set", "--drop", TYPED, LISTED),
    ("set", "--port", "80", LISTED, f"x:{TYPED}"),
    ("encode", TYPED, "--component", "path"),
    ("decode", TYPED, "%1b%9b%0a%0d%e2%80%ae"),
    ("decode", "--all", "%1b%9b%0a%0d%e2%80%ae"),
    *(("links", "--to", to, PAGE) for to in ("text", "ndjson")),
    ("links", "--base", f"a:{TYPED}", PAGE, MISSING),
    ("links", "--base", TYPED, PAGE),
    ("links", "--limit", "3", PAGE),
    ("compose", LISTED, "--rejects", "/dev/stdout"),
    *(("find", "--to", to, PROSE) for to in ("text", "ndjson")),
    ("find", MISSING, PROSE),
    # Other commands, and usage errors
    ("formats", TYPED),
    ("formats", f"json:{TYPED}"),
    ("formats", f"$remote_addr {TYPED}"),
    ("formats", f"$http_{TYPED}"),
    ("formats", "combined", TYPED),
    ("formats", f"./{TYPED}.conf:{TYPED}"),
    ("formats", f"{NAME}:{TYPED}"),
    *(("formats", "--try", file) for file in (NAME, IN_JSON, BAD, MISSING)),
    ("demo", TYPED),
    (TYPED,),
    (f"--{TYPED}",),
    ("split", f"--{TYPED}"),
    ("split", f"--quiet={TYPED}"),
]

# Allowed besides text: line ends, and the control sequences of the command and of rich for colours and progress bars.
# None of them is in the hostile data.
STYLE = re.compile(r"\r(?:\x1b\[1A)?\x1b\[2K|\x1b\[(?:\?25[lh]|2K|1A|(?!7;53)[0-9;]*m)")
ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

# Runs the commands one after the other in one process, with a marker before the output of each.
PROGRAM = """
import os, sys
from urisect.cli import main
for arguments in eval(sys.stdin.read()):
    os.write(1, b"\\n--BEGIN--\\n")
    try:
        main(list(arguments))
    except SystemExit:
        pass
    sys.stdout.flush()
    sys.stderr.flush()
"""


def on_a_terminal(directory: Path, **variables: str) -> list[bytes]:
    """Run all commands on a terminal, and return what each one sends to it."""
    parent, child = pty.openpty()
    tty.setraw(child)  # it changes nothing
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **variables}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=child,
        stderr=child,
        cwd=directory,
        env=environment,
    ) as process:
        os.close(child)
        assert process.stdin
        process.stdin.write(ascii(COMMANDS).encode())
        process.stdin.close()
        sent = read_terminal(parent)
    assert process.returncode == 0
    return sent.split(b"\n--BEGIN--\n")[1:]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    directory = tmp_path_factory.mktemp("directory")
    try:
        for name, data in FILES.items():
            (directory / name).write_bytes(data)
    except OSError:
        pytest.skip("this file system does not allow such names")
    os.mkfifo(directory / f"pipe{TYPED}")
    return on_a_terminal(directory, NO_COLOR="")


def acting(sent: bytes) -> list[str]:
    """Return what acts on a UTF-8 terminal, and what is not UTF-8."""
    text = STYLE.sub("", sent.decode("utf-8", "surrogateescape"))
    return [*ACTING.findall(text.replace("\t", "").replace("\r\n", "\n")), *re.findall("[\ud800-\udfff]", text)]


@pytest.mark.parametrize("index", range(len(COMMANDS)), ids=[ascii(" ".join(line)) for line in COMMANDS])
def test_nothing_acts_on_a_terminal(shown: list[bytes], index: int) -> None:
    sent = shown[index]
    assert acting(sent) == []
    assert b"Traceback" not in sent


def test_there_are_enough_command_lines_of_all_commands(shown: list[bytes]) -> None:
    from urisect.cli.app import urisect  # noqa: PLC0415

    assert len(shown) == len(COMMANDS) == len(set(COMMANDS)) >= 38
    assert {line[0] for line in COMMANDS} >= set(urisect.list_commands(Context(urisect)))
    assert sum(bool(sent) for sent in shown) >= len(COMMANDS) - 5


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b", "\x07", "\r", "\u202e", "\x00"])
def test_the_check_finds_what_acts(text: str) -> None:
    assert acting(f"text{text}text\r\n".encode()) == [text[0]]
    assert acting(b"\xff") == ["\udcff"]
    assert acting("\x1b[31mred\x1b[0m\t\u00e9\r\n".encode()) == []
    assert shutil.get_terminal_size().columns > 0
