"""Settings by environment: `base` is shared, `dev` is the embedded default, `test` the suite's, `prod` refuses what is unsafe."""
