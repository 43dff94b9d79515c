# Targets install what they need into .venv. PYTHON selects the interpreter, 3.11 or later.

PYTHON ?= python3
PYTHONS ?= python3.11 python3.12 python3.13
PYODIDE := 314.0.7
PYODIDE_FOLDER := build/pyodide-$(PYODIDE)/node_modules/pyodide
BIN := .venv/bin
WORKERS := --numprocesses=auto --maxprocesses=4 --dist=worksteal
EXTRAS := cli,html,logs,remote,arrow,idna,pydantic,jsonschema,psl,scrapy
ENGINES := polars,duckdb,spark
comma := ,

.PHONY: demo test test-engines coverage wheel test-wheel test-pyodide lint format docs test-docs try pages pictures bench volume attacks guard clean

## demo: explain a URL, show the most frequent values of a sample log, and write a report about it to build
demo: .venv/cli
	@mkdir -p build
	@$(BIN)/urisect demo --report build/report.html

## test: run the tests on the source tree, slow ones at a tenth of their size.
## URISECT_TESTS=full runs them in full size. Without Chromium, the tests of the report in a browser are skipped.
test: export PYTHONDONTWRITEBYTECODE :=
test: export PYTHONPYCACHEPREFIX := $(CURDIR)/build/bytecode
test: .venv/test .venv/browser
	$(BIN)/python -m pytest $(WORKERS) --ignore=tests/engines
	@$(BIN)/python -m tests.support.chromium check

## test-engines: run the tests of columns and clusters: Arrow, SQL, Polars, DuckDB, Spark (needs Java 17 or later)
test-engines: .venv/engines
	$(BIN)/python -m pytest $(WORKERS) tests/engines

## coverage: run all tests, those of engines too, and fail if they do not cover every branch.
## With a seed, so that chance does not decide which branches examples cover.
coverage: .venv/engines .venv/browser
	@rm -rf .coverage && mkdir .coverage
	$(BIN)/coverage run -m pytest --quiet --hypothesis-seed=0 $(WORKERS) --ignore=tests/engines/test_spark_cluster.py  # it has processes only
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

## wheel: build the wheel into build/
wheel: .venv/build
	@echo "building the wheel into build …"
	@mkdir -p build
	@rm -rf build/*.whl build/*.tar.gz
	@$(BIN)/python -m build --outdir build >build/log 2>&1 || { cat build/log; exit 1; }

## test-wheel: run the tests on the wheel, in a clean environment for each interpreter in PYTHONS;
## with ENGINES_TOO=yes also those of engines
test-wheel: wheel .venv/browser
	@set -e; for python in $(PYTHONS); do \
	    version=$$($$python -c 'import platform; print(platform.python_version())'); \
	    environment=build/python-$$version; \
	    echo "testing the wheel on Python $$version ($$python) …"; \
	    $(BIN)/virtualenv --quiet --clear --python="$$python" "$$environment"; \
	    "$$environment"/bin/python -m pip install --quiet --upgrade "pip>=25.1"; \
	    "$$environment"/bin/python -m pip install --quiet --group test \
	        $(if $(ENGINES_TOO),--group engines) "$$(echo build/*.whl)[$(EXTRAS)$(if $(ENGINES_TOO),$(comma)$(ENGINES))]"; \
	    "$$environment"/bin/python -m pytest --quiet $(WORKERS) $(if $(ENGINES_TOO),,--ignore=tests/engines); \
	done

## test-pyodide: run the property tests without dependencies on Python 3.14 in Pyodide, if node and npm are installed
test-pyodide: wheel
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
	    $(MAKE) --no-print-directory $(PYODIDE_FOLDER) && node tests/support/pyodide.mjs $(PYODIDE_FOLDER) build/*.whl; \
	else \
	    echo "skipping the tests in Pyodide: node or npm is not installed"; \
	fi

## lint: run ruff and mypy, both strict, and pyright on a program that uses every public function
lint: .venv/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy docs/conf.py docs/reference_pages.py docs/try_files.py hatch_build.py
	$(BIN)/pyright --pythonpath $(BIN)/python

## format: format the source
format: .venv/lint
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

$(PYODIDE_FOLDER):
	@echo "installing Pyodide $(PYODIDE) into build …"
	@npm install --prefix build/pyodide-$(PYODIDE) --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
	    pyodide@$(PYODIDE)

## docs: build the site into build/docs; a warning or a broken link inside it is an error.
## Without npm, which installs Pyodide, the page "Try it" does not work.
docs: .venv/docs
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory try; else echo "npm is not installed"; fi
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --fresh-env docs build/docs
	@echo "open build/docs/index.html"

# What the page "Try it" loads.
try: $(PYODIDE_FOLDER)
	@rm -rf build/try
	@$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/try .
	@$(BIN)/python docs/try_files.py $(PYODIDE_FOLDER) build/try/*.whl build/site/try

## test-docs: build the site, and try the page "Try it" in Chromium
test-docs: docs .venv/browser
	$(BIN)/python -m tests.support.try_page build/docs

## pages: update the generated parts of the documentation: the drawings of the modules and of the results, and the
## tables of log formats
pages: .venv/test
	$(BIN)/python -m tests.support.update_pages

## pictures: take the pictures of the command and of its report again; without Chromium, those of the report stay
pictures: .venv/test .venv/browser
	$(BIN)/python -m tests.support.pictures

## bench: measure urisect and other libraries; writes docs/results.md, the chart, and a table in README.md.
## BENCH="--corpus urls.txt --log access.log" measures on your own data.
bench: .venv/bench
	@mkdir -p build
	set -e; for run in 1 2 3; do \
	    $(BIN)/python -m pytest benchmarks --benchmark-only --benchmark-json=build/run$$run.json $(BENCH); \
	done
	$(BIN)/python -m benchmarks.report build/run1.json build/run2.json build/run3.json
	$(BIN)/python -m benchmarks.guard $(BENCH)

## volume: measure programs on two logs of 1 GB, and urisect on one of 10 GB; takes an hour and 20 GB of disk, and writes
## docs/volume.md. VOLUME="--log access.log --size 300000000 --minutes 10" measures on your own log, and for a shorter time.
volume: .venv/bench
	$(BIN)/python -m benchmarks.volume $(VOLUME)

## attacks: attack the command with endless lines, planted files and more; takes 10 minutes, and writes docs/attacks.md
attacks: .venv/bench
	$(BIN)/python -m benchmarks.attacks

## guard: fail if a ratio of speeds exceeds its limit
guard: .venv/bench
	$(BIN)/python -m benchmarks.guard $(BENCH)

## clean: remove what the targets made
clean:
	rm -rf .venv build .coverage .hypothesis .pytest_cache

.venv/python:
	@echo "creating an environment in .venv with $(PYTHON) …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

.venv/cli: .venv/python pyproject.toml
	@echo "installing the command, and what logs need (DuckDB, pyarrow, Jinja), into .venv …"
	@$(BIN)/python -m pip install --quiet --editable ".[cli,logs]"
	@touch $@

.venv/test: .venv/python pyproject.toml
	@echo "installing the package and its tests into .venv …"
	@$(BIN)/python -m pip install --quiet --editable ".[$(EXTRAS)]" --group test
	@touch $@

.venv/engines: .venv/test
	@echo "installing engines of columns and clusters into .venv …"
	@$(BIN)/python -m pip install --quiet --editable ".[$(EXTRAS),$(ENGINES)]" \
	    --group test --group engines
	@touch $@

# The report is tested in Chromium: that of the system, or one that Playwright downloads, if it can.
.venv/browser: .venv/test
	@$(BIN)/python -m tests.support.chromium install
	@touch $@

.venv/docs: .venv/test
	@echo "installing Sphinx into .venv …"
	@$(BIN)/python -m pip install --quiet --group docs
	@touch $@

.venv/build: .venv/python pyproject.toml
	@echo "installing build tools into .venv …"
	@$(BIN)/python -m pip install --quiet --group build
	@touch $@

.venv/bench: .venv/engines
	@echo "installing the libraries to compare with into .venv …"
	@$(BIN)/python -m pip install --quiet --group peers
	@touch $@

.venv/lint: .venv/bench
	@echo "installing linters into .venv …"
	@$(BIN)/python -m pip install --quiet --group lint
	@touch $@
