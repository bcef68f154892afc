"""Addresses below /api/v1."""

from django.urls import path

from memories.api import (
    caller,
    feedback,
    group_context,
    history,
    knowledge_graph,
    memories,
    proposals,
    propositions,
    red_lines,
    statistics,
)
from memories.api import jobs as jobs_api
from memories.api.context import (
    accounts,
    prompt_context,
    robot_streams,
    team_working_memory,
    working_memory,
)
from memories.api.decisions import debates, decision_views
from memories.api.documents.document_views import DocumentsView, DocumentView
from memories.api.erasure import erasure_views
from memories.api.imports.folder_views import ImportSubscriptionsView, ImportSubscriptionView
from memories.api.imports.import_views import ImportsView
from memories.api.operations import bulk_changes, changes, operation_views, projections
from memories.api.recall import answer, explain, profiles, who_said
from memories.api.recall import recall_views as api_recall
from memories.api.safety import gate_views, policies
from memories.api.snapshots import snapshot_views
from memories.api.structured import preferences, tasks
from memories.api.webhooks import webhook_views
from orgs.api import converters  # noqa: F401  (registers `reference`)

patterns = [
    path("me", caller.CallerView.as_view(), name="caller"),
    path("me/organisations", caller.OwnOrganisationsView.as_view(), name="own-organisations"),
    path("access", history.AccessView.as_view(), name="access"),
    path("memories", memories.MemoriesView.as_view(), name="memories"),
    path("memories/facets", memories.FacetsView.as_view(), name="memories-facets"),
    path("memories/batch", memories.BatchView.as_view(), name="memories-batch"),
    path("memories/bulk", bulk_changes.BulkChangeView.as_view(), name="memories-bulk"),
    path("memories/purge", erasure_views.PurgeView.as_view(), name="memories-purge"),
    path(
        "memories/forget-content",
        erasure_views.ForgetContentView.as_view(),
        name="memories-forget-content",
    ),
    path("erasures", erasure_views.ErasuresView.as_view(), name="erasures"),
    path("erasures/<uuid:erasure_id>", erasure_views.ErasureView.as_view(), name="erasure"),
    path("projections", projections.ProjectionsView.as_view(), name="projections"),
    path("projections/<str:name>", projections.ProjectionView.as_view(), name="projection"),
    path("changes", changes.ChangesView.as_view(), name="changes"),
    path("operations", operation_views.OperationsView.as_view(), name="operations"),
    path("operations/counts", operation_views.CountsView.as_view(), name="operation-counts"),
    path("memories/<uuid:memory_id>", memories.MemoryView.as_view(), name="memory"),
    path(
        "memories/<uuid:memory_id>/restore", memories.RestoreView.as_view(), name="memory-restore"
    ),
    path(
        "memories/<uuid:memory_id>/archive", memories.ArchiveView.as_view(), name="memory-archive"
    ),
    path("memories/<uuid:memory_id>/share", memories.ShareView.as_view(), name="memory-share"),
    path("memories/<uuid:memory_id>/red-line", red_lines.RedLineView.as_view(), name="red-line"),
    path(
        "memories/<uuid:memory_id>/red-line/lift",
        red_lines.LiftView.as_view(),
        name="red-line-lift",
    ),
    path(
        "memories/<uuid:memory_id>/propositions",
        propositions.PropositionsView.as_view(),
        name="memory-propositions",
    ),
    path("memories/<uuid:memory_id>/history", history.HistoryView.as_view(), name="memory-history"),
    path("memories/<uuid:memory_id>/lineage", history.LineageView.as_view(), name="memory-lineage"),
    path("memories/<uuid:memory_id>/explain", explain.ExplainView.as_view(), name="memory-explain"),
    path(
        "groups/<reference:reference>/context",
        group_context.GroupContextView.as_view(),
        name="group-context",
    ),
    path(
        "robots/<reference:reference>/working-memory",
        working_memory.WorkingMemoryView.as_view(),
        name="working-memory",
    ),
    path(
        "teams/<reference:reference>/working-memory",
        team_working_memory.TeamMemoryView.as_view(),
        name="team-working-memory",
    ),
    path(
        "teams/<reference:reference>/status",
        team_working_memory.TeamStatusView.as_view(),
        name="team-status",
    ),
    path(
        "teams/<reference:reference>/transfer",
        team_working_memory.TransferView.as_view(),
        name="team-transfer",
    ),
    path("profiles", profiles.ProfilesView.as_view(), name="profiles"),
    path("experts", knowledge_graph.ExpertsView.as_view(), name="experts-api"),
    path("entities", knowledge_graph.EntitiesView.as_view(), name="entities"),
    path("entities/<uuid:entity_id>", knowledge_graph.EntityView.as_view(), name="entity"),
    path(
        "entities/<uuid:entity_id>/relationships",
        knowledge_graph.RelationshipsView.as_view(),
        name="entity-relationships",
    ),
    path("recall", api_recall.RecallView.as_view(), name="recall"),
    path("answer", answer.AnswerView.as_view(), name="answer"),
    path("accounts", accounts.AccountsView.as_view(), name="accounts"),
    path("accounts/<uuid:account_id>", accounts.AccountView.as_view(), name="account"),
    path(
        "accounts/<uuid:account_id>/file", accounts.AccountFileView.as_view(), name="account-file"
    ),
    path("context", prompt_context.ContextView.as_view(), name="context"),
    path("streams", robot_streams.StreamsView.as_view(), name="streams"),
    path("streams/recall", robot_streams.StreamRecallView.as_view(), name="stream-recall"),
    path("streams/summary", robot_streams.StreamSummaryView.as_view(), name="stream-summary"),
    path("decisions", decision_views.DecisionsView.as_view(), name="decisions-api"),
    path("decisions/similar", decision_views.SimilarView.as_view(), name="decisions-similar"),
    path("decisions/prepare", decision_views.PrepareView.as_view(), name="decisions-prepare"),
    path(
        "decisions/dissents", decision_views.TopicDissentsView.as_view(), name="decisions-dissents"
    ),
    path(
        "decisions/<uuid:decision_id>", decision_views.DecisionView.as_view(), name="decision-api"
    ),
    path(
        "decisions/<uuid:decision_id>/dissents",
        decision_views.DissentsView.as_view(),
        name="decision-dissents",
    ),
    path(
        "decisions/<uuid:decision_id>/dissents/<uuid:dissent_id>",
        decision_views.DissentView.as_view(),
        name="decision-dissent",
    ),
    path("debates", debates.DebatesView.as_view(), name="debates"),
    path("debates/<uuid:debate_id>", debates.DebateView.as_view(), name="debate"),
    path(
        "debates/<uuid:debate_id>/critiques",
        debates.CritiquesView.as_view(),
        name="debate-critiques",
    ),
    path("debates/<uuid:debate_id>/outcome", debates.OutcomeView.as_view(), name="debate-outcome"),
    path("feedback", feedback.FeedbackView.as_view(), name="feedback"),
    path("proposals", proposals.ProposalsView.as_view(), name="proposals"),
    path("proposals/<uuid:item_id>", proposals.ProposalView.as_view(), name="proposal"),
    path("proposals/<uuid:item_id>/decision", proposals.DecisionView.as_view(), name="decision"),
    path("proposals/<uuid:item_id>/undo", proposals.UndoView.as_view(), name="decision-undo"),
    path("proposals/<uuid:item_id>/lock", proposals.LockView.as_view(), name="proposal-lock"),
    path("proposals/<uuid:item_id>/assign", proposals.AssignView.as_view(), name="proposal-assign"),
    path("jobs", jobs_api.JobsView.as_view(), name="jobs-api"),
    path("jobs/<uuid:job_id>", jobs_api.JobView.as_view(), name="job-api"),
    path("jobs/<uuid:job_id>/cancel", jobs_api.JobCancelView.as_view(), name="job-cancel-api"),
    path("jobs/<uuid:job_id>/resume", jobs_api.JobResumeView.as_view(), name="job-resume-api"),
    path("jobs/<uuid:job_id>/retry", jobs_api.JobRetryView.as_view(), name="job-retry-api"),
    path("jobs/<uuid:job_id>/undo", jobs_api.JobUndoView.as_view(), name="job-undo-api"),
    path("jobs/<uuid:job_id>/file", jobs_api.JobFileView.as_view(), name="job-file-api"),
    path("webhooks", webhook_views.WebhooksView.as_view(), name="webhooks-api"),
    path("webhooks/<uuid:webhook_id>", webhook_views.WebhookView.as_view(), name="webhook-api"),
    path(
        "webhooks/<uuid:webhook_id>/rotate",
        webhook_views.WebhookRotateView.as_view(),
        name="webhook-rotate-api",
    ),
    path(
        "webhooks/<uuid:webhook_id>/test",
        webhook_views.WebhookTestView.as_view(),
        name="webhook-test-api",
    ),
    path(
        "webhooks/<uuid:webhook_id>/deliveries",
        webhook_views.DeliveriesView.as_view(),
        name="webhook-deliveries-api",
    ),
    path(
        "webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/redeliver",
        webhook_views.RedeliverView.as_view(),
        name="webhook-redeliver-api",
    ),
    path("exports", jobs_api.ExportsView.as_view(), name="exports-api"),
    path("documents", DocumentsView.as_view(), name="documents-api"),
    path("documents/<uuid:document_id>", DocumentView.as_view(), name="document-api"),
    path("imports", ImportsView.as_view(), name="imports-api"),
    path(
        "imports/subscriptions",
        ImportSubscriptionsView.as_view(),
        name="import-subscriptions-api",
    ),
    path(
        "imports/subscriptions/<uuid:subscription_id>",
        ImportSubscriptionView.as_view(),
        name="import-subscription-api",
    ),
    path("consolidations", jobs_api.ConsolidationsView.as_view(), name="consolidations-api"),
    path("reports", proposals.ReportsView.as_view(), name="reports"),
    path("gate", gate_views.GateView.as_view(), name="gate"),
    path("organisation/gate-policy", policies.GatePolicyView.as_view(), name="gate-policy"),
    path("organisation/ageing-policy", policies.AgeingPolicyView.as_view(), name="ageing-policy"),
    path("gate/terms", gate_views.TermsView.as_view(), name="gate-terms"),
    path("gate/terms/<uuid:term_id>", gate_views.TermView.as_view(), name="gate-term"),
    path("said", who_said.SaidView.as_view(), name="said"),
    path("timeline", who_said.TimelineView.as_view(), name="timeline"),
    path("snapshots", snapshot_views.SnapshotsView.as_view(), name="snapshots"),
    path("tasks", tasks.TasksView.as_view(), name="tasks-api"),
    path("tasks/<uuid:task_id>", tasks.TaskView.as_view(), name="task-api"),
    path("preferences", preferences.PreferencesView.as_view(), name="preferences-api"),
    path("preferences/alerts", preferences.AlertsView.as_view(), name="preferences-alerts"),
    path(
        "preferences/<uuid:preference_id>",
        preferences.PreferenceView.as_view(),
        name="preference-api",
    ),
    path("tags", statistics.TagsView.as_view(), name="tags-api"),
    path("stats", statistics.StatsView.as_view(), name="stats"),
]
