"""What follows when a memory is archived, forgotten, restored, deleted or superseded."""
