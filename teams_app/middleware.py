"""`request.actor` for pages: the signed-in person, or nobody. REST sets its own in authentication."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.functional import SimpleLazyObject

from core_app.actors import ANONYMOUS, Actor
from teams_app.selectors import actor_for_user


def _actor_of(request: HttpRequest) -> Actor:
    return actor_for_user(request.user) if request.user.is_authenticated else ANONYMOUS


class ActorMiddleware:
    """Attach the actor lazily and let a person's own language win over the browser's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.actor = SimpleLazyObject(lambda: _actor_of(request))  # type: ignore[attr-defined]
        has_session = request.session.session_key is not None or "sessionid" in request.COOKIES
        if has_session and request.user.is_authenticated and request.user.language:
            translation.activate(request.user.language)
            request.LANGUAGE_CODE = request.user.language
        return self.get_response(request)
