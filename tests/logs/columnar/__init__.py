"""Tests of the parser of regular lines."""
