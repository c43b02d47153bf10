"""The page in a real browser: what people see and do there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from kantenwerk.graph.drawing import Drawing, Face
from tests.page.drawings import HOSTILE, PAIR, SMALL, edge, hostile
from tests.sessions.shell import Shell
from tests.sessions.test_sessions import copy_example

if TYPE_CHECKING:
    from pathlib import Path

    from tests.page.conftest import Open

pytestmark = pytest.mark.page

# More than are drawn with arrow heads.
MANY = Drawing(
    name="many",
    faces=tuple(Face(f"{one}", f"Note {one}", f"{one}.md", "default") for one in range(60)),
    edges=tuple(
        edge(f"{one}", "uses" if one else "next", f"{(one + more) % 60}") for one in range(60) for more in range(1, 54)
    ),
)
# As if this were a slow machine.
SLOW = """const read = WebGL2RenderingContext.prototype.readPixels;
WebGL2RenderingContext.prototype.readPixels = function (...given) {
    for (const begin = performance.now(); performance.now() < begin + 60; );
    return read.apply(this, given);
};"""
# How a canvas is moved from now on.
WATCH = """canvas => { window.moved = []; new MutationObserver(() => {
    if (!canvas.style.transform) return;
    const { a, b, c, d, e, f } = new DOMMatrix(canvas.style.transform);
    window.moved.push([a, b, c, d, e, f].map((number) => Math.round(number * 1000) / 1000 + 0));
}).observe(canvas, { attributeFilter: ["style"] }); }"""


def test_that_the_example_opens_without_an_error_and_asks_for_nothing(open_page: Open, tmp_path: Path) -> None:
    copy_example(tmp_path)
    shell = Shell(tmp_path, tmp_path / "home")
    assert shell.run("kantenwerk import --vault vault_example --apply").code == 0
    assert shell.run("kantenwerk graph --vault vault_example --output graph.html").code == 0
    opened = open_page(tmp_path / "graph.html")
    opened.find("Klaus")
    assert "Klaus Ebersroth" in opened.details
    assert opened.errors == []
    assert opened.asked == [(tmp_path / "graph.html").as_uri()]


def test_that_the_page_could_load_nothing_if_it_wanted(open_page: Open) -> None:
    opened = open_page(PAIR)
    blocked = opened.page.evaluate(
        """async () => {
            const found = [];
            document.addEventListener("securitypolicyviolation", (event) => found.push(event.effectiveDirective));
            new Image().src = "http://127.0.0.1:9/x.png";
            await fetch("http://127.0.0.1:9/").catch(() => null);
            const script = document.createElement("script");
            script.textContent = "document.title = 'run'";
            document.body.append(script);
            const style = document.createElement("style");
            style.textContent = "* { display: none }";
            document.body.append(style);
            document.body.insertAdjacentHTML("beforeend", "<p onclick='document.title = 1'></p>");
            await new Promise((resolve) => setTimeout(resolve, 50));
            return found;
        }"""
    )
    assert {"img-src", "connect-src", "script-src-elem", "style-src-elem", "script-src-attr"} <= set(blocked)
    assert opened.page.title() == "pair · kantenwerk"


def test_that_it_shows_something(open_page: Open) -> None:
    empty = open_page(SMALL).page
    empty.get_by_label("Note types").set_checked(checked=False)
    drawn = open_page(SMALL).page
    assert drawn.locator("#graph").screenshot() != empty.locator("#graph").screenshot()


def test_that_mirrors_and_unproven_edges_are_off_until_they_are_asked_for(open_page: Open) -> None:
    opened = open_page(SMALL)
    assert opened.counts == "4 nodes, 2 of 5 edges"
    opened.page.get_by_label("Mirror edges").check()
    assert opened.counts == "4 nodes, 4 of 5 edges"
    opened.page.get_by_label("Unproven edges").check()
    assert opened.counts == "4 nodes, 5 of 5 edges"


@pytest.mark.parametrize(
    ("label", "left"),
    [
        ("uses", "4 nodes, 1 of 5 edges"),  # a kind
        ("rule", "4 nodes, 1 of 5 edges"),  # a provenance
        ("tool", "3 nodes, 0 of 5 edges"),  # a type
        ("name without a note", "3 nodes, 1 of 5 edges"),
        ("Kinds", "4 nodes, 0 of 5 edges"),
        ("Nodes without edges", "3 nodes, 2 of 5 edges"),
    ],
)
def test_that_a_filter_hides_and_shows_again(open_page: Open, label: str, left: str) -> None:
    opened = open_page(SMALL)
    box = opened.page.get_by_label(re.compile(rf"^\s*{label}\s*\d*$"))
    box.uncheck()
    assert opened.counts == left
    box.check()
    assert opened.counts == "4 nodes, 2 of 5 edges"


def test_that_only_sure_edges_can_be_shown(open_page: Open) -> None:
    opened = open_page(SMALL)
    opened.page.locator("#confidence").fill("0.8")
    assert opened.counts == "4 nodes, 1 of 5 edges"
    opened.page.locator("#confidence").fill("0.95")
    # That of the bundle that is stated outright.
    assert opened.counts == "4 nodes, 1 of 5 edges"
    opened.page.locator("#confidence").fill("0.7")
    assert opened.counts == "4 nodes, 2 of 5 edges"


@pytest.mark.parametrize("written", ["ölbaum", "ANNA", "team/", "O\u0308lbaum"])
def test_that_search_finds_title_and_id(open_page: Open, written: str) -> None:
    opened = open_page(SMALL)
    opened.find(written)
    assert opened.details.startswith("Anna Ölbaum")


@pytest.mark.parametrize("written", ["hobel", "bench"])
def test_that_search_finds_an_alias_and_the_names_taken_for_the_note(open_page: Open, written: str) -> None:
    opened = open_page(SMALL)
    opened.find(written)
    assert opened.details.startswith("Werkbank")


def test_that_search_says_that_it_found_nothing(open_page: Open) -> None:
    opened = open_page(SMALL)
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("Annax")
    assert opened.page.locator("#found").inner_text() == "Nothing has that title, alias or id."
    opened.page.keyboard.press("Enter")
    assert opened.details.startswith("Click a note")


def test_that_a_click_on_a_note_shows_its_edges_by_direction_and_kind(open_page: Open) -> None:
    opened = open_page(SMALL)
    opened.find("Werkbank")
    opened.page.keyboard.press("Escape")
    assert opened.details.startswith("Click a note")
    opened.click_middle()
    expect(opened.page.locator("#details h2")).to_have_text("Werkbank")
    lines = opened.details.splitlines()
    assert "bench → Werkbank (stem 0.91): bench = bank" in lines
    assert "Also known as: Hobelbank" in lines
    heads = [line.strip() for line in lines if "(" in line and "→" not in line]
    assert heads == ["OUT (1)", "part_of (1)", "IN (1)", "uses (1)"]
    assert "3 more are hidden by the filters." in lines


def test_that_an_edge_explains_itself(open_page: Open) -> None:
    opened = open_page(SMALL)
    opened.find("Anna")
    opened.page.get_by_label("Why is this edge here? Werkbank").click()
    told = re.sub(r"\s+", " ", opened.details)
    assert "Anna Ölbaum uses → Werkbank" in told
    assert "Rule explicit Confidence 0.93 Stands in team/Anna.md:12 - uses: <b>Werkbank</b> Verdict" in told
    assert "Verdict YES, qwen3:8b, 2025-04-14, P(YES) 0.93" in told
    assert "Stands in team/Anna.md:14 Verdict none: the author states it Name bench → Werkbank (stem 0.91)" in told


def test_that_a_mirror_and_an_unproven_edge_explain_themselves(open_page: Open) -> None:
    opened = open_page(SMALL)
    opened.page.get_by_label("Mirror edges").check()
    opened.page.get_by_label("Unproven edges").check()
    opened.find("Niemand")
    opened.page.get_by_label("Why is this edge here? Werkbank").first.click()
    told = re.sub(r"\s+", " ", opened.details)
    assert "Provenance structure" in told
    assert "Mirror of Werkbank part_of → Niemand Stands in Werkbank.md:7" in told
    opened.find("Anna")
    opened.page.locator("li", has=opened.page.get_by_text("Werkbank")).locator(".why").first.click()
    told = re.sub(r"\s+", " ", opened.details)
    assert "Provenance candidate:pool" in told
    assert "Verdict none yet: nobody has proven it" in told


def test_that_a_mirror_is_told_with_the_one_edge_of_several_that_it_comes_from(open_page: Open) -> None:
    opened = open_page(replace(SMALL, edges=(*SMALL.edges, edge("team/Anna", "part_of", "Werkbank"))))
    opened.page.get_by_label("Mirror edges").check()
    opened.find("Werkbank")
    opened.page.locator("li", has=opened.page.get_by_text("Anna Ölbaum")).locator(".why").first.click()
    told = re.sub(r"\s+", " ", opened.details)
    assert "Werkbank used_by → Anna Ölbaum" in told
    assert "Mirror of Anna Ölbaum uses → Werkbank Stands in team/Anna.md:12 - uses: <b>Werkbank</b> Verdict YES" in told


def test_that_a_click_on_an_edge_explains_it_and_on_nothing_clears(open_page: Open) -> None:
    opened = open_page(PAIR)
    opened.click_middle()
    expect(opened.page.locator("#details h2")).to_have_text(re.compile(r"Links\s*supports →\s*Rechts"))
    # Sooner it would be a double click.
    opened.page.wait_for_timeout(400)
    opened.page.locator("#graph").click(position={"x": 5, "y": 5})
    expect(opened.page.locator("#details")).to_contain_text("Click a note")
    opened.page.get_by_label("supports").uncheck()
    opened.page.wait_for_timeout(400)
    opened.click_middle()
    opened.page.wait_for_timeout(100)
    assert opened.details.startswith("Click a note")


def test_that_hostile_texts_stay_texts(open_page: Open) -> None:
    opened = open_page(hostile())
    for text in HOSTILE:
        opened.page.locator("#search").fill(text[:12])
        opened.page.keyboard.press("Enter")
        shown = opened.page.locator("#details h2")
        assert shown.evaluate("(head) => head.textContent") in HOSTILE
        assert shown.evaluate("(head) => head.childElementCount") == 0
        opened.page.locator(".why").first.click()
    titles = opened.page.locator("#filters span").all_text_contents()
    assert set(HOSTILE) <= set(titles)
    assert opened.page.title() == f"{HOSTILE[0]} · kantenwerk"
    assert opened.page.locator("img, #details script, #filters script, #found script").count() == 0
    assert opened.page.locator("script").count() == 2
    assert (opened.errors, len(opened.asked)) == ([], 1)


def test_that_the_keyboard_is_enough(open_page: Open) -> None:
    opened = open_page(SMALL)
    keyboard, page = opened.page.keyboard, opened.page
    focused = "document.activeElement.id || document.activeElement.tagName"
    order = []
    for _ in range(7):
        keyboard.press("Tab")
        order.append(page.evaluate(focused))
    assert order == ["search", "colours", "language", "theme", "mirrors", "unproven", "alone"]
    keyboard.press("/")
    keyboard.type("a")
    first = page.locator("[aria-selected=true]").inner_text()
    keyboard.press("ArrowDown")
    assert page.locator("[aria-selected=true]").inner_text() != first
    keyboard.press("Escape")
    assert (page.locator("#found").is_visible(), page.evaluate(focused)) == (False, "graph")
    opened.find("Anna")
    keyboard.press("Enter")
    assert page.evaluate(focused) == "H2"
    keyboard.press("Tab")
    keyboard.press("Tab")
    keyboard.press("Enter")
    assert "STANDS" in opened.details.upper()
    keyboard.press("Escape")
    assert (opened.details.startswith("Anna"), page.evaluate(focused)) == (True, "graph")
    keyboard.press("Escape")
    assert opened.details.startswith("Click a note")


def test_that_arrows_go_to_the_neighbour_in_their_direction(open_page: Open) -> None:
    opened = open_page(PAIR)
    opened.find("Links")
    reached = []
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        opened.page.keyboard.press(key)
        reached.append(opened.page.locator("#details h2").inner_text())
    assert reached == ["Links", "Links", "Rechts", "Rechts", "Rechts", "Links"]


def test_that_arrows_begin_at_the_node_with_the_most_edges(open_page: Open) -> None:
    opened = open_page(SMALL)
    opened.page.locator("#graph").focus()
    opened.page.keyboard.press("ArrowUp")
    assert opened.details.startswith("Werkbank")


@pytest.mark.parametrize(
    ("language", "said", "other"), [("de-AT", "Spiegelkanten", "English"), ("fr", "Mirror edges", "Deutsch")]
)
def test_that_it_speaks_the_browser_s_language_and_the_other(
    open_page: Open, language: str, said: str, other: str
) -> None:
    opened = open_page(SMALL, language=language)
    main = opened.page.locator("main")
    expect(main).to_contain_text(said)
    opened.find("Anna")
    opened.page.get_by_role("button", name=other).click()
    expect(main).not_to_contain_text(said)
    assert opened.page.locator("html").get_attribute("lang") == ("en" if other == "English" else "de")
    assert opened.details.startswith("Anna Ölbaum")


def test_that_every_label_is_said_in_both_languages(open_page: Open) -> None:
    spoken = []
    for language in ("en", "de"):
        opened = open_page(SMALL, language=language)
        opened.find("Anna")
        opened.page.locator(".why").first.click()
        spoken.append(opened.page.locator("dt, #filters legend, #filters .switch, #filters .range").all_inner_texts())
    same = [one for one, other in zip(*spoken, strict=True) if one == other]
    assert same == ["Name"]


@pytest.mark.parametrize("dark", [False, True])
def test_that_it_is_as_light_or_dark_as_the_system_until_switched(open_page: Open, dark: bool) -> None:  # noqa: FBT001
    opened = open_page(SMALL, dark=dark)
    ground = "getComputedStyle(document.body).backgroundColor"
    colours = {True: "rgb(20, 24, 29)", False: "rgb(255, 255, 255)"}
    assert opened.page.evaluate(ground) == colours[dark]
    opened.page.locator("#theme").click()
    assert opened.page.evaluate(ground) == colours[not dark]


def test_that_colours_can_mean_the_provenance(open_page: Open) -> None:
    opened = open_page(SMALL)
    kinds, provenances = (opened.page.locator(f"#{name} .swatch") for name in ("kinds", "provenances"))
    assert (kinds.count() > 0, provenances.count()) == (True, 0)
    before = opened.page.locator("#graph").screenshot()
    opened.page.get_by_label("Colours").select_option("provenance")
    assert (kinds.count(), provenances.count() > 0) == (0, True)
    assert opened.page.locator("#graph").screenshot() != before


def test_that_a_long_list_is_shown_in_full_on_request(open_page: Open) -> None:
    leaves = tuple(Face(f"n{number}", f"n{number}", f"n{number}.md", "default") for number in range(60))
    edges = tuple(edge("a", "uses", leaf.node) for leaf in leaves)
    opened = open_page(Drawing("many", (*PAIR.faces, *leaves), edges))
    opened.find("Links")
    assert opened.page.locator(".why").count() == 30
    opened.page.get_by_role("button", name="Show 30 more").click()
    assert opened.page.locator(".why").count() == 60


def test_that_an_edge_among_thousands_explains_itself_when_clicked(open_page: Open) -> None:
    opened = open_page(replace(PAIR, edges=tuple(edge("a", f"kind_{number}", "b") for number in range(3100))))
    opened.click_middle()
    expect(opened.page.locator("#details h2")).to_have_text(re.compile(r"Links\s*kind_\d+ →\s*Rechts"))
    opened.page.wait_for_timeout(400)
    opened.page.locator("#graph").click(position={"x": 5, "y": 5})
    expect(opened.page.locator("#details")).to_contain_text("Click a note")


def test_that_thousands_of_edges_are_drawn_and_filtered(open_page: Open) -> None:
    opened = open_page(MANY)
    counts, graph = opened.page.locator("#counts"), opened.page.locator("#graph")
    expect(counts).to_contain_text("3,180 of 3,180")
    pictures = [graph.screenshot()]
    opened.page.get_by_label("uses").uncheck()
    expect(counts).to_contain_text("53 of 3,180")
    pictures.append(graph.screenshot())
    opened.page.get_by_label("next").uncheck()
    expect(counts).to_contain_text("0 of 3,180")
    pictures.append(graph.screenshot())
    assert len(set(pictures)) == 3
    assert opened.errors == []


def test_that_a_picture_that_is_slow_to_draw_is_moved_as_an_image_until_it_rests(open_page: Open) -> None:
    opened = open_page(MANY, first=SLOW)
    page, stage = opened.page, opened.page.locator("#graph canvas").first
    page.locator("#in").click()
    page.locator("#all").click()
    page.wait_for_timeout(400)
    page.mouse.move(500, 600)
    page.mouse.down()
    page.mouse.move(520, 610)
    page.wait_for_timeout(400)
    before = page.locator("#graph").screenshot()
    stage.evaluate(WATCH)
    page.mouse.move(590, 560)
    page.wait_for_timeout(400)
    assert page.evaluate("moved") == [[1, 0, 0, 1, 70, -50]]
    expect(stage).to_have_css("transform", "none")
    assert page.locator("#graph").screenshot() != before
    page.mouse.up()
    page.wait_for_timeout(400)
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(800)
    scale, turn, _, _, left, top = page.evaluate("moved.at(-1)")
    assert (scale > 1, turn) == (True, 0)
    # What lies under the mouse stays there.
    box = page.locator("#graph").bounding_box()
    assert box is not None
    x, y = 590 - box["x"], 560 - box["y"]
    assert (scale * x + left, scale * y + top) == pytest.approx((x, y), abs=2)
    expect(stage).to_have_css("transform", "none")
