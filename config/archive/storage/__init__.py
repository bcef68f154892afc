"""Files of an archive: encrypted, in a folder and in an S3-compatible storage."""
