// The page: what is chosen, what is filtered, and what follows from it.

import { type Legend, legend, PALETTES, type Theme } from "./colours";
import { edgeDetails, noteDetails } from "./details";
import { get, make, swatch } from "./dom";
import { Picture } from "./graph";
import { type Bundle, type Entity, type Filters, found, isUnproven, type Model, readModel } from "./model";
import { type Language, TEXTS } from "./texts";

const MOST_FOUND = 20;

class Page {
  private language: Language = navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
  private theme: Theme;
  private by: "kind" | "provenance" = "kind";
  private chosen: { entity: Entity } | { bundle: Bundle; from: number | null } | null = null;
  private hits: Entity[] = [];
  private active = -1;
  private readonly filters: Filters = {
    mirrors: false,
    unproven: false,
    alone: true,
    confidence: 0,
    kinds: new Set(),
    provenances: new Set(),
    types: new Set(),
  };
  private readonly legendOf: Partial<Record<Theme, Legend>> = {};
  private readonly picture: Picture;
  private readonly search = get<HTMLInputElement>("search");

  constructor(private readonly model: Model) {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    this.theme = dark.matches ? "dark" : "light";
    dark.addEventListener("change", () => this.setTheme(dark.matches ? "dark" : "light"));
    this.picture = new Picture(model, get("graph"), {
      node: (entity) => this.chooseNode(entity),
      edge: (bundle) => this.chooseEdge(model.bundles[bundle], null),
      stage: () => this.choose(null),
    });
    this.listen();
    document.documentElement.dataset["theme"] = this.theme;
    this.speak();
  }

  private get texts() {
    return TEXTS[this.language];
  }

  private get legend() {
    return this.legendOf[this.theme] ??= legend(this.model, this.theme);
  }

  private listen(): void {
    for (const name of ["mirrors", "unproven", "alone"] as const) {
      const box = get<HTMLInputElement>(name);
      box.checked = this.filters[name];
      box.addEventListener("change", () => {
        this.filters[name] = box.checked;
        this.legends();
        this.draw();
      });
    }
    const confidence = get<HTMLInputElement>("confidence");
    confidence.value = "0";
    confidence.addEventListener("input", () => {
      this.filters.confidence = Number(confidence.value);
      get("least").textContent = this.filters.confidence.toFixed(2);
      this.draw();
    });
    get<HTMLSelectElement>("colours").addEventListener("change", (event) => {
      this.by = (event.target as HTMLSelectElement).value as "kind" | "provenance";
      this.legends();
      this.draw();
    });
    get("filters").addEventListener("submit", (event) => event.preventDefault());
    get("language").addEventListener("click", () => {
      this.language = this.language === "de" ? "en" : "de";
      this.speak();
    });
    get("theme").addEventListener("click", () => this.setTheme(this.theme === "dark" ? "light" : "dark"));
    get("in").addEventListener("click", () => this.picture.zoom(0.6));
    get("out").addEventListener("click", () => this.picture.zoom(1.6));
    get("all").addEventListener("click", () => this.picture.showAll());
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => this.searchKey(event));
    get("graph").addEventListener("keydown", (event) => this.graphKey(event));
    document.addEventListener("keydown", (event) => this.anyKey(event));
  }

  // --- what is said

  private speak(): void {
    const texts = this.texts;
    document.documentElement.lang = this.language;
    document.title = `${this.model.name} · kantenwerk`;
    get("name").textContent = this.model.name;
    for (const element of document.querySelectorAll<HTMLElement>("[data-text]")) {
      element.textContent = texts[element.dataset["text"] as "colours"];
    }
    this.search.placeholder = texts.search;
    this.search.setAttribute("aria-label", texts.search);
    get("language").textContent = texts.otherLanguage;
    get("language").lang = this.language === "de" ? "en" : "de";
    get("theme").textContent = this.theme === "dark" ? texts.toLight : texts.toDark;
    get("graph").setAttribute("aria-label", texts.graphLabel);
    for (const [id, text] of [["in", texts.zoomIn], ["out", texts.zoomOut], ["all", texts.zoomAll]]) {
      get(id).title = text;
      get(id).setAttribute("aria-label", text);
    }
    const colours = get<HTMLSelectElement>("colours");
    colours.replaceChildren(
      make("option", { value: "kind", textContent: texts.byKind }),
      make("option", { value: "provenance", textContent: texts.byProvenance }),
    );
    colours.value = this.by;
    this.legends();
    this.draw();
    this.find();
  }

  private legends(): void {
    const { model, texts, filters } = this;
    const { kinds, provenances, types } = this.legend;
    const count = { kinds: new Map<number, number>(), provenances: new Map<number, number>() };
    for (const bundle of model.bundles) {
      for (const claim of bundle.claims) {
        if ((claim.mirror && !filters.mirrors) || (isUnproven(model, claim) && !filters.unproven)) continue;
        count.kinds.set(claim.kind, (count.kinds.get(claim.kind) ?? 0) + 1);
        count.provenances.set(claim.provenance, (count.provenances.get(claim.provenance) ?? 0) + 1);
      }
    }
    const rows = (names: string[], counts: Map<number, number>, colours: string[] | null) =>
      names
        .map((name, place) => ({ name, place: place as number | null, count: counts.get(place) ?? 0, colour: colours?.[place] ?? null }))
        .filter((row) => row.count > 0)
        .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
    const isKind = this.by === "kind";
    choices("kinds", texts.kinds, rows(model.kinds, count.kinds, isKind ? kinds : null), filters.kinds as Set<number | null>, this);
    choices(
      "provenances",
      texts.provenances,
      rows(model.provenances, count.provenances, isKind ? null : provenances),
      filters.provenances as Set<number | null>,
      this,
    );
    const byType = new Map<number, number>();
    let mentions = 0;
    for (const { type } of model.entities) {
      if (type === null) mentions++;
      else byType.set(type, (byType.get(type) ?? 0) + 1);
    }
    const typeRows = rows(model.types, byType, types);
    if (mentions > 0) typeRows.push({ name: texts.mention, place: null, count: mentions, colour: PALETTES[this.theme].mention });
    choices("types", texts.types, typeRows, filters.types, this);
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset["theme"] = theme;
    this.speak();
  }

  // --- what is drawn

  draw(): void {
    const { model, filters, texts } = this;
    try {
      const shown = this.picture.draw({ theme: this.theme, legend: this.legend, by: this.by }, filters);
      const number = (value: number) => value.toLocaleString(this.language);
      get("trouble").hidden = true;
      get("counts").textContent = texts.counts(number(shown.nodes), number(shown.bundles.length), number(model.bundles.length));
    } catch (error) {
      console.warn(error);
      this.trouble(texts.noWebgl);
    }
    if (model.entities.length === 0) this.trouble(texts.empty);
    this.picture.choose(this.chosen && ("entity" in this.chosen ? { entity: this.chosen.entity.place } : this.chosen));
    this.tell();
  }

  private trouble(text: string): void {
    get("trouble").textContent = text;
    get("trouble").hidden = false;
  }

  private tell(): void {
    const { model, texts, filters, language, chosen } = this;
    const colours = this.legend.kinds;
    const context = {
      model,
      texts,
      filters,
      colours,
      language,
      doors: {
        node: (entity: number) => this.chooseNode(entity, { show: true, read: true }),
        edge: (bundle: Bundle, from: number | null) => this.chooseEdge(bundle, from, { read: true }),
      },
    };
    get("details").replaceChildren(
      ...(chosen === null
        ? [make("p", { className: "quiet", textContent: texts.nothing })]
        : "entity" in chosen
          ? noteDetails(chosen.entity, context)
          : edgeDetails(chosen.bundle, chosen.from, context)),
    );
  }

  // --- what is chosen

  private choose(chosen: Page["chosen"]): void {
    this.chosen = chosen;
    this.picture.choose(chosen && ("entity" in chosen ? { entity: chosen.entity.place } : chosen));
    this.tell();
    get("details").scrollTop = 0;
  }

  private chooseNode(entity: number, { show = false, read = false } = {}): void {
    this.choose({ entity: this.model.entities[entity] });
    if (show) this.picture.show(entity);
    if (read) this.read();
  }

  private chooseEdge(bundle: Bundle, from: number | null, { read = false } = {}): void {
    // What was clicked may come from a note that is on display.
    const note = from ?? (this.chosen && "entity" in this.chosen ? this.chosen.entity.place : null);
    this.choose({ bundle, from: note });
    if (read) this.read();
  }

  private read(): void {
    get("details").querySelector<HTMLElement>("h2")?.focus();
  }

  // --- search

  private find(): void {
    const isAsked = this.search.value.trim() !== "";
    this.hits = found(this.model, this.search.value, MOST_FOUND);
    this.active = this.hits.length > 0 ? 0 : -1;
    const list = get("found");
    list.hidden = !isAsked;
    this.search.setAttribute("aria-expanded", `${isAsked}`);
    list.replaceChildren(
      ...this.hits.map((entity, place) => {
        const row = make("li", { id: `hit-${place}` }, make("b", { textContent: entity.name }), make("small", { textContent: entity.path ?? this.texts.mention }));
        row.setAttribute("role", "option");
        row.addEventListener("mousedown", (event) => event.preventDefault());
        row.addEventListener("click", () => this.take(place));
        return row;
      }),
      ...(isAsked && this.hits.length === 0 ? [make("li", { className: "quiet", textContent: this.texts.nothingFound })] : []),
    );
    this.mark();
  }

  private mark(): void {
    get("found").querySelectorAll("[role=option]").forEach((row, place) => {
      row.setAttribute("aria-selected", `${place === this.active}`);
      if (place === this.active) row.scrollIntoView({ block: "nearest" });
    });
    if (this.active >= 0) this.search.setAttribute("aria-activedescendant", `hit-${this.active}`);
    else this.search.removeAttribute("aria-activedescendant");
  }

  private take(place: number): void {
    const entity = this.hits[place];
    if (!entity) return;
    this.clearSearch();
    get("graph").focus();
    this.chooseNode(entity.place, { show: true });
  }

  private clearSearch(): void {
    this.search.value = "";
    this.find();
  }

  // --- keys

  private searchKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.hits.length > 0) {
      this.active = (this.active + step + this.hits.length) % this.hits.length;
      this.mark();
    } else if (event.key === "Enter") {
      this.take(this.active);
    } else if (event.key === "Escape") {
      this.clearSearch();
      get("graph").focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private graphKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const way = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] } as Record<string, [number, number]>)[event.key];
    if (way) {
      const from = this.chosen && ("entity" in this.chosen ? this.chosen.entity.place : this.chosen.bundle.source);
      const next = from === null ? this.picture.first() : this.picture.neighbour(from, ...way);
      if (next !== null) this.chooseNode(next, { show: true });
    } else if (event.key === "Enter") {
      this.read();
    } else if (event.key === "+" || event.key === "-") {
      this.picture.zoom(event.key === "+" ? 0.6 : 1.6);
    } else {
      return;
    }
    event.preventDefault();
  }

  private anyKey(event: KeyboardEvent): void {
    const { target } = event;
    const isWriting = target instanceof HTMLInputElement && ["search", "text"].includes(target.type);
    if (event.key === "/" && !isWriting && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.search.focus();
    } else if (event.key === "Escape") {
      this.back();
    }
  }

  // One step: from an edge to its note, from a note to nothing.
  private back(): void {
    const { chosen } = this;
    if (chosen && "bundle" in chosen && chosen.from !== null) this.chooseNode(chosen.from);
    else this.choose(null);
    get("graph").focus();
  }
}

interface Choice {
  name: string;
  place: number | null;
  count: number;
  colour: string | null;
}

// A list of boxes; what is not ticked goes into `off`.
function choices(id: string, title: string, rows: Choice[], off: Set<number | null>, page: Page): void {
  const boxes: [HTMLInputElement, Choice][] = rows.map((row) => [make("input", { type: "checkbox", checked: !off.has(row.place) }), row]);
  const follow = () => {
    for (const [box, row] of boxes) {
      if (box.checked) off.delete(row.place);
      else off.add(row.place);
    }
    page.draw();
  };
  const all = make("input", { type: "checkbox", checked: off.size === 0, indeterminate: off.size > 0 && off.size < rows.length });
  all.addEventListener("change", () => {
    for (const [box] of boxes) box.checked = all.checked;
    follow();
  });
  for (const [box] of boxes) {
    box.addEventListener("change", () => {
      follow();
      all.checked = off.size === 0;
      all.indeterminate = off.size > 0 && off.size < rows.length;
    });
  }
  get(id).replaceChildren(
    make("legend", {}, make("label", {}, all, ` ${title}`)),
    ...boxes.map(([box, row]) =>
      make(
        "label",
        {},
        box,
        row.colour === null ? null : swatch(row.colour),
        make("span", { textContent: row.name, title: row.name }),
        make("small", { textContent: `${row.count}` }),
      ),
    ),
  );
}

function start(): void {
  let model: Model;
  try {
    model = readModel(get("data").textContent ?? "");
  } catch (error) {
    console.error(error);
    get("trouble").textContent = TEXTS[navigator.language.startsWith("de") ? "de" : "en"].broken;
    get("trouble").hidden = false;
    return;
  }
  new Page(model);
}

start();
