"""Agreement between raters, and between a judge and raters, each with its interval and n."""
