# The only entrance, for people and for CI. Every target makes what it needs by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# ONLY=TEXT: a part of bench, bench-error, bench-delay, certificates, tuning (any text of its name) or memory (svm, svm.gz or csv)
ONLY ?=
PART = $(if $(ONLY),--only "$(ONLY)")

# OPTIONS="--limit 40 --shuffled": further options of bench-error
OPTIONS ?=

# COMMIT=NAME: the commit with which bench-earlier compares the time of single calls
COMMIT ?= HEAD

.PHONY: demo demo-serve test integration bounds lint plain-install release-check wheel wheel-test generate bench bench-earlier bench-error bench-delay docs guide readme-figures benchmarks-page site tuning certificates torture torture-serve fuzz fuzz-serve memory clean

demo: $(STAMP)
	$(BIN)/driftline demo

# The service with a stream that drifts, on a temporary SQLite file; it prints the address of its dashboard
demo-serve: $(STAMP)
	$(BIN)/driftline serve --demo

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

# Ray, Spark and Kafka, in the same environment: large packages that `make test` does not need
ENGINES := $(VENV)/.engines
integration: $(ENGINES)
	$(BIN)/python -m pytest tests/integration src/driftline/scale src/driftline/spark src/driftline/kafka

# Every learner with every index checked. Checked code needs a separate cache.
BOUNDS = tests/internals/test_bounds_checks.py tests/engines/nonlinear tests/learners/test_learner_contract.py tests/learners/test_large_blocks.py tests/learners/test_unsorted_rows.py tests/internals/test_distinct_indices.py tests/encode
bounds: $(STAMP)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.bounds_cache $(BIN)/python -m pytest -n 2 $(BOUNDS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The wheel in a fresh environment without extras, and one run for each file format
plain-install: $(STAMP)
	$(BIN)/python tests/support/plain_install.py

# A wheel with compiled code for this Python, in dist. BASELINE=NAME: the processor, see wheels/baselines.py
BASELINE ?=
wheel: $(STAMP)
	$(BIN)/python -m wheels.build --out dist $(if $(BASELINE),--baseline $(BASELINE))

# The wheel in a fresh environment that cannot be written: nothing is compiled, and the bits are the same
wheel-test: $(STAMP)
	$(BIN)/python tests/support/wheel_install.py

generate: $(STAMP)
	$(BIN)/python -m generate

bench: $(STAMP)
	$(BIN)/python benchmarks/bench.py $(PART)

bench-earlier: $(STAMP)
	$(BIN)/python benchmarks/earlier_commit.py $(COMMIT)

bench-error: $(STAMP)
	PYTHONPATH=benchmarks $(BIN)/python -m error $(PART) $(OPTIONS)

bench-delay: $(STAMP)
	PYTHONPATH=benchmarks $(BIN)/python -m delay $(PART)

docs: $(STAMP)
	$(BIN)/python -m driftline.bounds.pages docs/bounds
	$(BIN)/python -m generate.learners_page docs/learners.md --strict

guide: $(STAMP)
	$(BIN)/driftline reproduce all
	$(BIN)/python benchmarks/guide_figures.py reproduced

# The measured table and the picture of the README
readme-figures: $(STAMP)
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/readme_figures.py

# The figures of docs/benchmarks.md, from the files of the last runs of bench, bench-error and bench-delay
benchmarks-page: $(STAMP)
	$(BIN)/python benchmarks/page.py

# The website, in build/site/html. It opens without a server.
site: $(STAMP)
	$(BIN)/python -m pip install --quiet --group site
	$(BIN)/python -m generate.site build/site

# What must hold before a release: distributions, metadata, every Python on this machine, the suite from the sdist
release-check: $(STAMP)
	$(BIN)/python tests/support/release_check.py

certificates: $(STAMP)
	$(BIN)/python benchmarks/certificates.py docs/certificates.md $(PART)

tuning: $(STAMP)
	$(BIN)/python benchmarks/tuning.py docs/tuning.md $(PART)

torture: $(STAMP)
	$(BIN)/python torture/kill.py --kills 200

torture-serve: $(STAMP)
	$(BIN)/python torture/serve_kill.py --kills 200
	$(BIN)/python torture/serve_kill.py --full-disk
	$(BIN)/python torture/serve_kill.py --backend postgres --kills 20
	$(BIN)/python torture/serve_fleet.py --rounds 20

fuzz: $(STAMP)
	$(BIN)/python fuzz/hunt.py readers --inputs 100000
	$(BIN)/python fuzz/hunt.py models --inputs 50000
	$(BIN)/python fuzz/hunt.py stored --inputs 10000

fuzz-serve: $(STAMP)
	$(BIN)/python fuzz/hunt_serve.py --requests 20000
	$(BIN)/python fuzz/hunt_serve.py --requests 0 --leak 1000000

memory: $(STAMP)
	$(BIN)/python benchmarks/memory.py $(if $(ONLY),--kind "$(ONLY)")

clean:
	rm -rf $(VENV) .bounds_cache .pytest_cache .mypy_cache .ruff_cache .hypothesis demo

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $(STAMP)

$(ENGINES): $(STAMP)
	$(BIN)/python -m pip install --quiet --group integration
	touch $(ENGINES)
