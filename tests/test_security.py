"""The hazards of references: each code, with examples and counterexamples; hosts, addresses; hostile text."""

import re
import socket
import sys
import unicodedata
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.corpora import crawl
from tests.support import naive, sizes
from tests.support.paths import DOCS
from urisect import split
from urisect.address import ADDRESS
from urisect.security import CODES, Hazard, hazards
from urisect.security.characters import BIDIRECTIONAL, INVISIBLE
from urisect.security.codes import MAX_BYTES
from urisect.security.components import find_hazards
from urisect.security.ordinary import ORDINARY

# References with each code: the component, and the place between "‹" and "›".
FOUND = [
    ("userinfo", "userinfo", "http://‹fred›@example.com/"),
    ("userinfo", "userinfo", "//‹›@h"),
    ("userinfo", "userinfo", "http://‹a@b›@h"),
    ("password", "userinfo", "ftp://fred:‹secret›@h/"),
    ("password", "userinfo", "//:‹a:b›@h"),
    ("userinfo-like-host", "userinfo", "ftp://‹cnn.example.com›&story=breaking_news@10.0.0.1/top_story.htm"),
    ("userinfo-like-host", "userinfo", "http://‹google.com›:80@evil.example/"),
    ("userinfo-like-host", "userinfo", "http://‹www.example.com›%2F@10.11.12.13/"),
    ("userinfo-like-host", "userinfo", "//‹bücher.example›@h"),
    ("userinfo-like-host", "userinfo", "//‹[::1›]@h"),
    ("userinfo-like-host", "userinfo", "//‹LOCALHOST›:80@h"),
    ("several-at-signs", "userinfo", "http://foo‹@›evil.example:80@good.example/"),
    ("several-at-signs", "userinfo", "//‹@›@@h"),
    ("rare-ipv4", "host", "http://‹127.1›/"),
    ("rare-ipv4", "host", "http://u@‹0x7F.1›:80/"),
    ("mapped-address", "host", "http://‹[::ffff:127.0.0.1]›/"),
    ("loopback-address", "host", "http://‹127.0.0.1›/"),
    ("loopback-address", "host", "http://‹localhost›:80/"),
    ("private-address", "host", "http://u@‹10.0.0.1›/"),
    ("link-local-address", "host", "http://‹169.254.169.254›/latest/meta-data/"),
    ("unspecified-address", "host", "http://‹0.0.0.0›:8080/"),
    ("loopback-address", "path", "http:‹127.0.0.1›"),
    ("loopback-address", "path", "HTTP:///‹127.0.0.1›/"),
    ("loopback-address", "path", "http:\\\\‹127.0.0.1›\\"),
    ("loopback-address", "path", "///‹127.0.0.1›/"),
    ("loopback-address", "path", "http:/a@‹127.0.0.1›:80/"),
    ("loopback-address", "path", "ht\ntp:/\t/\r‹127.0.0.1›/"),
    ("loopback-address", "path", "view-source:jar:http://‹localhost›/a!/b"),
    ("loopback-address", "path", "blob:http://‹[::1]›:8080/b"),
    ("loopback-address", "userinfo", "http://‹127.0.0.1›\\@good.example/"),
    ("loopback-address", "host", "http://‹127.0.0.1›\\.good.example/"),
    ("loopback-address", "host", "http://‹127.0.0.1› "),
    ("loopback-address", "reference", "\\\\‹[::1]›/"),
    ("loopback-address", "query", "/?a&u=‹http%3A%2F%2F127.0.0.1›;b"),
    ("private-address", "path", "http:\\‹0xa.1›\\"),
    ("rare-ipv4", "path", "http:\\‹0xa.1›\\"),
    ("multicast-address", "host", "http://‹224.0.0.1›/"),
    ("multicast-address", "host", "http://‹[ff02::1]›/"),
    ("internal-host", "host", "http://‹168.63.129.16›/machine"),
    ("internal-host", "host", "http://‹METADATA.google.internal.›/"),
    ("internal-host", "host", "http://‹kubernetes.default.svc›/"),
    ("internal-host", "path", "http:///‹metadata›/"),
    ("address-in-name", "host", "http://‹127.0.0.1.nip.io›/"),
    ("address-in-name", "host", "http://‹app-8-8-8-8.SSLIP.io.›/"),
    ("non-ascii-host", "host", "http://‹bücher.example›/"),
    ("punycode-host", "host", "http://www.‹xn--80ak6aa92e›.com/"),
    ("punycode-host", "host", "http://‹XN--80AK6AA92E›"),
    ("nfkc-delimiter", "host", "http://evil.c‹℀›.example.com/"),
    ("nfkc-delimiter", "host", "http://a‹／›b"),
    ("nfkc-delimiter", "host", "http://a‹․›b"),
    ("nfkc-delimiter", "host", "http://a‹。›b‹"),
    ("nfkc-delimiter", "userinfo", "http://a‹＠›b@h"),
    ("nfkc-delimiter", "port", "http://h:8‹：›8"),
    ("escaped-delimiter", "host", "http://example.com‹%2F›10.0.0.1/"),
    ("escaped-delimiter", "host", "http://trusted.example‹%40›evil.example/"),
    ("escaped-delimiter", "userinfo", "ftp://john‹%40›example.com@h/"),
    ("escaped-delimiter", "port", "//h:8‹%3a›0"),
    ("empty-label", "host", "http://a.‹.›example/"),
    ("empty-label", "host", "http://‹.›example.com/"),
    ("empty-label", "host", "//u@‹.›"),
    ("escaped-host", "host", "http://‹%6c›ocalhost/"),
    ("escaped-host", "host", "http://[fe80::1‹%25›eth0]/"),
    ("non-default-port", "port", "http://h:‹25›/"),
    ("non-default-port", "port", "HTTPS://h:‹0080›"),
    ("port-out-of-range", "port", "http://h:‹65536›/"),
    ("port-out-of-range", "port", "//h:‹0›"),
    ("port-out-of-range", "port", "//h:‹00065616›"),
    ("twin-port", "port", "http://127.0.0.1:‹11211:80›/"),
    ("twin-port", "port", "http://:‹:1›/"),
    ("invalid-port", "port", "http://h:‹8O›/"),
    ("invalid-port", "port", "http://h:‹-1›"),
    ("invalid-port", "port", "http://h:‹８０›"),
    ("raw-cr", "path", "/a‹\r›\nb"),
    ("raw-lf", "query", "/?‹\n\n›b\n"),
    ("raw-nul", "host", "//h‹\0›.example"),
    ("raw-control", "path", "/‹\x1b›[31m"),
    ("raw-control", "fragment", "#a‹\x80\x9f›"),
    ("raw-del", "path", "a‹\x7f›"),
    ("escaped-cr", "host", "http://127.0.0.1‹%0d›%0aX:y/"),
    ("escaped-lf", "query", "/?a%0D‹%0A›%0A"),
    ("escaped-nul", "path", "/a‹%00›.png"),
    ("escaped-control", "userinfo", "http://example.com‹%01›@evil.example/"),
    ("escaped-control", "path", "/‹%1B›[31m"),
    ("escaped-control", "path", "/‹%c2%85›"),
    ("escaped-del", "path", "/‹%7f›"),
    ("truncated-line-end", "path", "/‹%E5%98%8A›%E5%98%8DSet-Cookie:a"),
    ("truncated-line-end", "path", "/‹%e5%98%8d›%e5%98%8a"),
    ("truncated-line-end", "query", "?‹%C4%8D%C4%8A›"),
    ("truncated-line-end", "fragment", "#‹%c4%8a%c4%8d›"),
    ("truncated-line-end", "path", "/‹\u560a›\u560d"),
    ("truncated-line-end", "path", "/‹\u560d›\u560a"),
    ("truncated-line-end", "path", "/‹\u010d\u010a›"),
    ("outer-whitespace", "reference", "‹ \t›http://h/ "),
    ("outer-whitespace", "reference", "http://h/‹\n›"),
    ("outer-whitespace", "reference", "‹\x01›/"),
    ("outer-whitespace", "reference", "‹\xa0\u3000›/"),
    ("outer-whitespace", "reference", "‹ \n ›"),
    ("inner-tab-or-newline", "scheme", "java‹\t›script:alert(1)"),
    ("inner-tab-or-newline", "path", "\n/a‹\r\n›b\n"),
    ("whitespace", "path", " /a‹  ›b "),
    ("whitespace", "query", "?a‹\u2003›b"),
    ("bidirectional-character", "path", "/‹\u202e›gpj.exe"),
    ("invisible-character", "host", "//pay‹\xad›pal.example"),
    ("invisible-character", "path", "/‹\u200b\ufeff›a"),
    ("invisible-character", "fragment", "#‹\U000e0041›"),
    ("backslash", "path", "/‹\\\\›evil.example"),
    ("backslash", "host", "http://evil.example‹\\›.good.example/"),
    ("stray-bracket", "path", "/a‹[›0]"),
    ("stray-bracket", "userinfo", "http://good.example‹[›@evil.example"),
    ("stray-bracket", "host", "//‹[›::1"),
    ("stray-bracket", "host", "//‹[›::1]x"),
    ("stray-bracket", "host", "//‹[›www.example.com]/"),
    ("stray-bracket", "host", "//a‹]›"),
    ("bad-escape", "path", "/100‹%›"),
    ("bad-escape", "query", "?‹%›%32%65"),
    ("bad-escape", "host", "//[fe80::1‹%›eth0]"),
    ("double-escape", "path", "/‹%252e›%252e/"),
    ("double-escape", "query", "?‹%2500›"),
    ("overlong-escape", "path", "/..‹%c0%af›.."),
    ("overlong-escape", "path", "/‹%C1%9C›"),
    ("overlong-escape", "path", "/‹%e0%80%af›"),
    ("dot-segments", "path", "/a/‹..›/b"),
    ("dot-segments", "path", "http://h/‹.›"),
    ("dot-segments", "path", "/‹..›"),
    ("dot-segments", "path", "../a/‹..›/b"),
    ("escaped-dot-segments", "path", "/cgi-bin/‹.%2e›/%2e%2e/"),
    ("escaped-dot-segments", "path", "/‹%2E›"),
    ("escaped-dot-segments", "path", "/a/‹..›%2Fb"),
    ("escaped-dot-segments", "path", "/a%2f‹..›"),
    ("escaped-dot-segments", "path", "/a\\‹..›\\b"),
    ("escaped-dot-segments", "path", "/a%5C‹..›/"),
    ("escaped-dot-segments", "path", "‹%2e%2e›/a"),
    ("dot-segment-parameter", "path", "/a/‹..›;/b"),
    ("dot-segment-parameter", "path", "‹..›;a=b"),
    ("dot-segment-parameter", "path", "/‹%2e.›;/"),
    ("dot-segment-parameter", "path", "/a%2f‹.›%3b/"),
    ("dot-segment-parameter", "path", "/a\\‹..›;\\"),
    ("escaped-backslash", "path", "/a‹%5c›b"),
    ("extra-slashes", "authority", "http:‹///›evil.example/"),
    ("extra-slashes", "authority", "‹////›evil.example"),
    ("extra-slashes", "path", "http://h‹//›evil.example/%2e%2e"),
    ("extra-slashes", "path", "file://‹//›server/share"),
    ("scheme-without-authority", "scheme", "‹http›:evil.example"),
    ("scheme-without-authority", "scheme", "‹HTTPS›:/evil.example"),
    ("scheme-without-authority", "scheme", "‹http›:999999999"),
    ("network-path", "reference", "‹//evil.example›/a"),
    ("network-path", "reference", "‹//u@evil›:80"),
    ("network-path", "reference", "‹///evil.example›/a"),
    ("network-path", "reference", "‹/\\evil.example›/a"),
    ("network-path", "reference", "‹\\\\evil.example›:80/a"),
    ("network-path", "reference", " ‹/\t/evil.example›?a"),
    ("nested-reference", "query", "/a?b&next=‹//evil›"),
    ("nested-reference", "query", "?next=‹/%5Cevil›&next=//evil"),
    ("nested-reference", "query", "http://h/?q=‹+%20/%09/evil›"),
    ("nested-reference", "query", "http://h/?next=‹https%3A%2F%2Fevil.example›"),
    ("nested-reference", "query", "http://h/?Return_To=‹http:evil›"),
    ("nested-reference", "query", "http://h/?re%64irect-uri=‹%68ttp://evil›;a"),
    ("nested-reference", "query", "http://h/?url=‹http://10.0.0.1/›"),
    ("nested-reference", "query", "http://h/?a=‹java%0Ascript:alert(1)›"),
    ("file-scheme", "scheme", "‹file›:///etc/passwd"),
    ("ldap-scheme", "scheme", "‹ldap›://h/a"),
    ("ldap-scheme", "scheme", "‹LDAPS›://h/a"),
    ("jar-scheme", "scheme", "‹jar›:https://h/a.zip!/b"),
    ("blob-scheme", "scheme", "‹blob›:https://h/b"),
    ("view-source-scheme", "scheme", "‹view-source›:https://h/"),
    ("script-scheme", "scheme", "‹javascript›:alert(1)"),
    ("script-scheme", "scheme", "‹VbScript›:x"),
    ("script-scheme", "scheme", "‹data›:text/html,x"),
    ("script-scheme", "scheme", "‹ \x01java\nscript›:alert(1)"),
    ("very-long", "reference", f"‹/{'a' * MAX_BYTES}›"),
    ("very-long", "reference", f"‹/{'é' * (MAX_BYTES // 2)}›"),
]

# For each code, similar references without it.
NOT_FOUND = {
    "userinfo": ["http://example.com/fred@h", "mailto:fred@example.com", "//h?a@b"],
    "password": ["//fred@h", "//fred:@h", "//h:80/a:b@c", "mailto:a:b@c"],
    "userinfo-like-host": ["//fred@h", "//fred:a.b@h", "//localhosts@h", "//h/a.b@h"],
    "several-at-signs": ["//a@h/b@c", "//a%40b@h", "//a@h?@"],
    "rare-ipv4": ["//10.0.0.1", "//1.2.3.4.5", "//1.2.3.256", "//256.1.1.1", "//4294967296", "//0x100000000", "//1..2",
                  "//08", "//0xg", "//1.2.3.4a", "//a.1", "//[127.1]", "/127.1", "//１２７．０．０．１.example", "//."],
    "mapped-address": ["//[::1]", "//[::]", "//[2001:db8::7f00:1]", "//127.0.0.1", "//[::ffff:127.1]"],
    "loopback-address": ["//128.0.0.1", "//126.255.255.255", "//[::2]", "//localhost.example", "//notlocalhost",
                         "//h/127.0.0.1", "localhost:80", "//127.0.0.1.example"],
    "private-address": ["//11.0.0.1", "//172.32.0.1", "//192.169.0.1", "//100.128.0.1", "//[2606:4700::1]",
                        "//127.0.0.1", "//10.0.0.1.example"],
    "link-local-address": ["//169.253.0.1", "//169.255.0.1", "//[fec0::1]", "//[ff02::1]"],
    "unspecified-address": ["//0.0.0.1", "//[::1]", "//[::ffff:1.1.1.1]"],
    "multicast-address": ["//223.255.255.255", "//240.0.0.0", "//[feff::1]", "//224.0.0.1.example"],
    "internal-host": ["//168.63.129.17", "//google.internal.example", "//notmetadata", "//kubernetes.default.example",
                      "//internal", "//169.254.169.254", "//xmetadata.goog", "http://h/?q=metadata"],
    "address-in-name": ["//nip.io", "//www.nip.io", "//127.0.0.1.example", "//127.0.0.1.nip.io.example",
                        "//127.0.0.1.xnip.io", "//256.0.0.1.nip.io", "//7f00000g.nip.io", "//a.7f00000.nip.io",
                        "//notlocaltest.me", "//" + "a." * 122 + "127.0.0.1.nip.io"],
    "non-ascii-host": ["//h/é", "//é@h", "//xn--bcher-kva.example", "//b%C3%BCcher.example"],
    "punycode-host": ["//xnn--a.example", "//axn--a", "//a-xn--b", "//xn-a", "/xn--a", "//xn--a@h"],
    "nfkc-delimiter": ["//é.example", "/℀", "//ﬁ.example", "//a/／"],
    "escaped-delimiter": ["/a%2Fb", "//h%2E", "//h/%40", "//h%2"],
    "empty-label": ["//a.b.", "//h", "//", "//a.b/..", "//[v1.a..b]", "//a..b@h", "mailto:a@b..c"],
    "escaped-host": ["//h/%61", "//%61@h", "//h%2F", "//h%6"],
    "non-default-port": ["http://h:80/", "http://h:00080/", "https://h:443", "http://h:/", "http://h", "foo://h:81",
                         "//h:81", "file://h:81/"],
    "port-out-of-range": ["//h:1", "//h:65535", "//h:0065535", "//h:", "//h:a65536"],
    "twin-port": ["//h:80", "//[::1]:80", "//u:p@h:80", "//h:80/a:b", "//h:"],
    "invalid-port": ["//h:", "//h:080", "//h:80:8O", "//h"],
    "raw-cr": ["/a\nb", "/%0D", "/\\r"],
    "raw-lf": ["/a\rb", "/%0A", "/\\n"],
    "raw-nul": ["/%00", "/0", "/\x01"],
    "raw-control": ["/\t", "/\r\n", "/\0", "/ ", "/\x7f", "/\xa0", "/%01"],
    "raw-del": ["/~", "/%7F", "/\x80"],
    "escaped-cr": ["/%0A", "/%250D", "/%0", "/\r"],
    "escaped-lf": ["/%0D", "/%250A", "/%A0"],
    "escaped-nul": ["/%2500", "/%0", "/%30"],
    "escaped-control": ["/%20", "/%0D%0A%00", "/%7F", "/%2501", "/%C2%A0", "/%C3%85"],
    "escaped-del": ["/%7E", "/%257F", "/%F7"],
    "truncated-line-end": ["/%E4%B8%8A%E4%B8%8D", "/%E5%98%8D", "/%C4%8D%C4%8D", "/%C4%8A", "/\u4e0a\u4e0d", "/\u560d",
                           "/%25E5%98%8B", "/%E3%80%8D%E3%80%8A"],
    "outer-whitespace": ["/a b", "/%20", "/a\tb", ""],
    "inner-tab-or-newline": ["\t/a\n", "/a b", "/%09", " \n\t"],
    "whitespace": [" /a ", "/a%20b", "/a+b", "/a\tb", "   "],
    "bidirectional-character": ["/\u05d0", "/\u200d", "/%E2%80%AE"],
    "invisible-character": ["/é", "/\u202e", "/\u0301", "/\u2800"],
    "backslash": ["/%5C", "/a/b", "/＼"],
    "stray-bracket": ["//[::1]:80/", "//[v1.a]", "//[fe80::1%25eth0]", "//[fe80::1%eth0]", "/%5B0%5D", "/(0)"],
    "bad-escape": ["/%41", "/%aF", "/%2541", "/"],
    "double-escape": ["/%25", "/%252", "/%25g0", "/%2%35"],
    "overlong-escape": ["/%C2%A0", "/%e0%a0%80", "/%C0", "/%C0%41", "/%E0%80"],
    "dot-segments": ["../a", "./a", "..", "../../a:b", "/.a", "/a..", "/...", "/a.b", "?/../", "/%2E", "/a%2F..%2F"],
    "escaped-dot-segments": ["/a/../b", "/%2ea", "/a%2e", "/%2e%2e%2e", "/...", "?/%2e", "/%252e", "../a", "/a%2fb"],
    "dot-segment-parameter": ["/../;", "/..a;", "/a..;", "/;..", "/...;", "?/..;/", "/a;/..", "/%252e;"],
    "escaped-backslash": ["/%2F", "?%5C", "/%255C", "/\\"],
    "extra-slashes": ["http://h/a//b", "file:///etc/hosts", "sqlite:///a", "http://", "//h/", "//", "/a//b"],
    "scheme-without-authority": ["http://h", "mailto:a", "file:/etc/hosts", "foo:bar", "/http:a", "//http"],
    "network-path": ["/evil", "http://h//evil", "//", "///", "/ /evil", "a//evil", "?//evil", "s://h", "view-source://h",
                     "http:///evil", "\\evil"],
    "nested-reference": ["http://h/?next=http://h/a", "http://h/?next=//H/a", "/?next=/a", "/?next=a:b", "/?q=a//b",
                         "/?next=/a//b", "http://h/?url=http://a.example/", "/#next=//evil", "/next=//evil",
                         "/?//evil", "/?next=s://evil", "/?date=2024-01-01T00:00:00Z", "/?next=//", "/?a=http://"],
    "file-scheme": ["files:///a", "/file:", "http://file/"],
    "ldap-scheme": ["ldapx://h", "/ldap:", "http://ldap/"],
    "jar-scheme": ["jars:a", "/jar:a", "http://h/a.jar"],
    "blob-scheme": ["blobs:a", "/blob:a", "http://blob/"],
    "view-source-scheme": ["view-sources:a", "/view-source:a", "view:source"],
    "script-scheme": ["javascripts:a", "/javascript:a", "java:script", "http://javascript/", "datum:x"],
    "very-long": [f"/{'a' * (MAX_BYTES - 1)}", f"/{'é' * (MAX_BYTES // 2 - 1)}", f"/{'%41' * (MAX_BYTES // 3)}"],
}  # fmt: skip

UNSPECIFIED = "0.0.0.0"  # noqa: S104  nothing is bound to it

# Hosts, the addresses as which each may be read, and the code of the address.
ADDRESSES = [
    ("2130706433", "127.0.0.1", "loopback-address"),
    ("017700000001", "127.0.0.1", "loopback-address"),
    ("0x7f000001", "127.0.0.1", "loopback-address"),
    ("0X7F.1", "127.0.0.1", "loopback-address"),
    ("127.65535", "127.0.255.255", "loopback-address"),
    ("127.0.256", "127.0.1.0", "loopback-address"),
    ("127.0.0.1.", "127.0.0.1", "loopback-address"),
    ("0", UNSPECIFIED, "unspecified-address"),
    ("0x", UNSPECIFIED, "unspecified-address"),
    ("1.2.3.04", "1.2.3.4", None),
    ("010.0.0.1", "8.0.0.1 or 10.0.0.1", None),
    ("010.8.8.8", "8.8.8.8 or 10.8.8.8", None),
    ("08.8.8.8", "8.8.8.8", None),
    ("0177.0.0.1", "127.0.0.1 or 177.0.0.1", None),
    ("0400.1.1.1", None, None),
    ("010.010.0.1", "8.8.0.1 or 10.10.0.1", None),
    ("0x8.010.0.1", "8.8.0.1", None),
    ("1.1", "1.0.0.1", None),
    ("0" * 5000 + "1.1", "1.0.0.1", None),
    ("4294967295", "255.255.255.255", "private-address"),
    ("0xa9fea9fe", "169.254.169.254", "link-local-address"),
    ("%31%32%37.0.0.1", "127.0.0.1", "loopback-address"),
    ("%EF%BC%91%EF%BC%90.0.0.1", "10.0.0.1", "private-address"),
    ("①②⑦。⓪｡0.1", "127.0.0.1", "loopback-address"),
    ("127\xad.0\t.0.1", "127.0.0.1", "loopback-address"),
]

CATEGORIES = [
    ("127.255.255.254", "loopback-address"),
    ("localhost.", "loopback-address"),
    ("LocalHost", "loopback-address"),
    ("a.b.localhost", "loopback-address"),
    ("ⓛocalhost", "loopback-address"),
    ("%6Cocalhost", "loopback-address"),
    ("[::1]", "loopback-address"),
    ("[0:0:0:0:0:0:0:1]", "loopback-address"),
    ("[::]", "unspecified-address"),
    ("172.31.255.255", "private-address"),
    ("192.168.0.1", "private-address"),
    ("100.64.0.1", "private-address"),
    ("192.0.2.1", "private-address"),
    ("[fd00:ec2::254]", "private-address"),
    ("[fe80::1%25eth0]", "link-local-address"),
    ("[fe80::1%eth0]", "link-local-address"),
    ("[FEBF::1]", "link-local-address"),
    ("192.0.0.192", "private-address"),
    ("[fec0::1]", "private-address"),
    ("[3fff::1]", "private-address"),
    ("224.0.0.1", "multicast-address"),
    ("[ff02::1]", "multicast-address"),
    ("localhost.localdomain", "loopback-address"),
    ("ip6-localhost", "loopback-address"),
    ("metadata.google.internal", "link-local-address"),
    ("instance-data", "link-local-address"),
    ("127.0.0.1.nip.io", "loopback-address"),
    ("127-0-0-1.sslip.io", "loopback-address"),
    ("app.10-0-0-1.nip.io", "private-address"),
    ("app-7f000001.nip.io", "loopback-address"),
    ("--1.sslip.io", "loopback-address"),
    ("www.fe80--1.sslip.io", "link-local-address"),
    ("localtest.me", "loopback-address"),
    ("a.b.lvh.me.", "loopback-address"),
    ("10.0.0.1.traefik.me", "private-address"),
    ("make-1.2.3.4-rebind-169.254-169.254-rr.1u.ms", "link-local-address"),
    ("7f000001.08080808.rbndr.us", "loopback-address"),
    ("8.8.8.127.0.0.1.nip.io", "loopback-address"),
]

MAPPED = [
    ("[::2]", "0.0.0.2", "private-address"),
    ("[::ffff:127.0.0.1]", "127.0.0.1", "loopback-address"),
    ("[::FFFF:a9fe:a9fe]", "169.254.169.254", "link-local-address"),
    ("[2002:0a00:0001::]", "10.0.0.1", "private-address"),
    ("[64:ff9b::192.168.1.1]", "192.168.1.1", "private-address"),
    ("[::10.0.0.1]", "10.0.0.1", "private-address"),
    ("[::ffff:0.0.0.0]", UNSPECIFIED, "unspecified-address"),
    ("[::ffff:8.8.8.8]", "8.8.8.8", None),
    ("[::ffff:0:7f00:1]", "127.0.0.1", "loopback-address"),
    ("[2001:0:4136:e378:8000:63bf:80ff:fffe]", "127.0.0.1", "loopback-address"),
    ("[2606:4700::200:5efe:10.0.0.1]", "10.0.0.1", "private-address"),
    ("[2002:808:808::]", "8.8.8.8", None),
    ("[64:ff9b::224.0.0.1]", "224.0.0.1", "multicast-address"),
]

CLEAN = [
    "",
    "/",
    "http://www.ics.uci.edu/pub/ietf/uri/#Related",
    "https://example.com:443/caf%C3%A9/a%20b?q=%E4%BD%A0&r=/a/b?c#d/e?f",
    "https://EXAMPLE.com/",
    "urn:example:animal:ferret:nose",
    "mailto:John.Doe@example.com",
    "tel:+1-816-555-1212",
    "../style.css",
    "https://example.com/share?url=https%3A%2F%2Fexample.org%2Fa&text=b",
    "https://example.com/login?next=/account/",
    "https://example.com/login?next=https://example.com/account/",
    "https://example.com/%E4%B8%8A%E4%B8%8D%C4%8D",
    "http://8.8.8.8/",
    "http://[2606:4700:4700::1111]/",
    "http://example.com./",
]


def remove_marks(marked: str) -> tuple[str, int, int]:
    start = marked.index("‹")
    end = marked.index("›") - 1
    return marked.replace("‹", "").replace("›", ""), start, end


def codes(reference: str | bytes) -> set[str]:
    return {hazard.code for hazard in hazards(reference)}


def message(reference: str, code: str) -> str | None:
    return next((hazard.message for hazard in hazards(reference) if hazard.code == code), None)


@pytest.mark.parametrize(("code", "component", "marked"), FOUND)
def test_a_hazard_is_found_at_its_place(code: str, component: str, marked: str) -> None:
    text, start, end = remove_marks(marked)
    assert (code, component, start, end) in {hazard[:4] for hazard in hazards(text)}
    octets = text.encode()
    start, end = len(text[:start].encode()), len(text[:end].encode())
    assert (code, component, start, end) in {hazard[:4] for hazard in hazards(octets)}


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in NOT_FOUND.items() for text in texts])
def test_a_similar_reference_does_not_have_the_hazard(code: str, text: str) -> None:
    assert code not in codes(text)
    assert code not in codes(text.encode())


def test_every_code_has_examples_with_and_without_it() -> None:
    assert {code for code, _, _ in FOUND} == set(NOT_FOUND) == set(CODES)


def test_every_code_has_one_row_in_the_documentation_with_its_section() -> None:
    text = (DOCS / "reference" / "hazards.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \|.*\| ([^|]+) \|$", text, re.MULTILINE)
    sections = {code: hazard.section for code, _, marked in FOUND for hazard in hazards(remove_marks(marked)[0])
                if hazard.code == code}  # fmt: skip
    assert rows == [(code, sections[code]) for code in CODES]


@pytest.mark.parametrize("text", CLEAN)
def test_an_ordinary_reference_has_no_hazard(text: str) -> None:
    assert hazards(text) == hazards(text.encode()) == ()


@pytest.mark.parametrize(("host", "addresses", "code"), ADDRESSES)
def test_a_rare_ipv4_address_is_named(host: str, addresses: str | None, code: str | None) -> None:
    found = message(f"http://{host}/", "rare-ipv4")
    assert found == (addresses and f"The host may be read as the address {addresses}.")
    if code:
        assert str(addresses) in str(message(f"http://{host}/", code))


@pytest.mark.parametrize(
    ("host", "code", "address"),
    [
        ("010.0.0.1", "private-address", "10.0.0.1,"),
        ("0127.0.0.1", "loopback-address", "127.0.0.1,"),
        ("012.0.0.1", "private-address", "10.0.0.1,"),
        ("00.0.0.012", "private-address", "0.0.0.10 or 0.0.0.12,"),
    ],
)
def test_each_reading_of_leading_zeros_is_checked(host: str, code: str, address: str) -> None:
    assert f"may be {address}" in str(message(f"//{host}", code))


@pytest.mark.parametrize(("host", "code"), CATEGORIES)
def test_an_address_has_the_code_of_its_category(host: str, code: str) -> None:
    assert code in codes(f"http://{host}/")
    classes = {"loopback-address", "private-address", "link-local-address", "unspecified-address", "multicast-address"}
    assert codes(f"http://{host}/") & classes == {code}


@pytest.mark.parametrize(("host", "address", "code"), MAPPED)
def test_an_ipv4_address_inside_an_ipv6_address_is_named_and_checked(host: str, address: str, code: str | None) -> None:
    assert str(message(f"http://{host}", "mapped-address")).endswith(f" {address}.")
    assert codes(f"http://{host}") == {"mapped-address", code} - {None}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="its inet_aton takes less")
def test_rare_addresses_agree_with_inet_aton() -> None:
    for host in naive.strings("0178xf.", sizes.choose(full=5, quick=4)):
        if re.search(r"\.\Z|0x(?![17f80])", host):
            continue  # only browsers read a trailing "." and an empty "0x" (WHATWG URL, 3.5)
        try:
            address = socket.inet_ntoa(socket.inet_aton(host))
        except OSError:
            address = None
        found = message(f"//{host}", "rare-ipv4")
        if address and address != host:
            assert f" {address}" in str(found)
        elif re.fullmatch(ADDRESS, host) and found:
            assert re.search(r"(?<![^.])0[0-9]*8", host)  # not octal: read as decimal only


@pytest.mark.parametrize("text", ["http://fred:secret@h/", "//a.b:secret%2Fx\r\u202e℀@h"])
def test_a_password_is_not_quoted(text: str) -> None:
    assert "password" in codes(text)
    assert not any("secret" in hazard.message or "fred" in hazard.message for hazard in hazards(text))


def test_a_long_host_is_shortened_in_a_message() -> None:
    assert len(str(message(f"//u@{'h' * 1000}", "userinfo"))) < 200


def test_a_message_has_its_details() -> None:
    assert "port 25; the default is 80" in str(message("http://h:0025/", "non-default-port"))
    assert "'evil.example'" in str(message("http:///evil.example/a", "extra-slashes"))
    assert "U+2100 becomes 'a/c'" in str(message("//℀", "nfkc-delimiter"))
    assert "U+202E" in str(message("/\u202e", "bidirectional-character"))
    assert "%2f" in str(message("//a%2fb", "escaped-delimiter"))
    assert "8,001 bytes" in str(message(f"/{'a' * MAX_BYTES}", "very-long"))


def test_a_code_is_reported_once_per_component() -> None:
    found = [hazard for hazard in hazards("/%00/%00?%00&%00#%00") if hazard.code == "escaped-nul"]
    assert [(hazard.component, hazard.start) for hazard in found] == [("path", 1), ("query", 9), ("fragment", 17)]


@given(naive.texts | naive.octets)
def test_hazards_of_any_text(text: Any) -> None:
    check(text)


# Tokens with a meaning, to be combined in unexpected ways.
PIECES = [
    "http", "javascript", "foo", ":", "//", "/", "?", "#", "@", "[", "]", "::1", "::ffff:", "127.0.0.1", "0x7f", "010",
    ".", "..", "localhost", "xn--", "example.com", "a.b", "80", "65536", "%", "%2e", "%2E", "%2F", "%5c", "%25", "%00",
    "%0D", "%20", "%C3%A9", "%C2%85", "%c0%af", "%E0", "%7f", "\\", " ", "\t", "\r\n", "\0", "\x1b", "\x7f", "\xa0",
    "é", "℀", "。", "\xad", "\u202e", "\ufe0f", "\udcff", "\ud800",
    "=", "&", ";", "+", "next=", "%3A", "//evil", "nip.io", "lvh.me", ".internal", ".svc", "local", "metadata.goog",
    "view-source:", "..;", "%E5%98%8A", "%C4%8A", "%C4%8D", "嘊", "Ċ", "č",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_hazards_of_any_pieces(text: str) -> None:
    check(text)
    check(text.encode("utf-8", "surrogatepass"))


def check(text: Any) -> None:
    found = hazards(text)
    assert all(type(hazard) is Hazard for hazard in found)
    assert list(found) == sorted(found, key=lambda hazard: (hazard.start, hazard.end, hazard.code))
    assert len({(hazard.code, hazard.component) for hazard in found}) == len(found)
    reference = split(text)
    for hazard in found:
        assert re.fullmatch(r"[ -~]+[.?]", hazard.message)
        assert 0 <= hazard.start <= hazard.end <= len(text)
        place = text[hazard.start : hazard.end]
        component = text if hazard.component == "reference" else getattr(reference, hazard.component)
        assert place in component or hazard.code == "extra-slashes"


@given(naive.texts | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_bytes_have_the_hazards_of_their_text(text: str) -> None:
    octets = text.encode("utf-8", "replace")
    text = octets.decode()

    def size(offset: int) -> int:
        return len(text[:offset].encode())

    expected = [hazard._replace(start=size(hazard.start), end=size(hazard.end)) for hazard in hazards(text)]
    assert list(hazards(octets)) == expected


def test_bytes_that_are_not_utf_8_count_one_by_one() -> None:
    [host, escape] = hazards(b"a://\xff\xc3\xa9\xff/%00")
    assert (host.code, host.start, host.end) == ("non-ascii-host", 4, 8)
    assert (escape.code, escape.start, escape.end) == ("escaped-nul", 9, 12)


def is_ordinary(text: str) -> bool:
    return re.fullmatch(ORDINARY, text) is not None


PREFIXES = ["http://a.b", "http://127.0.0.1.", "http://a.b/?a=", "https://www.example.com/"]


@given(st.lists(st.sampled_from([*PIECES, *PREFIXES]), max_size=8).map("".join))
def test_ordinary_text_has_no_hazard(text: str) -> None:
    if is_ordinary(text):
        assert list(find_hazards(text, len(text))) == []


def test_ordinary_escapes_have_no_hazard() -> None:
    escapes = [f"%{octet:02X}" for octet in range(256)]
    ordinary = 0
    for text in (f"/{first}{second}" for first in escapes for second in ("", "a", ".", "/", *escapes[::7])):
        if is_ordinary(text):
            ordinary += 1
            assert list(find_hazards(text, len(text))) == []
    assert ordinary > 1000


@pytest.mark.slow
def test_short_ordinary_references_have_no_hazard() -> None:
    for rest in naive.strings("a1./?#@:", sizes.choose(full=5, quick=4)):
        for text in (rest, f"http://{rest}", f"http://a.b{rest}"):
            if is_ordinary(text):
                assert list(find_hazards(text, len(text))) == []


def test_characters_that_become_delimiters_agree_with_urlsplit() -> None:
    becoming = [
        character
        for character in map(chr, range(0x80, sys.maxunicode + 1))
        if set(unicodedata.normalize("NFKC", character)) & set("/?#@:")
    ]
    for character in becoming:
        with pytest.raises(ValueError, match="NFKC"):
            urlsplit(f"//a{character}b")
        assert "nfkc-delimiter" in codes(f"//a{character}b")


def test_formatting_characters_are_bidirectional_or_invisible() -> None:
    # Visible format characters: signs that enclose numbers, hieroglyph controls, and annotations.
    seen = "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\ufff9-\ufffb\U00013430-\U0001345f]"
    for character in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(character) == "Cf" and not re.match(seen, character):
            name = unicodedata.name(character, "")
            turns = name.endswith(("LEFT MARK", "RIGHT MARK", "LETTER MARK", "EMBEDDING", "OVERRIDE", "ISOLATE"))
            turns = turns or name.startswith("POP DIRECTIONAL")
            assert re.fullmatch(BIDIRECTIONAL if turns else INVISIBLE, character)


@pytest.mark.parametrize("make", [bytearray, memoryview])
def test_bytes_like_objects_are_accepted(make: Any) -> None:
    assert hazards(make(b"//u@h")) == hazards(b"//u@h") != ()


@pytest.mark.parametrize("text", ["//u@h", b"//u@h"])
def test_a_split_reference_has_the_hazards_of_its_text(text: str | bytes) -> None:
    assert hazards(split(text)) == hazards(text) != ()


@pytest.mark.parametrize("thing", [None, 1, ["a"]])
def test_an_argument_of_another_type_is_rejected(thing: Any) -> None:
    with pytest.raises(TypeError, match=rf"^hazards\(\) takes .* not {type(thing).__name__}$"):
        hazards(thing)


SIZE = sizes.LONG
BEYOND_ASCII = "".join(map(chr, range(0x80, 0x40000)))

HOSTILE = [
    ("\r\n" * (SIZE // 2), {"outer-whitespace", "raw-cr", "raw-lf"}),
    ("/" + " " * SIZE + "/", {"whitespace"}),
    ("%" * SIZE, {"bad-escape"}),
    ("%2525" * (SIZE // 5), {"double-escape"}),
    ("../" * (SIZE // 3), set()),
    ("/" + ".%2e" * (SIZE // 4), set()),
    ("/" + "..%2f" * (SIZE // 5), {"escaped-dot-segments"}),
    ("//h" + "/" * SIZE, {"extra-slashes"}),
    ("//" + "@" * SIZE, {"several-at-signs"}),
    ("//" + "a." * (SIZE // 2) + "@h", {"userinfo-like-host"}),
    ("//" + "[" * SIZE, {"stray-bracket"}),
    ("//[" + "%" * SIZE + "]", {"bad-escape", "stray-bracket"}),
    ("//" + ":" * SIZE, {"twin-port"}),
    ("//h:" + "9" * SIZE, {"port-out-of-range"}),
    ("//" + "0" * SIZE + "7.1", {"rare-ipv4"}),
    ("//" + "1" * SIZE, set()),
    ("//" + "1." * (SIZE // 2), set()),
    ("//" + "xn-" * (SIZE // 3), set()),
    ("\t" * SIZE + "javascript:", {"script-scheme", "outer-whitespace"}),
    ("/\t" * (SIZE // 2) + "evil", {"network-path"}),
    ("/\\" * (SIZE // 2), {"backslash"}),
    ("jar:" * (SIZE // 4) + "http://10.0.0.1", {"jar-scheme", "private-address"}),
    ("http:" + "a@" * (SIZE // 2) + "127.0.0.1", {"loopback-address"}),
    ("http://" + "a\\" * (SIZE // 2), {"backslash"}),
    ("http://" + "1-" * (SIZE // 2) + "127.0.0.1.nip.io", set()),
    ("//a" + "." * SIZE, {"empty-label"}),
    ("/?" + "a=//b&" * (SIZE // 6), {"nested-reference"}),
    ("/?" + "a=http:" * (SIZE // 7), set()),
    ("/?" + "&".join(f"next=http:1{number}" for number in range(SIZE // 20)), {"nested-reference"}),
    ("/?" + "a" * SIZE + "=//b", {"nested-reference"}),
    ("/?a=" + "+" * SIZE + "//b", {"nested-reference"}),
    ("/?a=" + "%20" * (SIZE // 3), set()),
    ("/?a=" + "b%0A" * (SIZE // 4), set()),
    ("/" + "..;" * (SIZE // 3), {"dot-segment-parameter"}),
    ("/" + "%E5%98%8D" * (SIZE // 9), set()),
    ("/" + "\u560d" * (SIZE // 3), set()),
    ("//" + "\u0315\u0301" * (SIZE // 4), {"non-ascii-host"}),
    ("//" + "℀" * (SIZE // 3), {"nfkc-delimiter"}),
    ("//" + BEYOND_ASCII * sizes.choose(full=8, quick=1), {"nfkc-delimiter", "invisible-character"}),
    (b"//" + b"\xff" * SIZE, {"non-ascii-host"}),
    (b"/" + "\u202e".encode() * (SIZE // 3), {"bidirectional-character"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "found"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_takes_linear_time(text: str | bytes, found: set[str]) -> None:
    hazardous = hazards(text)
    assert {hazard.code for hazard in hazardous} >= found | {"very-long"}
    assert len(hazardous) < 20


def test_a_reference_of_the_maximum_length_is_not_very_long() -> None:
    longest = "/" + "a" * (MAX_BYTES - 1)
    assert codes(longest) == codes(longest[:-1] + "|") == set()
    assert codes(f"{longest}a") == {"very-long"}
    assert f"{MAX_BYTES + 1:,} bytes" in str(message(f"{longest}a", "very-long"))


def test_only_a_relative_path_may_begin_with_dot_segments() -> None:
    assert codes("./a") == codes("../../a") == set()
    assert codes("s:./a") == codes("s:../a") == codes("s://h/./a") == codes("/./a") == {"dot-segments"}
    assert codes("//h/./a") == {"dot-segments", "network-path"}


def test_a_message_counts_and_names() -> None:
    assert 'There are 3 "@"' in str(message("//a@b@c@d", "several-at-signs"))
    assert "'evil.example'" in str(message("//h//evil.example/a", "extra-slashes"))
    assert "'evil.example'" in str(message("http:///evil.example/a", "extra-slashes"))


@pytest.mark.parametrize("text", [" s:", "s: ", "//h ", "s://h/a ", "s:?b ", "s://h/a?b#c \n"])
def test_outer_white_space_is_not_inner_white_space(text: str) -> None:
    assert codes(text) & {"outer-whitespace", "whitespace", "inner-tab-or-newline"} == {"outer-whitespace"}


def test_a_mapped_address_is_displayed_alike_on_every_python() -> None:
    found = message("http://[::FFFF:7F00:1]/", "mapped-address")
    assert found == "The IPv6 address ::ffff:127.0.0.1 contains the IPv4 address 127.0.0.1."


def test_a_local_address_and_the_address_inside_are_both_checked() -> None:
    assert codes("http://[64:ff9b:1::7f00:1]/") == {"mapped-address", "private-address", "loopback-address"}
    assert codes("http://[64:ff9b:1::8.8.8.8]/") == {"mapped-address", "private-address"}
    assert codes("http://[fe80::5efe:10.0.0.1]/") == {"mapped-address", "link-local-address", "private-address"}


# Hosts that browsers find


@pytest.mark.parametrize(
    "text", ["http:127.0.0.1", "http:///127.0.0.1/", "http:\\\\127.0.0.1\\", "http://127.0.0.1\\@good.com/",
             "///127.0.0.1/", "/\\127.0.0.1", "//127.0.0.1\\@good.com", " http:/\\127.0.0.1", "ws:127.0.0.1?a#b"]
)  # fmt: skip
def test_the_host_that_browsers_find_is_checked_in_addition_to_the_structure(text: str) -> None:
    assert "loopback-address" in codes(text)
    assert codes(text) - {"loopback-address"}


NO_HOST = [
    "mailto:127.0.0.1", "/127.0.0.1", "127.0.0.1/", "/a\\127.0.0.1", "s:\\\\127.0.0.1", "file:127.0.0.1",
    "?//127.0.0.1", "http:/?127.0.0.1", "view-source:/127.0.0.1", "view-source://127.0.0.1.example",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_HOST)
def test_no_host_is_found_where_browsers_find_none(text: str) -> None:
    assert "loopback-address" not in codes(text)


def test_two_hosts_in_one_component_report_a_code_once() -> None:
    found = [hazard for hazard in hazards("http://127.0.0.1\\.localhost/") if hazard.code == "loopback-address"]
    assert [hazard.component for hazard in found] == ["host"]
    assert {"private-address", "loopback-address"} <= codes("http://10.0.0.1\\.localhost/")


def test_a_nested_reference_is_reported_with_its_destination() -> None:
    assert message("/?next=//evil.example/a", "nested-reference") == (
        "A program that follows this parameter is led to the host 'evil.example'."
    )
    assert "a javascript reference" in str(message("/?a=JavaScript:b", "nested-reference"))
    assert codes("/?u=http://169.254.169.254/&v=http://%5B::1%5D/") == {
        "nested-reference", "link-local-address", "loopback-address"
    }  # fmt: skip


# The hazards that the generated crawl contains on purpose, in a few per cent of its URLs.
ON_PURPOSE = {
    "backslash", "bad-escape", "dot-segments", "escaped-dot-segments", "extra-slashes", "invalid-port",
    "mapped-address", "non-ascii-host", "non-default-port", "outer-whitespace", "password", "private-address",
    "punycode-host", "script-scheme", "stray-bracket", "userinfo", "whitespace",
}  # fmt: skip


def test_few_urls_of_a_crawl_have_a_hazard_by_accident() -> None:
    urls = crawl(4000)
    assert sum(bool(codes(url) - ON_PURPOSE) for url in urls) <= len(urls) / 100


def test_a_query_with_too_many_references_is_very_long() -> None:
    shortest = "=a:&" * (MAX_BYTES // 4)
    assert "nested-reference" in codes(f"/?{shortest[:-8]}=//evil")
    assert codes(f"/?{shortest}=//evil") == {"very-long"}
