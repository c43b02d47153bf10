"""The names of the stored notes by their parts, as a search for a name's like asks for them: few of many, in sets.

Names come in the order of their sizes, then of their notes' paths, the shorter ones first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

# How names stand in order: the size, the length of the note's path, that path (NFC), the note, and the name itself.
Rank = tuple[int, int, str, str, str]
_ORDER = "length(path), path, note, name"
# Names by key, with how many there are and the place of each; and those nearest to a size.
_FILED = f"""
SELECT *, count(*) OVER (PARTITION BY key) AS names,
       row_number() OVER (PARTITION BY key ORDER BY size, {_ORDER}) AS place
FROM (SELECT *, unnest(keys) AS key FROM kept) WHERE key IN (SELECT unnest(?::VARCHAR[]))
"""  # noqa: S608
_NEAREST = f"""
SELECT *, row_number() OVER (PARTITION BY key, wanted ORDER BY abs(size - wanted), {_ORDER}) AS place
FROM (SELECT *, unnest(keys) AS key FROM kept)
JOIN (SELECT unnest(?::VARCHAR[]) AS key, unnest(?::INTEGER[]) AS wanted) USING (key)
"""  # noqa: S608


class StoredNameParts:
    """The names of the stored notes `without` some; `rows` runs a query."""

    def __init__(self, rows: Callable[..., list[tuple[Any, ...]]], without: Collection[str]) -> None:
        self._query = rows
        self._without = list(without)

    def all(self) -> list[tuple[str, str, str]]:
        """Return note, path and name of all."""
        return self._rows("SELECT note, notes.path, name FROM kept JOIN notes ON id = note")

    def words(self) -> list[str]:
        """Return every word, once in each spelling."""
        return [word for (word,) in self._rows("SELECT DISTINCT unnest(words) FROM kept")]

    def first_with(self, words: Collection[str]) -> dict[str, Rank]:
        """Return the first name with each of some spellings."""
        rows = self._rows(
            f"SELECT word, min(row(size, {_ORDER})) FROM (SELECT *, unnest(words) AS word FROM kept) "  # noqa: S608
            "WHERE word IN (SELECT unnest(?::VARCHAR[])) GROUP BY word",
            list(words),
        )
        return {word: tuple(rank) for word, rank in rows}

    def keys_from(self, beginnings: Collection[str]) -> list[str]:
        """Return what names are filed under that begins with one of some texts of two letters."""
        rows = self._rows(
            "SELECT DISTINCT key FROM (SELECT unnest(keys) AS key FROM kept) "
            "WHERE left(key, 2) IN (SELECT unnest(?::VARCHAR[]))",
            list(beginnings),
        )
        return [key for (key,) in rows]

    def filed(self, keys: Collection[str], most: int) -> list[tuple[str, int, str, str, str]]:
        """Return the first names under each of some keys: the key, how many names it has, note, path and name."""
        return self._rows(
            f"SELECT key, names, note, notes.path, name FROM ({_FILED}) JOIN notes ON id = note WHERE place <= ?",  # noqa: S608
            list(keys),
            most,
        )

    def nearest(self, asked: Collection[tuple[str, int]], most: int) -> list[tuple[str, str, str]]:
        """Return note, path and name of those under each key whose size is nearest to the one beside it."""
        return self._rows(
            f"SELECT DISTINCT note, notes.path, name FROM ({_NEAREST}) JOIN notes ON id = note WHERE place <= ?",  # noqa: S608
            [key for key, _ in asked],
            [size for _, size in asked],
            most,
        )

    def last_filed(self, keys: Collection[str], place: int) -> dict[str, tuple[int, Rank]]:
        """Return for each key how many names it has and the rank of the one at a place; not for those with fewer."""
        rows = self._rows(
            f"SELECT key, names, size, {_ORDER} FROM ({_FILED}) WHERE place = ?",  # noqa: S608
            list(keys),
            place,
        )
        return {key: (names, tuple(rank)) for key, names, *rank in rows}

    def last_nearest(self, asked: Collection[tuple[str, int]], place: int) -> dict[tuple[str, int], Rank]:
        """Return the rank of the name at a place by nearness to the size, for those keys that have so many."""
        rows = self._rows(
            f"SELECT key, wanted, size, {_ORDER} FROM ({_NEAREST}) WHERE place = ?",  # noqa: S608
            [key for key, _ in asked],
            [size for _, size in asked],
            place,
        )
        return {(key, wanted): tuple(rank) for key, wanted, *rank in rows}

    def notes(self) -> int:
        """Return how many notes there are."""
        return int(self._rows("SELECT count(DISTINCT note) FROM kept")[0][0])

    def notes_with(self, tokens: Collection[str]) -> dict[str, int]:
        """Return how many notes have each of some tokens in a name; those that none has are left out."""
        rows = self._rows(
            "SELECT token, count(DISTINCT note) FROM (SELECT note, unnest(tokens) AS token FROM kept) "
            "WHERE token IN (SELECT unnest(?::VARCHAR[])) GROUP BY token",
            list(tokens),
        )
        return dict(rows)

    def with_token(self, tokens: Collection[str], most: int) -> list[tuple[str, str, str]]:
        """Return note, path and name of names with one of some tokens, only so many."""
        return self._rows(
            "SELECT DISTINCT note, notes.path, name FROM (SELECT *, unnest(tokens) AS token FROM kept) "
            "JOIN notes ON id = note WHERE token IN (SELECT unnest(?::VARCHAR[])) LIMIT ?",
            list(tokens),
            most,
        )

    def folders(self) -> list[str]:
        """Return the folders of all, with the folders above them."""
        return [folder for (folder,) in self._rows("SELECT DISTINCT parse_dirpath(path, 'forward_slash') FROM kept")]

    def _rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        kept = "SELECT * FROM name_parts WHERE note NOT IN (SELECT unnest(?::VARCHAR[]))"
        return self._query(f"WITH kept AS ({kept}) {sql}", self._without, *parameters)
