"""Who sent the requests: sum up user agents by bot, browser and operating system."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from urisect.logs.report.bots import MAX_AGENT_BYTES, bot_of
from urisect.logs.report.counts import ValueCount

if TYPE_CHECKING:
    from ua_parser import Domain, Parser

__all__ = ["OTHER", "BotCount", "count_bots", "count_browsers_and_systems"]

OTHER = b"other"


class BotCount(NamedTuple):
    """The requests of a bot.

    Attributes:
        total: its name, with its lines and bytes.
        purpose: what it is for; "" if that is unknown.
        agents: how many different user agents it has.
    """

    total: ValueCount
    purpose: str
    agents: int


def count_bots(agents: Iterable[ValueCount]) -> list[BotCount]:
    """Sum up the user agents of bots by bot, the most frequent first.

    Args:
        agents: user agents with their lines; those that are not a bot's are left out.

    >>> agents = [ValueCount(b"curl/8.14.1", 3), ValueCount(b"curl/7.88.1", 2), ValueCount(b"Firefox/140.0", 9)]
    >>> [(bot.total.value, bot.total.lines, bot.purpose, bot.agents) for bot in count_bots(agents)]
    [(b'curl', 5, 'HTTP library', 2)]
    """
    found: defaultdict[tuple[str, str], list[ValueCount]] = defaultdict(list)
    for agent in agents:
        if bot := bot_of(agent.value or b""):
            found[bot].append(agent)
    bots = [
        BotCount(
            ValueCount(name.encode(), sum(each.lines for each in counts), sum(each.bytes for each in counts)),
            purpose,
            len(counts),
        )
        for (name, purpose), counts in found.items()
    ]
    return sorted(bots, key=lambda bot: (-bot.total.lines, bot.total.value))


def count_browsers_and_systems(agents: Iterable[ValueCount]) -> tuple[list[ValueCount], list[ValueCount]]:
    """Sum up the lines of user agents by browser, and by operating system, without those of bots.

    Args:
        agents: user agents with their lines.

    >>> firefox = b"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    >>> [browser], [system] = count_browsers_and_systems([ValueCount(firefox, 3), ValueCount(b"curl/8", 2, bots=2)])
    >>> browser.value, system.value, system.lines
    (b'Firefox', b'Linux', 3)
    """
    parser, domains = _parser()
    browsers: Counter[bytes] = Counter()
    systems: Counter[bytes] = Counter()
    for agent in agents:
        if agent.lines > agent.bots:
            found = parser((agent.value or b"")[:MAX_AGENT_BYTES].decode("utf-8", "replace"), domains)
            browsers[found.user_agent.family.encode() if found.user_agent else OTHER] += agent.lines
            systems[found.os.family.encode() if found.os else OTHER] += agent.lines
    return _value_counts(browsers), _value_counts(systems)


def _value_counts(lines: Counter[bytes]) -> list[ValueCount]:
    return [ValueCount(value, count) for value, count in sorted(lines.items(), key=lambda item: (-item[1], item[0]))]


@cache
def _parser() -> "tuple[Parser, Domain]":
    """Return the parser, in Rust, which takes 10 µs for an agent; and what it is to find."""
    from ua_parser import Domain, Parser  # noqa: PLC0415  part of an extra, 0.1 s
    from ua_parser.loaders import load_lazy_builtins  # noqa: PLC0415  likewise
    from ua_parser.regex import Resolver  # noqa: PLC0415  likewise

    browsers, systems, _ = load_lazy_builtins()  # without devices, whose patterns take 70 ms to compile
    return Parser(Resolver((browsers, systems, []))), Domain.USER_AGENT | Domain.OS
