"""The admin of this app, and the bases by which every app's admin keeps history: read-only, or through services."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse

from core_app.errors import DomainError
from core_app.models import AuditCheck, AuditEvent, AuditSeal, IdempotencyRecord


class ReadOnlyAdmin(admin.ModelAdmin):
    """Shows and searches; adds, changes and deletes nothing."""

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class ServiceAdmin(admin.ModelAdmin):
    """Writes through services, so that an admin's act is checked and recorded like anyone's.

    Subclasses give `service_create(request, form)` and `service_change(request, obj, form)`, which return the row, and
    `service_delete(request, obj)` where deleting exists. Without `service_create` nothing can be added, without
    `service_delete` nothing deleted. A refusal (`DomainError`) is shown as a message and changes nothing.
    """

    service_create: Callable[..., models.Model] | None = None
    service_change: Callable[..., models.Model] | None = None
    service_delete: Callable[..., None] | None = None
    #: Deleting in bulk would go around the service.
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.service_create is not None and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.service_change is not None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.service_delete is not None and super().has_delete_permission(request, obj)

    def save_form(self, request: HttpRequest, form: ModelForm, change: bool) -> Any:
        # The form's instance is not saved: the service's row takes its place.
        return form.instance

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm, change: bool) -> None:
        if change:
            assert self.service_change is not None
            # The form has written into its instance; services compare with what is stored.
            saved = self.service_change(request, type(obj)._default_manager.get(pk=obj.pk), form)
        else:
            assert self.service_create is not None
            saved = self.service_create(request, form)
        obj.__dict__.update(saved.__dict__)

    def save_related(self, request: HttpRequest, form: ModelForm, formsets: Any, change: bool) -> None:
        """Related rows have services of their own."""

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        assert self.service_delete is not None
        self.service_delete(request, obj)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._with_refusals(request, super().changeform_view, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._with_refusals(request, super().delete_view, *args, **kwargs)

    def _with_refusals(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except DomainError as error:
            messages.error(request, "; ".join([str(error.detail), *(str(fault.detail) for fault in error.errors)]))
            request.method = "GET"
            return view(request, *args, **kwargs)


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ["id", "at", "actor_label", "actor_kind", "action", "object_label", "team_id", "address"]
    list_filter = ["actor_kind", "at", "action"]
    search_fields = ["actor_label", "action", "object_id", "object_label", "request_id"]
    show_full_result_count = False


@admin.register(AuditSeal)
class AuditSealAdmin(ReadOnlyAdmin):
    list_display = ["sequence", "event_id", "hash", "sealed_at"]
    search_fields = ["=sequence", "=event_id", "hash"]
    show_full_result_count = False


@admin.register(AuditCheck)
class AuditCheckAdmin(ReadOnlyAdmin):
    list_display = ["at", "sealed", "unsealed", "broken_sequence", "reason"]
    list_filter = ["at"]


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(ReadOnlyAdmin):
    """Without the kept answers: they belong to whoever asked."""

    list_display = ["created_at", "actor_key", "method_path", "key", "status"]
    search_fields = ["actor_key", "key", "method_path"]
    fields = ["created_at", "actor_key", "method_path", "key", "status"]
