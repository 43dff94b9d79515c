"""A server of PostgreSQL for tests, which listens on a Unix socket only."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

__all__ = ["find_postgresql", "serve_postgresql"]

TIMEOUT = 30  # seconds to start


def find_postgresql() -> Path | None:
    """Return the directory with `postgres` and `initdb`: that of Debian's newest package, or one on PATH; or None."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    on_path = [Path(directory) for directory in os.environ["PATH"].split(os.pathsep)]
    found = (path for path in (*debian, *on_path) if (path / "postgres").exists() and (path / "initdb").exists())
    return next(found, None)


@contextmanager
def serve_postgresql(programs: Path) -> Iterator[str]:
    """Run a server with an empty database, and return the directory of its socket.

    PostgreSQL refuses to run as root: nobody runs it then. The path of a socket must be short.

    Args:
        programs: the directory with `postgres` and `initdb`.
    """
    user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
    directory = tempfile.mkdtemp(prefix="postgresql-")
    if user is not None:
        os.chown(directory, user, -1)
    data = f"{directory}/data"
    initialize = [f"{programs}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
    serve = [f"{programs}/postgres", "-D", data, "-k", directory, "-c", "listen_addresses=", "-c", "fsync=off"]
    null = subprocess.DEVNULL
    try:
        subprocess.run([*initialize, "--no-sync"], user=user, cwd=directory, stdout=null, check=True)
        with subprocess.Popen(serve, user=user, cwd=directory, stdout=null, stderr=null) as process:
            try:
                end = monotonic() + TIMEOUT
                while not os.path.exists(f"{directory}/.s.PGSQL.5432") and process.poll() is None and monotonic() < end:
                    sleep(0.05)
                yield directory
            finally:
                process.terminate()
    finally:
        shutil.rmtree(directory)
