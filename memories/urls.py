"""Addresses of the pages."""

from django.urls import path

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
    audit_trail,
    first_steps,
    index_layouts,
    overview,
    robot_page,
    tiers,
    traces,
)
from memories.views.jobs import documents_page, import_folders, imports, jobs_page
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
from memories.views.privacy import (
    break_glass,
    my_memories_page,
    news_page,
    own_import_page,
    profile_page,
    question_consent,
)
from memories.views.privacy import erasure as erasure_pages
from memories.views.privacy import export_page as my_export
from memories.views.review import (
    bulk_review,
    decide_item,
    gate_settings,
    open_questions,
    queue_page,
)
from memories.views.support import memory_metadata as metadata
from memories.views.support import support_jobs, support_trail
from memories.views.webhooks import webhook_urls
from orgs.api import converters  # noqa: F401  (registers `reference`)

pages = [
    path("", overview.home, name="home"),
    path("overview/<str:name>.csv", overview.chart_file, name="overview-csv"),
    path("overview/demo/remove/", first_steps.remove_demo_view, name="demo-remove"),
    path("layouts/", index_layouts.index_layouts, name="index-layouts"),
    path("layouts/switch/", index_layouts.switch_layout, name="layout-switch"),
    path("tiers/", tiers.tiers, name="tiers"),
    path("tiers/policy/", ageing_policy_page.ageing_policy, name="tier-policy"),
    path(
        "tiers/policy/preview/",
        ageing_policy_page.preview_ageing_policy,
        name="tier-policy-preview",
    ),
    path("tiers/<str:name>.csv", tiers.tiers_file, name="tiers-csv"),
    path("robots/<uuid:robot_id>/", robot_page.robot, name="robot-page"),
    path(
        "robots/<uuid:robot_id>/questions/",
        question_consent.robot_question_consent,
        name="robot-questions",
    ),
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
    path("me/questions/", question_consent.own_question_consent, name="me-questions"),
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
    path("me/import/", own_import_page.own_imports, name="me-import"),
    path("me/import/<uuid:preview_id>/", own_import_page.own_import_plan, name="me-import-plan"),
    path(
        "me/import/<uuid:job_id>/forget/",
        own_import_page.forget_own_import_view,
        name="me-import-forget",
    ),
    path("me/accounts/", account_pages.account_list, name="me-accounts"),
    path("me/accounts/subscribe/", account_pages.subscribe, name="me-account-subscribe"),
    path("me/accounts/mailbox/", account_pages.add_mailbox, name="me-account-mailbox"),
    path(
        "me/accounts/<uuid:account_id>/subscription/",
        account_pages.change_subscription_view,
        name="me-account-subscription",
    ),
    path(
        "me/accounts/<uuid:account_id>/replace/",
        account_pages.replace_account_file,
        name="me-account-replace",
    ),
    path(
        "me/accounts/<uuid:account_id>/password/",
        account_pages.change_mailbox_password,
        name="me-account-password",
    ),
    path(
        "me/accounts/<uuid:account_id>/remove/",
        account_pages.remove_account_view,
        name="me-account-remove",
    ),
    path("me/time-zone/", my_memories_page.set_time_zone_view, name="me-zone"),
    path("questions/", open_questions.open_questions, name="open-questions"),
    path(
        "questions/<uuid:question_id>/leave/", open_questions.leave_question, name="question-leave"
    ),
    path("me/language/", my_memories_page.set_language_view, name="me-language"),
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
    path("documents/", documents_page.documents, name="documents"),
    path("documents/plan/<uuid:preview_id>/", documents_page.document_plan, name="document-plan"),
    path(
        "documents/<uuid:document_id>/forget/",
        documents_page.forget_document_view,
        name="document-forget",
    ),
    path("import/", imports.upload, name="import"),
    path("import/folders/", import_folders.add, name="import-folders"),
    path(
        "import/folders/<uuid:subscription_id>/", import_folders.change, name="import-folder-change"
    ),
    path(
        "import/folders/<uuid:subscription_id>/remove/",
        import_folders.remove,
        name="import-folder-remove",
    ),
    path("import/example/", imports.upload_example, name="import-example"),
    path("import/<uuid:preview_id>/", imports.import_plan, name="import-plan"),
    path("import/<uuid:preview_id>/columns/", imports.import_columns, name="import-columns"),
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
