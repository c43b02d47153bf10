# Shortcuts for an environment with `pip install -e '.[dev]'`; CONTRIBUTING.md says more.

# List what there is.
default:
    @just --list --unsorted

# The tests, but for the slow ones.
test *arguments:
    pytest -n auto {{ arguments }}

# The slow tests: other random vaults every time, many of them.
slow *arguments:
    pytest -n auto -m slow {{ arguments }}

# Write the transcripts and the README's outputs as they come out now. Read the difference.
rewrite:
    pytest tests/sessions tests/readme tests/check --rewrite

# Build the page that `kantenwerk graph` fills, into cli/page; needs Node 20 or later.
page:
    cd page && npm ci --no-audit --no-fund && npm run types && npm run build

# What ruff says.
lint:
    ruff check .
    ruff format --check .

# Bring the code into shape.
format:
    ruff check --fix .
    ruff format .

# Types of code, tests and benchmarks.
types:
    mypy

# Who may import whom.
contracts:
    lint-imports --no-logo

# What CI runs, from fresh environments.
ci:
    bash .ci/run

# How fast an import of this vault is (see benchmarks/README.md).
bench vault *arguments:
    python benchmarks/import_speed.py "{{ vault }}" {{ arguments }}
