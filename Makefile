# Two commands on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: demo test check proof clean

demo: $(VENV)/.core
	$(BIN)/python examples/breast_cancer.py

test: check $(VENV)/.test
	$(BIN)/python -m pytest

# Formatting, lint and types; part of `make test`.
check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The long proof: thousands of random instances against brute force, every installed solver.
proof: $(VENV)/.test
	$(BIN)/python benchmarks/proof.py

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "voteprune needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(BIN)/python pyproject.toml
	$(PIP) install -e .
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml
	$(PIP) install -e '.[test]'
	@# Commercial solvers come with a small trial licence; their tests are skipped without them.
	@$(PIP) install -e '.[gurobi,cplex]' || echo 'Gurobi or CPLEX not installed; their tests are skipped.'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
