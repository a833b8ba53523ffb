"""Who may see and change evaluation sets; the levels on frozen splits."""

from enum import StrEnum

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core_app.actors import Actor, ActorKind
from core_app.errors import Forbidden
from core_app.policy import Need, Policy
from core_app.roles import Role
from datasets_app.models import (
    Corpus,
    Dataset,
    DatasetVersion,
    Document,
    DocumentVersion,
    ExposureBudget,
    ExposureEntry,
    ExposureExtension,
    Grant,
    Item,
    ItemRevision,
    Snapshot,
    VersionEntry,
)
from datasets_app.states import Level, Split
from teams_app.models import Team


class DatasetAction(StrEnum):
    VIEW = "dataset.view"
    CREATE = "dataset.create"
    EDIT = "dataset.edit"
    EDIT_TEST_ITEMS = "dataset.edit_test_items"
    FREEZE = "dataset.freeze"
    RETIRE = "dataset.retire"
    GRANTS_VIEW = "dataset.grants.view"
    GRANT = "dataset.grant"
    EXPOSURE_VIEW = "dataset.exposure.view"
    EXPOSURE_EXTEND = "dataset.exposure.extend"
    CORPUS_VIEW = "corpus.view"
    CORPUS_EDIT = "corpus.edit"


class DatasetPolicy(Policy):
    table = {
        DatasetAction.VIEW: Need(Role.VIEWER, "datasets:read"),
        DatasetAction.CREATE: Need(Role.EDITOR, "datasets:write"),
        DatasetAction.EDIT: Need(Role.EDITOR, "datasets:write"),
        DatasetAction.EDIT_TEST_ITEMS: Need(Role.STEWARD, "datasets:steward"),
        DatasetAction.FREEZE: Need(Role.STEWARD, "datasets:steward"),
        DatasetAction.RETIRE: Need(Role.STEWARD, "datasets:steward"),
        DatasetAction.GRANTS_VIEW: Need(Role.STEWARD, "datasets:steward"),
        DatasetAction.GRANT: Need(Role.STEWARD, "datasets:steward"),
        DatasetAction.EXPOSURE_VIEW: Need(Role.VIEWER, "datasets:read"),
        DatasetAction.EXPOSURE_EXTEND: Need(Role.STEWARD, "datasets:steward"),
        DatasetAction.CORPUS_VIEW: Need(Role.VIEWER, "datasets:read"),
        DatasetAction.CORPUS_EDIT: Need(Role.EDITOR, "datasets:write"),
    }
    team_paths = {
        Team: "id",
        Dataset: "team_id",
        DatasetVersion: "dataset__team_id",
        Item: "dataset__team_id",
        ItemRevision: "item__dataset__team_id",
        VersionEntry: "version__dataset__team_id",
        Grant: "dataset__team_id",
        ExposureEntry: "version__dataset__team_id",
        ExposureBudget: "version__dataset__team_id",
        ExposureExtension: "version__dataset__team_id",
        Corpus: "team_id",
        Document: "corpus__team_id",
        DocumentVersion: "document__corpus__team_id",
        Snapshot: "corpus__team_id",
    }
    view_actions = {
        Dataset: DatasetAction.VIEW,
        DatasetVersion: DatasetAction.VIEW,
        Item: DatasetAction.VIEW,
        ItemRevision: DatasetAction.VIEW,
        VersionEntry: DatasetAction.VIEW,
        Grant: DatasetAction.GRANTS_VIEW,
        ExposureEntry: DatasetAction.EXPOSURE_VIEW,
        ExposureBudget: DatasetAction.EXPOSURE_VIEW,
        ExposureExtension: DatasetAction.EXPOSURE_VIEW,
        Corpus: DatasetAction.CORPUS_VIEW,
        Document: DatasetAction.CORPUS_VIEW,
        DocumentVersion: DatasetAction.CORPUS_VIEW,
        Snapshot: DatasetAction.CORPUS_VIEW,
    }

    def level(self, actor: Actor, dataset: Dataset) -> Level | None:
        """Return the highest level that the actor holds on the dataset's frozen splits.

        Inside the owning team the role implies one (viewer and annotator `aggregate`, editor and above `run`); more,
        and every level of a token or of another team, comes from a grant that is neither expired nor revoked.
        """
        if actor.kind is ActorKind.SYSTEM:
            return Level.READ
        levels: list[Level] = []
        role = actor.role_in(dataset.team_id) if actor.is_person else None
        if role is not None:
            levels.append(Level.RUN if role.includes(Role.EDITOR) else Level.AGGREGATE)
        if actor.is_person:
            holder = Q(user_id=actor.id) | Q(team_id__in=list(actor.roles))
        elif actor.is_token:
            holder = Q(token_id=actor.id) | Q(team_id=actor.team_id)
        else:
            return None
        grants = Grant.objects.live().filter(holder, dataset=dataset)
        levels += [Level(value) for value in grants.values_list("level", flat=True)]
        return max(levels, key=lambda level: level.rank, default=None)

    def has_level(self, actor: Actor, dataset: Dataset, wanted: Level) -> bool:
        held = self.level(actor, dataset)
        return held is not None and held.includes(wanted)

    def require_level(self, actor: Actor, dataset: Dataset, wanted: Level) -> None:
        """Raise `NotFound` for an outsider and `Forbidden` where the level on the frozen split is not enough."""
        self.require(actor, DatasetAction.VIEW, dataset)
        if not self.has_level(actor, dataset, wanted):
            raise Forbidden(
                _("This needs the level “%(level)s” on the frozen split. Ask a steward of the team for a grant.")
                % {"level": wanted.value},
                code="level_required",
            )

    def may_read_protected(self, actor: Actor, dataset: Dataset) -> bool:
        """Return whether the actor may see the text and gold of the dataset's protected items."""
        return self.can(actor, DatasetAction.VIEW, dataset) and self.has_level(actor, dataset, Level.READ)

    def may_read_entry(self, actor: Actor, entry: VersionEntry) -> bool:
        """Return whether the actor may see this entry's text and gold.

        Protection belongs to the item: an item once frozen in a test split needs `read` in every version that holds it.
        In a draft, an unprotected test item is open to stewards, who write it.
        """
        return self.may_read_item(actor, entry.version, entry.item, entry.split)

    def may_read_item(self, actor: Actor, version: DatasetVersion, item: Item, split: str) -> bool:
        dataset = version.dataset
        if not self.can(actor, DatasetAction.VIEW, dataset):
            return False
        if item.is_protected or (split == Split.FROZEN and not version.is_open):
            return self.has_level(actor, dataset, Level.READ)
        if split == Split.FROZEN:
            return self.can(actor, DatasetAction.EDIT_TEST_ITEMS, dataset) or self.has_level(actor, dataset, Level.READ)
        return True


policy = DatasetPolicy()
