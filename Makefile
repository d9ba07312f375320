# Everything happens in .venv, which is made and filled as needed. `make help` lists the targets.
# Another Python:  make clean, then make test PYTHON=/path/to/python3      More arguments:  make test ARGS="-x -k bleu"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo data docs test test-neural check coverage bench study pictures sweep fuzz man wheel wheels sdist sanitize clean

ARGS ?=
SETS ?=
MIRROR ?=
MTASSAY_FUZZ_EXAMPLES ?= 100000
export MTASSAY_FUZZ_EXAMPLES PYTHON
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests, pictures and studies are the same whatever the user configured.
export MTASSAY_CONFIG := none
# What is tested is the installed wheel; nothing from outside may come before it.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV

BIN := .venv/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet
# One process per core; BLAS in each of them has one thread. A file's tests stay together: they share what they load.
# A lost process ends the run: pytest-xdist would wait for ever for the rest of its file.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --hypothesis-profile=test -n auto --dist loadfile --max-worker-restart=0
# Directories count too: a file that was removed changes the time of its directory.
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
	$(shell find src native -name __pycache__ -prune -o -print)

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 20

demo: .venv/.installed .venv/.plot ## Score, compare and rank the sample that comes with the package; pictures and a report in out/demo
	@rm -rf out/demo && mkdir -p out
	@$(BIN)/mtassay demo --keep out/demo $(ARGS)

data: .venv/.base ## Build the data sets that tests and studies read (SETS="wmt13 wmt23": some; MIRROR=folder: not from the network)
	@$(BIN)/python tools/get_data.py $(SETS) $(if $(MIRROR),--mirror "$(MIRROR)") $(ARGS)

test: .venv/.installed .venv/.tests ## Run tests and doctests against the installed wheel (ARGS="-m slow": the slow ones)
	$(PYTEST) --pyargs mtassay tests $(ARGS)

# What pip should install as PyTorch. Its wheels for GPUs take gigabytes; TORCH="torch --index-url URL" takes them from
# PyTorch's index for CPUs.
TORCH ?= torch

test-neural: .venv-neural/.installed ## Compare neural metrics with their libraries on tiny models (needs PyTorch: 2 GB and more, in .venv-neural; TORCH="torch==2.13.0")
	OMP_NUM_THREADS=1 .venv-neural/bin/pytest -p no:cacheprovider tests/neural $(ARGS)

check: .venv/.dev ## What CI checks before the tests: formatting, lint, types (tests included), links of the docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/check_links.py

# By sys.monitoring, which costs little; Python 3.11 does not have it.
coverage: .venv/.installed .venv/.tests ## Lines that the unit tests do not run (Python 3.12 and later)
	@$(BIN)/python -c 'import sys; sys.version_info < (3, 12) and sys.exit("coverage needs Python 3.12 or later")'
	COVERAGE_CORE=sysmon $(PYTEST) --cov --cov-report=term-missing:skip-covered tests/unit $(ARGS)

bench: .venv/.installed .venv/.tests ## Measure speed and memory against sacreBLEU
	$(BIN)/python benchmarks/run.py $(ARGS)

study: .venv/.installed .venv/.tests .venv/.plot ## Compute the tables of papers anew, beside what was published (minutes)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python studies/run.py $(ARGS)

docs: .venv/.installed .venv/.docs ## Build the documentation site into out/site; every warning is an error
	$(BIN)/python tools/build_docs.py $(ARGS)

pictures: .venv/.installed .venv/.docs ## Draw the pictures of the docs anew, by the commands beside them, and take the screenshots
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tools/make_pictures.py $(ARGS)

sweep: .venv/.installed .venv/.tests ## Compare with the original tools on whole corpora (minutes)
	$(PYTEST) -n 0 -m study tests $(ARGS)

# Where files are in memory, if possible: a disk takes milliseconds to replace a file, longer than most examples.
MEMORY = $(if $(wildcard /dev/shm/.),/dev/shm,$${TMPDIR:-/tmp})

fuzz: .venv/.installed .venv/.tests ## Random inputs to readers, metrics and commands (MTASSAY_FUZZ_EXAMPLES=100000 per target: about 6 hours of CPU)
	TMPDIR=$(MEMORY) $(PYTEST) --dist worksteal -v -m fuzz tests/fuzz $(ARGS)

wheel: dist/.built ## Build the wheel into dist/
	@ls dist/mtassay-*.whl

man: .venv/.installed ## Write the manual pages into out/man1
	@mkdir -p out
	@$(BIN)/mtassay man --folder out/man1
	@ls out/man1 | wc -l | sed 's/ *\(.*\)/mtassay: \1 pages in out\/man1, such as: man out\/man1\/mtassay.1/'

wheels: ## Build wheels for Linux and macOS into dist/wheels, check them, and test those that run here (ARGS="--only TARGET")
	@python=$$(tools/find_python.sh 3.12 3.13 3.14) || { echo "Python 3.12 or newer is needed"; exit 1; }; \
		"$$python" tools/wheels.py $(ARGS) && tools/test_wheels.sh "$$python"

sdist: .venv/.made ## Build the source distribution into dist/, and run its tests from the unpacked archive
	@tools/test_sdist.sh $(BIN)/python $(ARGS)

sanitize: .venv/.tests ## Run the kernel tests under AddressSanitizer and UBSan
	@tools/sanitize.sh $(BIN)/python tests/equivalence $(ARGS)

clean: ## Remove everything that make has made, but data/
	rm -rf .venv .venv-neural build dist out .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/.made:
	@tools/make_venv.sh .venv
	@touch $@

.venv/.base: .venv/.made pyproject.toml
	@$(BIN)/python tools/requirements.py > .venv/requirements.txt
	$(PIP_INSTALL) -r .venv/requirements.txt
	@touch $@

.venv/.tests: .venv/.made pyproject.toml
	@$(BIN)/python tools/requirements.py test > .venv/requirements-test.txt
	$(PIP_INSTALL) -r .venv/requirements-test.txt
	@touch $@

.venv/.plot: .venv/.made pyproject.toml
	@$(BIN)/python tools/requirements.py plot > .venv/requirements-plot.txt
	$(PIP_INSTALL) -r .venv/requirements-plot.txt
	@touch $@

.venv/.docs: .venv/.made pyproject.toml
	@$(BIN)/python tools/requirements.py docs > .venv/requirements-docs.txt
	$(PIP_INSTALL) -r .venv/requirements-docs.txt
	@touch $@

.venv/.dev: .venv/.made pyproject.toml
	@$(BIN)/python tools/requirements.py dev > .venv/requirements-dev.txt
	$(PIP_INSTALL) -r .venv/requirements-dev.txt
	@touch $@

dist/.built: .venv/.made tools/build_wheel.sh $(SOURCES)
	@tools/build_wheel.sh $(BIN)/python dist
	@touch $@

.venv/.installed: .venv/.base dist/.built
	$(PIP_INSTALL) --no-deps --force-reinstall dist/mtassay-*.whl
	@touch $@

.venv-neural/.made:
	@tools/make_venv.sh .venv-neural
	@touch $@

.venv-neural/.libraries: .venv-neural/.made pyproject.toml
	.venv-neural/bin/python -m pip install --quiet $(TORCH)
	@.venv-neural/bin/python tools/requirements.py test-neural > .venv-neural/requirements.txt
	.venv-neural/bin/python -m pip install --quiet -r .venv-neural/requirements.txt
	@touch $@

.venv-neural/.installed: .venv-neural/.libraries dist/.built
	.venv-neural/bin/python -m pip install --quiet --no-deps --force-reinstall dist/mtassay-*.whl
	@touch $@
