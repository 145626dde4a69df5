# Everything that is built lies in target/, .venv/ and wordline-out/. Each target may be run from a fresh clone.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help setup demo test docs bench clean \
	check-rust check-python test-rust test-sanitizer test-python browser

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := wordline-out

# Under CI a tool that is missing is a failure; elsewhere its check is skipped, loudly.
define require
if ! $(1) >/dev/null 2>&1; then \
	echo "SKIPPED: $(2)" >&2; \
	if [ "$${CI:-}" = true ]; then echo "Under CI nothing may be skipped." >&2; exit 1; fi; \
	exit 0; \
fi
endef

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/requirements.stamp ## .venv/bin/wordline, from a release build of the simulator
	@PIP_QUIET=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --locked --quiet
	@$(BIN)/wordline --version

$(VENV)/requirements.stamp: requirements.txt
	@command -v cargo >/dev/null || { echo "Rust is needed (cargo)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed, with venv (Debian: apt install python3-venv)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

demo: setup ## a million requests on a drive of today, with each of two schedulers
	@PATH=$(CURDIR)/$(BIN):$$PATH python scripts/demo.py $(OUT)

test: check-rust setup check-python test-rust test-sanitizer test-python ## every check, as in CI
	@echo "All checks passed."

check-rust:
	@$(call require,cargo fmt --version,rustfmt is not installed (rustup component add rustfmt)); \
	cargo fmt --all --check
	@$(call require,cargo clippy --version,clippy is not installed (rustup component add clippy)); \
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

check-python: setup
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@MYPYPATH=python $(BIN)/python -m mypy.stubtest wordline._core

test-rust:
	@cargo test --workspace --locked

# The unsafe code of the engine (its tables' memory) under AddressSanitizer. The standard compiler has it, for this
# target at least, behind a switch.
test-sanitizer:
	@$(call require,test "$$(uname -sm)" = "Linux x86_64",AddressSanitizer tests run on x86_64 Linux only); \
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/sanitizer \
		cargo test --package wordline-engine --locked --target x86_64-unknown-linux-gnu --lib -- memory events

# A browser for the tests of reports. Under CI, as root on Debian, it is installed; elsewhere its tests are skipped.
browser:
	@if [ "$${CI:-}" = true ] && [ "$$(id -u)" = 0 ] && ! command -v chromium >/dev/null && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			chromium fonts-dejavu-core >/dev/null; \
	fi

test-python: setup browser
	@$(BIN)/pytest

docs: setup ## the documentation as a site, in target/docs
	@$(BIN)/sphinx-build --fail-on-warning --quiet docs target/docs && echo target/docs/index.html

bench: ## flash operations per second on one core, against the goals
	@cargo run --release --locked --quiet --package wordline-bench

clean: ## removes all that the other targets made
	rm -rf target $(VENV) $(OUT)
