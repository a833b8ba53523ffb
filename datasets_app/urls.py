"""Pages of this app."""

from django.urls import path

from datasets_app.views import corpora, datasets, exposure, items, planning, versions

app_name = "datasets"

_LIST = "t/<slug:team>/datasets/"
_DATASET = f"{_LIST}<slug:dataset>/"
_VERSION = f"{_DATASET}versions/<int:number>/"
_ITEM = f"{_VERSION}items/<slug:item>/"
_CORPORA = "t/<slug:team>/corpora/"
_CORPUS = f"{_CORPORA}<slug:corpus>/"

urlpatterns = [
    path(_LIST, datasets.ListView.as_view(), name="list"),
    path("t/<slug:team>/new-dataset/", datasets.CreateView.as_view(), name="create"),
    path("t/<slug:team>/sample-size/", planning.SampleSizeView.as_view(), name="sample-size"),
    path(_DATASET, datasets.DetailView.as_view(), name="detail"),
    path(f"{_DATASET}settings/", datasets.SettingsView.as_view(), name="settings"),
    path(f"{_DATASET}draft/", datasets.BeginDraftView.as_view(), name="begin-draft"),
    path(f"{_DATASET}import/", items.ImportView.as_view(), name="import"),
    path(f"{_DATASET}access/", datasets.AccessView.as_view(), name="access"),
    path(f"{_DATASET}access/<slug:grant>/revoke/", datasets.GrantRevokeView.as_view(), name="grant-revoke"),
    path(f"{_DATASET}exposure/", exposure.ExposureView.as_view(), name="exposure"),
    path(_VERSION, versions.DetailView.as_view(), name="version"),
    path(f"{_VERSION}freeze/", versions.FreezeView.as_view(), name="freeze"),
    path(f"{_VERSION}submit/", versions.SubmitView.as_view(), name="submit"),
    path(f"{_VERSION}reopen/", versions.ReopenView.as_view(), name="reopen"),
    path(f"{_VERSION}approve/", versions.ApproveView.as_view(), name="approve"),
    path(f"{_VERSION}retire/", versions.RetireView.as_view(), name="retire"),
    path(f"{_VERSION}diff/", versions.DiffView.as_view(), name="diff"),
    path(f"{_VERSION}export/", versions.ExportView.as_view(), name="export"),
    path(f"{_VERSION}items/", items.ListView.as_view(), name="items"),
    path(_ITEM, items.ItemView.as_view(), name="item"),
    path(f"{_ITEM}edit/", items.ItemEditView.as_view(), name="item-edit"),
    path(f"{_ITEM}approve/", items.ItemApproveView.as_view(), name="item-approve"),
    path(f"{_ITEM}remove/", items.ItemRemoveView.as_view(), name="item-remove"),
    path(_CORPORA, corpora.ListView.as_view(), name="corpora"),
    path("t/<slug:team>/new-corpus/", corpora.CreateView.as_view(), name="corpus-create"),
    path(_CORPUS, corpora.DetailView.as_view(), name="corpus"),
    path(f"{_CORPUS}snapshots/", corpora.SnapshotCreateView.as_view(), name="corpus-snapshot"),
    path(f"{_CORPUS}documents/<path:document>/", corpora.DocumentView.as_view(), name="corpus-document"),
]
