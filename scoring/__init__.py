"""Pure numbers: what every metric, interval and verdict means. No Django, no network, no database."""
