"""Parse CDX files, the index of web archives, with a space between the fields.

The sources are "CDX and DAT Legend" and "CDX File Format" of the Internet Archive.
"""

from urisect.bulk import pattern
from urisect.logs.formats.cdxj import COLUMN_MEANINGS as CDXJ_MEANINGS
from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.notation import DIGITS_TIME, NUMBER, STATUS_OR_NONE
from urisect.logs.formats.request import OPTIONAL_BOM, bare_value, optional_value

__all__ = ["CDX", "COLUMN_MEANINGS"]

_SHARED_MEANINGS = ("surt", "digest", "record_length", "record_offset", "filename", "redirect")

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    **{name: CDXJ_MEANINGS[name] for name in _SHARED_MEANINGS},
    "robot_flags": "meta tags for robots: A, noarchive; I, noindex; F, nofollow",
}


# Only a URI is a plausible redirect target.
_REDIRECT = rf"(?>-(?![^ \n])|(?P<redirect>(?>[^ .:/\n]*+[.:/][^ \n]*+|(?P<{IMPLAUSIBLE}_redirect>[^ \n]++))))"

_SURT = rf"(?P<surt>(?>[0-9A-Za-z][^ \n]*+|(?P<{IMPLAUSIBLE}_surt>[^ \n]++)))"
_FILENAME = rf'(?P<filename>(?>[^ \x09",\n]++(?=\n|\Z)|(?P<{IMPLAUSIBLE}_filename>[^ \n]++)))'

# The field letters: N, massaged URL; b, date; a, original URL; m, media type; s, status; k, checksum; r, redirect; M,
# meta tags; S, compressed size; V, compressed offset; g, file name. The last ones of "N b a m s k r M S V g" are
# "r V g", "r M V g", or "S" in the output of a CDX server.
_LAST_TWO, _LAST_THREE = (rf"(?=[^ \n]++(?:[ ][^ \n]++){{{more}}}(?:\n|\Z))" for more in (1, 2))
_AFTER_DIGEST = (
    rf"(?:{_REDIRECT}[ ](?:{bare_value('robot_flags')}[ ](?:{_LAST_TWO}|{_LAST_THREE})|{_LAST_TWO})"
    r"|(?=[^ \n]++(?:\n|\Z)))"
    rf"(?:{_LAST_TWO}|{optional_value('record_length', NUMBER)}(?:[ ]|(?=\n|\Z)))"
    rf"(?:(?P<record_offset>{NUMBER.pattern})[ ]{_FILENAME}|(?=\n|\Z))"
)

CDX_LINE = (
    rf"(?:{OPTIONAL_BOM}{_SURT}[ ](?P<time>{DIGITS_TIME.pattern})[ ](?=[^ \n])"
    + pattern("target_", stop=" \n")
    + rf"[ ]{bare_value('media_type')}[ ]{optional_value('status', STATUS_OR_NONE)}[ ]{bare_value('digest')}"
    rf"[ ]{_AFTER_DIGEST}"
    rf"|(?P<directive>{OPTIONAL_BOM}[ ]CDX[ ][^\n]*+))"
)

CDX_SAMPLE = b"""\
 CDX N b a m s k r M S V g
com,example)/a/b?c=d 19961110205536 http://example.com/a/b?c=d text/html 200 B7TKBLSQ4SFZGKNTFWXJJZFXL2V2ZLVF - - \
2326 1024 EXAMPLE-1996-45-00000.warc.gz
com,example)/old 19961110205537 https://example.com/old unk 301 3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ \
https://example.com/new A 345 3350 EXAMPLE-1996-45-00000.warc.gz
example.net/ 19961110205538 dns:example.net text/dns - 3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ - 3695 EXAMPLE.arc.gz
"""

CDX = PatternFormat(
    "cdx",
    CDX_LINE,
    title="CDX, the index of a web archive",
    notes=(
        "Fields in the order `N b a m s k r M S V g`, without `S` or both `M` and `S`, or `N b a m s k S`. The header "
        "is skipped, and may be missing."
    ),
    uris=("target_",),
    notations={"time": DIGITS_TIME, "status": STATUS_OR_NONE, "record_length": NUMBER, "record_offset": NUMBER},
    sample=CDX_SAMPLE,
    signature=r" [0-9]{14} [^ \n]+ [^ \n]+ (?:[0-9]{3}|-) | CDX N ",
)
