"""A program that uses every public function with str and with bytes, for mypy and pyright in `make lint`.

It is never run. Each `assert_type` states a type that a user sees.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, AnyStr, assert_type

import polars as pl
from duckdb import DuckDBPyConnection
from jsonschema import FormatChecker
from publicsuffixlist import PublicSuffixList
from pydantic import BaseModel, Field, TypeAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import TextResponse
from scrapy.link import Link as ScrapyLink
from scrapy.spiders import Rule

import urisect
from urisect import (
    Base,
    Columns,
    Hazard,
    Reference,
    compose,
    crawl,
    equivalent,
    hazards,
    iri,
    logs,
    normalize,
    pattern,
    percent,
    query,
    relativize,
    remove_dot_segments,
    resolve,
    split,
    split_lines,
    strict,
    unsplit,
    web,
)
from urisect import document as documents
from urisect import text as texts
from urisect.engines import sql
from urisect.engines.duckdb import register
from urisect.engines.polars import URINamespace
from urisect.integrations import jsonschema, scrapy, uri_templates
from urisect.integrations.pydantic import IRI, URI, AbsoluteURI, Constraints, URIReference, WebURL
from urisect.reference import ReferenceKind
from urisect.specs import RFC3986, RFC3987
from urisect.strict import Violation


def of_str(text: str, base: Base[str], reference: Reference[str]) -> None:
    assert_type(split(text), Reference[str])
    scheme, authority, path, query, fragment = split(text)
    assert_type(scheme, str | None)
    assert_type(authority, str | None)
    assert_type(path, str)
    assert_type(query, str | None)
    assert_type(fragment, str | None)
    assert_type(unsplit(reference), str)
    assert_type(unsplit((None, "h", "/", None, None)), str)
    assert_type(split_lines(text), Columns[str])
    assert_type(split_lines(text).path, list[str])
    assert_type(Base(text), Base[str])
    assert_type(Base(reference), Base[str])
    assert_type(base.text, str)
    assert_type(base.resolve(text), str)
    assert_type(base.resolve(reference, strict=False), str)
    assert_type(base.relativize(text), str)
    assert_type(resolve(text, text), str)
    assert_type(resolve(reference, text), str)
    assert_type(resolve(base, reference, strict=False), str)
    assert_type(relativize(text, text), str)
    assert_type(relativize(base, reference), str)
    assert_type(remove_dot_segments(text), str)
    assert_type(normalize(text), str)
    assert_type(normalize(reference, level="scheme", spec=RFC3986), str)
    assert_type(normalize(base), str)
    assert_type(equivalent(text, reference, base=base), bool)
    assert_type(equivalent(text, text, level="protocol", redirects={text: text}), bool)
    assert_type(compose(scheme="http", host="h", path=["a"], query={"q": ["1", None]}), str)
    assert_type(compose(path="/a", query=[("page", 2), ("q", text)]), str)
    assert_type(percent.encode(text, "path"), str)
    assert_type(percent.decode(text, errors="replace"), str)
    assert_type(percent.repair(text), str)
    assert_type(percent.repair(reference), str)
    assert_type(iri.to_uri(text, idna=True), str)
    assert_type(iri.to_iri(reference), str)
    assert_type(crawl.surt(text), str)
    assert_type(crawl.surt(reference, keep_www=True), str)
    assert_type(crawl.site(text), str | None)
    assert_type(crawl.site(reference, suffixes=PublicSuffixList(only_icann=True)), str | None)
    assert_type(crawl.robots_path(reference), str)
    assert_type(compose(host=text, idna=True), str)
    assert_type(hazards(text), tuple[Hazard, ...])
    assert_type(strict.split(text, RFC3986, "URI"), Reference[str])
    assert_type(RFC3986.split(text), Reference[str])
    assert_type(RFC3986.resolve(text, reference), str)
    assert_type(texts.find(text), Iterator[texts.Found[str]])
    assert_type(texts.unwrap(text), str)
    assert_type(texts.complete(text, scheme="https"), str)
    assert_type(web.is_valid(text, schemes=("https",)), bool)
    assert_type(web.check(text), tuple[web.Problem[str], ...])
    assert_type(web.check(reference)[0].suggestion, str | None)


def of_bytes(octets: bytes, base: Base[bytes], reference: Reference[bytes]) -> None:
    assert_type(split(octets), Reference[bytes])
    scheme, authority, path, query, fragment = split(octets)
    assert_type(scheme, bytes | None)
    assert_type(authority, bytes | None)
    assert_type(path, bytes)
    assert_type(query, bytes | None)
    assert_type(fragment, bytes | None)
    assert_type(unsplit(reference), bytes)
    assert_type(unsplit((None, b"h", b"/", None, None)), bytes)
    assert_type(split_lines(octets), Columns[bytes])
    assert_type(split_lines(octets).path, list[bytes])
    assert_type(Base(octets), Base[bytes])
    assert_type(Base(reference), Base[bytes])
    assert_type(base.text, bytes)
    assert_type(base.resolve(octets), bytes)
    assert_type(base.resolve(reference, strict=False), bytes)
    assert_type(base.relativize(octets), bytes)
    assert_type(resolve(octets, octets), bytes)
    assert_type(resolve(reference, octets), bytes)
    assert_type(resolve(base, reference, strict=False), bytes)
    assert_type(relativize(octets, octets), bytes)
    assert_type(relativize(base, reference), bytes)
    assert_type(remove_dot_segments(octets), bytes)
    assert_type(normalize(octets), bytes)
    assert_type(normalize(reference, level="scheme", spec=RFC3986), bytes)
    assert_type(normalize(base), bytes)
    assert_type(equivalent(octets, reference, base=base), bool)
    assert_type(equivalent(octets, octets, level="protocol", redirects={octets: octets}), bool)
    assert_type(compose(scheme=b"http", host=b"h", path=[b"a"], query={b"q": [b"1", None]}), bytes)
    assert_type(compose(path=b"/a", query=[(b"page", 2), (b"q", octets)]), bytes)
    assert_type(percent.encode(octets, "path"), bytes)
    assert_type(percent.decode(octets), bytes)
    assert_type(percent.repair(octets), bytes)
    assert_type(iri.to_uri(octets), bytes)
    assert_type(iri.to_iri(octets, idna=True), bytes)
    assert_type(crawl.surt(octets), bytes)
    assert_type(crawl.site(octets), bytes | None)
    assert_type(crawl.site(reference, suffixes=None), bytes | None)
    assert_type(crawl.robots_path(octets), bytes)
    assert_type(percent.repair(reference), bytes)
    assert_type(hazards(octets), tuple[Hazard, ...])
    assert_type(strict.split(octets, RFC3986, "URI"), Reference[bytes])
    assert_type(RFC3986.split(octets), Reference[bytes])
    assert_type(RFC3986.resolve(octets, reference), bytes)
    assert_type(texts.find(octets), Iterator[texts.Found[bytes]])
    assert_type(texts.unwrap(octets), bytes)
    assert_type(texts.complete(octets, scheme="https"), bytes)
    assert_type(web.is_valid(octets), bool)
    assert_type(web.check(octets, schemes=("https",)), tuple[web.Problem[bytes], ...])
    assert_type(web.check(reference)[0].suggestion, bytes | None)


def of_a_buffer(octets: bytearray | memoryview) -> None:
    assert_type(split(octets), Reference[bytes])
    assert_type(split_lines(octets), Columns[bytes])
    assert_type(Base(octets), Base[bytes])
    assert_type(Base(octets).resolve(octets), bytes)
    assert_type(resolve(b"http://h/", octets), bytes)
    assert_type(relativize(octets, octets), bytes)
    assert_type(remove_dot_segments(octets), bytes)
    assert_type(normalize(octets), bytes)
    assert_type(equivalent(octets, b"http://h/"), bool)
    assert_type(percent.encode(octets, "path"), bytes)
    assert_type(percent.decode(octets), bytes)
    assert_type(percent.repair(octets), bytes)
    assert_type(web.check(octets), tuple[web.Problem[bytes], ...])
    assert_type(strict.split(octets), Reference[bytes])
    assert_type(RFC3986.resolve(octets, octets), bytes)


def of_either_type(base: AnyStr, reference: AnyStr) -> Sequence[AnyStr]:
    prepared = Base(base)
    parts = split(reference)
    assert equivalent(base, reference, base=prepared, redirects={base: reference})
    return (
        resolve(base, reference),
        resolve(prepared, parts),
        prepared.resolve(parts),
        prepared.relativize(reference),
        relativize(prepared, parts),
        remove_dot_segments(parts.path),
        normalize(parts),
        unsplit(parts),
        percent.encode(parts.path, "path"),
        percent.decode(parts.path),
        percent.repair(parts),
        strict.split(reference).path,
        RFC3986.resolve(base, reference),
        split_lines(reference).path[0],
    )


def of_a_union(reference: str | bytes) -> None:
    assert_type(split(reference), Reference[str] | Reference[bytes])
    assert_type(normalize(reference), str | bytes)
    assert_type(percent.repair(reference), str | bytes)


def of_a_reference(reference: Reference[str]) -> None:
    assert_type(reference.userinfo, str | None)
    assert_type(reference.host, str | None)
    assert_type(reference.port, str | None)
    assert_type(reference.port_number, int | None)
    assert_type(reference.kind, ReferenceKind)
    assert_type(reference.is_absolute, bool)
    assert_type(str(reference), str)
    assert_type(bytes(reference), bytes)
    assert_type(reference._replace(fragment=None), Reference[str])
    assert_type(Reference(path="/a", query="b"), Reference[str])
    assert_type(reference.replace(scheme="https", userinfo=None, host="h", port=81), Reference[str])
    assert_type(reference.replace(parameters={"q": ["a", "b"], "debug": None}, fragment=None), Reference[str])
    assert_type(reference.parameters, query.Parameters[str])
    match reference:
        case ("mailto", None, path, _, None):
            assert_type(path, str)
        case _:
            pass


def of_a_reference_of_bytes(reference: Reference[bytes]) -> None:
    assert_type(reference.replace(host=b"h", port=None, query=b"a"), Reference[bytes])
    assert_type(reference.replace(parameters=[(b"q", b"a"), (b"page", 2)]), Reference[bytes])
    assert_type(reference.parameters, query.Parameters[bytes])


def of_queries(text: str, octets: bytes, buffer: bytearray, reference: Reference[str]) -> None:
    assert_type(query.parse(text, form=True), list[tuple[str, str | None]])
    assert_type(query.parse(octets, max_parameters=9), list[tuple[bytes, bytes | None]])
    assert_type(query.parse(buffer), list[tuple[bytes, bytes | None]])
    assert_type(query.build({"q": "a", "n": 1, "x": 0.5, "debug": None}), str)
    assert_type(query.build([("q", "a"), ("page", 2)], form=True), str)
    assert_type(query.build(reference.parameters), str)
    assert_type(query.build([(b"q", octets), (b"page", 2)]), bytes)
    assert_type(query.get(text, "q"), str | None)
    assert_type(query.get(reference, "q", 0), str | int | None)
    assert_type(query.get(octets, b"q"), bytes | None)
    assert_type(query.get(buffer, buffer), bytes | None)
    assert_type(query.set(text, {"q": "a", "page": 2, "tag": ["b", None]}), str)
    assert_type(query.set(reference, [("q", "a"), ("q", None)], form=True), str)
    assert_type(query.set(octets, {b"page": 2}), bytes)
    assert_type(query.remove(text, "utm_*", "fbclid"), str)
    assert_type(query.remove(reference, "q"), str)
    assert_type(query.remove(octets, b"utm_*"), bytes)
    assert_type(query.sort(text), str)
    assert_type(query.sort(octets), bytes)
    parameters = query.Parameters([("q", "a"), ("q", None)])
    assert_type(parameters["q"], str | None)
    assert_type(parameters.get_all("q"), list[str | None])
    assert_type(parameters.pairs, tuple[tuple[str, str | None], ...])


def of_a_class_pattern(reference: Reference[str]) -> None:
    match reference:
        case Reference(scheme="mailto", path=path):
            assert_type(path, str)  # type: ignore[assert-type]  # Any to mypy: it does not narrow a generic NamedTuple
        case _:
            pass


def of_other_functions(text: str, octets: bytes) -> None:
    assert_type(pattern("uri_", stop=" "), str)
    assert_type(strict.is_valid(octets), bool)
    assert_type(strict.violations(text), tuple[Violation, ...])
    assert_type(RFC3987.pattern("URI", bytes), str)
    assert_type(RFC3986.pattern("URI"), str)
    assert_type(documents.links(octets, text, encoding=text), Iterator[documents.Link])
    assert_type(documents.base_uri(html=text, retrieval=text), str | None)


def of_columns(text: str, column: pl.Expr, series: pl.Series, connection: DuckDBPyConnection) -> None:
    assert_type(sql.DIALECTS, tuple[str, ...])
    assert_type(sql.split("duckdb", text), str)
    assert_type(sql.split("spark", text, fields=["host"]), str)
    assert_type(URINamespace(column).split(["host"]), pl.Expr)
    assert_type(URINamespace(column).resolve(column, strict=False), pl.Expr)
    assert_type(URINamespace(series).is_valid(RFC3986), pl.Series)
    assert_type(URINamespace(column).key("page-1"), pl.Expr)
    assert_type(URINamespace(series).surt(keep_www=True), pl.Series)
    assert_type(URINamespace(column).site(), pl.Expr)
    assert_type(register(connection), DuckDBPyConnection)


class Model(BaseModel):
    url: URI
    base: AbsoluteURI = "about:blank"
    links: list[URIReference] = []
    iri: IRI | None = None
    homepage: Annotated[WebURL, Constraints(schemes=("https",))] = Field(default="https://a.example", max_length=99)


SecureURI = Annotated[URI, Constraints(schemes=("https",), max_length=2083)]


def of_integrations(text: str, secure: SecureURI, optional: URI | None = None) -> None:
    model = Model(url=text, links=[text], homepage=secure)
    assert_type(model.url, str)
    assert_type(model.base, str)
    assert_type(model.links, list[str])
    assert_type(model.iri, str | None)
    assert_type(model.homepage, str)
    assert_type(optional, str | None)
    assert_type(TypeAdapter(list[URI]).validate_python([text]), list[str])
    assert_type(jsonschema.FORMATS["uri"](text), bool)
    jsonschema.add_formats(FormatChecker())
    assert_type(uri_templates.is_valid(text), bool)
    assert_type(uri_templates.violations(text), tuple[Violation, ...])
    assert_type(scrapy.canonicalize_url(text, keep_fragments=True), str)


def of_scrapy(page: TextResponse, request: Request, crawler: Crawler) -> None:
    extractor = scrapy.LinkExtractor(allow=r"/a", tags=["a"], process_value=str.lower, restrict_text=re.compile("A"))
    assert_type(extractor.extract_links(page), list[ScrapyLink])
    assert_type(extractor.matches(page.url), bool)
    Rule(extractor, follow=True)
    assert_type(scrapy.RequestFingerprinter("page-1").fingerprint(request), bytes)
    assert_type(scrapy.RequestFingerprinter.from_crawler(crawler), scrapy.RequestFingerprinter)
    assert_type(scrapy.canonicalize_url(page.url, keep_fragments=True), str)


def of_logs(stream: logs.Stream, path: str, day: datetime) -> None:
    assert_type(logs.convert(path, "rows.csv"), logs.ConversionResult)
    assert_type(logs.convert(path, "a.csv", since="2h", until=day, first=9, sample=None), logs.ConversionResult)
    assert_type(logs.write_report(path, "day.html", since=day, until=day.date()), logs.ReportResult)
    ranking = logs.top(path, "status")
    assert_type(ranking, logs.Ranking)
    assert_type(ranking.counts, list[logs.ValueCount])
    combinations = logs.top(path, ["client", "status"])
    assert_type(combinations, logs.CombinationRanking)
    assert_type(combinations.counts, list[logs.CombinationCount])
    assert_type(combinations.counts[0].values, tuple[bytes | None, ...])
    assert_type(logs.write_report(path, "report.html"), logs.ReportResult)
    assert_type(logs.preview(path), list[logs.FormatPreview])
    assert_type(logs.PassedOverWarning(), logs.PassedOverWarning)
    assert_type(logs.decompressed(io.BytesIO()), logs.Stream)
    assert_type(logs.tables(stream, logs.COMMON), Iterator[logs.Table])
    assert_type(logs.nginx("$status"), logs.PatternFormat)
    assert_type(logs.json_lines("json:url"), logs.JSONFormat)
    assert_type(logs.W3C, logs.W3CFormat)
    assert_type(logs.COMMON.kind("status"), logs.ValueKind)
    assert_type(logs.COMMON.notations, Mapping[str, logs.Notation])
    for record in logs.records(stream):
        assert record["status"] >= 500  # which type it has depends on the format and the field


def of_keys(text: str, octets: bytearray, reference: Reference[bytes]) -> None:
    assert_type(crawl.key(text), str)
    assert_type(crawl.key(text, "page-1"), str)
    assert_type(crawl.key(octets, crawl.PROFILES["loose-1"]), bytes)
    assert_type(
        crawl.key(reference, replace(crawl.PROFILES["page-1"], name="ours-1", dropped_parameters=("ref",))), bytes
    )
    assert_type(crawl.Profile("ours-1", level="syntax", default_pages=("index.html",)).default_pages, tuple[str, ...])


def of_streams(stream: logs.Stream) -> None:
    assert_type(texts.find_in_stream(stream), Iterator[texts.FoundInStream])


def of_the_package(text: str) -> None:
    assert_type(urisect.split(text), Reference[str])
    assert_type(urisect.Base(text), Base[str])
    assert_type(urisect.strict.is_valid(text), bool)
    assert_type(urisect.percent.decode(text), str)
    assert_type(urisect.specs.RFC3986.is_valid(text), bool)
    assert_type(urisect.text.unwrap(text), str)
    assert_type(urisect.document.base_uri(html=text), str | None)
    assert_type(urisect.logs.COMBINED.name, str)
    assert_type(urisect.__version__, str)
    str(urisect.splt)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]


def of_mixed_types(text: str, octets: bytes) -> None:
    resolve(text, octets)  # type: ignore[type-var]  # pyright: ignore[reportCallIssue, reportArgumentType]
    equivalent(text, octets)  # type: ignore[type-var]  # pyright: ignore[reportCallIssue, reportArgumentType]
    Base(text).resolve(octets)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
