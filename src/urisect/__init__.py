"""Cut URI references into their components: fast, without ever failing, and by the specifications when asked.

>>> import urisect
>>> urisect.split("http://example.com/over/there?name=ferret#nose").path
'/over/there'
"""

from urisect.bulk import Columns, pattern, split_lines
from urisect.composition import compose
from urisect.normalization import equivalent, normalize
from urisect.reference import Reference, split, unsplit
from urisect.resolution import Base, relativize, remove_dot_segments, resolve
from urisect.security import Hazard, hazards

__all__ = [
    "Base",
    "Columns",
    "Hazard",
    "Reference",
    "compose",
    "equivalent",
    "hazards",
    "normalize",
    "pattern",
    "relativize",
    "remove_dot_segments",
    "resolve",
    "split",
    "split_lines",
    "unsplit",
]
