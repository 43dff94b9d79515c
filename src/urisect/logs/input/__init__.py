"""Read logs: find files, decompress them, choose a format, and parse blocks of lines into tables."""
