"""REST calls of evaluation sets and corpora."""
