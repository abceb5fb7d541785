# `make demo` and `make test` do everything on a machine that has Python 3.11-3.13, make and PyPI.
PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/foveal

.PHONY: demo test test-long check install lock bench-judge clean

demo: install
	$(RUN) models prepare smollm2_135m
	$(RUN) run --model smollm2_135m --benchmark mmcode --setting text_only --max-tokens 512 --out runs/demo
	$(RUN) run --model smollm2_135m --benchmark algopuzzlevqa --setting ranking --out runs/demo-puzzles
	@echo; $(RUN) show runs/demo-puzzles
	@echo; $(RUN) show runs/demo

# Under 15 minutes on two cores. What is neither `alone` nor `long` runs in two processes.
test: install
	$(BIN)/pytest -n 2 --dist loadscope -m "not alone and not long"
	$(BIN)/pytest -m "alone and not long"

# The rest: random losses, peers, Slurm, more engines.
test-long: install
	$(BIN)/pytest -m long

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

install: .venv/installed

# uv comes from PyPI into a corner of its own: `uv pip sync` may then make .venv exactly what the pinned file says.
# `--no-build`: from wheels alone, so that no machine ever needs a compiler.
.venv/installed: requirements/cpu-dev.txt pyproject.toml
	test -x .venv/uv/bin/uv || ($(PYTHON) -m venv .venv && $(PYTHON) -m venv .venv/uv && .venv/uv/bin/pip install -q --disable-pip-version-check uv)
	VIRTUAL_ENV=.venv .venv/uv/bin/uv pip sync -q --no-build --compile-bytecode requirements/cpu-dev.txt
	VIRTUAL_ENV=.venv .venv/uv/bin/uv pip install -q --no-build --no-deps -e .
	touch $@

# Pin again after a change of dependencies in pyproject.toml.
lock:
	.venv/uv/bin/uv pip compile pyproject.toml --extra cpu --extra dev --override requirements/override.txt \
	  --excludes requirements/exclude.txt --universal --python-version 3.11 --no-header --no-annotate \
	  --no-emit-index-url -q -o requirements/cpu-dev.txt

# foveal's judge against its peers, some 15 minutes; evalplus gets an environment of its own.
bench-judge: install .venv/evalplus/installed
	$(BIN)/python -m performance.judge_throughput

.venv/evalplus/installed: requirements/performance.txt | install
	.venv/uv/bin/uv venv -q --clear --python $(BIN)/python .venv/evalplus
	VIRTUAL_ENV=.venv/evalplus .venv/uv/bin/uv pip install -q --no-build --no-deps -r requirements/performance.txt
	touch $@

clean:
	rm -rf .venv runs .mypy_cache .ruff_cache .pytest_cache
