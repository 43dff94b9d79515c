# Everything is set up in .venv by the target that needs it. PYTHON chooses the interpreter, 3.11 or later.

PYTHON ?= python3
PYTHONS ?= python3.11 python3.13
BIN := .venv/bin
WORKERS := --numprocesses=auto --maxprocesses=4

.PHONY: demo test test-wheel lint format bench volume attacks guard clean

## demo: split the sample log, and show what is in it
demo: .venv/cli
	@$(BIN)/urisect demo

## test: run the tests on the tree; every branch has to be covered
test: .venv/test .venv/browser
	@mkdir -p .coverage
	$(BIN)/coverage run -m pytest $(WORKERS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

## test-wheel: run the tests on the wheel, in a clean environment for each of PYTHONS
test-wheel: .venv/build .venv/browser
	rm -rf build
	$(BIN)/python -m build --outdir build
	set -e; for python in $(PYTHONS); do \
	    environment=build/$$(basename $$python); \
	    $$python -m venv $$environment; \
	    $$environment/bin/python -m pip install --quiet --upgrade "pip>=25.1"; \
	    $$environment/bin/python -m pip install --quiet --group test "$$(echo build/*.whl)[cli,html,logs]"; \
	    $$environment/bin/python -m pytest --quiet $(WORKERS); \
	done

## lint: ruff and mypy, both strict; pyright on a program that uses every public function
lint: .venv/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

format: .venv/lint
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

## bench: measure beside other libraries; writes benchmarks/RESULTS.md and benchmarks/results.svg.
## BENCH="--corpus urls.txt --log access.log" measures on real lists.
bench: .venv/bench
	@mkdir -p build
	set -e; for run in 1 2 3; do \
	    $(BIN)/python -m pytest benchmarks --benchmark-only --benchmark-json=build/run$$run.json $(BENCH); \
	done
	$(BIN)/python -m benchmarks.report build/run1.json build/run2.json build/run3.json
	$(BIN)/python -m benchmarks.guard $(BENCH)

## volume: measure how logs are read at volume; takes half an hour, or more, and writes benchmarks/VOLUME.md.
## VOLUME="--log access.log --size 300000000" measures on a log of yours.
volume: .venv/bench
	$(BIN)/python -m benchmarks.volume $(VOLUME)

## attacks: attack the command with endless lines, planted files and the like; writes docs/attacks.md. Takes 10 minutes.
attacks: .venv/bench
	$(BIN)/python -m benchmarks.attacks

## guard: fail if a ratio of speeds is not what it has to be
guard: .venv/bench
	$(BIN)/python -m benchmarks.guard $(BENCH)

clean:
	rm -rf .venv build .coverage

.venv/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

.venv/cli: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[cli]"
	@touch $@

.venv/test: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[cli,html,logs]" --group test
	@touch $@

# The report is looked at in Chromium: the system's, or else the one that Playwright brings.
.venv/browser: .venv/test
	command -v chromium >/dev/null \
	    || { [ "$$(id -u)" = 0 ] && apt-get update --quiet && apt-get install --yes --quiet chromium; } \
	    || $(BIN)/playwright install chromium
	@touch $@

.venv/build: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --group build
	@touch $@

.venv/bench: .venv/test
	$(BIN)/python -m pip install --quiet --group peers
	@touch $@

.venv/lint: .venv/bench
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@
