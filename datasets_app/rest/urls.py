"""REST calls of this app."""

from django.urls import path

import core_app.converters  # noqa: F401  (registers `ref` and `version_ref`)
from datasets_app.rest.views import access, corpora, datasets, exposure, planning, versions

_DATASET = "datasets/<ref:dataset>"
_VERSION = "versions/<version_ref:version>"
_CORPUS = "corpora/<ref:corpus>"

urlpatterns = [
    path("datasets", datasets.DatasetsView.as_view(), name="datasets"),
    path(_DATASET, datasets.DatasetView.as_view(), name="datasets-detail"),
    path(f"{_DATASET}/imports", datasets.ImportsView.as_view(), name="datasets-imports"),
    path(f"{_DATASET}/versions", datasets.DatasetVersionsView.as_view(), name="datasets-versions"),
    path(f"{_DATASET}/grants", access.GrantsView.as_view(), name="datasets-grants"),
    path(f"{_DATASET}/grants/<slug:grant>", access.GrantView.as_view(), name="datasets-grant"),
    path(_VERSION, versions.VersionView.as_view(), name="versions-detail"),
    path(f"{_VERSION}/submit", versions.SubmitView.as_view(), name="versions-submit"),
    path(f"{_VERSION}/reopen", versions.ReopenView.as_view(), name="versions-reopen"),
    path(f"{_VERSION}/freeze", versions.FreezeView.as_view(), name="versions-freeze"),
    path(f"{_VERSION}/approve", versions.ApproveView.as_view(), name="versions-approve"),
    path(f"{_VERSION}/retire", versions.RetireView.as_view(), name="versions-retire"),
    path(f"{_VERSION}/items", versions.ItemsView.as_view(), name="versions-items"),
    path(f"{_VERSION}/questions", versions.QuestionsView.as_view(), name="versions-questions"),
    path(f"{_VERSION}/export", versions.ExportView.as_view(), name="versions-export"),
    path(f"{_VERSION}/diff/<version_ref:other>", versions.DiffView.as_view(), name="versions-diff"),
    path(f"{_VERSION}/exposure", versions.ExposureView.as_view(), name="versions-exposure"),
    path(f"{_VERSION}/exposure/budget", exposure.BudgetView.as_view(), name="versions-exposure-budget"),
    path(f"{_VERSION}/exposure/extensions", exposure.ExtensionsView.as_view(), name="versions-exposure-extensions"),
    path(f"{_VERSION}/detectable", versions.DetectableView.as_view(), name="versions-detectable"),
    path("statistics/sample-size", planning.SampleSizeView.as_view(), name="statistics-sample-size"),
    path("corpora", corpora.CorporaView.as_view(), name="corpora"),
    path(_CORPUS, corpora.CorpusView.as_view(), name="corpora-detail"),
    path(f"{_CORPUS}/documents", corpora.DocumentsView.as_view(), name="corpora-documents"),
    path(f"{_CORPUS}/snapshots", corpora.SnapshotsView.as_view(), name="corpora-snapshots"),
]
