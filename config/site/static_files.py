"""Styles and scripts as browsers keep them: named by their hash, compressed, good for a year."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

# `import "./name.js"` and `import { one } from "./name.js"`, of our own modules: Django's own rule
# looks at every script and trips over those of others.
IMPORT = r"""(?P<matched>(?P<words>\bimport\s*(?:[^"';]*\bfrom\s*)?)["'](?P<url>\./[^"']+)["'])"""


class HashedFiles(CompressedManifestStaticFilesStorage):
    """As WhiteNoise has it; and what a module of ours imports carries its hash as well."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", ((IMPORT, '%(words)s"%(url)s"'),)),
    )

    def stored_name(self, name: str) -> str:
        """The name with the hash; the plain one where nothing is collected and that may be."""
        if not self.manifest_strict and self.clean_name(name) not in self.hashed_files:
            return name
        stored: str = super().stored_name(name)
        return stored
