"""The page on which an admin limits a key to groups and networks."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from orgs.errors import AlreadyExistsError
from orgs.views.page_access import MODERATOR_ROLES, members_only
from robots.access.key_limits import KeyLimitsView, get_key_limits, update_key_limits
from robots.errors import InvalidKeyLimitError
from robots.views.forms import KeyLimitsForm


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only(*MODERATOR_ROLES)
def key_limits(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """The limits of a key, and their change."""
    shown = get_key_limits(request.actor, key_id)
    if request.method != "POST":
        initial = {"groups": shown.chosen, "networks": "\n".join(shown.key.networks or ())}
        return _render_limits(request, shown, KeyLimitsForm(shown.offered, initial=initial))
    form = KeyLimitsForm(shown.offered, request.POST)
    if not form.is_valid():
        return _render_limits(request, shown, form, 422)
    list_url = f"{reverse('robots-page')}#robot-{shown.key.robot_id}"
    try:
        update_key_limits(request.actor, key_id=key_id, given=form.limits(), now=timezone.now())
    except InvalidKeyLimitError as error:
        form.add_error("groups", error.errors[0]["detail"])
        return _render_limits(request, shown, form, 422)
    except AlreadyExistsError as error:
        messages.warning(request, str(error))
        return redirect(list_url)
    messages.success(request, gettext("Saved. It counts from the key's next call on."))
    return redirect(list_url)


def _render_limits(
    request: HttpRequest, shown: KeyLimitsView, form: KeyLimitsForm, status: int = 200
) -> HttpResponse:
    context = {
        "key": shown.key,
        "robot": shown.key.robot,
        "form": form,
        "hidden": shown.hidden,
        "list_url": f"{reverse('robots-page')}#robot-{shown.key.robot_id}",
    }
    return render(request, "robots/key_limits.html", context, status=status)
