"""Styles and scripts for browsers: a hash in the name, compressed, cached for a year."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

# `import "./name.js"` and `import { one } from "./name.js"` in our own modules. Django's own rule
# reads every script and fails on scripts of others.
IMPORT_PATTERN = (
    r"""(?P<matched>(?P<words>\bimport\s*(?:[^"';]*\bfrom\s*)?)["'](?P<url>\./[^"']+)["'])"""
)


class HashedStaticStorage(CompressedManifestStaticFilesStorage):
    """WhiteNoise's storage; imports in our own modules get the hashed names as well."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", ((IMPORT_PATTERN, '%(words)s"%(url)s"'),)),
    )

    def stored_name(self, name: str) -> str:
        """The name with the hash; the plain name if nothing is collected and that is allowed."""
        if not self.manifest_strict and self.clean_name(name) not in self.hashed_files:
            return name
        stored: str = super().stored_name(name)
        return stored
