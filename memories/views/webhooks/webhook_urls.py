"""The addresses of the pages of webhooks."""

from django.urls import path

from memories.views.webhooks import webhook_pages

pages = [
    path("webhooks/", webhook_pages.webhook_list, name="webhooks"),
    path("webhooks/<uuid:webhook_id>/", webhook_pages.webhook, name="webhook"),
    path("webhooks/<uuid:webhook_id>/test/", webhook_pages.test_webhook, name="webhook-test"),
    path("webhooks/<uuid:webhook_id>/switch/", webhook_pages.switch_webhook, name="webhook-switch"),
    path("webhooks/<uuid:webhook_id>/rotate/", webhook_pages.rotate_webhook, name="webhook-rotate"),
    path("webhooks/<uuid:webhook_id>/remove/", webhook_pages.remove_webhook, name="webhook-remove"),
    path(
        "webhooks/<uuid:webhook_id>/redeliver/",
        webhook_pages.redeliver_dead,
        name="webhook-redeliver-dead",
    ),
    path(
        "webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/",
        webhook_pages.delivery,
        name="webhook-delivery",
    ),
    path(
        "webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/redeliver/",
        webhook_pages.redeliver,
        name="webhook-redeliver",
    ),
]
