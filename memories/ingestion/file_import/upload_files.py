"""Uploaded files, kept while their job needs them: until it is done, or seven days after it
stopped."""

from memories.jobs.job_files import JobFiles
from memories.jobs.models import JobState, JobType

UPLOADS = JobFiles("uploads", JobType.IMPORT, (JobState.DEAD, JobState.CANCELLED))

path_for, delete, sweep = UPLOADS.path_of, UPLOADS.discard, UPLOADS.sweep
