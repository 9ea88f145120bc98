# `make` lists the targets. Packages live in .venv, data in ~/.memory-db, the notebooks' sample in ~/.cache/memory-db.
PYTHON ?= $(or $(shell command -v python3.11),python3)
BIN := .venv/bin
DATA ?=
NEXT := .venv-datasette-1
SNAPSHOTS := tests/pages/test_snapshots.py tests/cli/test_json_snapshots.py

# What is compiled once is kept, whatever the shell says: without, each process compiles its packages again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install db serve mcp test test-slow test-datasette-1 snapshots coverage clients clients-latest notebooks lab lint format docs \
  docs-check site screenshots pictures bench release lock clean

help:  ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
VERSION := import sys; print("%d.%d" % sys.version_info[:2])

# A virtual environment at $(1), unless one that works is there; one that was left half-made is made again.
define environment
if ! $(1)/bin/python -c '$(NEW_ENOUGH)' 2> /dev/null || ! $(1)/bin/python -m pip --version > /dev/null 2>&1; then \
  if ! $(PYTHON) -c '$(NEW_ENOUGH)' 2> /dev/null; then \
    is=$$($(PYTHON) -c '$(VERSION)' 2> /dev/null); \
    echo "memory-db needs Python 3.11 or newer; $(PYTHON) is $${is:-not there}." \
      "Name one that is: make PYTHON=/usr/bin/python3.12" >&2; \
    exit 1; \
  fi; \
  rm -rf $(1); \
  $(PYTHON) -m venv $(1) || { rm -rf $(1); exit 1; }; \
fi
endef

# Installs what $(2) names into the environment at $(1) with uv; where that fails with pip, which takes ten times as long.
define packages
{ $(1)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv \
  && test -x $(1)/bin/uv && $(1)/bin/uv pip install $(3) --python $(1)/bin/python $(2); } \
  || $(1)/bin/python -m pip install $(3) --disable-pip-version-check $(2)
endef

.venv/installed: requirements.txt constraints.txt pyproject.toml
	@$(call environment,.venv)
	@echo "Installing the packages of requirements.txt into .venv ..."
	@$(call packages,.venv,-r requirements.txt,--quiet)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The package with one extra; uv and pip show how far they are.
.venv/with-%: constraints.txt pyproject.toml
	@$(call environment,.venv)
	@if test .venv/installed -nt constraints.txt && test .venv/installed -nt pyproject.toml; then :; \
	else $(call packages,.venv,-c constraints.txt -e '.[$*]'); fi
	@touch $@

install: .venv/installed  ## make .venv with everything

db: .venv/with-serve  ## import, extract, gate and index whatever is new (the sample history if there is nothing yet)
	@$(BIN)/memory-db run --sample-if-empty

serve: .venv/with-serve  ## the same, then open Datasette on 127.0.0.1
	@$(BIN)/memory-db serve --run --sample-if-empty

mcp: .venv/with-serve  ## answer an agent over stdio
	@$(BIN)/memory-db mcp

test: install  ## the tests, under five minutes
	$(BIN)/python -m pytest -m "not slow" -n 2

# With MINUTES=40 no test begins later than that; what is left is skipped and named at the end.
WITHIN := $(if $(MINUTES),--minutes $(MINUTES))

test-slow: install  ## the tests that take longer or need a browser (MINUTES=40: as many as begin within those)
	$(BIN)/python -m pytest -m slow -n 2 $(WITHIN)

# An environment of its own, without notebooks and linters; where packages cannot be had it says so instead of waiting.
$(NEXT)/installed: requirements-datasette-1.txt constraints.txt pyproject.toml
	@$(call environment,$(NEXT))
	@echo "Installing the packages of requirements-datasette-1.txt into $(NEXT) ..."
	@grep -v '^datasette==' constraints.txt > $(NEXT)/constraints.txt
	@export PIP_TIMEOUT=30 PIP_RETRIES=2 UV_HTTP_TIMEOUT=30 UV_HTTP_RETRIES=2; \
	  { $(call packages,$(NEXT),-c $(NEXT)/constraints.txt -r requirements-datasette-1.txt,--quiet); } \
	  || { echo "Datasette 1.0 could not be installed: are the package registries within reach?" >&2; exit 1; }
	@$(NEXT)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

test-datasette-1: $(NEXT)/installed  ## the tests of pages on the next line of Datasette, in .venv-datasette-1
	$(NEXT)/bin/python -m pytest -m "pages and not pinned_datasette" -n 2 $(WITHIN) tests/pages

snapshots: install  ## write what pages and JSON answers say again, and list what changed
	$(BIN)/python -m pytest $(SNAPSHOTS) --snapshot-update
	@git status --short -- 'tests/*/__snapshots__'

coverage: install  ## the fast tests again, with how much of the code they run, and the ten modules they run least of
	$(BIN)/python -m pytest -m "not slow" -n 2 --cov --cov-report=
	@$(BIN)/python -m coverage report --format=total | sed 's/$$/ % of memory_db is run by the fast tests. Least:/'
	@$(BIN)/python -m coverage report --skip-covered --sort=cover | grep -E '[0-9]%$$' | grep -v '^TOTAL' | head -10

CLAUDES := @anthropic-ai/claude-code claude-code-2.1.330
LATEST := .clients-latest/node_modules/@anthropic-ai/claude-code

clients:  ## programs of others that the slow tests drive, from npm: two versions of Claude Code, and the MCP inspector
	@for each in $(CLAUDES) @modelcontextprotocol/inspector; do test -d .ci/node_modules/$$each || missing=yes; done; \
	  test -z "$$missing" || npm ci --prefix .ci --ignore-scripts --no-audit --no-fund --silent
	@for each in $(CLAUDES); do node .ci/node_modules/$$each/install.cjs; done

clients-latest: install  ## the tests with Claude Code once more, with whatever version of it is newest
	@npm install --prefix .clients-latest --no-save --ignore-scripts --no-audit --no-fund --silent \
	  @anthropic-ai/claude-code@latest
	@node $(LATEST)/install.cjs && $(LATEST)/bin/claude.exe --version
	CLAUDE_CLIENT=$(abspath $(LATEST)/bin/claude.exe) $(BIN)/python -m pytest -m "slow and claude" -n 2 tests/agents

notebooks: install  ## run every notebook on the sample history
	$(BIN)/python -m pytest -m notebooks tests/docs

lab: .venv/with-notebooks  ## open the notebooks in JupyterLab, which then asks no other host for news or updates
	$(BIN)/jupyter lab --notebook-dir notebooks --LabApp.app_settings_dir=$(abspath memory_db/cli/file/lab_settings) \
	    --LabApp.news_url=None \
	    --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate

lint: install  ## ruff, mypy, which room imports which, and whether generated docs are up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache > /dev/null || $(BIN)/lint-imports --no-cache
	$(MAKE) --no-print-directory docs-check

format: install  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install  ## generate the generated parts of README and docs again
	$(BIN)/cog -I docs/tools -r README.md docs/*.md

docs-check: install
	$(BIN)/cog -I docs/tools --check README.md docs/*.md

site: install  ## the documentation as a site, into site/: open site/index.html
	@$(BIN)/python -m sphinx -W -q -c docs -b html -d .sphinx . site
	@echo "The documentation is in site/index.html."

screenshots: install  ## pictures of the pages, light and dark, wide and narrow, into screenshots/
	$(BIN)/python bench/screenshots.py

pictures: install  ## the pictures of the README, from the sample history
	$(BIN)/python -m bench.pictures

bench: install  ## measure everything and write docs/benchmarks.md (DATA=DIR for public data)
	@$(BIN)/python -m bench $(if $(DATA),--data $(DATA)) > /dev/null

release: install  ## build the package into dist/, check it, and try each way in from a clean environment
	@rm -rf dist .venv-release && mkdir dist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	@$(call environment,.venv-release)
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls $(CURDIR)/dist/*.whl)[serve]"
	.venv-release/bin/memory-db --version
	.venv-release/bin/llm memory --help > /dev/null
	.venv-release/bin/llm fragments loaders | grep '^memory:'
	.venv-release/bin/python -c 'import memory_db.pages.web.serve'
	@rm -rf .venv-release
	$(BIN)/python -m pytest -m ways tests/pages

lock: install  ## write constraints.txt again from what is installed
	@(echo "# Every package of the environment, as tested together. Made by \`make lock\`."; \
	  $(BIN)/python -m pip freeze --exclude-editable) > constraints.txt

clean:  ## remove .venv and caches
	rm -rf .venv .venv-release dist $(NEXT) .clients-latest .pytest_cache .mypy_cache .ruff_cache .hypothesis .sphinx .coverage site *.egg-info
