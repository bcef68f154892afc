"""Questions to the optional language model: which pairs disagree, and better words for summaries.
It only proposes and rewords; rules and people decide what is archived or merged."""
