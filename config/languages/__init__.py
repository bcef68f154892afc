"""The languages of the pages: which one a reader gets, and how a template gets its sentences."""
