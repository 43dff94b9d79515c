"""The inputs of the benchmarks: generated, or files named on the command line."""

import pytest

from benchmarks import corpora
from benchmarks.inputs import Corpus, read_log, read_references, read_urls
from urisect import normalize


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--corpus", metavar="FILE", help="measure on these URLs, one per line")
    parser.addoption("--log", metavar="FILE", help="measure on this Combined Log")


@pytest.fixture(scope="session")
def urls(request: pytest.FixtureRequest) -> Corpus[list[str]]:
    return read_urls(request.config.getoption("--corpus"))


@pytest.fixture(scope="session")
def references(request: pytest.FixtureRequest) -> Corpus[list[str]]:
    return read_references(request.config.getoption("--corpus"))


@pytest.fixture(scope="session")
def normal(urls: Corpus[list[str]]) -> Corpus[list[str]]:
    return Corpus(urls.name, [url for url in urls.content if normalize(url) == url])


@pytest.fixture(scope="session")
def variants(normal: Corpus[list[str]]) -> Corpus[list[str]]:
    return Corpus(f"{normal.name}, in other forms", list(corpora.variants(normal.content)))


@pytest.fixture(scope="session")
def log(request: pytest.FixtureRequest) -> Corpus[list[bytes]]:
    return read_log(request.config.getoption("--log"))
