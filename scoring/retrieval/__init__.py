"""Retrieval metrics: one a file, each a pure function over columns of ranked labels."""
