"""Graphs to draw."""

from __future__ import annotations

from kantenwerk.graph.drawing import Drawing, Face
from kantenwerk.graph.model import Edge, Resolution, Verdict

# What would do something in a page that took text for HTML or for a script.
HOSTILE = (
    "<script>document.title='owned'</script>",
    "</script><img src=x onerror=document.title='owned'>",
    "<!-- <script>",
    "]]> \u2028\u2029 &lt;b&gt; \\u003c",
    "' onmouseover='document.title=1' \"",
    "<style>*{display:none}</style>",
    "{{graph}} {{script}}",
)


STATED = Edge(
    source="",
    kind="",
    target="",
    provenance="explicit",
    rule_id="explicit:typed",
    confidence=1.0,
    scope="chunk",
    chunk="c00",
    line=7,
    verdict=None,
    mirror=False,
)
MIRROR = STATED._replace(provenance="structure", rule_id="structure", chunk=None, line=None, mirror=True)


def edge(source: str, kind: str, target: str, like: Edge = STATED) -> Edge:
    """An edge between these, in all else like another."""
    return like._replace(source=source, kind=kind, target=target)


YES = Verdict(
    key="abc",
    source="team/Anna",
    kind="uses",
    target="Werkbank",
    answer="YES",
    p_yes=0.93,
    confidence=0.93,
    judge="model",
    profile="ingest_validator",
    model="qwen3:8b",
    prompt_hash="p",
    evidence_hash="e",
    asked_at="2025-04-14T09:30:00+00:00",
)
RULE = STATED._replace(provenance="rule", rule_id="rule:tool", confidence=0.7)
UNPROVEN = STATED._replace(provenance="candidate:pool", rule_id="candidate:pool", confidence=0.3, line=30)
PROVEN = STATED._replace(rule_id="explicit", confidence=0.93, line=12, verdict=YES.key)

SMALL = Drawing(
    name="small <b>vault</b>",
    faces=(
        Face("Alone", "Allein", "Alone.md", "default"),
        Face("Werkbank", "Werkbank", "Werkbank.md", "tool", ("Hobelbank",)),
        Face("mention:bench", "bench"),
        Face("mention:niemand", "Niemand"),
        Face("team/Anna", "Anna Ölbaum", "team/Anna.md", "default"),
    ),
    edges=(
        edge("Werkbank", "part_of", "mention:niemand", RULE),
        edge("Werkbank", "used_by", "team/Anna", MIRROR),
        edge("mention:niemand", "has_part", "Werkbank", MIRROR),
        edge("team/Anna", "related_to", "Werkbank", UNPROVEN),
        edge("team/Anna", "uses", "Werkbank", PROVEN),
        edge("team/Anna", "uses", "mention:bench", STATED._replace(line=14)),
    ),
    entities={"Werkbank": "Werkbank", "mention:bench": "Werkbank"},
    resolutions=(Resolution("mention:bench", "Werkbank", "stem", 0.91, "accepted", None, "bench = bank", "rule"),),
    verdicts=(YES,),
    inverses={"part_of": "has_part", "has_part": "part_of", "uses": "used_by", "used_by": "uses"},
    lines={("team/Anna", 12): "- uses: <b>Werkbank</b>", ("Alone", 3): "no edge stands here"},
)
"""Three that hang together, one of them known by two names, and one alone; mirrors, a verdict, something unproven."""

PAIR = Drawing(
    name="pair",
    faces=(Face("a", "Links", "a.md", "default"), Face("b", "Rechts", "b.md", "default")),
    edges=(edge("a", "supports", "b"),),
)
"""One edge, whose middle is the middle of the picture."""


def hostile() -> Drawing:
    """Notes whose every text is hostile, in a ring."""
    faces = tuple(Face(f"{text} {place}", text, f"{text}.md", text, (text,)) for place, text in enumerate(HOSTILE))
    nodes = [face.node for face in faces]
    ring = zip(nodes, nodes[1:] + nodes[:1], HOSTILE, strict=True)
    return Drawing(
        name=HOSTILE[0],
        faces=faces,
        edges=tuple(edge(one, text, other, STATED._replace(rule_id=text)) for one, other, text in ring),
        resolutions=(Resolution(nodes[0], nodes[1], "stem", 0.5, "proposed", None, HOSTILE[1], None),),
    )
