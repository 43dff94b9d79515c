"""The Common and the Combined Log Format with more: a virtual host, cookies, or any further fields."""

from dataclasses import replace

from urisect.logs.formats.apache import COMBINED, NICKNAMES, apache, ncsa_signature, parse_format_string
from urisect.logs.formats.compilation import compile_format, with_strict_beginning
from urisect.logs.formats.directives import DirectiveField
from urisect.logs.formats.field_patterns import FieldPattern
from urisect.logs.formats.format import IMPLAUSIBLE
from urisect.logs.formats.layout import FieldKind, RegularForm
from urisect.logs.formats.plausibility import QUALIFIED_SERVER
from urisect.logs.formats.request import QUOTED_TEXT
from urisect.logs.formats.terminators import Terminator
from urisect.repetition import unrolled_loop

__all__ = [
    "COMBINEDIO",
    "COMBINED_MORE",
    "COMMON_MORE",
    "LIGHTTPD",
    "NCSA_COOKIES",
    "SSL_REQUEST",
    "VHOST",
    "VHOST_COMMON",
]

VHOST_COMMON = replace(
    with_strict_beginning(apache(NICKNAMES["vhost_common"], "vhost-common"), QUALIFIED_SERVER, covers_regular=True),
    title="Common Log Format with the virtual host first",
    signature=ncsa_signature(4, r"[0-9\-]"),
    notes=(
        "Apache's `%v %h …` without a port. The bytes are those of `%b` or of `%O`: a line does not say which. "
        "Detection demands a server that is an address, `localhost`, or a name with a dot."
    ),
    sample=b"""\
www.example.com 192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326
example.net 2001:db8::7 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 -
""",
)
VHOST = replace(
    with_strict_beginning(apache(f"%v {NICKNAMES['combined']}", "vhost"), QUALIFIED_SERVER, covers_regular=True),
    title="Combined Log Format with the virtual host first",
    signature=ncsa_signature(4, '"'),
    notes="As `vhost-common`, with referer and agent; `vhost-combined` has a port after the server.",
    sample=b"""\
www.example.com 192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a?b HTTP/1.0" 200 2326 "-" "Lynx/2.6"
example.net 2001:db8::7 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 - "http://example.com/" "-"
""",
)

LIGHTTPD = replace(
    with_strict_beginning(
        apache(f"%h %V %u {NICKNAMES['combined'].partition('%u ')[2]}", "lighttpd"),
        rf"[^ \n]++[ ]{QUALIFIED_SERVER}",
        covers_regular=True,
    ),
    title="lighttpd",
    signature=ncsa_signature(3, '"'),
    notes="The default of lighttpd: as `combined`, with the server name in place of the identity.",
    sample=b"""\
192.0.2.7 www.example.com - [10/Nov/1996:13:55:36 -0700] "GET /a?b HTTP/1.0" 200 2326 "-" "Lynx/2.6"
2001:db8::7 example.net frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 0 "http://example.com/" "-"
""",
)

SSL_REQUEST = replace(
    apache(r"%t %h %{SSL_PROTOCOL}x %{SSL_CIPHER}x \"%r\" %b", "ssl-request"),
    title="Apache's ssl_request_log",
    signature=r"\A\[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8} [+\-][0-9]{4}\] [^ ]+ ",
    notes="The second log of Apache's packaged TLS hosts. It has no status code, no user, and no agent.",
    sample=b"""\
[10/Nov/1996:13:55:36 -0700] 192.0.2.7 TLSv1.3 TLS_AES_256_GCM_SHA384 "GET /a/b?c=d HTTP/1.1" 2326
[10/Nov/1996:13:55:37 -0700] 2001:db8::7 TLSv1.2 ECDHE-RSA-AES128-GCM-SHA256 "HEAD / HTTP/1.1" -
""",
)

# If a body was sent, its headers were sent, too, so that bytes_sent has several digits. Other pairs of numbers, such as
# %D and %T, are in `combined-more`.
_COMBINEDIO = apache(NICKNAMES["combinedio"], "combinedio")
_SEVERAL_DIGITS = RegularForm(FieldKind.NUMBER, is_optional=False, min_digits=2)
COMBINEDIO = replace(
    _COMBINEDIO,
    strict_line=f"{_COMBINEDIO.strict.line}(?(bytes)(?<=[0-9]{{2}}))",
    strict_layout=_COMBINEDIO.layout and _COMBINEDIO.layout.with_form("bytes_sent", _SEVERAL_DIGITS),
    title="Apache, Combined with the bytes received and sent",
    signature=ncsa_signature(3, r"[0-9\-]"),
    notes=(
        "The format string of mod_logio, `%I %O` after `combined`. Detection takes other pairs of numbers, such as `%D "
        "%T`, for `combined-more`."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a?b HTTP/1.0" 200 2326 "http://example.com/" "Lynx/2.6" 412 2640
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "-" 408 - "-" "-" 0 0
""",
)

# cookie-pair = cookie-name "=" cookie-value (RFC 6265, 4.1.1)
_COOKIES = rf'[^ =;,"\\\n]++={QUOTED_TEXT}'

_COOKIES_LINE = rf'{COMBINED.line}[ ]"(?>-(?=")|(?P<cookie>{_COOKIES}(?=")|(?P<{IMPLAUSIBLE}_cookie>{QUOTED_TEXT})))"'
_COOKIES_FORM = RegularForm(FieldKind.TEXT, pattern=_COOKIES)

NCSA_COOKIES = replace(
    COMBINED,
    name="ncsa-cookies",
    line=_COOKIES_LINE,
    layout=COMBINED.layout and COMBINED.layout.followed_by("cookie", _COOKIES_FORM, _COOKIES_LINE, quote='"'),
    title="Combined Log Format with cookies",
    notes=(
        "NCSA's combined format: `combined` and the quoted Cookie header. Detection demands `name=value` in it; a log "
        "without any cookie is taken for `main`."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a?b HTTP/1.0" 200 2326 "-" "Lynx/2.6" "theme=dark; id=7"
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 - "http://example.com/" "-" "-"
""",
)

# Text in which every quote is closed: an agent with unescaped quotes does not end at the first one.
_FURTHER_FIELDS = r"(?=[^ \x09\n])" + unrolled_loop(r'[^"\n]', f'"{QUOTED_TEXT}"')

_MORE_LINE = rf"{COMBINED.line}[ \t]++(?P<more>{_FURTHER_FIELDS})"
_MORE_FORM = RegularForm(FieldKind.TEXT, is_optional=False, pattern=_FURTHER_FIELDS)

COMBINED_MORE = replace(
    COMBINED,
    name="combined-more",
    line=_MORE_LINE,
    layout=COMBINED.layout and COMBINED.layout.followed_by("more", _MORE_FORM, _MORE_LINE),
    title="Combined Log Format followed by further fields",
    signature=ncsa_signature(3),
    notes=(
        "Whatever follows `combined`, such as times and further quoted fields, is the text `more`. To have columns for "
        "these fields, use the format string of the server's configuration. The quotes in `more` are in pairs."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a?b HTTP/1.0" 200 2326 "-" "Lynx/2.6" 0.123 "www.example.com"
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 - "-" "-" rt=0.250 uct="0.001" urt="-"
""",
)


def _more(_: tuple[str, ...], end: Terminator) -> str:
    return rf'(?!")(?P<more>{_FURTHER_FIELDS}){end.pattern}'


COMMON_MORE = replace(
    compile_format(
        "common-more",
        [*parse_format_string(f"{NICKNAMES['common']} "), DirectiveField("more", ("more",), FieldPattern(_more))],
    ),
    title="Common Log Format followed by further fields",
    signature=ncsa_signature(3),
    notes=(
        "Whatever follows `common`, such as `%D` or `%I`, is the text `more`. It does not begin with a quote: such a "
        "line is a damaged one of the Combined Log Format."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326 12 http-nio-8080-exec-3
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 - 1 http-nio-8080-exec-4
""",
)
