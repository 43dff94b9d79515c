"""Output files and directories: complete under their name, or not there at all."""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from urisect.logs import MissingExtraError
from urisect.logs.output.atomic import OutputDirectory, OutputError, OutputFile, descriptor_of, same_file


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, which is empty."""
    path = tmp_path / "place"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_loop_of_links_is_not_a_descriptor(place: Path) -> None:
    (place / "one").symlink_to("two")
    (place / "two").symlink_to("one")
    assert descriptor_of("one") is None


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o6755, 0o1644])
def test_a_file_keeps_its_mode_without_setuid_and_the_like(mode: int) -> None:
    Path("rows").touch()
    Path("rows").chmod(mode)
    with OutputFile("rows") as output:
        output.write(b"new")
    assert stat.S_IMODE(Path("rows").stat().st_mode) == mode & 0o777
    assert Path("rows").read_bytes() == b"new"


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("mode", [0o700, 0o755, 0o2770, 0o1777, 0o555, None])
def test_a_directory_keeps_its_mode(mode: int | None) -> None:
    Path("other").mkdir()
    if mode is not None:
        Path("days").mkdir()
        Path("days").chmod(mode)
    with OutputDirectory("days") as output:
        Path(output.path, "day").touch()
    expected = stat.S_IMODE(Path("other").stat().st_mode) if mode is None else mode
    assert stat.S_IMODE(Path("days").stat().st_mode) == expected
    assert sorted(os.listdir()) == ["days", "other"]


def test_a_compressed_file_is_complete_or_not_there(place: Path) -> None:
    Path("rows.gz").write_bytes(b"old")
    with suppress(RuntimeError), OutputFile("rows.gz") as output:
        output.write(b"new")
        raise RuntimeError
    assert Path("rows.gz").read_bytes() == b"old"
    assert names(place) == ["rows.gz"]


def test_zstandard_needs_an_extra_to_be_written(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(MissingExtraError, match="Zstandard needs"):
        OutputFile("rows.zst")
    assert names(place) == []


@pytest.mark.parametrize("name", ["rows.tsv.gz", "rows.tsv.zst"])
def test_a_compressor_is_closed_if_the_file_stays_incomplete(name: str, tmp_path: Path) -> None:
    with suppress(RuntimeError), OutputFile(str(tmp_path / name)) as output:
        output.write(b"/a\n")
        raise RuntimeError
    assert output._stream.closed
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_closed_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="rows: Bad file descriptor"), OutputFile(str(tmp_path / "rows")) as output:
        os.close(output._file.fileno())


def test_discarded_output_leaves_the_old_file(place: Path) -> None:
    Path("rows").write_bytes(b"old")
    with OutputFile("rows") as output:
        output.write(b"new")
        output.discard()
    assert Path("rows").read_bytes() == b"old"
    with OutputDirectory("days") as days:
        days.discard()
    assert names(place) == ["rows"]


def test_an_exception_leaves_no_directory(place: Path) -> None:
    with suppress(RuntimeError), OutputDirectory("days"):
        raise RuntimeError
    assert names(place) == []


def test_an_open_descriptor_is_written_in_place(place: Path) -> None:
    descriptor = os.open("rows", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with OutputFile("a name", descriptor=descriptor) as output:
        output.write(b"new")
        assert Path("rows").read_bytes() == b"new"
        assert (output.name, output.is_atomic, output.isatty()) == ("a name", False, False)
    os.close(descriptor)
    assert names(place) == ["rows"]


def test_links_lead_to_the_same_file(place: Path) -> None:
    Path("log").touch()
    Path("link").symlink_to("log")
    Path("hard").hardlink_to("log")
    assert all(same_file(path, ["-", "missing", "log"]) for path in ("log", "link", "hard", str(place / "log")))
    assert not same_file("missing", ["missing", "log"])
