"""Rows whose text may be encrypted: it is read and written only through these fields.

`content` of an instance from the ORM is the text. A query that reads the column in another way
(`values`, SQL) gets an empty text, never the ciphertext.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.db import models

from memories.store.encryption.texts import (
    EncryptedTextError,
    UndecryptableText,
    content_hashes,
    decrypt,
    encrypt,
)

if TYPE_CHECKING:
    from django.db.models import QuerySet

# What is written together: a text, what says whether it is encrypted, and what follows of both.
SEALED_FIELDS = ("content", "content_hash", "sealed", "sensitive")


class SealedTextField(models.TextField):
    """The text; empty in the database where the row is sensitive."""

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        return "" if _is_sensitive(model_instance) else super().pre_save(model_instance, add)


class ContentHashField(models.BinaryField):
    """The hash of the text; made with a key where the row is sensitive, unless it `keeps_hash`."""

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        row: Any = model_instance
        kept = getattr(row, "keeps_hash", False)
        if _is_sensitive(row) and not kept and not isinstance(row.content, UndecryptableText):
            theirs = content_hashes(
                row.content,
                speaker=row.speaker,
                subject=row.member_id,
                organisation_id=row.organisation_id,
                sensitive=True,
            )
            if bytes(row.content_hash or b"") not in theirs:
                row.content_hash = theirs[0]
        return super().pre_save(model_instance, add)


class SealedField(models.BinaryField):
    """The ciphertext of the text; empty where the row is not sensitive. The same text stays under
    its key."""

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        row: Any = model_instance
        if not _is_sensitive(row):
            row.sealed = None
        elif not _is_ciphertext_current(row):
            if isinstance(row.content, UndecryptableText):
                raise EncryptedTextError(
                    "What cannot be decrypted cannot be written anew. Nothing was changed."
                )
            row.sealed = encrypt(
                row.content, organisation_id=row.organisation_id, memory_id=row.sealed_for
            )
        return super().pre_save(model_instance, add)


def _is_sensitive(row: Any) -> bool:
    """Whether the row is sensitive; a version has no flag and is so if it is encrypted."""
    return bool(getattr(row, "sensitive", row.sealed is not None))


def _is_ciphertext_current(row: Any) -> bool:
    """Whether the ciphertext at hand is already that of the text, for this row."""
    if row.sealed is None:
        return False
    return _decrypt_row(row, bytes(row.sealed)) == row.content


def _decrypt_row(row: Any, sealed: bytes) -> str:
    return decrypt(sealed, organisation_id=row.organisation_id, memory_id=row.sealed_for)


class SealedRow(models.Model):
    """A row with a `content` that may be encrypted."""

    sealed = SealedField(null=True, editable=False)

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save; a text is never written without its ciphertext and hash."""
        names: Sequence[str] | None = kwargs.get("update_fields")
        if names is not None and {"content", "sensitive"} & set(names):
            here = {one.name for one in self._meta.concrete_fields}
            kwargs["update_fields"] = [*dict.fromkeys([*names, *(here & set(SEALED_FIELDS))])]
        super().save(*args, **kwargs)

    @property
    def sealed_for(self) -> UUID:
        """The id of the memory to which the ciphertext is bound."""
        raise NotImplementedError

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any]) -> Self:
        """With the text in place of the ciphertext."""
        row = super().from_db(db, field_names, values)
        known = row.__dict__
        if "content" in known:
            if "sealed" not in known:
                # Whether the text is encrypted is not known, so it is not known either.
                del known["content"]
            elif known["sealed"] is not None:
                row.content = _decrypt_row(row, bytes(known["sealed"]))
        return row

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: "QuerySet[Any] | None" = None,
    ) -> None:
        if fields is not None and "content" in (fields := list(fields)):
            fields = [*fields, "sealed"]
        super().refresh_from_db(using=using, fields=fields, from_queryset=from_queryset)
