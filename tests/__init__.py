"""Tests: tables from the documents, laws as properties, small alphabets exhaustively, naive references."""
