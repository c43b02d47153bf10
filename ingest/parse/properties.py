"""Finds links in frontmatter properties, as Obsidian and Breadcrumbs write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kantenwerk.graph.findings import finding
from kantenwerk.graph.model import Finding
from kantenwerk.ingest.parse.frontmatter import Frontmatter

_LINK = re.compile(r"!?\[\[([^\[\]\n]+(?:\][^\[\]\n]+)*)\]\]")
_LINKS_ONLY = re.compile(rf"\s*{_LINK.pattern}(?:[\s,]+{_LINK.pattern})*\s*")
_NO_KINDS = {
    "id",
    "title",
    "alias",
    "aliases",
    "type",
    "tag",
    "tags",
    "summary",
    "description",
    "cssclass",
    "cssclasses",
}


@dataclass(frozen=True, slots=True)
class PropertyLinks:
    """Property name, text between the brackets and the file's line of each link; and findings."""

    links: tuple[tuple[str, str, int], ...]
    findings: tuple[Finding, ...]


def read_properties(path: str, frontmatter: Frontmatter, source: tuple[str, ...]) -> PropertyLinks:
    """Return the links of all properties whose value is a wikilink or a list of such; `source`: the file's lines."""
    links: list[tuple[str, str, int]] = []
    findings: list[Finding] = []
    for key, value in frontmatter.meta.items():
        if key.lower() in _NO_KINDS:
            continue
        key_line = frontmatter.lines.get((key, -1), 1)
        for index, item in _items(value):
            line = frontmatter.lines.get((key, index), key_line)
            if isinstance(item, str) and _LINKS_ONLY.fullmatch(item):
                links.extend((key, match.group(1), line) for match in _LINK.finditer(item))
            elif _is_unquoted_link(item) and "[[" in source[line - 1]:
                findings.append(
                    finding(
                        "property-link-unquoted",
                        path,
                        line,
                        f"`{key}` holds a nested list, not a link",
                        f'put the link in quotes: `{key}: "[[…]]"`',
                        subject=source[line - 1][source[line - 1].index("[[") :].rstrip(),
                    )
                )
    return PropertyLinks(tuple(links), tuple(findings))


def _items(value: object) -> Iterator[tuple[int, object]]:
    """Yield a scalar, or a list's items with their index; `[[x]]` without quotes stays one item."""
    if isinstance(value, list) and not _is_unquoted_link(value):
        yield from enumerate(value)
    else:
        yield -1, value


def _is_unquoted_link(value: object) -> bool:
    """Tell whether YAML read `[[Name]]`, `[[2024]]` or `[[Name: x, more]]` as a list in a list."""
    return (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], list)
        and bool(value[0])
        and not any(isinstance(part, list) for part in value[0])
    )
