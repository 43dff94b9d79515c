"""Parse Jetty's access log (NCSARequestLog); Tomcat and later versions of Jetty write Apache's formats."""

from urisect.logs.formats.compilation import with_strict_beginning
from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.notation import LOG_TIME, MILLISECONDS, NUMBER, STATUS_OR_NONE
from urisect.logs.formats.plausibility import CLIENT, USER
from urisect.logs.formats.request import (
    OPTIONAL_BOM,
    QUOTED_AGENT,
    QUOTED_REFERER,
    QUOTED_REQUEST,
    QUOTED_TEXT,
    optional_value,
)

__all__ = ["JETTY"]

# "-  -  [" without a user, up to Jetty 8
_CLIENT_AND_USER = (
    rf"(?P<client>{CLIENT}(?=[ ]-[ ])|(?P<{IMPLAUSIBLE}_client>[^ \x00\n]++))[ ]-[ ]"
    rf"(?>[ ]-[ ]|-(?=[ ]\[)|(?P<user>{USER}(?=[ ]\[)|(?P<{IMPLAUSIBLE}_user>[^ \[\n][^\[\n]*(?=[ ]\[))))[ ]\["
)

# A space follows the size, and an undefined agent; the other fields have one before them.
_SIZE = rf"[ ]{optional_value('bytes', NUMBER)}[ ]?+"
_REFERER_AND_AGENT = rf"(?>{QUOTED_REFERER}[ ]{QUOTED_AGENT}(?>[ ](?=\n|\Z|[ ])|)|)"
_COOKIES = rf'(?>[ ]-(?![^ \n])|[ ]"(?P<cookie>[^ =;,"\\\n]++={QUOTED_TEXT})"|)'
_LATENCY = rf"(?>[ ](?P<duration>{MILLISECONDS.pattern})|)"

# What tells a line from one of the Combined Log Format, which any number may follow: two spaces, or one at the end.
_JETTY_SPACES = (
    r'(?:[^ \n]+[ ]-[ ][ ]-|[^\n]*"[ ](?:[0-9]{3}|Async)[ ](?:-|[0-9]{1,18})[ ](?:[ ]|\n|\Z)|[^\n]*"[ ](?:\n|\Z))'
)

JETTY = with_strict_beginning(
    PatternFormat(
        "jetty",
        rf"{OPTIONAL_BOM}{_CLIENT_AND_USER}(?P<time>{LOG_TIME.pattern})\][ ]{QUOTED_REQUEST}"
        rf"[ ](?:(?P<status>{STATUS_OR_NONE.pattern})|Async){_SIZE}{_REFERER_AND_AGENT}{_COOKIES}{_LATENCY}",
        title="Jetty's NCSARequestLog",
        signature=r' -  |" (?:[0-9]{3}|Async) (?:-|[0-9]+)  |" \Z',
        uris=("target_", "referer_"),
        notations={
            "time": LOG_TIME,
            "status": STATUS_OR_NONE,
            "bytes": NUMBER,
            "duration": MILLISECONDS,
        },
        notes=(
            "The format of Jetty up to version 9, with or without referer and agent, cookies, and the latency in "
            "milliseconds. It has more spaces than `common`: after the size, and around `-` for no user. The status "
            "`Async` is undefined. Later versions (CustomRequestLog) write `common` and `combined`. Detection "
            "demands these spaces: it takes the lines of Jetty 9 with an agent for `combined` or `combined-more`."
        ),
        sample=b"""\
192.0.2.7 -  -  [10/Nov/1996:13:55:36 +0000] "GET /a/b?c=d HTTP/1.1" 200 2326  12
2001:db8::7 - frank [10/Nov/1996:13:55:37 +0000] "HEAD / HTTP/1.1" 304 -  3
""",
    ),
    _JETTY_SPACES,
)
