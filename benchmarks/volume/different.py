"""Generate a Combined Log of any size whose values are nearly all different.

`benchmarks.corpora` generates logs as they are: few values are frequent. A program that remembers values gains from
that; here it does not. Lines come from a template of some megabytes. Each copy of it has other random digits, and later
times. The same size gives the same bytes on every platform.
"""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.corpora import WORDS
from benchmarks.volume.log_files import whole_lines

__all__ = ["different_log"]

SEED = 1996
TEMPLATE_LINES = 20_000
LINES_PER_SECOND = 3
START = np.datetime64("2026-01-01T00:00:00")
MONTHS = np.frombuffer(b"JanFebMarAprMayJunJulAugSepOctNovDec", np.uint8).reshape(12, 3)

# Placeholders in the template: a random digit, and a character of the time. Neither occurs elsewhere.
DIGIT = "#"
TIME = "@"
TIME_LENGTH = len("01/Jan/2026:00:00:00")

METHODS = ("GET",) * 17 + ("POST", "HEAD", "PUT")
STATUSES = ("200",) * 15 + ("304", "301", "302", "404", "500")
SYSTEMS = ("Windows NT 10.0; Win64; x64", "X11; Linux x86_64", "Linux; arm64; Phone #", "Tablet; ARM 12_#")

# Shares, from 0 to 1.
QUERIES = 0.8  # of the targets have one
REFERERS = 0.95  # of the lines have one
ESCAPES = 0.005  # of the agents contain an escaped quote
TIMEOUTS = 0.005  # of the lines have no request


def different_log(size: int) -> Iterator[bytes]:
    """Generate about `size` bytes, in blocks of whole lines."""
    template = _template()
    text = np.frombuffer(template, np.uint8)
    digits = np.flatnonzero(text == ord(DIGIT))
    times = np.flatnonzero(text == ord(TIME)).reshape(-1, TIME_LENGTH)
    generator = np.random.PCG64(SEED)
    lines = 0
    while size > 0:
        block = text.copy()
        octets = generator.random_raw(len(digits) // 8 + 1).astype("<u8").view(np.uint8)
        block[digits] = octets[: len(digits)] % 10 + ord("0")
        block[times] = _times(lines, len(times))
        part = whole_lines(block.tobytes(), size)
        yield part
        size -= len(template)
        lines += len(times)


def _times(first: int, count: int) -> Any:
    """Return the times of lines as rows of characters."""
    seconds = np.arange(first, first + count) // LINES_PER_SECOND
    texts = np.datetime_as_string(START + seconds.astype("m8[s]"))
    iso = texts.view(np.uint32).reshape(count, -1).astype(np.uint8)  # 2026-01-31T23:59:59
    months = (iso[:, 5:7] - ord("0")) @ np.array([10, 1], np.uint8)
    times = np.full((count, TIME_LENGTH), ord(":"), np.uint8)
    times[:, :2], times[:, 2] = iso[:, 8:10], ord("/")
    times[:, 3:6], times[:, 6] = MONTHS[months - 1], ord("/")
    times[:, 7:11], times[:, 12:] = iso[:, :4], iso[:, 11:19]
    return times


@cache
def _template() -> bytes:
    chooser = random.Random(SEED)
    return "".join(f"{_line(chooser)}\n" for _ in range(TEMPLATE_LINES)).encode("ascii")


def _line(chooser: random.Random) -> str:
    def number(digits: int) -> str:
        """Write a number without a leading zero; its other digits vary."""
        return chooser.choice("123456789") + DIGIT * (digits - 1)

    word = chooser.choice
    client = ".".join(word(("1##", "1##", number(2), DIGIT)) for _ in range(4))
    target = f"/{word(WORDS)}/{word(WORDS)}-{number(7)}{word(('', '/', '.html', '.jpg'))}"
    if chooser.random() < QUERIES:
        target += f"?id={number(8)}&q={word(WORDS)}+{word(WORDS)}"
    referer = f"https://{word(WORDS)}-{number(3)}.example/{word(WORDS)}/{number(6)}?visit={number(8)}"
    quote = r" \"beta\"" if chooser.random() < ESCAPES else ""
    agent = f"Mozilla/5.0 ({word(SYSTEMS)}; rv:1##.0) Gecko/20100101 Heron/{number(3)}.#.{number(4)}.{number(3)}{quote}"
    request, status = f"{word(METHODS)} {target} HTTP/1.1", word(STATUSES)
    if chooser.random() < TIMEOUTS:
        request, status = "-", "408"
    if chooser.random() >= REFERERS:
        referer = "-"
    sent = number(word((3, 4, 5, 5, 6)))
    return f'{client} - - [{TIME * TIME_LENGTH} +0000] "{request}" {status} {sent} "{referer}" "{agent}"'
