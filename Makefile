# `make help` lists what there is. Everything runs in .venv, which `make env` makes from hash-locked requirements.
SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV ?= .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
export VENV

.PHONY: help
help: ## list the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: env env-base env-bench
env: ## make or update .venv with everything that development and tests need
	@scripts/make_env.sh dev
env-base:
	@scripts/make_env.sh base
env-bench:
	@scripts/make_env.sh bench

.PHONY: demo serve
demo: env-base ## sample data, the main job end to end, then the site (DEMO_SERVE=0 stops after the verdict)
	@$(BIN)/python scripts/run_demo.py
serve: env-base ## web, worker and beat in one process tree, embedded or on DATABASE_URL and REDIS_URL
	@$(MANAGE) serve

.PHONY: test test-sqlite test-postgres
test: env ## every check and test that this machine can run, on SQLite, then on PostgreSQL and Redis (T="tests/x -k y")
	@$(BIN)/python scripts/run_checks.py $(if $(T),-- $(T))
test-sqlite: env ## the tests on SQLite and the embedded Valkey alone
	@$(BIN)/python scripts/run_checks.py --only sqlite $(if $(T),-- $(T))
test-postgres: env ## the tests on PostgreSQL and Redis alone: DATABASE_URL and REDIS_URL, else private instances
	@$(BIN)/python scripts/run_checks.py --only postgres $(if $(T),-- $(T))

.PHONY: lint format types imports migrations-check
lint: env ## ruff: rules and format
	@$(BIN)/python scripts/run_checks.py --only lint --only format
format: env ## let ruff repair and format what it can
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .
types: env ## mypy, strict for scoring/
	@$(BIN)/python scripts/run_checks.py --only types
imports: env ## the import directions of docs/architecture.md
	@$(BIN)/python scripts/run_checks.py --only imports
migrations-check: env ## fail where a model has changed without a migration
	@$(BIN)/python scripts/run_checks.py --only migrations

.PHONY: bench
bench: env-bench ## benchmarks, with peers in the same run (B="scoring datasets judging runs feedback pages")
	@$(BIN)/python scripts/run_benchmarks.py $(B)

.PHONY: messages screenshots
messages: env ## collect and compile the translations; fails where one is missing
	@$(BIN)/python scripts/update_messages.py
screenshots: env ## every page at three widths, light and dark, in both languages, into screenshots/
	@$(BIN)/python scripts/take_screenshots.py

.PHONY: lock clean
lock: env ## lock requirements/*.in again (U=1 upgrades, U=name upgrades one package)
	@scripts/lock.sh
clean: ## remove the environment, the embedded database and all caches
	rm -rf $(VENV) var screenshots .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
