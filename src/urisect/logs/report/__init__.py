"""Reports about logs: counted in workers, added up in a temporary database, and rendered as one HTML page."""

__all__ = ()
