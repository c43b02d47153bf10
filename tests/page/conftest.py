"""A real browser, and pages opened in it from disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from kantenwerk.cli.drawing import PAGE
from kantenwerk.graph.drawing import Drawing, page_of

# A software renderer, for CI has no graphics card; and nothing that asks the network of its own accord.
ARGUMENTS = (
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(slots=True)
class Opened:
    """A page, what its console said of errors, and the addresses that it asked for."""

    page: Page
    path: Path
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def counts(self) -> str:
        return self.page.locator("#counts").inner_text()

    @property
    def details(self) -> str:
        return self.page.locator("#details").inner_text()

    def find(self, text: str) -> None:
        """Search for a text and take the first hit, which then lies in the middle of the picture."""
        self.page.keyboard.press("/")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def click_middle(self) -> None:
        """Click what lies in the middle of the picture."""
        self.page.locator("#graph").click()


Open = Callable[..., Opened]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, as Debian and others install it; a test that needs it fails without."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert program, "these tests need Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Writes a drawing, or takes a file, and opens it, after a script of the test's own.

    Language and theme are those of the browser.
    """
    with ExitStack() as contexts:

        def opened(
            drawn: Drawing | Path, *, language: str = "en-GB", dark: bool = False, still: bool = True, first: str = ""
        ) -> Opened:
            if isinstance(drawn, Path):
                path = drawn
            else:
                path = tmp_path / "graph.html"
                path.write_text(page_of(drawn, PAGE.read_text("utf-8")), "utf-8", newline="\n")
            context = browser.new_context(
                viewport={"width": 1280, "height": 800},
                locale=language,
                color_scheme="dark" if dark else "light",
                reduced_motion="reduce" if still else "no-preference",
            )
            contexts.callback(context.close)
            context.add_init_script(first)
            page = context.new_page()
            found = Opened(page, path)
            page.on("console", lambda said: found.errors.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: found.errors.append(str(error)))
            page.on("request", lambda request: found.asked.append(request.url))
            page.goto(path.as_uri())
            return found

        yield opened
