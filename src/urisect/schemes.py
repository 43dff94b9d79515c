"""Tables of registered schemes: whether their URIs have an authority, and the default port.

The sources are IANA's registry of URI schemes and the document that it names for each scheme; the ports are from IANA's
registry of service names. Schemes that are not listed get no special treatment.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["DEFAULT_PORTS", "SCHEMES_WITHOUT_AUTHORITY"]

# Schemes whose URIs have an authority, with the default port, or None.
DEFAULT_PORTS: Final[Mapping[str, int | None]] = MappingProxyType(
    {
        "acap": 674,  # RFC 2244
        "amqp": 5672,  # OASIS AMQP 1.0
        "amqps": 5671,  # OASIS AMQP 1.0
        "coap": 5683,  # RFC 7252
        "coap+tcp": 5683,  # RFC 8323
        "coap+ws": 80,  # RFC 8323
        "coaps": 5684,  # RFC 7252
        "coaps+tcp": 5684,  # RFC 8323
        "coaps+ws": 443,  # RFC 8323
        "dict": 2628,  # RFC 2229
        "file": None,  # RFC 8089
        "ftp": 21,  # RFC 1738
        "gemini": 1965,  # the Gemini specification
        "git": 9418,  # git's manual
        "gopher": 70,  # RFC 4266
        "http": 80,  # RFC 9110
        "https": 443,  # RFC 9110
        "icap": 1344,  # RFC 3507
        "imap": 143,  # RFC 5092
        "ipp": 631,  # RFC 3510
        "ipps": 631,  # RFC 7472
        "irc": 6667,  # draft-butcher-irc-url
        "ircs": 6697,  # RFC 7194
        "ldap": 389,  # RFC 4516
        "ldaps": 636,  # the registry of service names
        "mqtt": 1883,  # OASIS MQTT 5.0
        "mqtts": 8883,  # OASIS MQTT 5.0
        "msrp": 2855,  # RFC 4975
        "msrps": 2855,  # RFC 4975
        "mupdate": 3905,  # RFC 3656
        "nfs": 2049,  # RFC 2224
        "nntp": 119,  # RFC 5538
        "pop": 110,  # RFC 2384
        "redis": 6379,  # its registration
        "rediss": 6379,  # its registration
        "rsync": 873,  # RFC 5781
        "rtsp": 554,  # RFC 7826
        "rtsps": 322,  # RFC 7826
        "rtspu": 554,  # RFC 2326
        "sftp": 22,  # draft-ietf-secsh-scp-sftp-ssh-uri
        "sieve": 4190,  # RFC 5804
        "smb": 445,  # draft-crhertel-smb-url
        "snmp": 161,  # RFC 4088
        "ssh": 22,  # draft-ietf-secsh-scp-sftp-ssh-uri
        "svn": 3690,  # the registry of service names
        "telnet": 23,  # RFC 4248
        "tftp": 69,  # RFC 3617
        "vnc": 5900,  # RFC 7869
        "ws": 80,  # RFC 6455
        "wss": 443,  # RFC 6455
    }
)

# Schemes whose URIs have no authority, as far as they occur in prose.
SCHEMES_WITHOUT_AUTHORITY: Final = frozenset(
    {
        "about",  # RFC 6694
        "acct",  # RFC 7565
        "bitcoin",  # its registration
        "cid",  # RFC 2392
        "data",  # RFC 2397
        "did",  # W3C Decentralized Identifiers
        "dns",  # RFC 4501
        "doi",  # ISO 26324
        "geo",  # RFC 5870
        "im",  # RFC 3860
        "info",  # RFC 4452
        "javascript",  # its registration
        "magnet",  # its registration
        "mailto",  # RFC 6068
        "matrix",  # its registration
        "mid",  # RFC 2392
        "news",  # RFC 5538
        "sip",  # RFC 3261
        "sips",  # RFC 3261
        "sms",  # RFC 5724
        "tag",  # RFC 4151
        "tel",  # RFC 3966
        "urn",  # RFC 8141
        "view-source",  # its registration
        "xmpp",  # RFC 5122
    }
)
