"""The address of a receipt, as API and pages give it."""

from django.http import HttpRequest
from django.urls import reverse
from rest_framework.request import Request

from memories.privacy.erasure.models import Erasure
from memories.privacy.receipts import create_link


def receipt_url(request: Request | HttpRequest, erasure: Erasure) -> str:
    """The absolute address of a receipt. Whoever has it may read the receipt."""
    return request.build_absolute_uri(reverse("receipt", args=[create_link(erasure)]))
