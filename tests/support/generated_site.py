"""A website for crawlers, generated from numbers, and its server: dirty links, and many references to each page.

The references to a page differ in what changes no page: a fragment, the default port, the case of the host, escapes,
dot segments, the order of parameters, and parameters that track. Pages have five encodings, some have a `<base href>`
or broken HTML, and some links lead to a page through a redirect.
"""

import posixpath
import random
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from urisect import relativize

__all__ = ["HOST", "Site", "Visits"]

HOST = "site.test"
_ENCODINGS = ("utf-8", "windows-1252", "koi8-r", "shift_jis", "gb18030")
_WORDS = ("é", "naïve", "поиск", "検索", "搜索")  # a word in each encoding
_TRACKING = ("utm_source=mail", "utm_medium=a&utm_campaign=b", "fbclid=Iw1", "gclid=x1")
_LINKS_OF_A_PAGE = 24


class Site:
    """A website.

    Attributes:
        pages: the numbers of its pages.

    >>> site = Site(9)
    >>> site.path_of(0), site.path_of(1), site.find("/x/../p/%30.html?utm_source=mail#top"), site.find("/p/9.html")
    ('/p/0.html', '/list?id=1&sort=price', 0, None)
    """

    def __init__(self, count: int) -> None:
        """Make a site of so many pages. Page 0 is the first, and leads to all others."""
        self.pages = frozenset(range(count))
        self._numbers = {_identity(self.path_of(number)): number for number in self.pages}

    def path_of(self, number: int) -> str:
        """Return the path and the query of a page, as its site would write them."""
        word = quote(_WORDS[number % 5].encode(_ENCODINGS[number % 5]), safe="")
        return (
            f"/p/{number}.html",
            f"/list?id={number}&sort=price",
            f"/~shop/{number}/",
            f"/find?id={number}&q={word}",
        )[number % 4]

    def find(self, target: str) -> int | None:
        """Return the number of the page that a request target leads to, or None."""
        return self._numbers.get(_identity(target))

    def write(self, number: int) -> tuple[str, bytes]:
        """Return the media type and the content of a page."""
        encoding = _ENCODINGS[number % 5]
        choose = random.Random(number)  # noqa: S311  the same page every time
        base = "/a/b/" if number % 6 == 1 else ""
        below = [child for child in (2 * number + 1, 2 * number + 2) if child in self.pages]
        others = [choose.randrange(len(self.pages)) for _ in range(_LINKS_OF_A_PAGE - len(below))]
        links = [self._write_link(number, other, base, choose) for other in below + others]
        text = (
            f"<!DOCTYPE html><html><head><title>{_WORDS[number % 5]}</title>"
            f"{base and f'<base href={base}>'}</head><body><h1>{number}</h1>\n"
            "<!-- <a href=/trap/comment>a</a> --><script>'<a href=/trap/script>a</a>'</script>\n"
            '<a href="mailto:a@site.test">M</a> <a href="javascript:void(0)">J</a> <a href="/a.pdf">P</a>\n'
            + "\n".join(links)
        )
        return f"text/html; charset={encoding}", text.encode(encoding)

    def _write_link(self, page: int, target: int, base: str, choose: random.Random) -> str:
        """Return an element that links from a page to another one, with a reference that is disguised in some way."""
        path, mark, query = self.path_of(target).partition("?")
        if target % 4 == 3 and page % 5 == target % 5 and choose.random() < 0.5:
            query = f"id={target}&q={_WORDS[target % 5]}"  # the parser of the page encodes it
        match choose.randrange(12):
            case 0:
                path = path.replace("~", "%7e").replace("p", "%70")
            case 1:
                query = "&".join(reversed(query.split("&")))
            case 2 | 3:
                mark, query = "?", "&".join(filter(None, (query, choose.choice(_TRACKING))))
            case 4:
                path, mark, query = f"/go/{target}", "", ""
        rest = f"{path}{mark}{query}" + choose.choice(("", "", "#top"))
        match choose.randrange(8):
            case 0:
                reference = f"http://{HOST}:80{rest}"
            case 1:
                reference = f"HTTP://Site.Test{rest}"
            case 2:
                reference = f"http://{HOST}/x/..{rest}"
            case 3:
                reference = f"  {rest}\n"
            case 4 | 5:
                own = f"http://{HOST}{base or self.path_of(page)}"
                reference = relativize(own, f"http://{HOST}{rest}")
            case _:
                reference = rest
        reference = reference.replace("&", choose.choice(("&", "&amp;")))
        return choose.choice(
            (
                f'<p><a href="{reference}">Page {target}</a></p>',
                f"<P><A HREF='{reference}' rel='x NOFOLLOW'>Page <b>{target}</A></P>",
                f'<table><tr><td><a class=x href="{reference}" id=>Page<br>{target}',
                f'</div><map><area href="{reference}"></map><li>',
            )
        )

    @contextmanager
    def serve(self) -> Generator["Visits", None, None]:
        """Serve the site to those who use the server as a proxy for HTTP, and record what is fetched."""
        with _Server(self) as server:
            thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
            thread.start()
            try:
                yield server.visits
            finally:
                server.shutdown()
                thread.join()


class Visits:
    """What was fetched from a server.

    Attributes:
        proxy: the URL of the server.
        pages: the numbers of the pages that were fetched.
        fetches: the count of all requests.
    """

    def __init__(self, proxy: str) -> None:
        self.proxy = proxy
        self.pages: set[int] = set()
        self.fetches = 0
        self._lock = Lock()

    def add(self, page: int | None) -> None:
        """Count a request, and the page that it fetched."""
        with self._lock:
            self.fetches += 1
            if page is not None:
                self.pages.add(page)


def _identity(target: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return what decides which page a server shows: a path without escapes, and parameters that do not track."""
    _, _, path, query, _ = urlsplit(target)
    parameters = parse_qsl(query, encoding="latin-1")
    known = (pair for pair in parameters if not pair[0].startswith(("utm_", "fbclid", "gclid")))
    return posixpath.normpath(unquote(path, "latin-1")), tuple(sorted(known))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site: Site) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site
        self.visits = Visits(f"http://127.0.0.1:{self.server_port}")


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer in one packet
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        site, visits = self.server.site, self.server.visits
        path = urlsplit(self.path).path
        if path.startswith("/go/"):
            visits.add(None)
            self._answer(301, "text/plain", b"", Location=site.path_of(int(path.removeprefix("/go/"))))
            return
        page = site.find(self.path)
        visits.add(page)
        if page is None:
            self._answer(404, "text/plain", b"")
        else:
            self._answer(200, *site.write(page))

    def _answer(self, status: int, media_type: str, content: bytes, **fields: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": media_type, "Content-Length": str(len(content)), **fields}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass
