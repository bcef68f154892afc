"""What the optional language model is asked in the daily runs: which pairs disagree, and how a
summary reads. It proposes and rewords; what is archived or merged is decided by rules and people.
"""
