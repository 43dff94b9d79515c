"""Cut URI references into their components: fast, without ever failing, and by the specifications when asked.

>>> import urisect
>>> urisect.split("http://example.com/over/there?name=ferret#nose").path
'/over/there'
"""

from urisect.bulk import Columns, pattern, split_lines
from urisect.reference import Reference, split, unsplit

__all__ = ["Columns", "Reference", "pattern", "split", "split_lines", "unsplit"]
