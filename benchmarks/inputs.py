"""What is measured on: URLs, references and a log, from files or generated."""

from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from benchmarks.corpora import access_log, crawl, references
from urisect import split
from urisect.reference import recompose

__all__ = ["Corpus", "read_log", "read_references", "read_urls"]

Content = TypeVar("Content")


class Corpus(NamedTuple, Generic[Content]):
    """References or log lines to measure on, and their name in the tables."""

    name: str
    content: Content


def read_urls(file: str | None = None) -> Corpus[list[str]]:
    """Read URLs from a file, one per line, or generate them. Each occurs once, so that caches of peers do not help.

    Bytes that are not UTF-8 are replaced, since Arrow and Polars accept only text.
    """
    if file is None:
        return Corpus("a generated crawl", list(dict.fromkeys(crawl(20_000))))
    lines = Path(file).read_text("utf-8-sig", errors="replace").split("\n")
    return Corpus(Path(file).name, list(dict.fromkeys(filter(None, lines))))


def read_references(file: str | None = None) -> Corpus[list[str]]:
    """Read the URLs of a file, and the part of each after its authority, or generate references. Each occurs once.

    So the cache of a peer contains the base, as in a crawler, and nothing else.
    """
    if file is None:
        return Corpus("the pages of a generated site", list(dict.fromkeys(references(20_000))))
    name, urls = read_urls(file)
    inside = (recompose(split(url)._replace(scheme=None, authority=None)) for url in urls)
    return Corpus(name, list(dict.fromkeys((*urls, *inside))))


def read_log(file: str | None = None) -> Corpus[list[bytes]]:
    """Read the lines of a log in the Combined Log Format, or generate them."""
    if file is None:
        name, log = "a generated log", access_log(5_000)
    else:
        name, log = Path(file).name, Path(file).read_bytes()
    return Corpus(name, log.removesuffix(b"\n").split(b"\n"))
