"""Nuggets."""
