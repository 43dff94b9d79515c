"""Find the hosts of a site, which are left out of those that refer to it."""

import re
from collections.abc import Sequence

from urisect.logs.report.counts import ValueCount, ValueFilter
from urisect.logs.report.findings import Findings

__all__ = ["exclude_hosts", "find_own_hosts"]

MAX_OWN_HOSTS = 100
MAX_HOST_BYTES = 253  # of a name in DNS (RFC 1035, 2.3.4)

ANY_VALUE = ValueFilter("")


def find_own_hosts(findings: Findings) -> list[str]:
    """Return the hosts of the site: those that were named, or requested, or the one that most referrers have.

    Args:
        findings: open findings, whose counts can be queried.
    """
    counts = findings.counts
    if findings.own_hosts:
        return list(findings.own_hosts)
    for name in findings.summarizer.hosts:
        if name != "target_host" and (hosts := _plain_texts(counts.top(name, MAX_OWN_HOSTS))):
            return hosts
    most_frequent = counts.top("referer_host", 1, only=ANY_VALUE)
    has_most = most_frequent and 2 * most_frequent[0].lines > counts.total("referer_host", only=ANY_VALUE).lines
    return [host.removeprefix("www.") for host in _plain_texts(most_frequent)] if has_most else []


def exclude_hosts(hosts: Sequence[str], before: str = "^", after: str = "$") -> ValueFilter | None:
    r"""Return a filter that excludes hosts and their subdomains; None if there are no hosts.

    Args:
        hosts: the hosts.
        before: what precedes a host in the values, as an expression of RE2.
        after: what follows it.

    >>> exclude_hosts(["a.example"])
    ValueFilter(pattern='(?i)^(?:[^\\\\]*[.])?(?:a\\.example)$', is_match=False)
    """
    if not hosts:
        return None
    return ValueFilter(rf"(?i){before}(?:[^\\]*[.])?(?:{'|'.join(map(re.escape, hosts))}){after}", is_match=False)


def _plain_texts(counts: Sequence[ValueCount]) -> list[str]:
    """Return the values that may be names of hosts: printable ASCII, and not too long."""
    values = (count.value for count in counts if count.value and len(count.value) <= MAX_HOST_BYTES)
    return [value.decode() for value in values if value.isascii() and value.decode().isprintable()]
