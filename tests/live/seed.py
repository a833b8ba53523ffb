"""Run as `python -m tests.live.seed` in a live server's environment: a team, its people, two tokens, as JSON."""

import json
import os

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings.dev")
    django.setup()

    from core_app.roles import Role
    from examples.demo.seed import PIPELINE_SCOPES, STEWARD_SCOPES
    from teams_app.models import Membership, ServiceToken, Team, User
    from tests.conftest import PASSWORD, make_token

    team = Team.objects.create(slug="support", name="Support")
    for role in Role:
        user = User.objects.create_user(username=role.value, email=f"{role.value}@example.org", password=PASSWORD)
        Membership.objects.create(team=team, user=user, role=role)
    # Nobody grants access to a token of their own, so the two tokens have two makers.
    _, steward = make_token(team, User.objects.get(username="steward"), name="steward", scopes=STEWARD_SCOPES)
    _, pipeline = make_token(team, User.objects.get(username="owner"), name="pipeline", scopes=PIPELINE_SCOPES)
    assert ServiceToken.objects.count() == 2
    print(json.dumps({"steward_token": steward, "pipeline_token": pipeline, "password": PASSWORD}))
