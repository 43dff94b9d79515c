"""What the benchmarks run on: generated corpora, or the files that the command line names."""

import pytest

from benchmarks.peers import Corpus, read_log, read_urls


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--corpus", metavar="FILE", help="URLs to measure on, one a line, instead of generated ones")
    parser.addoption("--log", metavar="FILE", help="Combined Log to measure on, instead of a generated one")


@pytest.fixture(scope="session")
def urls(request: pytest.FixtureRequest) -> Corpus[list[str]]:
    return read_urls(request.config.getoption("--corpus"))


@pytest.fixture(scope="session")
def log(request: pytest.FixtureRequest) -> Corpus[list[bytes]]:
    return read_log(request.config.getoption("--log"))
