"""CDXJ: the index of a web archive, as Common Crawl publishes it."""

from urisect.logs.formats.json_lines import JSONFormat, members
from urisect.logs.formats.notation import ANY_STATUS, DIGITS_TIME, NUMBER

__all__ = ["CDXJ", "MEANINGS"]

MEANINGS = {
    "surt": "the URI as the index is sorted by it: its host reversed, its case and its parameters made one (SURT)",
    "mime_detected": "the media type that the content was found to be of",
    "digest": "the hash of the content",
    "record_length": "the size of the record in its archive, compressed, in bytes",
    "record_offset": "where the record begins in its archive, in bytes",
    "filename": "the path of the archive",
    "languages": "the languages of the content (ISO 639-3), the most likely first",
    "charset": "the encoding of the content",
    "redirect": "where a redirection leads",
    "truncated": "why the content was cut off",
}

# A key, fourteen digits, and an object, with a space between them. Lines that tell of the others begin with "!"
# (OpenWayback CDXJ File Format, Header), so that they are sorted before them.
HEAD = rf"(?P<surt>[^ ]++)[ ](?P<time>{DIGITS_TIME.pattern})[ ](?=\{{)"

MEMBERS = {
    "target": members("url"),
    "media_type": members("mime"),
    "mime_detected": members("mime-detected"),
    "status": members("status"),
    "digest": members("digest"),
    "record_length": members("length"),
    "record_offset": members("offset"),
    "filename": members("filename"),
    "languages": members("languages"),
    "charset": members("charset"),
    "redirect": members("redirect"),
    "truncated": members("truncated"),
}

SAMPLE = b"""\
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
    MEMBERS,
    title="CDXJ, the index of Common Crawl",
    uris=("target_",),
    notations={"time": DIGITS_TIME, "status": ANY_STATUS, "record_length": NUMBER, "record_offset": NUMBER},
    sample=SAMPLE,
    required=("target",),
    head=HEAD,
    directive="!",
)
