"""Addresses of memories: /api/v1/memories and the pages."""

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
from memories.api.erasure import erasure_views
from memories.api.imports.import_views import ImportsView
from memories.api.operations import bulk_changes, changes, operation_views, projections
from memories.api.recall import answer, explain, profiles, who_said
from memories.api.recall import recall_views as api_recall
from memories.api.safety import gate_views, policies
from memories.api.snapshots import snapshot_views
from memories.api.structured import preferences, tasks
from memories.api.webhooks import webhook_views
from memories.views.browsing import (
    conversation,
    list_filters,
    memory_list,
    playground,
    saved_views,
    shared_knowledge,
)
from memories.views.browsing import robot_mentions as who_said_page
from memories.views.context import team_page
from memories.views.context import working_memory as working_memory_page
from memories.views.decisions import decisions as decision_pages
from memories.views.experts import experts_page, knowledge_map_page
from memories.views.insights import (
    ageing_policy_page,
    architectures,
    audit_trail,
    first_steps,
    overview,
    robot_page,
    tiers,
    traces,
)
from memories.views.jobs import imports, jobs_page
from memories.views.memory import (
    bulk_change,
    detail,
    edit,
    erase,
    readers,
    share,
    split,
    suggest,
    versions,
)
from memories.views.memory import explanation_page as why
from memories.views.memory import protect_page as protect_pages
from memories.views.privacy import accounts_page as account_pages
from memories.views.privacy import break_glass, my_memories_page, news_page, profile_page
from memories.views.privacy import erasure as erasure_pages
from memories.views.privacy import export_page as my_export
from memories.views.review import bulk_review, decide_item, gate_settings, queue_page
from memories.views.support import memory_metadata as metadata
from memories.views.support import support_jobs, support_trail
from memories.views.webhooks import webhook_urls
from orgs.api import converters  # noqa: F401  (registers `reference`)

api = [
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
    path("imports", ImportsView.as_view(), name="imports-api"),
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

pages = [
    path("", overview.home, name="home"),
    path("overview/<str:name>.csv", overview.chart_file, name="overview-csv"),
    path("overview/demo/remove/", first_steps.remove_demo_view, name="demo-remove"),
    path("architectures/", architectures.architectures, name="architectures"),
    path("architectures/layouts/", architectures.switch_layout, name="layout-switch"),
    path(
        "architectures/<str:name>.csv", architectures.architectures_file, name="architectures-csv"
    ),
    path("tiers/", tiers.tiers, name="tiers"),
    path("tiers/policy/", ageing_policy_page.ageing_policy, name="tier-policy"),
    path(
        "tiers/policy/preview/",
        ageing_policy_page.preview_ageing_policy,
        name="tier-policy-preview",
    ),
    path("tiers/<str:name>.csv", tiers.tiers_file, name="tiers-csv"),
    path("robots/<uuid:robot_id>/", robot_page.robot, name="robot-page"),
    path("robots/traces/", traces.traces, name="traces"),
    path("robots/traces/<uuid:recall_id>/", traces.trace, name="trace-page"),
    path(
        "robots/<uuid:robot_id>/working-memory/",
        working_memory_page.working_memory,
        name="robot-working-memory",
    ),
    path("robots/teams/<uuid:team_id>/", team_page.team, name="team-page"),
    path("experts/", experts_page.experts, name="experts"),
    path("map/", knowledge_map_page.knowledge_map, name="map"),
    path("said/", who_said_page.robot_mentions, name="said-page"),
    path("decisions/", decision_pages.decision_list, name="decisions"),
    path("decisions/add/", decision_pages.add_decision, name="decision-add"),
    path("decisions/<uuid:decision_id>/", decision_pages.decision_detail, name="decision-page"),
    path(
        "decisions/<uuid:decision_id>/dissent/",
        decision_pages.add_dissent_view,
        name="decision-dissent-add",
    ),
    path(
        "decisions/<uuid:decision_id>/dissents/<uuid:dissent_id>/answer/",
        decision_pages.answer_dissent_view,
        name="dissent-answer",
    ),
    path("knowledge/", shared_knowledge.shared_knowledge, name="knowledge"),
    path("me/", my_memories_page.my_memories_page, name="me"),
    path("me/known/", profile_page.own_profile_page, name="me-known"),
    path("me/learning/", my_memories_page.set_learning, name="me-learning"),
    path("me/sharing/", my_memories_page.set_sharing_view, name="me-sharing"),
    path("me/forget/", my_memories_page.forget_all_view, name="me-forget"),
    path("me/erase/", erasure_pages.erase_me, name="me-erase"),
    path("receipts/check/", erasure_pages.check_receipt, name="receipt-check"),
    path("receipts/<str:link>/", erasure_pages.erasure_receipt, name="receipt"),
    path("me/forget/undo/", my_memories_page.undo_forget_all_view, name="me-bring-back"),
    path("me/export/", my_export.export_lines, name="me-export"),
    path("me/export/page/", my_export.export_html, name="me-export-page"),
    path("me/news/", news_page.news_page, name="news"),
    path("me/news/seen/", news_page.mark_news_seen, name="news-seen"),
    path("me/news/mail/", news_page.set_news_mail_view, name="news-mail"),
    path("news/mail/end/<str:token>/", news_page.end_news_mail, name="news-mail-end"),
    path("live/", news_page.live_counts, name="live"),
    path("me/robots/", my_memories_page.add_delegation, name="me-trust"),
    path(
        "me/robots/<uuid:delegation_id>/revoke/",
        my_memories_page.revoke_delegation_view,
        name="me-distrust",
    ),
    path(
        "me/robots/<uuid:robot_id>/end/", my_memories_page.end_told_robot_view, name="me-told-end"
    ),
    path(
        "me/assistants/<uuid:robot_id>/end/",
        my_memories_page.end_assistant_view,
        name="me-assistant-end",
    ),
    path("me/names/", my_memories_page.identities, name="me-names"),
    path("me/accounts/", account_pages.account_list, name="me-accounts"),
    path(
        "me/accounts/<uuid:account_id>/replace/",
        account_pages.replace_account_file,
        name="me-account-replace",
    ),
    path(
        "me/accounts/<uuid:account_id>/remove/",
        account_pages.remove_account_view,
        name="me-account-remove",
    ),
    path("me/time-zone/", my_memories_page.set_time_zone_view, name="me-zone"),
    path("review/", queue_page.queue_page, name="review"),
    path("review/gates/", gate_settings.gate_settings, name="gates"),
    path("review/gates/policy/", gate_settings.set_gate_policy_view, name="gates-policy"),
    path(
        "review/gates/<uuid:term_id>/remove/", gate_settings.remove_term_view, name="gates-remove"
    ),
    path("review/several/", bulk_review.bulk_review, name="review-several"),
    path(
        "review/several/<uuid:act>/undo/", bulk_review.undo_bulk_review, name="review-several-undo"
    ),
    path("review/<uuid:item_id>/", queue_page.item_page, name="review-item"),
    path("review/<uuid:item_id>/approve/", decide_item.approve_item, name="review-approve"),
    path("review/<uuid:item_id>/edit/", decide_item.approve_edited_item, name="review-edit"),
    path("review/<uuid:item_id>/reject/", decide_item.reject_item, name="review-reject"),
    path("review/<uuid:item_id>/merge/", decide_item.merge_item, name="review-merge"),
    path("review/<uuid:item_id>/drop/", decide_item.drop_newer, name="review-drop"),
    path("review/<uuid:item_id>/supersede/", decide_item.supersede_older, name="review-supersede"),
    path("review/<uuid:item_id>/hold/", decide_item.lock_item, name="review-hold"),
    path("review/<uuid:item_id>/skip/", decide_item.skip_item, name="review-skip"),
    path("review/<uuid:item_id>/undo/", decide_item.undo_item, name="review-undo"),
    path("review/<uuid:item_id>/assign/", decide_item.assign_item, name="review-assign"),
    path("review/<uuid:item_id>/readers/", readers.item_readers, name="review-readers"),
    path("memories/<uuid:memory_id>/suggest/", suggest.suggest_correction, name="memory-suggest"),
    path("memories/<uuid:memory_id>/protect/", protect_pages.protect, name="memory-protect"),
    path("memories/<uuid:memory_id>/unprotect/", protect_pages.unprotect, name="memory-unprotect"),
    path("memories/<uuid:memory_id>/report/", suggest.report_memory_view, name="memory-report"),
    path("memories/", memory_list.memory_list, name="library"),
    path("tags/", saved_views.tags, name="tags"),
    path("audit/", audit_trail.audit_trail, name="audit"),
    path("audit/entries.csv", audit_trail.audit_file, name="audit-file"),
    path("memories/<uuid:memory_id>/trail/", audit_trail.memory_audit_trail, name="memory-trail"),
    path("people/<uuid:member_id>/erase/", erasure_pages.erase_person, name="person-erase"),
    path("people/<uuid:member_id>/trail/", audit_trail.member_audit_trail, name="person-trail"),
    path("me/notices/", break_glass.disclosure_notices, name="notices"),
    path("memories/change/", bulk_change.bulk_change, name="memories-change"),
    path("memories/views/", saved_views.save_view, name="view-save"),
    path("memories/columns/", list_filters.choose_columns, name="library-columns"),
    path("memories/views/remove/", saved_views.delete_view, name="view-remove"),
    path("playground/", playground.playground, name="playground"),
    path("trash/", memory_list.trash, name="trash"),
    path("palette/", saved_views.palette, name="palette"),
    path("import/", imports.upload, name="import"),
    path("import/example/", imports.upload_example, name="import-example"),
    path("import/<uuid:preview_id>/", imports.import_plan, name="import-plan"),
    path("jobs/", jobs_page.index, name="jobs"),
    path("jobs/embeddings/retry/", jobs_page.retry_embeddings, name="embeddings-retry"),
    path(
        "jobs/embeddings/<uuid:memory_id>/retry/",
        jobs_page.retry_embeddings,
        name="embedding-retry",
    ),
    path("jobs/embeddings/drop/", jobs_page.drop_embeddings, name="embeddings-drop"),
    path(
        "jobs/embeddings/<uuid:memory_id>/drop/", jobs_page.drop_embeddings, name="embedding-drop"
    ),
    path("jobs/model/retry/", jobs_page.retry_model_questions, name="model-retry"),
    path("jobs/model/drop/", jobs_page.drop_model_questions, name="model-drop"),
    path("jobs/export/", imports.start_export, name="export"),
    path("jobs/<uuid:job_id>/file/", imports.download, name="export-file"),
    path("jobs/consolidate/", jobs_page.begin_consolidation, name="consolidate"),
    path("jobs/<uuid:job_id>/", jobs_page.job, name="job"),
    path("jobs/<uuid:job_id>/cancel/", jobs_page.cancel, name="job-cancel"),
    path("jobs/<uuid:job_id>/resume/", jobs_page.resume, name="job-resume"),
    path("jobs/<uuid:job_id>/undo/", jobs_page.undo, name="job-undo"),
    path("jobs/<uuid:job_id>/retry/", jobs_page.retry, name="job-retry"),
    path("jobs/<uuid:job_id>/drop/", jobs_page.drop, name="job-drop"),
    *webhook_urls.pages,
    path("memories/add/", edit.add_memory, name="memory-add"),
    path("memories/<uuid:memory_id>/", detail.memory_detail, name="memory-page"),
    path("memories/<uuid:memory_id>/thread/", conversation.conversation, name="thread"),
    path("memories/<uuid:memory_id>/row/", memory_list.refresh_row, name="memory-row"),
    path("memories/<uuid:memory_id>/edit/", edit.edit_memory_view, name="memory-edit"),
    path("memories/<uuid:memory_id>/forget/", edit.forget_memory_view, name="memory-forget"),
    path("memories/<uuid:memory_id>/erase/", erase.erase_memory_view, name="memory-erase"),
    path(
        "memories/<uuid:memory_id>/restore/", edit.restore_memory_view, name="memory-restore-page"
    ),
    path("memories/<uuid:memory_id>/originals/", edit.undo_summary_view, name="memory-originals"),
    path("memories/<uuid:memory_id>/access/", share.share_memory_view, name="memory-share-page"),
    path("readers/<uuid:audience_id>/", readers.audience_readers, name="audience-readers"),
    path("memories/<uuid:memory_id>/readers/", readers.memory_readers, name="memory-readers"),
    path("memories/<uuid:memory_id>/split/", split.split_memory_view, name="memory-split"),
    path("memories/<uuid:memory_id>/why/", why.explanation_page, name="memory-why"),
    path("memories/<uuid:memory_id>/versions/", versions.version_list, name="memory-versions"),
    path(
        "memories/<uuid:memory_id>/versions/<int:number>/restore/",
        versions.restore_version_view,
        name="memory-version-restore",
    ),
]

# Under /admin/, before the admin's own addresses.
support_pages = [
    path("organisation/jobs/", support_jobs.support_jobs, name="support-jobs"),
    path(
        "organisation/jobs/<uuid:job_id>/retry/", support_jobs.retry_job, name="support-job-retry"
    ),
    path(
        "organisation/jobs/embeddings/retry/",
        support_jobs.retry_embeddings,
        name="support-embeddings-retry",
    ),
    path(
        "organisation/jobs/answers/retry/", support_jobs.retry_answers, name="support-answers-retry"
    ),
    path("organisation/memories/", metadata.memory_list, name="support-memories"),
    path("organisation/memories/<uuid:memory_id>/", metadata.memory_detail, name="support-memory"),
    path("organisation/questions/", metadata.recall_list, name="support-questions"),
    path("organisation/audit/", support_trail.support_trail, name="support-trail"),
    path("memory/<uuid:memory_id>/open/", break_glass.open_for_support, name="support-open"),
    path("memory/<uuid:memory_id>/text/", break_glass.read_for_support, name="support-read"),
]
