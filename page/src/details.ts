// What a click tells: a note's edges by direction and kind, or the trail of an edge.

import { make, swatch } from "./dom";
import { type Bundle, type Claim, type Entity, type Filters, isUnproven, type Model, shownClaims } from "./model";
import type { Texts } from "./texts";

export interface Doors {
  node(entity: number): void;
  edge(bundle: Bundle, from: number | null): void;
}

interface Context {
  model: Model;
  texts: Texts;
  filters: Filters;
  colours: string[];
  language: string;
  doors: Doors;
}

const FIRST = 30;

export function noteDetails(entity: Entity, context: Context): Node[] {
  const { model, texts, filters } = context;
  const shown = entity.bundles.filter((bundle) => shownClaims(model, bundle, filters).length > 0);
  const hidden = entity.bundles.length - shown.length;
  const type = entity.type === null ? texts.mention : model.types[entity.type];
  return [
    make("h2", { textContent: entity.name, tabIndex: -1 }),
    make("p", { className: "quiet" }, make("span", { className: "tag", textContent: type }), ` ${entity.path ?? entity.id}`),
    ...names(entity, context),
    ...direction(texts.outgoing, shown.filter((bundle) => bundle.source === entity.place), entity, context),
    ...direction(texts.incoming, shown.filter((bundle) => bundle.target === entity.place), entity, context),
    ...(shown.length === 0 ? [make("p", { textContent: texts.noEdges })] : []),
    ...(hidden > 0 ? [make("p", { className: "quiet", textContent: texts.hidden(`${hidden}`) })] : []),
  ];
}

function names(entity: Entity, { model, texts }: Context): Node[] {
  const aliases = [...new Set(entity.nodes.flatMap((node) => model.nodes[node][5]))];
  const parts: Node[] = [];
  if (aliases.length > 0) parts.push(make("p", {}, `${texts.also}: ${aliases.join(", ")}`));
  const titles = { accepted: texts.oneThing, proposed: texts.maybe, rejected: texts.notTheSame };
  for (const [state, title] of Object.entries(titles)) {
    const rows = entity.resolutions.filter((row) => row[4] === state);
    if (rows.length === 0) continue;
    parts.push(make("h3", { textContent: title }));
    parts.push(make("ul", {}, ...rows.map((row) => make("li", { textContent: joined(row, model, texts) }))));
  }
  return parts;
}

function joined([a, b, method, score, , , reason]: Entity["resolutions"][number], model: Model, texts: Texts): string {
  const sure = score === null ? "" : ` ${score.toFixed(2)}`;
  const how = method === "person" ? "" : `: ${reason}`;
  return `${model.nodes[a][1]} → ${model.nodes[b][1]} (${texts.method[method] ?? method}${sure})${how}`;
}

function direction(title: string, bundles: Bundle[], entity: Entity, context: Context): Node[] {
  if (bundles.length === 0) return [];
  const { model } = context;
  const byKind = new Map<number, Bundle[]>();
  for (const bundle of bundles) byKind.set(bundle.kind, [...(byKind.get(bundle.kind) ?? []), bundle]);
  const order = [...byKind].sort(([a], [b]) => (model.kinds[a] < model.kinds[b] ? -1 : 1));
  return [
    make("h3", { textContent: `${title} (${bundles.length})` }),
    ...order.flatMap(([kind, found]) => [
      make("h4", {}, swatch(context.colours[kind]), ` ${model.kinds[kind]} (${found.length})`),
      list(found, entity, context),
    ]),
  ];
}

function list(bundles: Bundle[], entity: Entity, context: Context): Node {
  const { model, texts } = context;
  const other = (bundle: Bundle) => model.entities[bundle.source === entity.place ? bundle.target : bundle.source];
  const sorted = [...bundles].sort((one, two) => other(one).name.localeCompare(other(two).name, context.language));
  const row = (bundle: Bundle) => {
    const node = other(bundle);
    const go = make("button", { type: "button", className: "link", textContent: node.name });
    go.addEventListener("click", () => context.doors.node(node.place));
    const why = make("button", { type: "button", className: "why", textContent: "?", title: texts.why });
    why.setAttribute("aria-label", `${texts.why} ${node.name}`);
    why.addEventListener("click", () => context.doors.edge(bundle, entity.place));
    return make("li", {}, go, why);
  };
  const element = make("ul", { className: "edges" }, ...sorted.slice(0, FIRST).map(row));
  if (sorted.length > FIRST) {
    const more = make("button", { type: "button", textContent: texts.more(`${sorted.length - FIRST}`) });
    more.addEventListener("click", () => more.parentElement?.replaceWith(...sorted.slice(FIRST).map(row)));
    element.append(make("li", {}, more));
  }
  return element;
}

export function edgeDetails(bundle: Bundle, from: number | null, context: Context): Node[] {
  const { model, texts, doors } = context;
  const link = (entity: number) => {
    const button = make("button", { type: "button", className: "link", textContent: model.entities[entity].name });
    button.addEventListener("click", () => doors.node(entity));
    return button;
  };
  const back = make("button", { type: "button", textContent: `← ${texts.back}` });
  back.addEventListener("click", () => from !== null && doors.node(from));
  const shown = shownClaims(model, bundle, context.filters);
  return [
    from === null ? make("p", { className: "quiet", textContent: texts.trail }) : back,
    make(
      "h2",
      { tabIndex: -1, className: "trail" },
      link(bundle.source),
      make("span", { className: "kind" }, swatch(context.colours[bundle.kind]), ` ${model.kinds[bundle.kind]} →`),
      link(bundle.target),
    ),
    ...(shown.length > 0 ? shown : bundle.claims).map((claim) => claimDetails(claim, bundle, context)),
  ];
}

function claimDetails(claim: Claim, bundle: Bundle, context: Context): Node {
  const { model, texts } = context;
  const rows: [string, Node | string][] = [
    [texts.provenance, model.provenances[claim.provenance]],
    [texts.rule, claim.rule],
    [texts.confidenceOf, claim.confidence.toFixed(2)],
  ];
  const origin = claim.mirror ? originOf(claim, bundle, model) : null;
  if (origin) {
    const button = make("button", { type: "button", className: "link", textContent: told(origin.bundle, model) });
    button.addEventListener("click", () => context.doors.edge(origin.bundle, null));
    rows.push([texts.mirrorOf, button]);
  }
  const stated = origin?.claim ?? claim;
  if (stated.mirror) rows.push([texts.stands, texts.noLine]);
  else rows.push([texts.stands, place(stated, model)], [texts.verdict, verdict(stated, context)]);
  for (const node of new Set([claim.source, claim.target])) {
    const joins = model.entities[model.nodes[node][2]].resolutions.filter((row) => row[0] === node && row[4] === "accepted");
    rows.push(...joins.map((row): [string, string] => [texts.resolved, joined(row, model, texts)]));
  }
  return make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", {}, value)]));
}

// The edge that a mirror comes from.
function originOf(mirror: Claim, bundle: Bundle, model: Model): { bundle: Bundle; claim: Claim } | null {
  for (const other of model.entities[bundle.source].bundles) {
    if (other.source !== bundle.target || other.kind !== model.inverses[bundle.kind]) continue;
    const claim = other.claims.find((one) => !one.mirror && one.source === mirror.target && one.target === mirror.source);
    if (claim) return { bundle: other, claim };
  }
  return null;
}

function place({ source, line, text }: Claim, model: Model): Node {
  const path = model.nodes[source][3] ?? model.nodes[source][0];
  const quote = text === null ? null : make("q", { textContent: text });
  return make("div", {}, line === null ? path : `${path}:${line}`, quote);
}

function told(bundle: Bundle, model: Model): string {
  return `${model.entities[bundle.source].name} ${model.kinds[bundle.kind]} → ${model.entities[bundle.target].name}`;
}

function verdict(claim: Claim, { model, texts }: Context): string {
  if (!claim.verdict) return isUnproven(model, claim) ? texts.noVerdictUnproven : texts.noVerdict;
  const [judge, name, answer, pYes, , date] = claim.verdict;
  const who = judge === "person" ? texts.byPerson : (name ?? texts.byModel);
  return `${answer}, ${who}, ${date}${pYes === null ? "" : `, ${texts.pYes} ${pYes.toFixed(2)}`}`;
}
