# Everything that is built lies in target/, .venv/ and wordline-out/. Each target may be run from a fresh clone.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help setup quick demo test docs bench scaling instructions soak fuzz clean \
	check-rust check-python of-rust of-release module rust-docs test-rust test-sanitizer test-python browser valgrind

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := wordline-out
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
MATURIN := PIP_QUIET=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop

# Under CI everything is built once: what makes a second build quicker costs time.
ifeq ($(CI),true)
export CARGO_INCREMENTAL := 0
endif

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

# The first time the simulator is compiled while what it needs in Python is fetched.
setup: ## .venv/bin/wordline, from a release build of the simulator
	@$(MAKE) --question $(VENV)/requirements.stamp 2>/dev/null \
		|| $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,--jobs 2) $(VENV)/requirements.stamp module
	@$(MATURIN) --release --locked --quiet
	@$(BIN)/wordline --version

quick: $(VENV)/requirements.stamp ## the same from a build that is renewed within seconds of an edit, for who writes policies
	@$(MATURIN) --profile quick --locked --quiet
	@$(BIN)/wordline --version

module: $(VENV)/maturin.stamp
	@$(MATURIN) --release --locked --quiet --skip-install >/dev/null

$(VENV)/requirements.stamp: $(VENV)/maturin.stamp
	@$(PIP) --requirement requirements.txt
	@touch $@

$(VENV)/maturin.stamp: requirements.txt
	@command -v cargo >/dev/null || { echo "Rust is needed (cargo)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed, with venv (Debian: apt install python3-venv)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) $$(grep '^maturin==' requirements.txt)
	@touch $@

demo: setup ## a million requests on a drive of today, with each of two schedulers
	@PATH=$(CURDIR)/$(BIN):$$PATH python scripts/demo.py $(OUT)

test: ## every check, as in CI
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target of-rust of-release
	@$(MAKE) --no-print-directory test-python
	@echo "All checks passed."

# Side by side: what uses the development build, and what uses the release build, whose link takes one core.
of-rust:
	@for part in check-rust rust-docs test-rust test-sanitizer; do $(MAKE) --no-print-directory $$part; done

of-release:
	@for part in setup check-python instructions; do $(MAKE) --no-print-directory $$part; done

# By itself it leaves out Parquet.
OWN := --package own-policy

check-rust:
	@$(call require,cargo fmt --version,rustfmt is not installed (rustup component add rustfmt)); \
	cargo fmt --all --check
	@$(call require,cargo clippy --version,clippy is not installed (rustup component add clippy)); \
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings; \
	cargo clippy $(OWN) --all-targets --locked --quiet -- -D warnings

check-python: setup
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@MYPYPATH=python $(BIN)/python -m mypy.stubtest wordline._core

# Property tests draw the same cases each time, so that a commit passes or fails whenever it is tried; another seed, others.
test-rust: export PROPTEST_RNG_SEED ?= 1
test-rust:
	@cargo test --workspace --locked

# The unsafe code of the engine (its tables' memory) and of the border to C under AddressSanitizer. The standard compiler has it, for this
# target at least, behind a switch. One call, so that each crate is compiled once, and without optimisation, since these are few tests;
# but the tables themselves, whose tests are long, as everywhere.
test-sanitizer:
	@$(call require,test "$$(uname -sm)" = "Linux x86_64",AddressSanitizer tests run on x86_64 Linux only); \
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/sanitizer \
		CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 \
		cargo test --package wordline-base --package wordline-ftl --package wordline-engine --package wordline-capi --locked \
		--config profile.dev.package.wordline-base.opt-level=1 \
		--target x86_64-unknown-linux-gnu --lib --test c -- memory events greedy calls

# Valgrind, for counting instructions. Under CI, as root on Debian, it is installed.
valgrind:
	@if [ "$${CI:-}" = true ] && [ "$$(id -u)" = 0 ] && ! command -v valgrind >/dev/null && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			valgrind libc6-dbg >/dev/null; \
	fi

# The benchmark. With the bindings selected beside it, though they aren't built, dependencies have the same features as in
# `make setup`, and aren't compiled a second time.
BENCH_BUILD := cargo build --release --locked --quiet --package wordline-bench --package wordline-py --bin wordline-bench
BENCH := "$${CARGO_TARGET_DIR:-$(CURDIR)/target}/release/wordline-bench"

# RECORD='reason' takes the counts of now down as the ones that hold, with the reason, in place of a comparison.
instructions: valgrind ## instructions of runs on drives as sold and of two systems, against the recorded counts
	@$(call require,command -v valgrind,valgrind is not installed: no instructions are counted); \
	$(BENCH_BUILD); $(BENCH) --bounds $(if $(RECORD),"$(RECORD)")

# A browser for the tests of reports. Under CI, as root on Debian, it is installed; elsewhere its tests are skipped.
browser:
	@if [ "$${CI:-}" = true ] && [ "$$(id -u)" = 0 ] && ! command -v chromium >/dev/null && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			chromium fonts-dejavu-core >/dev/null; \
	fi

test-python: setup browser
	@$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

docs: setup rust-docs ## the documentation as a site, in target/docs, that of the Rust crates in it
	@$(BIN)/sphinx-build --fail-on-warning --quiet docs target/docs
	@rm -rf target/docs/rust && cp -r target/doc target/docs/rust && echo target/docs/index.html

rust-docs:
	@RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps --package wordline-base --package wordline-config --package wordline-flash --package wordline-ftl --package wordline-systems --package wordline-observe --package wordline-engine --package wordline-drive --package wordline-trace

bench: ## speed and memory against the goals; MQSIM=path measures MQSim's binary beside ours
	@$(BENCH_BUILD) && $(BENCH)

scaling: setup ## how the cost of a flash operation grows, as wordline-out/scaling.csv and scaling.png
	@mkdir -p $(OUT)
	@$(BENCH_BUILD) && $(BENCH) --scaling | tee $(OUT)/scaling.csv
	@$(BIN)/python scripts/scaling.py $(OUT)/scaling.csv $(OUT)/scaling.png

OPERATIONS ?= 1000000000
soak: ## a thousand million flash operations in checked mode, with audits and snapshots; OPERATIONS=N for another number
	@$(BENCH_BUILD) && $(BENCH) --soak $(OPERATIONS)

SECONDS_EACH ?= 60
fuzz: ## each fuzz target for a minute (SECONDS_EACH=N); needs cargo-fuzz
	@$(call require,cargo fuzz --version,cargo-fuzz is not installed (cargo install cargo-fuzz)); \
	for target in $$(cargo fuzz list); do \
		RUSTC_BOOTSTRAP=1 cargo fuzz run $$target -- -max_total_time=$(SECONDS_EACH) -rss_limit_mb=2048 -max_len=65536; \
	done

clean: ## removes all that the other targets made
	rm -rf target $(VENV) $(OUT)
