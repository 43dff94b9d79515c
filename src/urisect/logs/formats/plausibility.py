"""Expressions of plausible values: what a client, a user and a server look like in a log.

A server may write almost any text as the name of a client or a user. So the expression of a whole line also matches a
line that has something else at its beginning, such as the time and the host of syslog: a wrong text would then be the
client. Lines are checked with these expressions when the format was detected, and not named.
"""

__all__ = ["ADDRESS", "CLIENT", "IDENTITY", "QUALIFIED_SERVER", "SERVER", "USER"]

# Up to 255 only in the first octet, where something else may stand right before it: alternatives in each octet would
# take 100 ns more per line.
_IPV4 = r"(?!2(?:5[6-9]|[6-9][0-9])|[3-9][0-9]{2})[0-9]{1,3}+\.[0-9]{1,3}+\.[0-9]{1,3}+\.[0-9]{1,3}+"

# Looser than RFC 3986, 3.2.2; with a zone (RFC 4007, 11), and in brackets. A time of day has too few colons.
_IPV6 = (
    r"(?=\[?(?:::|(?:[0-9A-Fa-f]{1,4}:){1,7}:|(?:[0-9A-Fa-f]{1,4}:){6}))"
    r"(?:\[(?=[^ \x5d\n]*+\]))?"
    rf"[0-9A-Fa-f]{{0,4}}(?::[0-9A-Fa-f]{{0,4}}){{2,7}}(?:(?<=:){_IPV4})?(?:%[0-9A-Za-z.\-_]{{1,32}})?\]?"
)

# The last label of a name is no number, see "ends in a number" (URL Standard, 3.5): 192.0.2.7x is a name, x192.0.2.7 is
# neither a name nor an address.
_LABEL = r"[0-9A-Za-z_\-]"
_HOST_NAME = (
    rf"(?>(?:{_LABEL}{{1,63}}\.){{0,32}})(?:(?={_LABEL}{{0,62}}[A-Za-z_])(?!0[xX]){_LABEL}{{1,63}}|(?<=[A-Za-z]\.))"
)

ADDRESS = f"(?:{_IPV4}|{_IPV6})"

# nginx calls the client of a Unix socket "unix:".
CLIENT = f"(?:{ADDRESS}|{_HOST_NAME}|unix:)"
SERVER = f"(?:{ADDRESS}|{_HOST_NAME})"

# A server's name with a dot, or an address: any single word may be something else, such as the name of a process.
QUALIFIED_SERVER = r"(?:[^ \n]*[.:]|localhost(?=[ ]|\Z))"

# An address after the client is a client after a server's name; a name with a dot is a server's name after the client.
IDENTITY = r'(?![0-9A-Fa-f]*:[0-9A-Fa-f:]*:)[^ ."\x5b\x5d\n]++'

# Several words are rather parts of something else. Apache writes an empty name as two quotes.
USER = r'(?:[^ "\x5b\x5d\n]++|"")'
