"""Support's pages of work, memories, questions and the trail."""
