# Two commands on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: browser demo experiment test suite quick check lint types docs proof mutants lowest release-check clean

demo: $(VENV)/.core
	$(BIN)/python examples/breast_cancer.py

# The paper's experiment in small: train, prune, and write report.html.
experiment: $(VENV)/.bench
	$(BIN)/voteprune bench run tiny tiny-run
	$(BIN)/voteprune report tiny-run --output report.html

# mypy takes one core half a minute, so the tests begin beside it.
test: lint
	@$(MAKE) --no-print-directory -j 2 types suite

# Python keeps what it has compiled, whatever the environment says: else every process of the tests,
# and every command and solver that a test starts, would compile the library anew.
suite quick: export PYTHONDONTWRITEBYTECODE =

suite: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist worksteal

# For the inner loop: one case of every test, in less than a minute.
quick: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist worksteal --quick

# Formatting, lint and types; part of `make test`.
check: lint types

lint: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.test
	$(BIN)/mypy

# The site, with its gallery run and its reference written anew; a warning is an error.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W --keep-going docs docs/_build/html
	@echo 'The site is in docs/_build/html/index.html'

# The long proof: thousands of random instances against brute force, every installed solver.
proof: $(VENV)/.test
	$(BIN)/python benchmarks/proof.py

# Would the tests notice a wrong proof? Thousands of small wrong changes, one at a time. Hours; it
# resumes. A part of it: make mutants MUTANTS='--sample 300'
mutants: $(VENV)/.mutants
	$(BIN)/python benchmarks/mutants.py $(MUTANTS)

# The lowest releases that pyproject.toml names, in an environment of their own. scikit-learn 1.6
# gives pytest a generator, which pytest 9 no longer takes.
lowest: LOW := $(VENV)-lowest
lowest:
	$(PYTHON) -m venv $(LOW)
	$(LOW)/bin/python -c 'import re, tomllib; print(*(re.sub(">=([0-9.]+).*", r"==\1.*", need) \
	  for need in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]), sep="\n")' \
	  > $(LOW)/lowest.txt
	$(LOW)/bin/python -m pip --disable-pip-version-check -q install -c $(LOW)/lowest.txt \
	  -e '.[cli,onnx]' 'pytest<9' 'pandas<3' skops
	$(LOW)/bin/python -m pytest tests/bounds tests/estimator tests/tree/sizes \
	  tests/strategies/test_exact_*.py tests/strategies/test_margin_scale.py tests/primal/test_margin_tabu.py \
	  tests/problem/test_margin.py tests/solve/test_explain.py tests/solve/test_plurality_explain.py \
	  tests/test_prune.py

# Wheel and source distribution: built, looked into, installed elsewhere and used.
release-check: $(VENV)/.release
	$(BIN)/python tools/release_check.py

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "voteprune needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(BIN)/python pyproject.toml
	$(PIP) install -e .
	@touch $@

$(VENV)/.bench: $(BIN)/python pyproject.toml
	$(PIP) install -e '.[bench,cli,report]'
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml
	$(PIP) install -e '.[test]'
	@# Commercial solvers come with a small trial licence; their tests are skipped without them.
	@$(PIP) install -e '.[gurobi,cplex]' || echo 'Gurobi or CPLEX not installed; their tests are skipped.'
	@$(MAKE) -s browser
	@touch $@

$(VENV)/.mutants: $(VENV)/.test
	$(PIP) install -e '.[mutants]'
	@touch $@

$(VENV)/.release: $(BIN)/python pyproject.toml
	$(PIP) install -e '.[release]'
	@touch $@

$(VENV)/.docs: $(BIN)/python pyproject.toml
	$(PIP) install -e '.[docs]'
	@touch $@

# The report is tested in Chromium, which only root may install; elsewhere those tests are skipped.
browser:
	@if ! command -v chromedriver >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq >/dev/null 2>&1; \
	  apt-get install -qq -y --no-install-recommends chromium chromium-driver >/dev/null 2>&1 \
	    || echo 'Chromium not installed; the tests of the report in a browser are skipped.'; \
	fi

clean:
	rm -rf docs/_build docs/api docs/api.rst docs/gallery docs/generated docs/sg_execution_times.rst
	rm -rf $(VENV) $(VENV)-lowest .pytest_cache .mypy_cache .ruff_cache
