r"""Generate URLs of a crawl, references in pages, an access log and hostile lines, from a seed.

The same seed gives the same bytes on every version of Python and every platform: floating-point numbers are added,
multiplied and divided, but the platform's mathematical library is not used. All hosts and addresses are reserved for
documentation (RFC 2606, 5737, 3849).

    python -m benchmarks.corpora crawl 100000 > urls.txt
    python -m benchmarks.corpora references 100000 > references.txt
    python -m benchmarks.corpora log 100000 > access.log
    python -m benchmarks.corpora sample        # writes the log that `urisect demo` reads
"""

import argparse
import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from gzip import GzipFile
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

__all__ = ["PAGE", "WORDS", "access_log", "crawl", "hostile", "main", "references", "variants"]

SEED = 1996  # the year of the first specification
SITE = "https://www.example.com"  # the site of the pages and of the log
PAGE = f"{SITE}/docs/garden/pattern.html?page=2"  # a page of the site
SAMPLE = Path(__file__).parent.parent / "src" / "urisect" / "cli" / "sample.log.gz"
SAMPLE_LINES = 4000

WORDS = """
    acorn almanac amber anchor archive atlas autumn bakery barley beacon birch bridge button canal candle cedar chapter
    chronicle cinder clover compass copper cotton cradle crystal delta drift echo ember engine fable fern flint forest
    garden ginger granite gravel guide harbor hazel heron history index island ivory journal juniper kettle lantern
    letter linen maple market meadow mill mosaic museum nectar news north oak orchard otter pepper photo pine planet
    pocket quarry raven recipe ribbon river saddle salt school silver spring stone summer table thistle timber travel
    tulip valley velvet village walnut water weather willow window winter workshop
""".split()  # noqa: SIM905  a list would take three screens


def popular(phrases: Iterable[str]) -> dict[str, float]:
    """Weight phrases by Zipf's law: the second is half as frequent as the first, the third a third.

    >>> popular(["a", "b"])
    {'a': 1.0, 'b': 0.5}
    """
    return {phrase: 1 / rank for rank, phrase in enumerate(dict.fromkeys(phrases), 1)}


# A grammar: the alternatives of each rule, with weights if they are not equal. "{name}" in an alternative is a rule.
# fmt: off
GRAMMAR: dict[str, Mapping[str, float] | Sequence[str]] = {
    "word": WORDS,
    "digit": "0123456789",
    "number": {"{digit}": 2, "{digit}{number}": 3},
    "octet": [str(number) for number in range(1, 255)],
    "group": [f"{number:x}" for number in range(1, 1 << 16, 251)],
    "month": [f"{month:02}" for month in range(1, 13)],
    "year": [str(year) for year in range(1998, 2025)],
    "hex": [f"{number:02x}" for number in range(256)],
    "hash": ["{hex}{hex}{hex}{hex}{hex}{hex}{hex}{hex}"],
    "blob": {"{hash}": 1, "{hash}{blob}": 9},
    "slug": ["{word}-{word}", "{word}-{slug}"],
    "language": popular(("en", "de", "fr", "es", "ja", "pt-BR", "zh-Hans")),
    "foreign": ("caf%C3%A9", "%D0%BA%D0%BD%D0%B8%D0%B3%D0%B0", "%E6%9C%AC", "stra%C3%9Fe", "ni%C3%B1o"),
    # Hosts, and URLs of a crawl.
    "name": {
        "www.{word}.example": 30, "{word}.example": 14, "www.{word}-{word}.example": 12, "{word}{word}.test": 10,
        "{word}.{word}.test": 7, "{word}.example.com": 6, "{word}.example.org": 5, "www.{word}.example.net": 4,
        "static{digit}.cdn.{word}.example": 4, "{word}.{word}.{word}.example": 2, "{idn}.example": 2,
    },
    "idn": ("xn--bcher-kva", "xn--e1afmkfd", "www.xn--caf-dma", "xn--r8jz45g", "xn--strae-oqa"),
    "address": {
        "192.0.2.{octet}": 5, "203.0.113.{octet}:{port}": 2, "[2001:db8::{group}]": 2, "[2001:db8::1]:{port}": 1,
        "[::ffff:192.0.2.{octet}]": 0.3,
    },
    "port": popular(("8080", "80", "443", "8443", "3000", "8000", "81")),
    "path": {"/": 6, "/{file}": 30, "/{segment}/": 10, "/{segment}{path}": 54},
    "segment": {
        "{word}": 50, "{slug}": 15, "{number}": 8, "{year}/{month}": 8, "{language}": 4, "~{word}": 1, "{foreign}": 2,
        "{word}%20{word}": 1.5, "{word}_{word}": 4, "@{word}": 0.5, "{word},{word}": 0.5, "%7E{word}": 0.2,
    },
    "file": {
        "{slug}": 20, "{slug}.html": 18, "{word}.html": 14, "{word}.php": 7, "{slug}-{number}": 6, "{number}": 5,
        "{hash}.jpg": 4, "{word}.aspx": 3, "{slug}.pdf": 3, "{word}%20{word}.pdf": 1, "{word}({digit}).png": 0.5,
    },
    "query": {"{parameter}": 45, "{parameter}&{query}": 46, "{parameter};{query}": 1, "{parameter}&amp;{query}": 1,
              "state={blob}": 4},
    "parameter": {
        "id={number}": 20, "page={digit}": 12, "q={word}+{word}": 10, "lang={language}": 8, "{word}={word}": 20,
        "sid={hash}{hash}": 5, "utm_source={word}&utm_medium=feed&utm_campaign={slug}": 6, "{word}": 3, "{word}=": 3,
        "url=https%3A%2F%2F{host}%2F{word}": 4, "next=/{word}/?page={digit}": 2, "q={foreign}+{word}": 3,
        "filter[{word}]={number}": 2, "date={year}-{month}-01T00:00:00Z": 2,
    },
    "fragment": {"{word}": 40, "{slug}": 25, "section-{number}": 20, "!/{word}/{number}": 8, ":~:text={word}%20on": 3,
                 "/{word}?{parameter}": 2, "": 2},
    "url": {
        "https://{host}{path}": 46, "http://{host}{path}": 19, "https://{host}{path}?{query}": 17,
        "http://{host}{path}?{query}": 6, "https://{host}{path}#{fragment}": 2.6, "http://{host}:{port}{path}": 1.2,
        "https://{host}{path}?{query}#{fragment}": 1, "http://{address}{path}": 1, "https://{host}": 1,
        "https://{word}@{host}{path}": 0.1, "http://{word}:{hash}@{host}/": 0.1, "{other}": 2, "{odd}": 2, "{dirty}": 3,
    },
    "other": {
        "mailto:{word}@{host}": 6, "ftp://ftp.{host}/pub{path}": 5, "ftp://{word}:{word}@{host}/{word}.tar.gz": 1,
        "mailto:{word}.{word}@{host}?subject={word}%20{word}": 2, "urn:example:{word}:{slug}": 3,
        "urn:example:{word}?={parameter}": 1, "news:{hash}@{host}": 1, "tel:+1-555-01{digit}{digit}": 2,
        "javascript:void(0)": 2, "geo:48.2,16.{number}": 0.5, "ldap://[2001:db8::7]/c=GB?objectClass?one": 0.5,
        "sip:{word}@{host};transport=tcp": 0.5,
    },
    "odd": (
        "https://{host}/{word}/../{word}/./{file}", "http://{host}/../../{file}", "https://{host}//{word}//{file}",
        "HTTP://WWW.EXAMPLE.COM{path}", "https://{host}?{query}", "https://{host}:{path}", "https://{host}.{path}",
        "https://{host}/{word};jsessionid={hash}?{query}", "https://{host}/{word}?", "https://{host}/{word}#",
        "https://archive.example/{year}{month}01000000/http://{host}{path}", "https://{host}/{word}/%2e%2e/{word}",
    ),
    "dirty": (
        "https://{host}/{word} {word}.html", "http://{host}/{word}?q={word} {word}", "https://{host}/100%{path}",
        'https://{host}/?q="{word} {word}"', "https://{host}/café/{word}", "https://bücher.example{path}",
        "https://{host}/?q=книга", "http://{host}/{word}|{word}", "http://{host}\\{word}\\{word}.asp",
        "https://{host}/<{word}>", "https://{host}/{path}%zz", " https://{host}{path}", "http:///{host}{path}",
        "https://{host}{path}`", "http://http://{host}{path}", "https://{host}/{}/{word}", "https://{host}/本?%",
        "http://{host}:port{path}", "https://{host}/{word}#{word}#{word}", "https://{word}_{word}.example/^{word}",
    ),
    # References in pages: to the site, to the page itself, to other sites.
    "reference": {
        "{absolute}": 42, "{relative}": 9, "{up}": 5, "{same_site}": 16, "{url}": 16, "?{query}": 4, "#{fragment}": 5,
        "//{host}{path}": 1.5, "{mail}": 1.2, "": 0.3,
    },
    "absolute": {"{path}": 75, "{path}?{query}": 18, "{path}#{fragment}": 5, "/{word}/../{file}": 1},
    "relative": {"{file}": 50, "{segment}/{file}": 25, "{file}?{query}": 20, "{segment}/": 5},
    "up": {"..{path}": 60, "../..{path}": 20, ".{path}": 15, "..": 2, "./": 2, "./?{query}": 1},
    "same_site": {f"{SITE}{{path}}": 80, f"{SITE}{{path}}?{{query}}": 20},
    "mail": {"mailto:{word}@{host}": 80, "tel:+1-555-01{digit}{digit}": 10, "javascript:void(0)": 10},
    # Clients of a server.
    "client": {
        "198.51.100.{octet}": 32, "203.0.113.{octet}": 28, "192.0.2.{octet}": 22, "2001:db8:{group}::{group}": 9,
        "2001:db8:{group}:{group}::{octet}": 6, "{word}-{octet}.pool.example.net": 2, "{word}.{word}.example": 1,
    },
    "system": {"Windows NT 10.0; Win64; x64": 40, "X11; Linux x86_64": 18, "X11; OpenBSD amd64": 2,
               "Linux; arm64; Phone {digit}": 30, "Tablet; ARM 12_{digit}": 10},
    "browser": {
        "Mozilla/5.0 ({system}; rv:109.0) Gecko/20100101 Firefox/12{digit}.0": 40,
        "Mozilla/5.0 ({system}) Lantern/9{digit}.0.{octet}.{octet} (HTML, like Gecko) Mobile Quill/537.36": 38,
        r'Mozilla/5.0 ({system}; {language}) Gecko/20100101 Otter/7.{digit} (\"{word}\" edition)': 1,
        "Mozilla/4.0 (compatible; Ivory 6.{digit}; {system})": 3, "Thistle/2.{digit} ({system})": 4, "-": 1,
    },
    "tool": {"-": 30, "Mozilla/5.0": 20, "fetchit/1.{digit}.{digit}": 25, "Marten/2.0": 10, "": 3, r"\x22\x22": 2},
    "protocol": {"HTTP/1.1": 80, "HTTP/2.0": 15, "HTTP/1.0": 5},
    "referer": {
        "-": 40, "https://search.example/": 16, "https://search.example/search?q={word}+{word}&hl={language}": 10,
        "https://www.find.test/?query={word}%20{word}&page={digit}": 8, "https://find.test/s?q={foreign}": 2,
        "https://{host}{path}": 10, "https://{host}{path}?{query}": 4, "http://{host}/": 3, "{word}.example": 0.3,
        "android-app://com.example.{word}/": 2, "https://{host}/#!/{word}": 0.5, "": 0.5, "about:blank": 0.2,
        "https://{host}/{word} {word}.html": 0.4, r'http://find.test/?q=\"{word} {word}\"': 0.4,
        r"http://find.test/?q=\x22{word}\x22": 0.3,
    },
    "user": ("alice", "bob", "carol", "dave", "j.doe", "erin@example.com", "backup"),
    # Requests and status codes.
    "image": {"/images/{word}.jpg": 50, "/images/{word}-{digit}.webp": 40, "/images/{word}/{word}@2x.png": 5},
    "leaf": {"/blog/{year}/{month}/{slug}/": 40, "/docs/{word}/{word}.html": 25, "/shop/{word}/{slug}-{number}": 20,
             "/files/{slug}.pdf": 4, "/wiki/{foreign}": 4, "/tags/{word}%20{word}/": 4, "/{slug}": 6},
    "visited": {"{page}": 88, "/search?{query}": 6, "{page}?{query}": 5, "/shop/?{query}": 2},
    "page_status": {"200": 90, "304": 2, "301": 3, "302": 1.6, "404": 2.4, "500": 0.5, "499": 0.5, "403": 0.3},
    "first_status": {"200": 97, "404": 1.5, "206": 1, "499": 0.5},
    "again_status": {"304": 80, "200": 20},
    "robot_status": {"200": 82, "304": 8, "301": 6, "404": 4, "500": 0.4, "503": 0.8},
    "scan_status": {"404": 80, "403": 12, "301": 8, "400": 2},
    # A request and its status in the log, with the quote between them.
    "take": {'GET /robots.txt HTTP/1.1" {robot_status}': 1, 'GET {page} HTTP/1.1" {robot_status}': 4},
    "scan": ['GET {probe} HTTP/1.1" {scan_status}'],
    "call": {
        'GET /api/v1/{word}/{number} HTTP/1.1" 200': 45, 'GET /api/v1/{word}?{query} HTTP/1.1" 200': 25,
        'POST /api/v1/{word} HTTP/1.1" 201': 15, 'PUT /api/v1/{word}/{number} HTTP/1.1" 204': 6,
        'PATCH /api/v1/{word}/{number} HTTP/1.1" 500': 1, 'DELETE /api/v1/{word}/{number} HTTP/1.1" 405': 3,
        'POST /login HTTP/1.1" 302': 6, 'GET /api/v1/{word} HTTP/1.1" 401': 3, 'HEAD /api/v1/{word} HTTP/1.1" 200': 5,
    },
    "probe": (
        "/wp-login.php", "/.env", "/.git/config", "//wp-admin/setup-config.php", "/admin/", "/xmlrpc.php", "/dump.sql",
        "/cgi-bin/.%2e/.%2e/.%2e/bin/sh", "/index.php?s=/Index/{word}&x=../../../etc/passwd", "/old/{word}.bak",
        "/?id={number}%27%20OR%201=1--", "/%2e%2e/%2e%2e/etc/passwd", "/.well-known/security.txt",
    ),
    "bytes": {r"\x{hex}": 1, r"\x{hex}{bytes}": 25, "{digit}{bytes}": 4},
    "rarity": (
        '-" 408', '-" 408', '-" 408', '" 400',
        'GET http://{host}{path} HTTP/1.1" 404', 'GET https://{host}:443/?{query} HTTP/1.1" 403', 'GET /{word}" 200',
        'CONNECT {host}:443 HTTP/1.1" 405', 'OPTIONS * HTTP/1.0" 200', 'PRI * HTTP/2.0" 400', '{word} / HTTP/1.1" 405',
        r'GET /search?q=\"{word}+{word}\" HTTP/1.1" 200', r'GET /search?q=\x22{word}\x22 HTTP/1.1" 200',
        r'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03{bytes}" 400', r'\x03\x00\x00/*\xe0\x00\x00\x00" 400',
        'GET //{word}//{slug}/ HTTP/1.1" 301', 'GET /{word}/../{word}/./{file} HTTP/1.1" 200', 'GET /" 200',
        'GET /{word}/%2e%2e/%2e%2e/{file} HTTP/1.1" 400', 'GET /files/{word} {word}.pdf HTTP/1.1" 404',
        'GET /search?q={word}&state={blob} HTTP/1.1" 200', 'GET /wiki/{foreign}?q={foreign} HTTP/1.1" 200',
        'GET ?{query} HTTP/1.1" 400', r'GET /{word}\\{word}.asp HTTP/1.1" 404', 'get / http/1.1" 400', 'quit" 400',
    ),
    # Lines of a log that are not entries.
    "junk": (
        "", "    at org.example.{word}.Handler.run(Handler.java:{number})", "Traceback (most recent call last):",
        "==> access.log.{digit} <==", "\0" * 96, "# log rotated, {number} lines",
    ),
}

# The bytes of responses with a fixed body; "-" without a body.
SIZES = {
    "204": "-", "301": "234", "302": "219", "304": "-", "400": "226", "401": "381", "403": "199", "404": "1245",
    "405": "228", "408": "-", "499": "0", "500": "532", "503": "299",
}
# fmt: on

HOSTS = 4000  # in the crawl
PAGES = 250  # of the site
LAYOUT = ("/assets/site.css?v=3", "/assets/site.js?v=3", "/assets/fonts/text.woff2", "/assets/logo.svg", "/favicon.ico")

# Shares, from 0 to 1.
VISITORS = 0.55  # of the sessions, the others are programs
REQUESTED = 0.6  # of the files that all pages share, the others are cached
RETURNING = 0.12  # of the visitors: most files have not changed since their last visit
JUNK = 0.003  # of the lines are not entries
CUT_OFF = 0.3  # of these lines are cut off, the others come from another source


class Program(NamedTuple):
    """A program among the clients.

    Attributes:
        weight: its frequency among the programs.
        client: its address.
        agent: its user agent.
        exchange: its requests.
        times: the highest number of requests in a session.
        pause: the seconds between two of them, at most.
        user: its user name.
    """

    weight: int
    client: str
    agent: str
    exchange: str
    times: int
    pause: int
    user: str = "-"


PROGRAMS = (
    Program(
        4, "198.51.100.7", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "{take}", 9, 40
    ),
    Program(
        4,
        "2001:db8:66::249",
        "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "{take}",
        7,
        20,
    ),
    Program(3, "203.0.113.80", "CCBot/2.0 (https://commoncrawl.org/faq/)", "{take}", 15, 8),
    Program(4, "192.0.2.44", "TidyReader/1.11 (reader.example)", 'GET /feed.atom HTTP/1.1" {again_status}', 1, 1),
    Program(4, "feeds.example.net", "FeedFetcher/2.8; 41 subscribers", 'GET /blog/?feed=rss HTTP/1.1" 200', 1, 1),
    Program(4, "203.0.113.5", "UptimeProbe/1.0", 'GET / HTTP/1.0" 200', 1, 1),
    Program(3, "{client}", "{tool}", "{scan}", 12, 2),
    Program(4, "{client}", "{tool}", "{call}", 9, 10, "{user}"),
    Program(12, "{client}", "{tool}", "{rarity}", 1, 1),
)

# The log begins at midnight of this day of March. HOURS are the weights of the hours of a day.
FIRST_DAY = 16
DAYS = 2
HOURS = (3, 2, 2, 1, 1, 2, 4, 7, 10, 12, 13, 13, 12, 13, 14, 13, 12, 12, 11, 12, 13, 12, 9, 5)

# Equivalent forms of web addresses, with weights: scheme or host in upper case, unnecessary escapes or escapes in lower
# case, the default port, dot segments.
VARIANTS = {
    "{scheme}://{HOST}{path}{rest}": 30, "{SCHEME}://{HOST}{path}{rest}": 5, "{scheme}://{host}{escaped}{rest}": 35,
    "{scheme}://{host}:{port}{path}{rest}": 15, "{scheme}://{host}/.{path}{rest}": 5,
    "{scheme}://{host}/index/..{path}{rest}": 10,
}  # fmt: skip
WEB_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9.\-]++)(?P<path>/[^?#]*+)(?P<rest>.*)", re.ASCII | re.DOTALL
)

# The beginnings of hostile lines, and what each is filled with.
HOSTILE = {
    "": (*"a:/?#%@[", ":/", "//a", "?#", "%4", "%41", "a:", "@:", "[:", "a@", "[]", "../", "a/../"),
    "http://": (*"a:/?#%@[", "a.", "a-", "1.", "a:", "%41"),
}


class Chance(random.Random):
    """A random generator that also expands phrases by the grammar.

    >>> Chance(1).expand("/{word}?page={digit}")
    '/cradle?page=5'
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._rules: dict[str, tuple[list[str], list[float]]] = {}
        for name, phrases in GRAMMAR.items():
            self._define(name, phrases)
        self._define("host", popular(self.expand("{name}") for _ in range(HOSTS)))
        self._define(
            "page", popular(("/", "/blog/", "/docs/", "/shop/", *(self.expand("{leaf}") for _ in range(PAGES))))
        )

    def _define(self, name: str, phrases: Mapping[str, float] | Sequence[str]) -> None:
        weights = phrases.values() if isinstance(phrases, Mapping) else [1] * len(phrases)
        self._rules[f"{{{name}}}"] = list(phrases), list(accumulate(weights))

    def expand(self, phrase: str) -> str:
        """Expand the rules in a phrase, and those in their replacements."""
        done: list[str] = []
        todo = list(_pieces(phrase))
        while todo:
            piece = todo.pop()
            if piece in self._rules:
                phrases, weights = self._rules[piece]
                todo += _pieces(self.choices(phrases, cum_weights=weights)[0])
            else:
                done.append(piece)
        return "".join(done)


@cache
def _pieces(phrase: str) -> tuple[str, ...]:
    """Split a phrase into rules and the text between them, in reverse."""
    return tuple(filter(None, reversed(re.split(r"(\{\w+\})", phrase))))


@lru_cache(maxsize=8)
def _expand_often(phrase: str, count: int, seed: int) -> tuple[str, ...]:
    chance = Chance(seed)
    return tuple(chance.expand(phrase) for _ in range(count))


def crawl(count: int, seed: int = SEED) -> list[str]:
    """Generate URLs of a crawl: mostly web pages, many on a few popular hosts, a few per cent unusual or invalid.

    Args:
        count: the number of URLs.
        seed: the seed.

    >>> crawl(1)
    ['https://www.engine-copper.example/weather-saddle-willow-mill']
    """
    return [*_expand_often("{url}", count, seed)]


def references(count: int, seed: int = SEED) -> list[str]:
    """Generate references in the pages of a site, such as `PAGE`.

    Args:
        count: the number of references.
        seed: the seed.

    >>> references(2)
    ['/weather-saddle-willow-mill', 'https://www.heron-window.example/winter-nectar-ribbon?q=willow+anchor']
    """
    return [*_expand_often("{reference}", count, seed)]


def variants(urls: Iterable[str], seed: int = SEED) -> Iterator[str]:
    """Yield equivalent forms of web addresses that are not normal (RFC 3986, 6.2.2 and 6.2.3).

    Args:
        urls: normal URLs; those that are not web addresses with a path are left out.
        seed: the seed.

    >>> list(variants(["http://a.example/~b?c", "mailto:fred@example.com", "https://a.example/%C3%A9/b"], 1))
    ['http://A.EXAMPLE/~b?c', 'https://a.example:443/%C3%A9/b']
    """
    chance = random.Random(seed)
    for url in urls:
        if match := WEB_ADDRESS.fullmatch(url):
            scheme, host, path, rest = match.groups()
            port = 443 if scheme == "https" else 80
            names = {"scheme": scheme, "SCHEME": scheme.upper(), "host": host, "HOST": host.upper(), "port": port}
            (variant,) = chance.choices(list(VARIANTS), list(VARIANTS.values()))
            other = variant.format(path=path, escaped=_escaped(path), rest=rest, **names)
            if other != url:
                yield other


def _escaped(path: str) -> str:
    """Change the escapes of a path to lower case, and escape its first letter."""
    path = re.sub(r"%..", lambda escape: escape[0].lower(), path)
    return re.sub(r"(?<![%\w])[a-z~]", lambda letter: f"%{ord(letter[0]):02x}", path, count=1)


def access_log(count: int, seed: int = SEED) -> bytes:
    """Generate the log of a web server over a few days, in Apache's Combined Log Format.

    Args:
        count: the number of lines, including those that are not entries.
        seed: the seed.

    >>> access_log(1)[:47]
    b'198.51.100.205 - - [16/Mar/2024:10:38:57 +0000]'
    """
    chance = Chance(seed)
    entries: list[tuple[int, str]] = []
    while len(entries) < count:
        (hour,) = chance.choices(range(len(HOURS)), HOURS)
        second = (chance.randrange(DAYS) * len(HOURS) + hour) * 3600 + chance.randrange(3600)
        entries += (_visit if chance.random() < VISITORS else _program)(chance, second)
    entries.sort(key=itemgetter(0))
    lines = (_junk(chance, line) if chance.random() < JUNK else line for _, line in entries[:count])
    return "".join(f"{line}\n" for line in lines).encode()


def _visit(chance: Chance, second: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a visitor, with their times: a page is the referer of its files and of the next page."""
    client, agent, protocol = map(chance.expand, ("{client}", "{browser}", "{protocol}"))
    referer = chance.expand("{referer}")
    status = "{again_status}" if chance.random() < RETURNING else "{first_status}"
    shown = [file for file in LAYOUT if chance.random() < REQUESTED]
    for _ in range(chance.randrange(1, 5)):
        page = chance.expand("{visited}")
        exchange = f'GET {page} {protocol}" {chance.expand("{page_status}")}'
        yield second, _line(second, client, exchange, agent, referer=referer)
        referer = SITE + page
        shown += (chance.expand("{image}") for _ in range(chance.randrange(3)))
        for file in shown:
            second += chance.randrange(2)
            exchange = f'GET {file} {protocol}" {chance.expand(status)}'
            yield second, _line(second, client, exchange, agent, referer=referer)
        shown.clear()
        second += chance.randrange(5, 120)


def _program(chance: Chance, second: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a program, with their times."""
    (program,) = chance.choices(PROGRAMS, [program.weight for program in PROGRAMS])
    client, agent, user = map(chance.expand, (program.client, program.agent, program.user))
    for _ in range(chance.randrange(program.times) + 1):
        yield second, _line(second, client, chance.expand(program.exchange), agent, user=user)
        second += chance.randrange(program.pause)


def _line(second: int, client: str, exchange: str, agent: str, *, user: str = "-", referer: str = "-") -> str:
    """Format an entry.

    Args:
        second: the time since the beginning of the log.
        client: the client.
        exchange: the request and its status.
        agent: the user agent.
        user: the user name.
        referer: the referer.
    """
    minute, hour, day = second // 60, second // 3600, second // 86400
    time = f"{FIRST_DAY + day}/Mar/2024:{hour % 24:02}:{minute % 60:02}:{second % 60:02} +0000"
    # The size depends on the request. It has at most 8 to 19 bits, so that few responses are large.
    digest = crc32(exchange.encode())
    size = "-" if exchange.startswith("HEAD ") else SIZES.get(exchange[-3:], 120 + digest % (1 << (8 + digest % 12)))
    return f'{client} - {user} [{time}] "{exchange} {size} "{referer}" "{agent}"'


def _junk(chance: Chance, line: str) -> str:
    """Return a line that is not an entry."""
    return line[: chance.randrange(len(line) // 2)] if chance.random() < CUT_OFF else chance.expand("{junk}")


def hostile(size: int, end: str = "") -> dict[str, bytes]:
    """Generate lines that are slow to match for an expression that backtracks.

    Args:
        size: the length of each line, in bytes.
        end: the end of each line; with an invalid character, validators fail as late as possible.

    Returns:
        The lines by their beginnings.

    >>> hostile(10)["http://@"], hostile(10, " ")["http://@"]
    (b'http://@@@', b'http://@@ ')
    """
    return {
        head + unit: ((head + unit * (size // len(unit) + 1))[: size - len(end)] + end).encode()
        for head, units in HOSTILE.items()
        for unit in units
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a corpus, or write the sample log of the package."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpora", description=main.__doc__)
    parser.add_argument("corpus", choices=("crawl", "references", "log", "sample"))
    parser.add_argument("count", type=int, nargs="?", default=SAMPLE_LINES, help="number of lines")
    options = parser.parse_args(arguments)
    if options.corpus == "sample":
        # Without a time and a name, so that the file depends only on the lines.
        with SAMPLE.open("wb") as file, GzipFile("", "wb", 9, file, mtime=0) as compressed:
            compressed.write(access_log(SAMPLE_LINES))
    elif options.corpus == "log":
        sys.stdout.buffer.write(access_log(options.count))
    else:
        generated = references(options.count) if options.corpus == "references" else crawl(options.count)
        sys.stdout.buffer.write("".join(f"{reference}\n" for reference in generated).encode())


if __name__ == "__main__":
    main()
