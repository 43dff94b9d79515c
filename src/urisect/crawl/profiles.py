"""Profiles of keys: which references a key counts as the same, from conservative to aggressive."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, get_args

from urisect.normalization import Level

__all__ = ["PROFILES", "SESSION_PARAMETERS", "TRACKING_PARAMETERS", "Profile"]


@dataclass(frozen=True)
class Profile:
    """The steps that make a key of a URI, in their order (RFC 3986, 6.2).

    All steps after the fragment change URIs of HTTP only. A profile with other steps has another name, since its keys
    are others: `dataclasses.replace(PROFILES["page-1"], name="ours-1", dropped_parameters=("ref", "from_*"))`.

    Attributes:
        name: the name, with the version of the profile.
        level: the level of `urisect.normalize`.
        drops_fragment: drop the fragment.
        replaces_http: write "https" for "http" if there is no port.
        drops_www: drop "www.", "www2." and so on, if a name of two labels is left.
        drops_session_segments: drop session ids from the path: ";jsessionid=…" of Java, "/(S(…))" of ASP.NET.
        default_pages: names of pages to drop from the end of the path, "index.html"; upper and lower case are the same.
        drops_trailing_slash: drop "/" from the end of the path, unless it is the whole path.
        dropped_parameters: names of parameters to drop, decoded, in which "*" stands for any text, as in
            `urisect.query.remove`.
        session_parameters: names of parameters to drop where the value consists of 32 hexadecimal digits.
        sorts_parameters: sort parameters by their decoded names, and drop empty ones; values of one name keep their
            order.
        drops_empty_query: drop "?" if nothing follows it.

    Raises:
        ValueError: the name is empty, the level is unknown, or a default page is no ASCII name of a segment.
        TypeError: a field has another type.

    >>> from dataclasses import replace
    >>> ours = replace(PROFILES["request-1"], name="ours-1", dropped_parameters=("ref", "from_*"))
    >>> from urisect import crawl
    >>> crawl.key("http://example.com/a?id=7&from_page=2&ref=home#top", ours)
    'http://example.com/a?id=7'
    """

    name: str
    level: Level = "scheme"
    drops_fragment: bool = True
    replaces_http: bool = False
    drops_www: bool = False
    drops_session_segments: bool = False
    default_pages: tuple[str, ...] = ()
    drops_trailing_slash: bool = False
    dropped_parameters: tuple[str, ...] = ()
    session_parameters: tuple[str, ...] = ()
    sorts_parameters: bool = False
    drops_empty_query: bool = False

    def __post_init__(self) -> None:
        """Check the fields."""
        for field in ("name", "level"):
            _check_type(field, getattr(self, field), str)
        for field in _STEPS:
            _check_type(field, getattr(self, field), bool)
        for field in ("default_pages", "dropped_parameters", "session_parameters"):
            _check_names(field, getattr(self, field))
        if not self.name:
            raise ValueError("the name of a profile is empty")
        if self.level not in get_args(Level):
            raise ValueError(f"unknown level {self.level!r}: use {', '.join(get_args(Level))}")
        for page in self.default_pages:
            if not re.fullmatch(_ASCII_SEGMENT, page):
                raise ValueError(f"{page!r} in default_pages is not the last segment of a path in ASCII: 'index.html'")

    def __hash__(self) -> int:
        """The hash of the name: that of all fields would take longer than a key."""
        return hash(self.name)


_STEPS = (
    *("drops_fragment", "replaces_http", "drops_www", "drops_session_segments", "drops_trailing_slash"),
    *("sorts_parameters", "drops_empty_query"),
)

_ASCII_SEGMENT: Final = r"[!-~](?<![/?#])(?:[!-~](?<![/?#]))*"


def _check_type(field: str, value: object, expected: type) -> None:
    if not isinstance(value, expected):
        raise TypeError(f"{field} must be {expected.__name__}, not {type(value).__name__}")


def _check_names(field: str, names: object) -> None:
    if not isinstance(names, tuple):
        raise TypeError(f"{field} must be a tuple of str, not {type(names).__name__}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{field} must be a tuple of str, and one of its items is {type(name).__name__}")


# Parameters that say how a visitor came to a page. Generic names, such as "ref", "source" and "campaign", are not
# listed: some servers select a page by them. The comment behind or above a line says whose they are.
TRACKING_PARAMETERS: Final = (
    *("utm_*", "_ga", "_gl"),  # Google Analytics
    # Google Ads, Campaign Manager 360, Merchant Center
    *("gclid", "gclsrc", "gbraid", "wbraid", "gad_source", "gad_campaignid", "dclid", "srsltid"),
    "msclkid",  # Microsoft Advertising
    *("fbclid", "igshid", "igsh"),  # Meta
    "twclid",  # X
    "ttclid",  # TikTok
    "li_fat_id",  # LinkedIn
    "epik",  # Pinterest
    "ScCid",  # Snapchat
    "rdt_cid",  # Reddit
    *("yclid", "ysclid", "_openstat"),  # Yandex
    *("mc_cid", "mc_eid"),  # Mailchimp
    *("_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsCtaTracking"),  # HubSpot
    "mkt_tok",  # Adobe Marketo
    # Matomo, also under its former name
    *("mtm_*", "matomo_campaign", "matomo_kwd", "piwik_campaign", "piwik_kwd", "piwik_keyword"),
    *("pk_campaign", "pk_cpn", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid"),
    *("s_kwcid", "ef_id", "s_cid"),  # Adobe Advertising, Adobe Analytics
    "xtor",  # AT Internet
    "_kx",  # Klaviyo
    "irclickid",  # Impact
    "dicbo",  # Outbrain
    "tblci",  # Taboola
    # Drip, MailerLite, Olytics, Vero, Wicked Reports and others: Firefox, privacy.query_stripping.strip_list
    *("__s", "ml_subscriber", "ml_subscriber_hash", "oly_anon_id", "oly_enc_id", "rb_clickid"),
    *("vero_conv", "vero_id", "wickedid"),
)

# Parameters that carry a session id, if a server does not use cookies for that.
SESSION_PARAMETERS: Final = (
    *("PHPSESSID", "phpsessid"),  # PHP, session.name
    *("jsessionid", "JSESSIONID"),  # Jakarta Servlet, 7.1.3 has it in the path; proxies move it
    "ASPSESSIONID*",  # ASP: the name ends with eight letters
    *("CFID", "CFTOKEN", "cfid", "cftoken"),  # ColdFusion, "Session management"
    "osCsid",  # osCommerce
    "zenid",  # Zen Cart
    "XTCsid",  # xt:Commerce
    "CGISESSID",  # Perl, CGI::Session
)

# "sid" is the session of phpBB and MyBB, "s" that of vBulletin, both in the form of an MD5. In PHP-Nuke and Slash,
# "sid" is the article.
_HEXADECIMAL_SESSION_PARAMETERS: Final = ("sid", "SID", "s")

# The documentation of servers: Apache, DirectoryIndex; nginx, index; IIS, defaultDocument; Tomcat, welcome-file.
_DEFAULT_PAGES: Final = (
    *("index.html", "index.htm", "index.shtml", "index.xhtml", "index.php", "index.asp", "index.aspx", "index.jsp"),
    *("index.cgi", "index.pl", "index.cfm", "default.html", "default.htm", "default.asp", "default.aspx"),
)

_PROFILES: Final = (
    Profile("syntax-1", level="syntax", drops_fragment=False),
    Profile("request-1"),
    Profile("page-1", dropped_parameters=TRACKING_PARAMETERS, sorts_parameters=True, drops_empty_query=True),
    Profile(
        "loose-1",
        replaces_http=True,
        drops_www=True,
        drops_session_segments=True,
        default_pages=_DEFAULT_PAGES,
        drops_trailing_slash=True,
        dropped_parameters=TRACKING_PARAMETERS + SESSION_PARAMETERS,
        session_parameters=_HEXADECIMAL_SESSION_PARAMETERS,
        sorts_parameters=True,
        drops_empty_query=True,
    ),
)

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType({profile.name: profile for profile in _PROFILES})
