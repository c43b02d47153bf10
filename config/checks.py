"""What no single value can be wrong about: checks across the entries of one file, or of two."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

from kantenwerk.config.codes import unknown_code
from kantenwerk.config.names import kind_key, name_key
from kantenwerk.config.notetypes import DEFAULT_TYPE, chunking_of, type_key
from kantenwerk.config.suggest import no_such
from kantenwerk.config.vocabulary import INVERSE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kantenwerk.config.layers import KeyPath, Layer, Problem
    from kantenwerk.config.model import CheckSettings, EdgesFile, KindEntry, Settings, TypeEntry, TypesFile
    from kantenwerk.config.vocabulary import Vocabulary


def settings_problems(settings: Settings, layer: Layer, codes: Collection[str]) -> Iterator[Problem]:
    """Return what is wrong with `settings.yaml` as a whole: a missing default, a heading of two zones, no such code."""
    if "default" not in settings.resolution.semantic_threshold:
        yield layer.problem(("resolution", "semantic_threshold"), "must hold a value for `default`")
    candidates = {name_key(heading) for heading in settings.candidate_headings}
    for index, heading in enumerate(settings.smart_edges_headings):
        if name_key(heading) in candidates:
            path = layer.blame(("candidate_headings",), ("smart_edges_headings", index))
            yield layer.problem(path, f"`{heading}` opens candidate sections and Smart Edges zones; choose one")
    if codes:
        for path, name in _named_codes(settings.check):
            if (what := unknown_code(name, codes)) is not None:
                yield layer.problem(("check", *path), f"`{name}`: {what}")


def _named_codes(check: CheckSettings) -> Iterator[tuple[KeyPath, str]]:
    for key, names in (("select", check.select), ("ignore", check.ignore)):
        yield from (((key, index), name) for index, name in enumerate(names))
    yield from ((("severity", name), name) for name in check.severity)
    for number, rule in enumerate(check.per_path):
        yield from ((("per_path", number, "ignore", index), name) for index, name in enumerate(rule.ignore))
        yield from ((("per_path", number, "severity", name), name) for name in rule.severity)


def kind_problems(file: EdgesFile, layer: Layer) -> Iterator[Problem]:
    """Return what is wrong with `edges.yaml` as a whole: spellings, inverses that do not pair up, aliases."""
    owners: dict[str, KeyPath] = {}
    for kind, entry in file.kinds.items():
        yield from _spelling_problems(kind, layer)
        yield from _inverse_problems(kind, entry, file.kinds, layer)
        yield from _alias_problems(kind, entry, file.kinds, owners, layer)
        yield from _exclusion_problems(kind, entry, file.kinds, layer)


def type_problems(file: TypesFile, vocabulary: Vocabulary | None, layer: Layer) -> Iterator[Problem]:
    """Return what is wrong with `types.yaml` as a whole: profiles and kinds that do not exist, twins."""
    for name, profile in file.chunking_profiles.items():
        if profile.max_chars < profile.target_chars:
            paths = (("chunking_profiles", name, key) for key in ("max_chars", "target_chars"))
            yield layer.problem(layer.blame(*paths), "`max_chars` must not be less than `target_chars`")
    seen: dict[str, str] = {}
    for name, entry in file.types.items():
        first = seen.setdefault(type_key(name), name)
        if first != name:
            path = layer.blame(("types", name), ("types", first))
            yield layer.problem(path, f"`{first}` and `{name}` are the same type; keep one")
        yield from _profile_problems(name, file, layer)
        yield from _size_problems(name, file, layer)
        if vocabulary is not None:
            yield from _rule_problems(name, entry, vocabulary, layer)


def _spelling_problems(kind: str, layer: Layer) -> Iterator[Problem]:
    path = ("kinds", kind)
    if kind != kind_key(kind):
        yield layer.problem(path, f"must be written as `{kind_key(kind)}`")
    elif kind.startswith(INVERSE_PREFIX):
        yield layer.problem(path, f"`{INVERSE_PREFIX}` is kept for the inverses of unknown kinds; choose a name")
    elif not _is_word(kind):
        yield layer.problem(path, "must consist of letters, digits and `_`")


def _is_word(kind: str) -> bool:
    return bool(kind) and all(sign == "_" or category(sign)[0] in "LMN" for sign in kind)


def _inverse_problems(kind: str, entry: KindEntry, kinds: Mapping[str, KindEntry], layer: Layer) -> Iterator[Problem]:
    path, inverse = ("kinds", kind, "inverse"), entry.inverse
    if entry.symmetric:
        if inverse not in {None, kind}:
            at = layer.blame(path, ("kinds", kind, "symmetric"))
            yield layer.problem(at, f"a symmetric kind is its own inverse; leave out `inverse: {inverse}`")
        if entry.acyclic:
            at = layer.blame(("kinds", kind, "acyclic"), ("kinds", kind, "symmetric"))
            yield layer.problem(at, "a symmetric kind cannot be acyclic")
    elif inverse is None:
        return
    elif inverse != kind_key(inverse):
        yield layer.problem(path, f"must be written as `{kind_key(inverse)}`")
    elif inverse.startswith(INVERSE_PREFIX):
        yield layer.problem(path, f"`{inverse}` is what a kind without `inverse` gets anyway; leave it out")
    elif not _is_word(inverse):
        yield layer.problem(path, "must consist of letters, digits and `_`")
    else:
        yield from _pair_problems(kind, inverse, kinds, layer)


def _pair_problems(kind: str, inverse: str, kinds: Mapping[str, KindEntry], layer: Layer) -> Iterator[Problem]:
    path, other = ("kinds", kind, "inverse"), kinds.get(inverse)
    if other is None:
        rivals = [name for name, entry in kinds.items() if entry.inverse == inverse]
        if kind != rivals[0]:
            at = layer.blame(path, ("kinds", rivals[0], "inverse"))
            yield layer.problem(at, f"`{inverse}` is the inverse of both `{rivals[0]}` and `{kind}`")
        for name, entry in kinds.items():
            if inverse in map(kind_key, entry.aliases):
                yield layer.problem(path, f"`{inverse}` is an alias of `{name}`; give the kind itself")
        return
    back = inverse if other.symmetric else other.inverse
    if back != kind:
        at = layer.blame(path, ("kinds", inverse, "inverse"), ("kinds", inverse, "symmetric"))
        says = f"whose inverse is `{back}`" if back else "which names no inverse"
        yield layer.problem(at, f"inverses must pair up: `{kind}` has the inverse `{inverse}`, {says}, not `{kind}`")
    elif kind < inverse and {kinds[kind].acyclic, other.acyclic} == {True, False}:
        at = layer.blame(("kinds", kind, "acyclic"), ("kinds", inverse, "acyclic"))
        yield layer.problem(at, f"must be the same for `{kind}` and its inverse `{inverse}`; leave out one")


def _alias_problems(
    kind: str, entry: KindEntry, kinds: Mapping[str, KindEntry], owners: dict[str, KeyPath], layer: Layer
) -> Iterator[Problem]:
    for index, written in enumerate(entry.aliases):
        alias, path = kind_key(written), ("kinds", kind, "aliases", index)
        first = owners.setdefault(alias, path)
        if alias in kinds:
            at = layer.blame(path, ("kinds", alias))
            yield layer.problem(at, f"`{written}`, an alias of `{kind}`, is a kind itself; take it off the aliases")
        elif alias.startswith(INVERSE_PREFIX):
            yield layer.problem(path, f"`{written}`: `{INVERSE_PREFIX}` is kept for the inverses of unknown kinds")
        elif first != path:
            at = layer.blame(path, first)
            yield layer.problem(at, f"`{written}` is an alias of both `{first[1]}` and `{kind}`; keep one")


def _exclusion_problems(kind: str, entry: KindEntry, kinds: Mapping[str, KindEntry], layer: Layer) -> Iterator[Problem]:
    known = kinds.keys() | {other.inverse for other in kinds.values() if other.inverse}
    for index, excluded in enumerate(entry.excludes):
        path = ("kinds", kind, "excludes", index)
        if excluded not in known:
            yield layer.problem(path, f"`{excluded}`: {no_such('kind', excluded, known)}")
        elif excluded == kind:
            yield layer.problem(path, "a kind cannot exclude itself; `acyclic` keeps edges from going in a circle")


def _profile_problems(name: str, file: TypesFile, layer: Layer) -> Iterator[Problem]:
    entry, profiles = file.types[name], file.chunking_profiles
    used = entry.chunking_profile
    if used is None and name == DEFAULT_TYPE:
        yield layer.problem(("types", name, "chunking_profile"), "must name a profile: all other types inherit it")
    if used is not None and used not in profiles:
        path = ("types", name, "chunking_profile")
        yield layer.problem(path, f"`{used}`: {no_such('chunking profile', used, profiles)}")
    for changed in entry.chunking:
        if changed not in profiles:
            what = no_such("chunking profile", changed, profiles)
            yield layer.problem(("types", name, "chunking", changed), what)


def _size_problems(name: str, file: TypesFile, layer: Layer) -> Iterator[Problem]:
    entry, profiles = file.types[name], file.chunking_profiles
    # The default type's changes reach other types in any profile; these are checked on their own changes.
    for profile in profiles if name == DEFAULT_TYPE else entry.chunking:
        if profile not in profiles or profiles[profile].max_chars < profiles[profile].target_chars:
            continue
        chunking = chunking_of(file, entry, profile)
        if chunking.max_chars < chunking.target_chars:
            path = ("types", name, "chunking", profile)
            says = f"`max_chars` {chunking.max_chars}, less than `target_chars` {chunking.target_chars}"
            yield layer.problem(path, f"leads to {says}")


def _rule_problems(name: str, entry: TypeEntry, vocabulary: Vocabulary, layer: Layer) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, rule in enumerate(entry.edge_defaults or ()):
        path = ("types", name, "edge_defaults", index, "kind")
        kind = vocabulary.normalise(rule.kind)
        if not vocabulary.is_known(kind):
            yield layer.problem(path, f"`{rule.kind}`: {no_such('kind', kind, vocabulary.kinds)}")
        elif kind in seen:
            yield layer.problem(path, f"`{kind}` is there twice; keep one")
        seen.add(kind)
