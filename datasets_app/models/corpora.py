"""Corpora: what the systems under test search in. Documents have versions with a validity; snapshots fix a moment."""

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from core_app.ids import new_id
from teams_app.models import Team, slug_validator


def new_corpus_id() -> str:
    return new_id("cor")


class Corpus(models.Model):
    """A team's body of documents, for example a knowledge base."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_corpus_id)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="corpora", verbose_name=_("team"))
    slug = models.CharField(_("short name"), max_length=50, validators=[slug_validator])
    name = models.CharField(_("name"), max_length=200)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("corpus")
        verbose_name_plural = _("corpora")
        ordering = ["team_id", "slug"]
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="datasets_corpus_slug_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def ref(self) -> str:
        return f"{self.team.slug}/{self.slug}"


class Document(models.Model):
    """A document under the id that systems return; `audience` lists the groups that may see it (empty: everyone)."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents", verbose_name=_("corpus"))
    doc_id = models.CharField(_("document id"), max_length=200)
    title = models.CharField(_("title"), max_length=500, blank=True)
    language = models.CharField(_("language"), max_length=16, blank=True)
    audience = models.JSONField(_("audience"), default=list)

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        ordering = ["corpus_id", "doc_id"]
        constraints = [models.UniqueConstraint(fields=["corpus", "doc_id"], name="datasets_document_once")]

    def __str__(self) -> str:
        return self.title or self.doc_id


class DocumentVersionQuerySet(models.QuerySet["DocumentVersion"]):
    def valid_at(self, moment: datetime) -> "DocumentVersionQuerySet":
        """Return the versions valid at the moment: begun, not ended, not withdrawn by then."""
        return self.filter(
            models.Q(valid_from=None) | models.Q(valid_from__lte=moment),
            models.Q(valid_to=None) | models.Q(valid_to__gt=moment),
            models.Q(withdrawn_at=None) | models.Q(withdrawn_at__gt=moment),
        )


class DocumentVersion(models.Model):
    """One text of a document, valid on `[valid_from, valid_to)` unless withdrawn. The text never changes (trigger)."""

    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, related_name="versions", verbose_name=_("document")
    )
    version_id = models.CharField(_("version id"), max_length=80)
    text = models.TextField(_("text"))
    text_sha256 = models.CharField(_("sha256"), max_length=64)
    length = models.PositiveIntegerField(_("length in characters"))
    valid_from = models.DateTimeField(_("valid from"), null=True)
    valid_to = models.DateTimeField(_("valid to"), null=True)
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True)

    objects = DocumentVersionQuerySet.as_manager()

    class Meta:
        verbose_name = _("document version")
        verbose_name_plural = _("document versions")
        ordering = ["document_id", "version_id"]
        constraints = [models.UniqueConstraint(fields=["document", "version_id"], name="datasets_docversion_once")]

    def __str__(self) -> str:
        return f"{self.document}@{self.version_id}"


class Snapshot(models.Model):
    """A named moment of a corpus: the versions valid at `as_of`."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="snapshots", verbose_name=_("corpus"))
    name = models.CharField(_("name"), max_length=80)
    as_of = models.DateTimeField(_("as of"))
    content_sha256 = models.CharField(_("sha256"), max_length=64)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("snapshot")
        verbose_name_plural = _("snapshots")
        ordering = ["corpus_id", "-as_of"]
        constraints = [models.UniqueConstraint(fields=["corpus", "name"], name="datasets_snapshot_once")]

    def __str__(self) -> str:
        return f"{self.corpus}@{self.name}"
