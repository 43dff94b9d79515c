"""Keys for crawlers and archives: what names the same page, how archives sort it, and whose site it is.

None of these is what to fetch: a key may be no URI, and a server may answer it differently.

>>> from urisect import crawl
>>> crawl.key("HTTP://Example.com:80/%7efred#top"), crawl.surt("http://www.example.com/a")
('http://example.com/~fred', 'com,example)/a')
"""

from urisect.crawl.keys import key
from urisect.crawl.profiles import PROFILES, Profile
from urisect.crawl.robots import robots_path
from urisect.crawl.sites import SuffixList, site
from urisect.crawl.surts import surt

__all__ = ["PROFILES", "Profile", "SuffixList", "key", "robots_path", "site", "surt"]
