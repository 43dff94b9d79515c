"""Names of fields: their common aliases, and the error for an unknown one."""

from collections.abc import Sequence

from urisect.reference import Reference
from urisect.suggestion import did_you_mean

__all__ = ["ALIASES", "AUTHORITY_PARTS", "UnknownFieldError"]

# The sub-components of an authority (RFC 3986, 3.2).
AUTHORITY_PARTS = ("userinfo", "host", "port")

# Other common names of fields. In a format that has a field of such a name, the name means that field.
ALIASES = {
    "ip": "client",
    "url": "target",
    "uri": "target",
    "path": "target_path",
    "user_agent": "agent",
    "referrer": "referer",
    **{part: f"envelope_{part}" for part in ("container", "namespace", "pod", "stream")},
    **{f"referrer_{part}": f"referer_{part}" for part in (*Reference._fields, *AUTHORITY_PARTS)},
}


class UnknownFieldError(KeyError):
    """A format has no field of this name.

    >>> raise UnknownFieldError("stauts", ["client", "status"])
    Traceback (most recent call last):
    urisect.logs.formats.fields.UnknownFieldError: no field is called 'stauts'; there are client, status; did you mean \
"status"?
    """

    def __init__(self, name: str, fields: Sequence[str]) -> None:
        """Take the unknown name, and the names of the fields of the format."""
        super().__init__(name, tuple(fields))

    def __str__(self) -> str:
        name, fields = self.args
        aliases = (alias for alias, field in ALIASES.items() if field in fields)
        return f"no field is called {name!r}; there are {', '.join(fields)}{did_you_mean(name, [*fields, *aliases])}"
