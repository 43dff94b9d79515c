"""Parse CDXJ, the index of a web archive, as Common Crawl publishes it."""

from urisect.logs.formats.json_lines import JSONFormat, member_paths
from urisect.logs.formats.notation import ANY_STATUS, DIGITS_TIME, NUMBER

__all__ = ["CDXJ", "COLUMN_MEANINGS"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "surt": "sort key of the URI (SURT): host reversed, case and parameters normalized",
    "mime_detected": "media type detected from the content",
    "digest": "hash of the content",
    "record_length": "size of the record in its archive, compressed, in bytes",
    "record_offset": "offset of the record in its archive, in bytes",
    "filename": "path of the archive",
    "languages": "languages of the content (ISO 639-3), the most likely first",
    "charset": "character encoding of the content",
    "redirect": "redirect target",
    "truncated": "why the content was truncated",
}

# A key, fourteen digits and an object, separated by spaces. Lines about other lines begin with "!" (OpenWayback CDXJ
# File Format, Header), so they are sorted before them.
CDXJ_PREFIX = rf"(?P<surt>[^ ]++)[ ](?P<time>{DIGITS_TIME.pattern})[ ](?=\{{)"

CDXJ_MEMBERS = {
    "target": member_paths("url"),
    "media_type": member_paths("mime"),
    "mime_detected": member_paths("mime-detected"),
    "status": member_paths("status"),
    "digest": member_paths("digest"),
    "record_length": member_paths("length"),
    "record_offset": member_paths("offset"),
    "filename": member_paths("filename"),
    "languages": member_paths("languages"),
    "charset": member_paths("charset"),
    "redirect": member_paths("redirect"),
    "truncated": member_paths("truncated"),
}

CDXJ_SAMPLE = b"""\
!OpenWayback-CDXJ 1.0
com,example)/a/b?c=d 19961110205536 {"url": "http://example.com/a/b?c=d", "mime": "text/html", "mime-detected": \
"text/html", "status": "200", "digest": "B7TKBLSQ4SFZGKNTFWXJJZFXL2V2ZLVF", "length": "2326", "offset": "1024", \
"filename": "crawl-data/EXAMPLE-1996-45/warc/00000.warc.gz", "charset": "UTF-8", "languages": "eng"}
com,example)/old 19961110205537 {"url": "https://example.com/old", "mime": "unk", "mime-detected": \
"application/octet-stream", "status": "301", "digest": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "length": "345", \
"offset": "3350", "filename": "crawl-data/EXAMPLE-1996-45/crawldiagnostics/00000.warc.gz", \
"redirect": "https://example.com/new"}
"""

CDXJ = JSONFormat(
    "cdxj",
    CDXJ_MEMBERS,
    title="CDXJ, the index of Common Crawl",
    notes="Lines that begin with `!` are skipped.",
    uris=("target_",),
    notations={"time": DIGITS_TIME, "status": ANY_STATUS, "record_length": NUMBER, "record_offset": NUMBER},
    sample=CDXJ_SAMPLE,
    signature=r" [0-9]{14} \{|!OpenWayback-CDXJ",
    required=("target",),
    prefix=CDXJ_PREFIX,
    directive_prefix="!",
)
