"""Browsers in which a person is signed in, so that they can see and end them."""

from django.db import models
from django.utils import timezone

from orgs.models.base import new_id


class SignIn(models.Model):
    """One session of a user: which browser and when, but not from where.

    It belongs to the person, not to an organisation, like the account itself.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey("orgs.User", models.CASCADE, related_name="sign_ins")
    session_key = models.CharField(max_length=40, unique=True)
    browser = models.CharField(max_length=80, help_text='In words: "Firefox on Linux".')
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "sign-in"

    def __str__(self) -> str:
        return self.browser
