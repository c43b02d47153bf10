"""A small vault on which every command has something to do, and these commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.testing import CliRunner

from kantenwerk.cli.app import app
from kantenwerk.ingest.validate.prompt import claim_key
from tests.validation.desk import Desk, note

if TYPE_CHECKING:
    from typer.testing import Result

ANN, BERT = "people/Julia Ann", "people/Julia Bert"
PENDING = claim_key("A", "depends_on", "B")
PROVEN = claim_key("A", "uses", "B")
# Asks about no name by its meaning.
LEVEL = {"KANTENWERK_RESOLUTION_LEVEL": "stem"}


def build(desk: Desk) -> None:
    """Write the vault and import it; one candidate is proven, one waits, one name is a guess and one a question."""
    desk.write("A.md", note("A", "A braucht B, und [[checkout-svc]], sagt [[Julia]].", ["uses:B", "depends_on:B"]))
    desk.write("B.md", "# B\n\nSiehe [[rel:Depends On|A]].\n")
    desk.write("checkout-service.md", "# checkout-service\n\nEin Dienst.\n")
    for path in (ANN, BERT):
        desk.write(f"{path}.md", f"---\nalias: Julia\n---\n# {path[7:]}\n")
    desk.apply()
    desk.judge("A", "uses", "B")
    desk.apply()


READING: dict[str, tuple[str, ...]] = {
    "preview": ("import",),
    "check": ("check",),
    "review": ("review", "--list"),
    "clarify": ("clarify", "--list"),
    "resolutions": ("resolutions",),
    "explain-verdict": ("explain-verdict", PROVEN),
    "promote": ("promote",),
    "check --fix": ("check", "--fix"),
}
WRITING: dict[str, tuple[str, ...]] = {
    "import": ("import", "--apply"),
    "review --answer": ("review", "--answer", f"{PENDING}=no"),
    "clarify --answer": ("clarify", "--answer", f"Julia={ANN}"),
    "resolutions reject": ("resolutions", "reject", "checkout-svc"),
    "promote --apply": ("promote", "--apply"),
    "check --fix --apply": ("check", "--fix", "--apply"),
    "init": ("init",),
}
ALL = READING | WRITING


def run(desk: Desk, words: tuple[str, ...]) -> Result:
    """Run a command; whatever is wrong, it says so in sentences."""
    name, *rest = words
    # A command of a command takes its options itself.
    front, rest = ((name, *rest), []) if name == "resolutions" else ((name,), rest)
    desk.close()
    result = CliRunner().invoke(app, [*front, "--vault", str(desk.root), *rest])
    assert "Traceback" not in result.output
    assert result.exit_code != 70, result.output
    return result


def files(desk: Desk) -> dict[str, bytes]:
    """Return all that a fault must not cost: notes, verdicts, decisions and the graph."""
    desk.close()
    kept = (path for path in desk.root.rglob("*") if path.is_file() and path.name not in {"lock", "graph.duckdb.wal"})
    return {path.relative_to(desk.root).as_posix(): path.read_bytes() for path in kept}
