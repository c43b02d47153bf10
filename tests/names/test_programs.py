"""What programs are told of names is what an import makes of the same names."""

from __future__ import annotations

import pytest

from kantenwerk.config import load_config
from kantenwerk.config.errors import EmbedderError
from kantenwerk.ingest.api import NameResult, VaultNames
from tests.names.embedders import BINDS, FALKE, HOLDING, NEAR, Told, hand_in
from tests.names.graph import recorded, targets
from tests.validation.desk import Desk, note

STATED = (
    *(
        "checkout-service",
        "Kasse",
        "checkout-svc",
        "ICH",
        "Kaffee",
        "Tee",
        "Nobody",
        "Lena",
        "Anna",
        "Julia",
        "Roadmap",
    ),
    *(NEAR[0], "people/Julia Nürnberg", "../x/Roadmap", "Granite Logistik GmbH", "Ablage", "Zettel"),
)


@pytest.fixture
def names(desk: Desk) -> Desk:
    """A vault with a name of every kind, some of them decided by a person."""
    desk.write(".kantenwerk/settings.yaml", f"interfaces: [Kaffee, Tee]\n{BINDS}")
    for path in ("people/Julia Nürnberg", "people/Julia Augsburg", "x/Roadmap", "y/Roadmap", "Tee", "Lea", "Max"):
        desk.write(f"{path}.md", f"# {path.rpartition('/')[2]}\n")
    for path in (HOLDING, NEAR[1], "outbox", "Pyrite Logistik GmbH"):
        desk.write(f"{path}.md", "x\n")
    desk.write("checkout-service.md", "---\naliases: Kasse\n---\n")
    desk.write("people/Ronja.md", "---\ntype: user\n---\n")
    links = " ".join(f"[[{name}]]" for name in STATED)
    desk.write("y/A.md", note("A", links, [f"uses:{FALKE}", "uses:Julia", "uses:checkout-svc"]))
    hand_in(desk, Told())
    for words in (("--answer", "Ablage=outbox", "--new", "Zettel"), ("--answer", "Lena=Lea", "--source", "y/A")):
        assert desk.run("clarify", *words).exit_code == 0
    desk.apply()
    return desk


def read(desk: Desk, embedder: Told | None) -> VaultNames:
    return VaultNames.read(desk.root, load_config(desk.root, environ={}), embedder)


def imported(desk: Desk, written: str, *, is_candidate: bool) -> tuple[str | None, str]:
    """The note that a link of the import means, and how it stands."""
    target, state = targets(desk, "y/A")[written, is_candidate]
    found = desk.rows(f"SELECT entity FROM entity_of WHERE node = '{target}'") or [(target,)]
    note = None if found[0][0] is None or found[0][0].startswith("mention:") else found[0][0]
    return note, state


def is_asked(desk: Desk, line: int, written: str) -> bool:
    (codes,) = desk.rows(
        f"SELECT list(code) FROM findings WHERE path = 'y/A.md' AND line = {line} AND message LIKE '`{written}` may %'"
    )
    return "ambiguous-target" in (codes[0] or [])


def test_a_name_means_what_the_import_takes_it_for(names: Desk) -> None:
    known = read(names, Told())
    for written in STATED:
        told = known.resolve_single(written, source="y/A")
        note, _ = imported(names, written, is_candidate=False)
        is_question = note is None and is_asked(names, 5, written)
        assert (told.node, told.needs_clarification) == (note, is_question), written
        assert told.is_new == (note is None and not is_question), written
        assert told.is_reference == (written != "Kaffee")


def test_a_suspected_name_too(names: Desk) -> None:
    assert (f"mention:{FALKE.lower()}", HOLDING, "accepted", "semantic", "model") in recorded(names)
    for embedder in (Told(), None, Told(is_gone=True)):
        known = read(names, embedder)
        for written in (FALKE, "checkout-svc"):
            told = known.resolve_single(written, source="y/A", meaning_may_bind=True)
            assert (told.node, "pending") == imported(names, written, is_candidate=True)
        assert known.resolve_single("Julia", source="y/A", meaning_may_bind=True).needs_clarification
    # A name that somebody states gets a question from a meaning, whatever is recorded for candidates.
    assert read(names, Told()).resolve_single(FALKE, source="y/A").needs_clarification


def test_a_batch_is_its_single_names_and_goes_on_where_one_fails(names: Desk) -> None:
    known = read(names, Told(vectors={NEAR[0].lower(): None}))
    batch = known.resolve_batch([(name, "thing") for name in STATED if name != "Lena"])
    by_name: dict[str, NameResult] = {result.name: result for result in batch.results}
    failed = by_name.pop(NEAR[0])
    assert (failed.is_new, failed.node, failed.needs_clarification) == (False, None, False)
    assert NEAR[0].lower() in (failed.failed or "")
    with pytest.raises(EmbedderError, match=NEAR[0].lower()):
        known.resolve_single(NEAR[0])
    assert by_name == {name: known.resolve_single(name, "thing") for name in by_name}
    assert batch.needs_clarification
    assert any("people/Julia Augsburg.md" in question for question in batch.questions)


def test_ich_without_one_owner_is_neither_new_nor_like_another_name(desk: Desk) -> None:
    desk.write("Ich GmbH.md", "x\n")
    for owners in (0, 1):
        known = read(desk, None)
        for told in (known.resolve_by_name("ICH"), *known.resolve_batch([("ICH", None)]).results):
            assert (told.node, told.is_new) == (None, False)
        for number in range(2):
            desk.write(f"people/{owners}{number}.md", "---\ntype: user\n---\n")


def test_an_attachment_is_no_new_name(desk: Desk) -> None:
    desk.write("A.md", "![[plan.png]]\n")
    desk.write("plan.png", "")
    assert not read(desk, None).resolve_single("plan.png").is_new
