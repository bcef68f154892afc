# One image for web, worker, beat and the migrations; see docker-compose.yml.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    DJANGO_SETTINGS_MODULE=config.settings.production \
    DATA_DIR=/data

RUN groupadd --system --gid 10001 commonmind \
    && useradd --system --uid 10001 --gid commonmind --home-dir /data --shell /usr/sbin/nologin commonmind \
    && install -d -o commonmind -g commonmind -m 700 /data

WORKDIR /app
COPY requirements.lock ./
RUN pip install -r requirements.lock
COPY . .

USER commonmind
VOLUME /data
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--no-proxy-headers"]
