"""Corpora, documents and snapshots."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from core_app.errors import DomainError, NotFound
from core_app.pages import add_refusal
from datasets_app.forms import CorpusForm, DocumentsForm, SnapshotForm
from datasets_app.imports.jsonl import read_rows
from datasets_app.models import Document, Snapshot
from datasets_app.policies import DatasetAction
from datasets_app.selectors import corpora_of
from datasets_app.services import corpus_create, documents_import, snapshot_create
from datasets_app.views.base import CorpusView, TeamView

PAGE_SIZE = 50


class ListView(TeamView):
    action = DatasetAction.CORPUS_VIEW
    template_name = "datasets_app/corpora.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        page = Paginator(corpora_of(self.actor, self.team).order_by("name", "id"), PAGE_SIZE)
        return self.page(request, page_obj=page.get_page(request.GET.get("page")))


class CreateView(TeamView):
    action = DatasetAction.CORPUS_EDIT
    template_name = "datasets_app/corpus_create.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self.page(request, form=CorpusForm())

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        form = CorpusForm(request.POST)
        if form.is_valid():
            try:
                corpus = corpus_create(actor=self.actor, team=self.team, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                return redirect("datasets:corpus", team=team, corpus=corpus.slug)
        return self.page(request, form=form, status=422)


class DetailView(CorpusView):
    """Documents and snapshots of a corpus; editors add documents here."""

    post_action = DatasetAction.CORPUS_EDIT
    template_name = "datasets_app/corpus.html"

    def get(self, request: HttpRequest, team: str, corpus: str) -> HttpResponse:
        return self._page(request, DocumentsForm())

    def post(self, request: HttpRequest, team: str, corpus: str) -> HttpResponse:
        form = DocumentsForm(request.POST, request.FILES)
        if form.is_valid():
            try:
                rows = read_rows(form.cleaned_data["file"])
                report = documents_import(actor=self.actor, corpus=self.corpus, rows=rows)
            except DomainError as error:
                return self._page(request, form, status=422, refusal=error)
            done = _("%(documents)s documents and %(versions)s versions added.")
            counts = {"documents": report.documents_created, "versions": report.versions_created}
            messages.success(request, done % counts)
            return redirect("datasets:corpus", team=team, corpus=corpus)
        return self._page(request, form, status=422)

    def _page(self, request: HttpRequest, form: DocumentsForm, **more: Any) -> HttpResponse:
        documents = Document.objects.filter(corpus=self.corpus).annotate(n_versions=Count("versions"))
        query = request.GET.get("q", "").strip()
        if query:
            documents = documents.filter(title__icontains=query) | documents.filter(doc_id__icontains=query)
        page = Paginator(documents.order_by("doc_id"), PAGE_SIZE).get_page(request.GET.get("page"))
        snapshots = Snapshot.objects.filter(corpus=self.corpus).order_by("-as_of")[:50]
        context = {"page_obj": page, "snapshots": snapshots, "snapshot_form": SnapshotForm(), "q": query}
        return self.page(request, form=form, **{**context, **more})


class SnapshotCreateView(CorpusView):
    action = DatasetAction.CORPUS_EDIT

    def post(self, request: HttpRequest, team: str, corpus: str) -> HttpResponse:
        form = SnapshotForm(request.POST)
        if not form.is_valid():
            for texts in form.errors.values():
                messages.error(request, " ".join(str(text) for text in texts))
            return redirect("datasets:corpus", team=team, corpus=corpus)
        try:
            snapshot_create(actor=self.actor, corpus=self.corpus, **form.cleaned_data)
        except DomainError as error:
            messages.error(request, str(error.detail))
        return redirect("datasets:corpus", team=team, corpus=corpus)


class DocumentView(CorpusView):
    template_name = "datasets_app/document.html"

    def get(self, request: HttpRequest, team: str, corpus: str, document: str) -> HttpResponse:
        row = Document.objects.filter(corpus=self.corpus, doc_id=document).prefetch_related("versions").first()
        if row is None:
            raise NotFound(_("The corpus has no such document."))
        return self.page(request, document=row)
