# Each target sets itself up: a machine needs Python 3.11+ and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-lowest bench lint types layers clean

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

bench: $(VENV)/.ready-bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .venv-*

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("sezzlee_py needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

$(VENV)/.ready-bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	touch $@
