"""What beat runs for this app."""

SCHEDULE = {
    "runs-reap": {"task": "runs_app.tasks.reap", "schedule": 15.0, "options": {"expires": 30.0}},
}
