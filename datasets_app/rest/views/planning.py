"""Statistics that need no data of the site's."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.fields import validated
from core_app.rest.views import ApiView
from datasets_app.rest.serializers import SampleSizeIn, SampleSizeOut
from datasets_app.selectors import sample_size


class SampleSizeView(ApiView):
    @extend_schema(
        operation_id="statistics_sample_size",
        request=SampleSizeIn,
        responses={200: SampleSizeOut},
        tags=["statistics"],
    )
    def post(self, request: Request) -> Response:
        """Return how many items and clusters a comparison needs to show a difference of the wanted size."""
        return Response(sample_size(**validated(SampleSizeIn, request.data)))
