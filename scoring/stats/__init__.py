"""Statistics: intervals, paired comparison, permutation, adjustment, verdicts, power."""
