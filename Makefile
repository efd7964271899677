# Two commands: `make play` and `make test`. A fresh machine needs python3 (3.11 or newer), its venv module and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
.PHONY: play test check bench clean

play: $(VENV)/.stamp-play   ## plays Balanx in the browser; ARGS= takes flags of `balanx play`
	@$(BIN)/balanx play $(ARGS)

test: $(VENV)/.stamp-test   ## checks, every test, every Python there is, and the wheel
	@scripts/test $(ARGS)

check: $(VENV)/.stamp-test  ## format, lint, types, import contracts
	@scripts/check $(ARGS)

bench: $(VENV)/.stamp-test  ## the figures; ARGS= takes flags of `balanx bench`
	@$(BIN)/balanx bench $(ARGS)

clean:                      ## everything that can be made again
	@rm -rf .venv .venv-* dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Balanx needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) --version 2>&1); choose one with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "$(PYTHON) cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.stamp-play: pyproject.toml constraints.txt | $(VENV)/pyvenv.cfg
	@echo "Installing Balanx into $(VENV) ..." >&2
	@$(PIP) --editable .
	@touch $@

$(VENV)/.stamp-test: pyproject.toml constraints.txt | $(VENV)/pyvenv.cfg
	@echo "Installing Balanx and its tools into $(VENV) ..." >&2
	@$(PIP) --editable '.[dev,pi]'
	@touch $@ $(VENV)/.stamp-play
