"""Uploaded files, kept while their job needs them: until it is done, or seven days after it
stopped."""

from memories.jobs.job_files import JobFiles
from memories.jobs.models import JobKind, JobState

UPLOADS = JobFiles("uploads", JobKind.IMPORT, (JobState.DEAD, JobState.CANCELLED))

path_of, discard, sweep = UPLOADS.path_of, UPLOADS.discard, UPLOADS.sweep
