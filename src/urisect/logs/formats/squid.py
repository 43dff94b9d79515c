"""Squid's native format of its access log."""

from urisect.bulk import pattern
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import EPOCH_SECONDS, MILLISECONDS, NUMBER, STATUS_OR_NONE
from urisect.logs.formats.request import BOM, METHOD, valued
from urisect.repetition import unrolled_loop

__all__ = ["MEANINGS", "SQUID"]

MEANINGS = {"hierarchy": "how Squid chose where to ask for it, as HIER_DIRECT"}

# What stands behind the URI: user, hierarchy and media type, of which none holds a space, and the header fields that
# log_mime_hdrs puts in brackets.
AFTER = (
    r"(?:-|(?P<user>[^ \n]++))"
    r"[ ](?P<hierarchy>[A-Z0-9_]++)/(?:-|(?P<upstream>[^ \n]++))"
    r"[ ](?:-|(?P<media_type>[^ \n]++))"
    r"(?>[ ]\[[^\n]*+|)"
)
IS_AFTER = r"[^ \n]++[ ][A-Z0-9_]++/[^ \n]++[ ][^ \n]++(?:\n|\Z|[ ]\[)"

SPACED = unrolled_loop(r"[^ \n]", rf"[ ](?!{IS_AFTER})")

# %ru: a URI, for CONNECT a host and a port, and for what was no request a name, error:invalid-request. Where
# uri_whitespace allows spaces in it, it ends where the rest of the line begins.
TARGET = (
    rf"(?:-(?=[ ]{IS_AFTER})"
    r"|(?<![ ]CONNECT[ ])" + pattern("target_", stop=" \n") + rf"(?=[ ]{IS_AFTER})"
    rf"|(?P<target_text>{SPACED}))"
)

# logformat squid %ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt
LINE = (
    rf"{BOM}(?P<time>{EPOCH_SECONDS.pattern})"
    rf"[ ]++(?P<duration>{MILLISECONDS.pattern})"
    r"[ ](?:-|(?P<client>[^ \x00\n]++))"
    rf"[ ](?P<cache>[^/ \n]++)/(?P<status>{STATUS_OR_NONE.pattern})"
    rf"[ ]{valued('bytes_sent', NUMBER)}"
    rf"[ ](?:-|{METHOD})"
    rf"[ ]{TARGET}[ ]{AFTER}"
)

SAMPLE = b"""\
847659336.603    345 192.0.2.7 TCP_MISS/200 3187 GET http://example.com/a/b?c=d - HIER_DIRECT/203.0.113.7 text/html
847659337.004  12005 192.0.2.8 TCP_TUNNEL/200 5120 CONNECT example.com:443 frank HIER_DIRECT/203.0.113.7 -
847659338.000      0 192.0.2.8 TCP_MEM_HIT/304 280 GET http://example.net/logo.png - HIER_NONE/- image/png
847659339.120      0 192.0.2.9 NONE/000 0 NONE error:transaction-end-before-headers - HIER_NONE/- -
"""

SQUID = PatternFormat(
    "squid",
    LINE,
    title="Squid's native format",
    uris=("target_",),
    notations={
        "time": EPOCH_SECONDS,
        "duration": MILLISECONDS,
        "status": STATUS_OR_NONE,
        "bytes_sent": NUMBER,
    },
    sample=SAMPLE,
)
