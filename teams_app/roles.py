"""What each role may do, in a sentence."""

from django.utils.translation import gettext_lazy as _

from core_app.roles import Role

#: From the weakest to the strongest; each includes the ones before it.
ROLE_WORDS = [
    (Role.VIEWER, _("sees datasets, dev items, runs and gates; frozen splits as aggregates only")),
    (Role.ANNOTATOR, _("labels what is assigned, blind to system names and to other people's labels")),
    (Role.EDITOR, _("edits drafts and dev items, starts runs, writes judges and gates as drafts, triages feedback")),
    (Role.STEWARD, _("freezes and retires versions, edits test items of a draft, grants access, waives a gate")),
    (Role.OWNER, _("manages members, tokens and the team's rules")),
]
