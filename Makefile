# The two main commands are `make lab` and `make test`. Options, as in `make lab TORCH=keep`:
#   PYTHON=python3.12    the Python that creates .venv
#   TORCH=keep           use the PyTorch that PYTHON already has (your own CUDA build)
#   TORCH_ARGS="…"       more arguments for `pip install torch`; for the small CPU build:
#                        TORCH_ARGS="--extra-index-url https://download.pytorch.org/whl/cpu"
#   LAB_ARGS="…"         more arguments for JupyterLab: LAB_ARGS="--no-browser --port=8899"
#   JOBS=4               number of processes that run the tests
#   REPOSITORY="…"       address of the published repository, for `make colab`: https://github.com/OWNER/azlearn
#   WHEEL_URL="…"        address of the wheel for `make colab`, if it is not in that repository

PYTHON ?= python3
TORCH ?= pinned
TORCH_ARGS ?=
LAB_ARGS ?=
JOBS ?= 2
REPOSITORY ?=
WHEEL_URL ?=
VENV := .venv
BIN := $(VENV)/bin
# --no-compile saves two thirds of PyTorch's installation time; most of its files are never imported.
PIP := $(BIN)/python tools/pip_install.py -qq --disable-pip-version-check --no-compile
REPORTS := build/reports
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
SOLUTIONS := $(wildcard solutions/*.ipynb)
# `make test` runs all tests except those marked slow, and the cells of a few notebooks.
MARKS := not slow
SAMPLE := $(wildcard $(addprefix notebooks/,00_* 01_* 02_* 03_*) $(addprefix solutions/,01_* 02_* 03_*))
RUN_CELLS := $(SAMPLE)
ROOT_ARGS := $(if $(filter 0,$(shell id -u)),--allow-root)

# Your settings for Python and Jupyter are not meant for .venv (for pip: tools/pip_install.py).
unexport PYTHONPATH PYTHONHOME PYTHONSAFEPATH PYTHONOPTIMIZE PYTHONINSPECT PYTHONSTARTUP PYTHONWARNINGS
unexport PYTHONPLATLIBDIR JUPYTER_PATH JUPYTER_CONFIG_PATH JUPYTERLAB_DIR
export JUPYTER_PREFER_ENV_PATH := 1
ifneq ($(TORCH),keep)  # the PyTorch to keep may be among your own packages
export PYTHONNOUSERSITE := 1
endif
# Recipes use "$$PYTHON" and "$$PWD", because a path may contain blanks and quotes.
export PYTHON

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help lab doctor test test-slow test-all test-parts lint format arrows exercises exercises-fresh slips notebooks claims pages \
	site colab kernels unit coverage browser notebook-tests benchmarks constraints install clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*  ## ' $(MAKEFILE_LIST) | sort | awk -F ':.*  ## ' '{printf "make %-16s %s\n", $$1, $$2}'
	@sed -n '2,9s/^#//p' $(MAKEFILE_LIST)

# --- the environment ---------------------------------------------------------------------------

$(BIN)/python:
	@"$$PYTHON" tools/check_python.py $(TORCH) || { code=$$?; [ $$code -lt 126 ] || \
		echo "$$PYTHON does not start. Choose another Python, as in make lab PYTHON=python3.12" >&2; exit $$code; }
	@tools/system_package.sh '"$$PYTHON" -c "import ensurepip"' python3-venv \
		"making a virtual environment needs it."
	@echo "making $(VENV) ..."
	@"$$PYTHON" -m venv $(if $(filter keep,$(TORCH)),--system-site-packages) $(VENV)

# With TORCH=keep, the constraints leave out the packages that a CUDA build depends on. For Pythons before
# 3.11.5, some of the exact versions have no wheels, so the ranges of pyproject.toml apply.
$(VENV)/constraints.txt: constraints.txt | $(BIN)/python
ifeq ($(TORCH),keep)
	@grep -viE '^(torch|numpy|triton|nvidia)' constraints.txt > $@
else
	@cp constraints.txt $@
endif
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' || \
		{ echo "note: before Python 3.11.5, pip chooses the versions instead of constraints.txt." >&2; : > $@; }

$(VENV)/.torch: $(VENV)/constraints.txt
ifneq ($(TORCH),keep)
	@echo "installing PyTorch (once; a few minutes) ..."
	@$(PIP) -c $(VENV)/constraints.txt torch $(TORCH_ARGS)
endif
	@touch $@

# PyTorch is installed first, so that the packages that need it use this build.
$(VENV)/.lab: pyproject.toml $(VENV)/.torch
	@echo "installing azlearn and JupyterLab (once) ..."
	@$(PIP) -c $(VENV)/constraints.txt -e .
	@$(PIP) -c $(VENV)/constraints.txt --only-binary bitbully -e '.[solver]' 2>/dev/null || \
		echo "note: there is no Connect Four solver for this Python. The course works without it." >&2
	@# Python 3.12 and newer warn about sgfmill's docstrings when it is compiled. Compile it silently.
	@$(BIN)/python -W ignore -m compileall -q $(VENV)/lib/python*/site-packages/sgfmill || true
	@touch $@

$(VENV)/.test: $(VENV)/.lab
	@echo "installing the test tools (once) ..."
	@$(PIP) -c $(VENV)/constraints.txt -e '.[test]'
	@touch $@

$(VENV)/.site: $(VENV)/.lab
	@echo "installing the website tools (once) ..."
	@$(PIP) -c $(VENV)/constraints.txt -e '.[site]'
	@touch $@

$(VENV)/.dot: | $(BIN)/python
	@tools/system_package.sh "command -v dot" graphviz "only explorer.to_graphviz(), which draws trees for print, needs it."
	@touch $@

$(VENV)/.gnugo: | $(BIN)/python
	@tools/system_package.sh "command -v gnugo || test -x /usr/games/gnugo" gnugo "the tests that play Go against it are skipped."
	@touch $@

$(VENV)/.chromium: $(VENV)/.test
	@tools/system_package.sh "$(BIN)/python -m tests.browser" chromium \
		"trying Playwright's own download."
	@$(BIN)/python -m tests.browser || $(BIN)/python -m playwright install chromium || true
	@$(BIN)/python -m tests.browser && touch $@ || \
		echo "WARNING: no Chromium: the browser tests will be skipped (and fail where CI=true)." >&2

# No prompts about news. Cells out of sight stay in the page, so that their widgets are not lost.
SETTINGS := $(VENV)/share/jupyter/lab/settings/overrides.json
$(SETTINGS): tools/lab_settings.json $(VENV)/.lab
	@mkdir -p $(dir $@) && cp $< $@

install: $(VENV)/.lab $(VENV)/.dot $(SETTINGS)  ## create .venv and install the course

# --- the course --------------------------------------------------------------------------------

lab: install  ## install what is missing, check the machine, open the course in JupyterLab
	@$(BIN)/python -m azlearn doctor || echo "Something is missing (see above). JupyterLab starts anyway."
	@$(BIN)/python -m jupyterlab --ServerApp.root_dir="$$PWD" $(ROOT_ARGS) \
		--LabApp.default_url=/lab/tree/notebooks/00_welcome.ipynb $(LAB_ARGS)

doctor: install  ## check the machine; print one line per requirement
	@$(BIN)/python -m azlearn doctor

# --- tests -------------------------------------------------------------------------------------

TOOLS := $(VENV)/.test $(VENV)/.dot $(VENV)/.gnugo $(VENV)/.chromium

test: $(TOOLS) lint arrows exercises-fresh  ## run all but the slowest tests (about 13 minutes on 2 cores); a change must pass these
	@$(MAKE) --no-print-directory test-parts

test-slow: $(TOOLS) $(VENV)/.site  ## run the slowest tests: kills, several machines, whole trainings, AlphaGo, other notebooks
	@$(MAKE) --no-print-directory test-parts MARKS=slow RUN_CELLS="$(filter-out $(SAMPLE),$(NOTEBOOKS) $(SOLUTIONS))"

test-all: test test-slow  ## run make test, then make test-slow, as CI does

test-parts:
	@rm -rf $(REPORTS) && mkdir -p $(REPORTS)
	@$(MAKE) --no-print-directory unit browser notebook-tests
	@$(BIN)/python -m tests.summary $(REPORTS)

lint: $(VENV)/.test  ## run ruff on the package, tests and notebooks
	$(BIN)/python -m ruff check --quiet .
	$(BIN)/python -m ruff format --quiet --check .

format: $(VENV)/.test  ## let ruff fix and format what it can
	$(BIN)/python -m ruff check --quiet --fix .
	$(BIN)/python -m ruff format .

arrows: $(VENV)/.test  ## check that imports go downward only: cli, course, viz, …, search, games
	$(BIN)/lint-imports --no-logo

unit: $(VENV)/.test  ## run the package's tests in parallel; MARKS=slow runs the slow ones
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not browser and ($(MARKS))" --durations=10 \
		--junit-xml=$(REPORTS)/1-unit.xml

coverage: $(VENV)/.test  ## run all of the package's tests and list the lines that none reaches
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not browser" --cov --cov-report=term

browser: $(VENV)/.test $(VENV)/.chromium  ## run the tests that use JupyterLab and Chromium
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "browser and ($(MARKS))" --durations=10 \
		--junit-xml=$(REPORTS)/2-browser.xml

# Each notebook runs in one process, with one thread for PyTorch. nbval does not need hypothesis, which
# takes 2 s per start. The tests have a progress file of their own, so yours is not changed.
# tests/course runs the unfinished exercises.
# With AZLEARN_FAST=1 a notebook measures with fewer games and positions, and says so.
notebook-tests: $(VENV)/.test  ## run a sample of the notebooks; RUN_CELLS="notebooks/09_puct.ipynb" runs others
	AZLEARN_FAST=1 AZLEARN_PROGRESS="$$PWD/build/progress.json" OMP_NUM_THREADS=1 \
		$(BIN)/python -m pytest -p no:hypothesispytest --nbval-lax --nbval-current-env \
		--nbval-cell-timeout 300 -n $(JOBS) --dist loadfile \
		--durations=10 --junit-xml=$(REPORTS)/3-notebooks.xml $(RUN_CELLS)

# --- for authors of chapters -------------------------------------------------------------------

exercises: $(VENV)/.test  ## write exercises/ from solutions/
	$(BIN)/python tools/build_exercises.py

slips: $(VENV)/.test  ## try every slip in the solutions that changed; half an hour for all of them
	$(BIN)/python tools/build_slips.py

exercises-fresh: $(VENV)/.test  ## fail if exercises/ or slips are older than solutions/ and the sheets
	$(BIN)/python tools/build_exercises.py --check
	$(BIN)/python tools/build_slips.py --check

notebooks: $(VENV)/.test  ## run all notebooks and solutions and store their outputs
	$(BIN)/python tools/notebooks.py execute $(NOTEBOOKS) $(SOLUTIONS)

claims: $(VENV)/.test  ## check the numbers in the chapters against the runs behind them (about three minutes)
	$(BIN)/python tools/claims.py check

pages: $(VENV)/.lab  ## write the chapters as HTML files, collapsed as in JupyterLab
	$(BIN)/python tools/notebooks.py html $(NOTEBOOKS)

site: $(VENV)/.site  ## write the course as a website to build/site/html, without running it
	@$(BIN)/python tools/make_site.py

colab: $(VENV)/.lab  ## write three chapters for Google Colab, and the wheel that they install, to build/colab
	@mkdir -p build/colab && rm -rf build/lib build/bdist.* build/colab/*.whl
	@$(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps -w build/colab .
	@$(BIN)/python tools/colab.py --repository "$(REPOSITORY)" --wheel-url "$(WHEEL_URL)"

# NVIDIA's compilers, without dependencies that are already installed.
COMPILERS := numba-cuda cuda-bindings cuda-core cuda-pathfinder \
	nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-nvrtc nvidia-cuda-runtime

kernels: $(VENV)/.test  ## compile the GPU search without a GPU (downloads 300 MB of compilers)
	@test -d build/cuda || $(PIP) --no-deps --target build/cuda $(COMPILERS)
	@CUDA_HOME="$$PWD/build/cuda/nvidia/cu13" $(BIN)/python -W ignore::RuntimeWarning -c "import runpy, site; \
		site.addsitedir('build/cuda'); runpy.run_path('benchmarks/kernel_report.py', run_name='__main__')"

benchmarks: $(VENV)/.lab  ## measure searches, self-play and the explorer against other programs
	$(PIP) -c $(VENV)/constraints.txt -e '.[benchmarks]'
	@$(PIP) -c $(VENV)/constraints.txt -e '.[peers]' || echo "note: JAX cannot be installed here, so mctx + pgx are left out." >&2
	for script in $(filter-out benchmarks/device_speed.py,$(wildcard benchmarks/*_speed.py)) benchmarks/scaling.py; do $(BIN)/python "$$script" || exit 1; done

constraints: $(VENV)/.test  ## write constraints.txt from the versions in .venv
	{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip --isolated freeze --exclude-editable \
		| sed -E 's/\+(cpu|cu[0-9]+)$$//' | grep -v ' @ '; } > $(VENV)/new-constraints.txt
	mv $(VENV)/new-constraints.txt constraints.txt

clean:  ## remove build/, caches and .venv
	rm -rf build .venv *.egg-info .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
