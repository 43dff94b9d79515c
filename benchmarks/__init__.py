"""Benchmarks of urisect and other libraries, and the generated corpora that they run on."""
