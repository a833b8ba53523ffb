"""Runs, comparisons and gate checks as files: one module for each format.

Each takes the views of the selectors, which already hold only what the reader may see, and adds nothing to them.
"""
