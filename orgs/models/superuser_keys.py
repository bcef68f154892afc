"""Keys by which a superuser makes and removes organisations."""

from django.db import models

from orgs.models.base import new_id


class SuperuserKey(models.Model):
    """A key of an account that administers the installation. It belongs to no organisation and
    opens none; the digest of its secret is stored, never its text.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # The database deletes a key with its account: the application may not (superuser_keys_v1.sql).
    user = models.ForeignKey(
        "orgs.User", models.DO_NOTHING, db_constraint=False, related_name="superuser_keys"
    )
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "superuser's key"
        verbose_name_plural = "superusers' keys"

    def __str__(self) -> str:
        return f"key of {self.user_id}"
