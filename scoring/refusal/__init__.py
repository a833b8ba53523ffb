"""Refusals: the rule that reads them, the rates, and risk against coverage."""
