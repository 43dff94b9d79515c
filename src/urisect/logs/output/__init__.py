"""Write rows: as text, as Arrow record batches, and to files that appear only when complete."""

__all__ = ()
