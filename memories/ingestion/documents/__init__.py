"""Documents (PDF, DOCX, HTML, Markdown) as texts with pages and headings, read in a process of
their own; what becomes of the texts is decided in `memories.curation.documents`."""
