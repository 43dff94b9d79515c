r"""Measure how fast logs are read, and with how much memory: `python -m benchmarks.volume`."""
