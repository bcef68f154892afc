"""Metrics for the operator, without any organisation, person or text."""

from prometheus_client import Counter, Histogram

BUCKETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)

RECALL_SECONDS = Histogram(
    "commonmind_recall_seconds",
    "Time to find and read an answer, whoever asks.",
    ["strategy"],
    buckets=BUCKETS,
)
RERANKS = Counter(
    "commonmind_reranks_total",
    "Answers that were to be re-ordered by the cross-encoder, by what came of it.",
    ["outcome"],
)
