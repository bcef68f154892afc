"""An index on a table in use: built CONCURRENTLY, and built anew if a try before was killed."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently

_FOUND_SQL = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


class AddIndexOnline(AddIndexConcurrently):
    """For a migration with `atomic = False` and nothing else in it, because it may run twice.

    A build that was killed leaves an index that is not valid, slows writers and serves nobody. It
    is dropped first; an index that is valid stays.
    """

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """Raises NotSupportedError inside a transaction."""
        if not schema_editor.collect_sql:
            quoted = schema_editor.quote_name(self.index.name)
            with schema_editor.connection.cursor() as cursor:
                found = cursor.execute(_FOUND_SQL, [quoted]).fetchone()
            if found == (True,):
                return
            if found:
                model = to_state.apps.get_model(app_label, self.model_name)
                schema_editor.remove_index(model, self.index, concurrently=True)
        super().database_forwards(app_label, schema_editor, from_state, to_state)
