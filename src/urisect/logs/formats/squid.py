"""Parse Squid's native access log format."""

from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.notation import EPOCH_SECONDS, MILLISECONDS, NUMBER, STATUS_OR_NONE
from urisect.logs.formats.request import METHOD_PATTERN, OPTIONAL_BOM, bare_value, optional_value, target_components
from urisect.repetition import unrolled_loop

__all__ = ["COLUMN_MEANINGS", "SQUID"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {"hierarchy": "how Squid chose the upstream server, such as HIER_DIRECT"}

PLAUSIBLE_MEDIA_TYPE = r'[^ \x09",\n/\-][^ \x09",\n/]*+/[^ \x09",\n]++'

# How Squid names its choices. A URI may contain spaces: with text behind a line, HTTP/1.0 might be in this place.
PLAUSIBLE_HIERARCHY = r"(?:NONE|DIRECT|CARP|PINNED|[A-Z0-9]++_[A-Z0-9_]++)"

# The fields after the URI: user, hierarchy and media type, none of which contains a space, and the header fields that
# log_mime_hdrs writes in brackets.
REST_OF_LINE = (
    r"(?:-|(?P<user>[^ \n]++))"
    rf"[ ](?P<hierarchy>{PLAUSIBLE_HIERARCHY}(?=/)|(?P<{IMPLAUSIBLE}_hierarchy>[A-Z0-9_]++))"
    r"/(?:-|(?P<upstream>[^ \n]++))"
    rf"[ ]{bare_value('media_type', PLAUSIBLE_MEDIA_TYPE)}"
    r"(?>[ ]\[[^\n]*+|)"
)
IS_REST_OF_LINE = r"[^ \n]++[ ][A-Z0-9_]++/[^ \n]++[ ][^ \n]++(?:\n|\Z|[ ]\[)"

TEXT_WITH_SPACES = unrolled_loop(r"[^ \n]", rf"[ ](?!{IS_REST_OF_LINE})")

# %ru: a URI; a host and a port for CONNECT; a name such as error:invalid-request for an invalid request. With
# uri_whitespace allow, it may contain spaces: it ends where the rest of the line begins.
SQUID_TARGET = (
    rf"(?:-(?=[ ]{IS_REST_OF_LINE})"
    r"|(?<![ ]CONNECT[ ])" + target_components(" \n") + rf"(?=[ ]{IS_REST_OF_LINE})"
    rf"|(?P<target_text>{TEXT_WITH_SPACES}))"
)

# Nine digits until 2001, ten until 2286. No other digit comes right before it: 7847659336.603 is not a time of squid.
PLAUSIBLE_TIME = r"[1-3]?[0-9]{9}(?>\.[0-9]{1,6}|)(?=[ ])"

# logformat squid %ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt
SQUID_LINE = (
    rf"{OPTIONAL_BOM}(?P<time>(?>{PLAUSIBLE_TIME}|(?P<{IMPLAUSIBLE}_time>{EPOCH_SECONDS.pattern})))"
    rf"[ ]++(?P<duration>{MILLISECONDS.pattern})"
    r"[ ](?:-|(?P<client>[^ \x00\n]++))"
    rf"[ ](?P<cache>[^/ \n]++)/(?P<status>{STATUS_OR_NONE.pattern})"
    rf"[ ]{optional_value('bytes_sent', NUMBER)}"
    rf"[ ](?:-|{METHOD_PATTERN})"
    rf"[ ]{SQUID_TARGET}[ ]{REST_OF_LINE}"
)

SQUID_SAMPLE = b"""\
847659336.603    345 192.0.2.7 TCP_MISS/200 3187 GET http://example.com/a/b?c=d - HIER_DIRECT/203.0.113.7 text/html
847659337.004  12005 192.0.2.8 TCP_TUNNEL/200 5120 CONNECT example.com:443 frank HIER_DIRECT/203.0.113.7 -
847659338.000      0 192.0.2.8 TCP_MEM_HIT/304 280 GET http://example.net/logo.png - HIER_NONE/- image/png
847659339.120      0 192.0.2.9 NONE/000 0 NONE error:transaction-end-before-headers - HIER_NONE/- -
"""

SQUID = PatternFormat(
    "squid",
    SQUID_LINE,
    title="Squid's native format",
    notes="`logformat squid`. The status 000 is undefined; a URI with spaces ends where the rest of the line begins.",
    uris=("target_",),
    notations={
        "time": EPOCH_SECONDS,
        "duration": MILLISECONDS,
        "status": STATUS_OR_NONE,
        "bytes_sent": NUMBER,
    },
    sample=SQUID_SAMPLE,
    signature=r"[0-9] +[0-9.]+ [^ \n]+ [^ /\n]+/[0-9]{1,3} (?:[0-9]+|-) ",
)
