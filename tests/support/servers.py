"""Servers on this machine: S3, HTTP with ranges, and a proxy that breaks connections."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep
from typing import ClassVar

__all__ = ["HttpServer", "break_connections", "serve_http", "serve_s3"]


@contextmanager
def serve_s3() -> Iterator[int]:
    """Run moto's S3 in a process of its own, and return its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)]
    # Coverage does not measure it.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS_")}
    null = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdout=null, stderr=null) as process:
        try:
            while process.poll() is None and not _is_listening(port):
                sleep(0.05)
            yield port
        finally:
            process.terminate()


def _is_listening(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def break_connections(port: int, breaks: list[int]) -> Iterator[int]:
    """Run a proxy to a port of this machine, and return its port.

    Args:
        port: where connections go.
        breaks: after how many bytes of an answer each connection is broken, the next one first; 0 refuses it. When the
            list is empty, connections live.
    """

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            Thread(target=connect, args=(client, breaks.pop(0) if breaks else None), daemon=True).start()

    def connect(client: socket.socket, limit: int | None) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            upload = Thread(target=pump, args=(client, server, None), daemon=True)
            upload.start()
            pump(server, client, limit)
            upload.join()

    def pump(source: socket.socket, target: socket.socket, limit: int | None) -> None:
        with suppress(OSError):
            while (limit is None or limit > 0) and (data := source.recv(min(limit or 1 << 16, 1 << 16))):
                target.sendall(data)
                limit = None if limit is None else limit - len(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        thread.join()


class HttpServer(ThreadingHTTPServer):
    """A server of files, with or without ranges.

    Attributes:
        files: the content of each file, by path. A number is the status of an answer without content.
        has_ranges: whether parts of files can be requested.
        has_sizes: whether answers tell the sizes of files.
        requests: method, path and range of each request.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _FileHandler)
        self.files: dict[str, bytes | int] = {}
        self.has_ranges = True
        self.has_sizes = True
        self.requests: list[tuple[str, str, str | None]] = []


class _FileHandler(BaseHTTPRequestHandler):
    server: HttpServer
    protocol_version = "HTTP/1.0"
    RANGE: ClassVar = re.compile(r"bytes=(\d+)-(\d+)")

    def do_GET(self) -> None:
        content = self.server.files.get(self.path.partition("?")[0], 404)
        self.server.requests.append((self.command, self.path, self.headers["Range"]))
        if isinstance(content, int):
            self.send_response(content)
            self.end_headers()
            return
        found = self.RANGE.fullmatch(self.headers["Range"] or "")
        if found and self.server.has_ranges:
            begin, end = int(found[1]), min(int(found[2]) + 1, len(content))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(content)}")
        else:
            begin, end = 0, len(content)
            self.send_response(200)
        if self.server.has_sizes:
            self.send_header("Content-Length", str(end - begin))
        self.send_header("ETag", f'"{hash(content)}"')
        self.end_headers()
        if self.command == "GET":
            with suppress(OSError):
                self.wfile.write(content[begin:end])

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve_http() -> Iterator[HttpServer]:
    """Run a server of files."""
    with HttpServer() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
