"""What every page of an evaluation set shares."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.functional import cached_property

from core_app.pages import PageView
from datasets_app.models import Corpus, Dataset, DatasetVersion
from datasets_app.policies import DatasetAction, policy
from datasets_app.selectors import corpus_by_ref, dataset_by_ref, version_by_ref
from teams_app.models import Team
from teams_app.selectors import team_member_of


class TeamView(PageView):
    """A page under /t/<team>/. `action` is asked before the handler runs, `post_action` for a POST."""

    action = DatasetAction.VIEW
    post_action: DatasetAction | None = None
    template_name = ""

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        is_post = request.method == "POST" and self.post_action is not None
        self.asked: DatasetAction = self.post_action if is_post and self.post_action else self.action

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        if (
            request.method
            and request.method.lower() in self.http_method_names
            and hasattr(self, request.method.lower())
        ):
            policy.require(self.actor, self.asked, self.subject)
        return super().dispatch(request, *args, **kwargs)  # type: ignore[return-value]

    @property
    def subject(self) -> Any:
        """What the action is asked of."""
        return self.team

    @cached_property
    def team(self) -> Team:
        return team_member_of(self.actor, self.kwargs["team"])

    def page(self, request: HttpRequest, *, status: int = 200, template: str = "", **context: Any) -> HttpResponse:
        """Render the page's template."""
        base = {"team": self.team, "actor": self.actor}
        return render(request, template or self.template_name, {**base, **context}, status=status)

    def results(self, request: HttpRequest, partial: str, **context: Any) -> HttpResponse:
        """Render the whole page, or for htmx only its results."""
        is_part = bool(getattr(request, "htmx", False)) and not request.htmx.boosted  # type: ignore[attr-defined]
        response = self.page(request, template=partial if is_part else "", **context)
        patch_vary_headers(response, ["HX-Request"])
        return response


class DatasetView(TeamView):
    """A page of one dataset."""

    @cached_property
    def dataset(self) -> Dataset:
        return dataset_by_ref(self.actor, f"{self.kwargs['team']}/{self.kwargs['dataset']}")

    @property
    def subject(self) -> Any:
        return self.dataset

    @cached_property
    def team(self) -> Team:
        return self.dataset.team

    @cached_property
    def shown_version(self) -> DatasetVersion | None:
        """The version that the tabs lead to: the newest, which is the draft where there is one."""
        newest = DatasetVersion.objects.filter(dataset=self.dataset).order_by("-number").first()
        if newest is not None:
            newest.dataset = self.dataset
        return newest

    def page(self, request: HttpRequest, **context: Any) -> HttpResponse:  # type: ignore[override]
        return super().page(request, **{"dataset": self.dataset, "version": self.shown_version, **context})


class VersionView(DatasetView):
    """A page of one version."""

    @cached_property
    def version(self) -> DatasetVersion:
        dataset = f"{self.kwargs['team']}/{self.kwargs['dataset']}"
        return version_by_ref(self.actor, f"{dataset}@{self.kwargs['number']}")

    @cached_property
    def dataset(self) -> Dataset:
        return self.version.dataset

    @property
    def shown_version(self) -> DatasetVersion:  # type: ignore[override]
        return self.version


class CorpusView(TeamView):
    """A page of one corpus."""

    action = DatasetAction.CORPUS_VIEW

    @cached_property
    def corpus(self) -> Corpus:
        return corpus_by_ref(self.actor, f"{self.kwargs['team']}/{self.kwargs['corpus']}")

    @property
    def subject(self) -> Any:
        return self.corpus

    @cached_property
    def team(self) -> Team:
        return self.corpus.team

    def page(self, request: HttpRequest, **context: Any) -> HttpResponse:  # type: ignore[override]
        return super().page(request, **{"corpus": self.corpus, **context})
