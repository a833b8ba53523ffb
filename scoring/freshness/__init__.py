"""Freshness."""
