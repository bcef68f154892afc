"""What every operation of the OpenAPI description says: problems and who may call."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers


class ProblemErrorSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """RFC 9457 problem details."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = ProblemErrorSerializer(many=True)
    request_id = serializers.CharField()


PROBLEM = OpenApiResponse(ProblemSerializer, description="Problem details (RFC 9457)")


class ProblemAutoSchema(AutoSchema):
    """Adds the problems that any call may answer to those that the view names."""

    def get_response_serializers(self) -> Any:
        declared = super().get_response_serializers()
        if not isinstance(declared, dict):
            code = "204" if self.method == "DELETE" else "200"
            declared = {code: declared}
        for status in ("400", "401", "403", "404", "409", "413", "415", "503"):
            declared.setdefault((status, "application/problem+json"), PROBLEM)
        return declared
