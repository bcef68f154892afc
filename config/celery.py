"""The Celery application: workers run the tasks that services enqueue by name."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
app = Celery("commonmind")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
