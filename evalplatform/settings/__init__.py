"""Settings: `base` is shared, `dev` the embedded default, `test` the suite's; `prod` refuses to start unsafe."""
