"""Remote files: listed, matched, read in ranges and written, through broken connections, and errors that say why."""

import errno
import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import fs

from tests.support.command import LOG, run
from tests.support.servers import HttpServer, break_connections, serve_http, serve_s3
from urisect import logs
from urisect.cli import main
from urisect.extras import MissingExtraError
from urisect.logs.input import remote
from urisect.logs.input.files import expand_paths
from urisect.logs.input.locations import parse_location
from urisect.logs.input.storage import input_status, open_input, open_range
from urisect.logs.output import upload as uploading
from urisect.logs.output.atomic import OutputDirectory, OutputError, OutputFile, same_file
from urisect.logs.scan import pieces

LOG_ROWS = sum(1 for _ in logs.records(io.BytesIO(LOG)))
FIELDS = ["--fields", "target,status", "-q"]


@pytest.fixture(scope="module")
def s3_port() -> Iterator[int]:
    pytest.importorskip("moto.server", reason="moto, which serves S3 for tests, is not installed")
    with serve_s3() as port:
        yield port


@pytest.fixture
def s3(s3_port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[fs.FileSystem]:
    """A file system with an empty bucket named "bucket", which the environment leads to."""
    environment = {
        "AWS_ACCESS_KEY_ID": "AKIASECRETKEY",
        "AWS_SECRET_ACCESS_KEY": "secretsecret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{s3_port}",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    remote._connect.cache_clear()
    filesystem = fs.S3FileSystem(
        scheme="http",
        endpoint_override=f"127.0.0.1:{s3_port}",
        allow_bucket_creation=True,
        allow_bucket_deletion=True,
    )
    filesystem.create_dir("bucket")
    yield filesystem
    filesystem.delete_dir("bucket")
    remote._connect.cache_clear()


@pytest.fixture
def http(monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpServer]:
    pytest.importorskip("fsspec", reason="fsspec is not installed; the extra remote brings it")
    pytest.importorskip("aiohttp", reason="aiohttp is not installed; the extra remote brings it")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(remote, "RETRY_PAUSES", (0, 0, 0))
    with serve_http() as server:
        yield server


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of this machine in which the files of all buckets are."""
    monkeypatch.setattr(remote, "_connect", lambda *_: (fs.LocalFileSystem(), f"{tmp_path}/"))
    monkeypatch.setattr(remote, "RETRY_PAUSES", (0, 0, 0))
    return tmp_path


def put(filesystem: fs.FileSystem, path: str, data: bytes) -> None:
    with filesystem.open_output_stream(path, compression=None) as stream:
        stream.write(data)


def get(filesystem: fs.FileSystem, path: str) -> bytes:
    with filesystem.open_input_file(path) as file:
        data: bytes = file.read()
    return data


def url(server: HttpServer, path: str) -> str:
    return f"http://127.0.0.1:{server.server_port}{path}"


# Commands and functions, on S3


def test_commands_read_and_write_s3(s3: fs.FileSystem, tmp_path: Path) -> None:
    """The rows are those of local files, and appear under their names, with rejected lines."""
    log = tmp_path / "a.log"
    log.write_bytes(LOG + b"no log line\n")
    put(s3, "bucket/logs/a.log", log.read_bytes())
    put(s3, "bucket/logs/sub/b.log.gz", gzip.compress(log.read_bytes()))
    status, rows, _ = run("logs", *FIELDS, str(log), str(log))
    assert status == 0
    assert run("logs", *FIELDS, "s3://bucket/logs")[1] == rows
    target = "s3://bucket/rows.tsv.gz?region=us-east-1"
    assert run("logs", *FIELDS, "s3://bucket/logs/**/*.*", "-o", target, "--rejects", "s3://bucket/rej") == (0, b"", "")
    assert gzip.decompress(get(s3, "bucket/rows.tsv.gz")) == rows
    assert b"s3://bucket/logs/a.log\t2001\t" in get(s3, "bucket/rej")
    assert run("report", "-q", "s3://bucket/logs/*.log", "-o", "s3://bucket/report.html") == (0, b"", "")
    assert b"<h1>a.log</h1>" in get(s3, "bucket/report.html")
    top = logs.top("s3://bucket/logs/a.log", "status")
    assert top == logs.top(log, "status")


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_arrow_files_on_s3(s3: fs.FileSystem, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "a.log").write_bytes(LOG)
    logs.convert(tmp_path / "a.log", tmp_path / f"rows.{suffix}")
    logs.convert(tmp_path / "a.log", f"s3://bucket/rows.{suffix}")
    assert get(s3, f"bucket/rows.{suffix}") == (tmp_path / f"rows.{suffix}").read_bytes()


def test_workers_read_ranges(s3: fs.FileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "big.log").write_bytes(LOG * 8)
    put(s3, "bucket/big.log", LOG * 8)
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 1 << 20)
    monkeypatch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 1 << 20)
    batches = list(logs.batches("s3://bucket/big.log", columns=["target"], jobs=2))
    local = list(logs.batches(tmp_path / "big.log", columns=["target"]))
    assert pa.Table.from_batches(batches) == pa.Table.from_batches(local)


def test_options_lead_to_another_server(
    s3: fs.FileSystem, s3_port: int, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are kept for the files that a pattern finds."""
    put(s3, "bucket/a1", b"/a\n")
    put(s3, "bucket/a22", b"/b\n")
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    name = f"s3://bucket/a?{{}}?endpoint_override=127.0.0.1:{s3_port}&scheme=http"
    assert expand_paths([name.format("")]) == [name.replace("a?", "a1", 1).format("")]
    assert main(["logs", "--format", "list", "-q", "--fields", "path", name.format("?")]) == 0
    assert capfdbinary.readouterr() == (b"/b\n", b"")


# Lists and patterns

TREE = ("a.log", "b.gz", ".hidden", "x/a.log", "x/y/b.gz", "x/.z/c.log", ".d/a.log", "x1/[a].log", "y/a?b")
PATTERNS = st.lists(
    st.sampled_from(["*", "**", "?", "x", "[xy]", "x*", "*.log", ".*", "[!x]", "a.log", "x?", "[[]*"]), min_size=1
).map("/".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(PATTERNS)
@example("**")
@example("x/**/*")
@example("**/**/*.log")
@example(".d/*")
@example("[[]a].log")
def test_patterns_match_as_local_ones(local: Path, pattern: str) -> None:
    for name in TREE:
        (local / name).parent.mkdir(exist_ok=True, parents=True)
        (local / name).touch()
    own = [os.path.relpath(path, local) for path in expand_paths([f"{local}/{pattern}"])]
    found = [name.removeprefix("s3://b/") for name in expand_paths([f"s3://b/{pattern}"])]
    assert sorted(found) == sorted(own)


@pytest.mark.parametrize("directory", ["", "x", "x/"])
def test_directories_stand_for_their_files(local: Path, directory: str) -> None:
    for name in TREE:
        (local / name).parent.mkdir(exist_ok=True, parents=True)
        (local / name).touch()
    expected = [
        f"s3://b/{name}" for name in sorted(TREE) if name.startswith(f"{directory.rstrip('/')}/"[bool(not directory) :])
    ]
    assert expand_paths([f"s3://b/{directory}"]) == expected


def test_a_file_with_the_name_of_a_pattern_is_this_file(local: Path) -> None:
    (local / "a*").touch()
    (local / "ab").touch()
    assert expand_paths(["s3://b/a*"]) == ["s3://b/a*"]


def test_hdfs_has_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`from_uri` gives no bucket there. A file gets its name when it is complete."""
    remote._connect.cache_clear()
    monkeypatch.setattr(remote, "connect", lambda _: (fs.LocalFileSystem(), "/"))
    monkeypatch.setattr(uploading, "connect", lambda _: (fs.LocalFileSystem(), "/"))
    name = f"hdfs://name-node{tmp_path}"
    (tmp_path / "rows").write_bytes(b"old")
    with OutputFile(f"{name}/rows") as output:
        output.write(b"new")
        assert (tmp_path / "rows").read_bytes() == b"old"
    assert expand_paths([name]) == [f"{name}/rows"]
    assert (tmp_path / "rows").read_bytes() == b"new"


# Reading


def test_positions(local: Path) -> None:
    """Any sequence of reads and seeks gives the same bytes as for a local file."""
    data = os.urandom(1 << 19)
    (local / "a").write_bytes(data)
    with open_input("s3://b/a") as file:
        assert input_status(file).size == len(data)
        assert file.read(10) == data[:10]
        assert file.seek(300_000) == 300_000
        assert file.tell() == 300_000
        assert file.read() == data[300_000:]
        file.seek(-5, os.SEEK_END)
        file.seek(1, os.SEEK_CUR)
        assert file.read() == data[-4:]
        file.seek(0)
        assert file.read() == data
    with open_range("s3://b/a", 100, 1 << 18) as part:
        assert part.read(1 << 18) == data[100 : 100 + (1 << 18)]
        assert part.readable()
        assert part.seekable()


def test_a_replaced_file_is_noticed_at_its_end(local: Path) -> None:
    (local / "a").write_bytes(b"/a\n" * 100_000)
    with open_input("s3://b/a") as file:
        file.read(10)
        (local / "b").write_bytes(b"/b\n" * 100_001)
        (local / "b").replace(local / "a")
        with pytest.raises(OSError, match="the file was replaced while it was read"):
            file.read()


def test_a_replaced_file_is_noticed_by_its_pieces(s3: fs.FileSystem) -> None:
    put(s3, "bucket/a", b"/a\n" * 10)
    [piece] = pieces.cut_files(["s3://bucket/a"], logs.LIST, 100)
    put(s3, "bucket/a", b"/b\n" * 10)
    with pytest.raises(OSError, match="the file was replaced while it was read"):
        list(pieces.read_piece(piece, 100))


def test_a_shorter_file_is_noticed(local: Path) -> None:
    (local / "a").write_bytes(b"/a\n" * 100_000)
    with open_input("s3://b/a") as file:
        file.read(10)
        os.truncate(local / "a", 70_000)
        with pytest.raises(OSError, match="the file was replaced while it was read"):
            file.read()


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_s3_through_broken_connections(
    s3: fs.FileSystem, s3_port: int, compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost or doubled."""
    lines = b"".join(b"/%d\n" % number for number in range(200_000))
    put(s3, "bucket/a", compress(lines))
    with break_connections(s3_port, [0, 0, 500, 40_000, 0, 100_000]) as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        remote._connect.cache_clear()
        batches = list(logs.batches("s3://bucket/a", logs.LIST, ["path"]))
    assert b"".join(b"%b\n" % path.encode() for batch in batches for path in batch["path"].to_pylist()) == lines


def test_a_read_that_fails_is_tried_again(local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (local / "a").write_bytes(b"/a\n" * 100_000)
    failures = [OSError("curlCode: 56, Failure when receiving data"), TimeoutError(), OSError()]
    read_at = remote._ArrowSource.read_at

    def fail(self: remote._ArrowSource, position: int, length: int) -> bytes:
        if position and failures:
            raise failures.pop()
        return read_at(self, position, length)

    monkeypatch.setattr(remote._ArrowSource, "read_at", fail)
    with open_input("s3://b/a") as file:
        assert file.read() == b"/a\n" * 100_000
    failures += [OSError("curlCode: 7, no")] * 4
    with open_input("s3://b/a") as file, pytest.raises(OSError, match="cannot connect; check the host") as raised:
        file.read()
    assert raised.value.errno == errno.ECONNREFUSED
    assert raised.value.filename == "s3://b/a"


def test_a_file_that_breaks_is_reported_and_the_next_one_is_read(
    local: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (local / "a").write_bytes(gzip.compress(os.urandom(1 << 18)))
    (local / "b").write_bytes(b"/b\n")
    read_at = remote._ArrowSource.read_at

    def fail(self: remote._ArrowSource, position: int, length: int) -> bytes:
        if position:
            raise OSError("curlCode: 56, Failure when receiving data from https://k:secret@bucket/")
        return read_at(self, position, length)

    monkeypatch.setattr(remote._ArrowSource, "read_at", fail)
    command = ["logs", "--format", "list", "--fields", "path", "-q"]
    assert main([*command, "s3://b/b", "s3://b/a?sig=SECRET", "s3://b/b"]) == 2
    rows, messages = capfdbinary.readouterr()
    assert rows.startswith(b"/b\n")
    assert rows.endswith(b"/b\n")
    assert b"urisect: s3://b/a?sig=" in messages
    assert b"curlCode: 56, Failure when receiving data from https://bucket/" in messages
    assert b"secret" not in messages.lower()


# Errors


@pytest.mark.parametrize(
    ("error", "number", "text"),
    [
        (FileNotFoundError("Path does not exist 'bucket/x'"), errno.ENOENT, "no such file; check the bucket"),
        (OSError("AWS Error NO_SUCH_BUCKET during X"), errno.ENOENT, "no such bucket; check its name"),
        (OSError("AWS Error ACCESS_DENIED during X"), errno.EACCES, "access denied; .* AWS_ACCESS_KEY_ID"),
        (OSError("AWS Error INVALID_ACCESS_KEY_ID during X"), errno.EACCES, "access denied"),
        (OSError("AWS Error UNKNOWN (HTTP status 301) during X"), errno.EINVAL, r"another region; add \?region=NAME"),
        (OSError("Unable to load libjvm\ndlopen(x)"), errno.ENOSYS, "HDFS needs Java"),
        (OSError("curlCode: 6, Could not resolve"), errno.EHOSTUNREACH, "unknown host"),
        (ValueError("Cannot parse URI: 's3://k:s@b/'"), errno.EINVAL, "Cannot parse URI: 's3://b/'"),
        (NotImplementedError("built without Azure"), errno.EINVAL, "built without Azure"),
        (PermissionError("no"), errno.EACCES, "access denied"),
    ],
)
def test_errors_say_what_to_do(error: Exception, number: int, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts: list[int] = []

    def fail(*_: object) -> None:
        attempts.append(1)
        raise error

    monkeypatch.setattr(remote, "_connect", fail)
    monkeypatch.setattr(remote, "RETRY_PAUSES", (0, 0, 0))
    with pytest.raises(OSError, match=text) as raised:
        open_input("s3://k:s@bucket/a")
    assert raised.value.errno == number
    assert raised.value.filename == "s3://bucket/a"
    assert len(attempts) == (4 if number == errno.EHOSTUNREACH else 1)
    assert raised.value.__cause__ is raised.value.__context__ is None


def test_errors_of_memory_and_packages_are_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(remote, "_connect", fail)
    with pytest.raises(MemoryError):
        open_input("s3://bucket/a")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("s3://bucket/none", "no such file"),
        ("s3://bucket/none/*.gz", "no file matches this pattern"),
        ("s3://none/a", "no such file"),
        ("s3://bucket/a?foo=bar", "unknown option"),
        ("s3://bucket/none/", "there are no files in this directory"),
    ],
)
def test_missing_files_on_s3(s3: fs.FileSystem, name: str, message: str) -> None:
    assert s3
    assert expand_paths([name]) == [name]
    with pytest.raises(OSError, match=message):
        open_input(name)


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("s3://b/a", "pyarrow", "logs"), ("https://b/a", "fsspec", "remote")]
)
def test_missing_packages(name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    remote._connect.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow.fs" if package == "pyarrow" else package, None)
    with pytest.raises(MissingExtraError, match=rf"{package}.*pip install 'urisect\[{extra}\]'"):
        open_input(expand_paths([name])[0])


# Writing


def test_errors_and_interrupts_leave_nothing(s3: fs.FileSystem) -> None:
    put(s3, "bucket/old", b"old")
    for name in ("bucket/old", "bucket/new"):
        with suppress(KeyboardInterrupt), OutputFile(f"s3://{name}") as output:
            output.write(b"rows")
            raise KeyboardInterrupt
        with OutputFile(f"s3://{name}") as output:
            output.write(b"rows")
            output.discard()
    assert get(s3, "bucket/old") == b"old"
    assert s3.get_file_info("bucket/new").type == fs.FileType.NotFound


def test_an_interrupted_upload_leaves_nothing(s3: fs.FileSystem, tmp_path: Path) -> None:
    class InterruptedFile:
        """Fails after the first parts."""

        parts = 5

        def seek(self, _: int) -> None:
            pass

        def read(self, _: int) -> bytes:
            self.parts -= 1
            if not self.parts:
                raise KeyboardInterrupt
            return bytes(6 << 20)

    file: Any = InterruptedFile()
    with pytest.raises(KeyboardInterrupt):
        uploading.upload(file, "s3://bucket/new")
    assert s3.get_file_info("bucket/new").type == fs.FileType.NotFound
    (tmp_path / "small").write_bytes(b"rows")
    with (tmp_path / "small").open("rb") as small:
        small.read()
        uploading.upload(small, "s3://bucket/new")
    assert get(s3, "bucket/new") == b"rows"


def test_an_upload_through_broken_connections(s3: fs.FileSystem, s3_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with break_connections(s3_port, [0, 100, 0, 10]) as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        remote._connect.cache_clear()
        with OutputFile("s3://bucket/rows") as output:
            output.write(b"/a\n" * 3_000_000)
        remote._connect.cache_clear()
    assert get(s3, "bucket/rows") == b"/a\n" * 3_000_000


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("s3://none/rows.tsv", "no such bucket; check its name"),
        ("s3://bucket", "this is a directory"),
        ("s3://bucket/rows/", "this is a directory"),
        ("https://u:secret@example.com/rows.tsv", "HTTP is only for reading"),
    ],
)
def test_places_that_cannot_be_written(s3: fs.FileSystem, name: str, message: str) -> None:
    """A conversion fails before it has read anything."""
    assert s3
    with pytest.raises(OutputError, match=message) as raised:
        OutputFile(name)
    assert "secret" not in str(raised.value)


def test_a_part_of_an_upload_is_not_published_on_azure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flush would publish it; the option of pyarrow makes that needless."""
    queries: list[str] = []

    def connect(*parts: str) -> tuple[fs.FileSystem, str]:
        queries.append(parts[2])
        return fs.LocalFileSystem(), f"{tmp_path}/"

    monkeypatch.setattr(remote, "_connect", connect)
    monkeypatch.setattr(uploading, "PART_BYTES", 1)
    with OutputFile("abfss://logs@account.dfs.core.windows.net/rows?enable_tls=true") as output:
        output.write(b"123456789")
    assert (tmp_path / "rows").read_bytes() == b"123456789"
    assert queries[-1] == "enable_tls=true&background_writes=false"
    assert fs.FileSystem.from_uri(f"abfss://logs@account.dfs.core.windows.net/?{queries[-1]}")


def test_who_may_write_need_not_be_allowed_to_list(monkeypatch: pytest.MonkeyPatch) -> None:
    class Filesystem:
        def get_file_info(self, _: object) -> object:
            raise OSError("AWS Error ACCESS_DENIED")

    monkeypatch.setattr(remote, "_connect", lambda *_: (Filesystem(), "bucket/"))
    uploading.check_target("s3://bucket/rows")


def test_a_directory_per_day_is_local() -> None:
    with pytest.raises(OutputError, match="files per day need a local directory"):
        OutputDirectory("s3://bucket/days")


def test_the_output_is_no_input() -> None:
    assert same_file("s3://bucket/a", ["s3://bucket/a"])
    assert not same_file("s3://bucket/a", ["a", "-"])


# HTTP


@pytest.mark.parametrize("has_sizes", [True, False])
@pytest.mark.parametrize("has_ranges", [True, False])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_http_through_broken_connections(
    http: HttpServer, compress: Callable[[bytes], bytes], *, has_ranges: bool, has_sizes: bool
) -> None:
    """Reading goes on at the byte where it broke, whether the server sends ranges or not."""
    lines = b"".join(b"/%d\n" % number for number in range(100_000))
    http.files["/a b.log"] = compress(lines)
    http.files["/a%20b.log"] = compress(lines)
    http.has_ranges, http.has_sizes = has_ranges, has_sizes
    # A server that does not tell sizes cannot be noticed to break.
    with break_connections(http.server_port, [0, 0, 60_000, 0, 70_000, 100] if has_sizes else [0]) as port:
        names = [f"http://127.0.0.1:{port}/a b.log?token=secret"]
        assert expand_paths(names) == names
        batches = list(logs.batches(names, logs.LIST, ["path"]))
    assert b"".join(b"%b\n" % path.encode() for batch in batches for path in batch["path"].to_pylist()) == lines


def test_http_sends_ranges_to_all(http: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    http.files["/a"] = LOG
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 1 << 17)
    assert [piece.size for piece in pieces.cut_files([url(http, "/a")], logs.COMBINED, 1000)][1:]
    assert all(wanted for method, _, wanted in http.requests if method == "GET")
    assert sum(batch.num_rows for batch in logs.batches(url(http, "/a"))) == LOG_ROWS


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/401", "access denied; check the credentials: ~/.netrc"),
        ("/403", "access denied"),
        ("/404", "no such file"),
        ("/410", "no such file"),
        ("/418", "the server answers with status 418"),
        ("/500", "the server answers with status 500"),
        ("/404*", "patterns do not work over HTTP"),
        ("/logs/", "a directory cannot be listed over HTTP"),
    ],
)
def test_errors_of_http(http: HttpServer, path: str, message: str) -> None:
    for status in (401, 403, 410, 418, 500):
        http.files[f"/{status}"] = status
    with pytest.raises(OSError, match=message) as raised:
        open_input(f"{url(http, path)}?sig=secret".replace("//", "//user:secret@", 1))
    assert "secret" not in str(raised.value)


def test_an_empty_file_over_http(http: HttpServer) -> None:
    http.files["/a"] = b""
    with open_input(url(http, "/a")) as file:
        assert file.read() == b""


def test_a_replaced_file_over_http_is_noticed(http: HttpServer) -> None:
    http.files["/a"] = b"/a\n" * 100_000
    with open_input(url(http, "/a")) as file:
        file.read(10)
        http.files["/a"] = b"/b\n" * 100_000
        with pytest.raises(OSError, match="the file was replaced while it was read"):
            file.read()


@pytest.mark.parametrize("has_ranges", [True, False])
def test_http_goes_on_where_it_broke(http: HttpServer, *, has_ranges: bool) -> None:
    http.has_ranges = has_ranges
    http.files["/a"] = os.urandom(1_000_000)
    breaks: list[int] = []
    with break_connections(http.server_port, breaks) as port, open_input(f"http://127.0.0.1:{port}/a") as file:
        breaks += [100_000, 0, 300_000, 400_000]
        assert file.read() == http.files["/a"]
        assert not breaks
        file.seek(500_000)
        assert file.read() == http.files["/a"][500_000:]


def test_a_shorter_file_without_ranges_is_noticed(http: HttpServer) -> None:
    http.has_ranges = False
    http.files["/a"] = b"/a\n" * 100_000
    with open_input(url(http, "/a")) as file:
        http.files["/a"] = b"/b\n"
        file.seek(200_000)
        with pytest.raises(OSError, match="the file was replaced while it was read"):
            file.read()


# Local files


def test_local_files_need_no_package(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG)
    program = (
        "import sys\nfrom urisect.cli import main\nmain(sys.argv[1:])\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('pyarrow', 'fsspec', 'aiohttp')"
        " or name == 'urisect.logs.input.remote'])"
    )
    command = [sys.executable, "-c", program, "logs", "-q", str(tmp_path), "-o", os.devnull]
    assert subprocess.check_output(command) == b"[]\n"


def test_commands_on_references_take_the_name_of_a_remote_file_as_a_reference(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["get", "{host}", "s3://bucket/a"]) == 0
    assert capfd.readouterr() == ("bucket\n", "")


def test_a_location_without_a_bucket() -> None:
    assert parse_location("hdfs:///a").uri == "hdfs:///a"
