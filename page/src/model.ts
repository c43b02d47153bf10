// The data as graph/drawing.py writes it, and what the page makes of it: entities, and edges between them.

type NodeRow = [id: string, name: string, entity: number, path: string | null, type: number | null, aliases: string[]];
type EdgeRow = [
  source: number,
  kind: number,
  target: number,
  provenance: number,
  rule: number,
  confidence: number,
  line: number | null,
  verdict: number | null,
  mirror: 0 | 1,
  text: number | null,
];
type VerdictRow = [judge: string, model: string | null, answer: string, pYes: number | null, confidence: number, date: string];
type ResolutionRow = [
  a: number,
  b: number,
  method: string,
  score: number | null,
  state: string,
  model: string | null,
  reason: string,
  decidedBy: string | null,
];

interface Data {
  name: string;
  nodes: NodeRow[];
  entities: [node: number, x: number, y: number][];
  edges: EdgeRow[];
  kinds: string[];
  inverses: (number | null)[];
  provenances: string[];
  rules: string[];
  types: string[];
  texts: string[];
  verdicts: VerdictRow[];
  resolutions: ResolutionRow[];
}

export interface Claim {
  source: number;
  target: number;
  kind: number;
  provenance: number;
  rule: string;
  confidence: number;
  line: number | null;
  text: string | null; // that of the line
  verdict: VerdictRow | null;
  mirror: boolean;
}

// All claims of one kind from one entity to another; drawn as one edge.
export interface Bundle {
  place: number;
  source: number;
  target: number;
  kind: number;
  claims: Claim[];
}

export interface Entity {
  place: number;
  x: number;
  y: number;
  id: string;
  name: string;
  path: string | null;
  type: number | null; // null: a name without a note
  nodes: number[];
  bundles: Bundle[];
  resolutions: ResolutionRow[];
  keys: string[]; // what a search looks at
}

export interface Model {
  name: string;
  nodes: NodeRow[];
  entities: Entity[];
  bundles: Bundle[];
  claims: number;
  kinds: string[];
  inverses: (number | null)[];
  provenances: string[];
  types: string[];
}

export const key = (text: string) => text.normalize("NFC").toLowerCase();

export function readModel(text: string): Model {
  const data = JSON.parse(text) as Data;
  const entities: Entity[] = data.entities.map(([node, x, y], place) => {
    const [id, name, , path, type] = data.nodes[node];
    return { place, x, y, id, name, path, type, nodes: [], bundles: [], resolutions: [], keys: [] };
  });
  data.nodes.forEach(([id, name, entity, , , aliases], node) => {
    entities[entity].nodes.push(node);
    entities[entity].keys.push(...[name, ...aliases, id].map(key));
  });
  for (const row of data.resolutions) {
    const ends = new Set([data.nodes[row[0]][2], data.nodes[row[1]][2]]);
    for (const entity of ends) entities[entity].resolutions.push(row);
  }
  return {
    name: data.name,
    nodes: data.nodes,
    entities,
    bundles: bundled(data, entities),
    claims: data.edges.length,
    kinds: data.kinds,
    inverses: data.inverses,
    provenances: data.provenances,
    types: data.types,
  };
}

function bundled(data: Data, entities: Entity[]): Bundle[] {
  const bundles: Bundle[] = [];
  const known = new Map<number, Bundle>();
  for (const [source, kind, target, provenance, rule, confidence, line, verdict, mirror, text] of data.edges) {
    const from = data.nodes[source][2];
    const to = data.nodes[target][2];
    if (from === to) continue;
    const number = (from * entities.length + to) * data.kinds.length + kind;
    let bundle = known.get(number);
    if (!bundle) {
      bundle = { place: bundles.length, source: from, target: to, kind, claims: [] };
      known.set(number, bundle);
      bundles.push(bundle);
      entities[from].bundles.push(bundle);
      entities[to].bundles.push(bundle);
    }
    bundle.claims.push({
      source,
      target,
      kind,
      provenance,
      rule: data.rules[rule],
      confidence,
      line,
      text: text === null ? null : data.texts[text],
      verdict: verdict === null ? null : data.verdicts[verdict],
      mirror: mirror === 1,
    });
  }
  return bundles;
}

export interface Filters {
  mirrors: boolean;
  unproven: boolean;
  alone: boolean;
  confidence: number;
  kinds: Set<number>; // these are off
  provenances: Set<number>;
  types: Set<number | null>;
}

export const isUnproven = (model: Model, claim: Claim) => model.provenances[claim.provenance].startsWith("candidate:");

// The claims of a bundle that the filters let through, the surest first.
export function shownClaims(model: Model, bundle: Bundle, filters: Filters): Claim[] {
  if (filters.kinds.has(bundle.kind)) return [];
  if (filters.types.has(model.entities[bundle.source].type)) return [];
  if (filters.types.has(model.entities[bundle.target].type)) return [];
  return bundle.claims
    .filter(
      (claim) =>
        (filters.mirrors || !claim.mirror) &&
        (filters.unproven || !isUnproven(model, claim)) &&
        claim.confidence >= filters.confidence &&
        !filters.provenances.has(claim.provenance),
    )
    .sort((one, other) => Number(one.mirror) - Number(other.mirror) || other.confidence - one.confidence);
}

// What a search finds: names that begin with the text first, then those with a word that does, then any that hold it.
export function found(model: Model, written: string, most: number): Entity[] {
  const wanted = key(written.trim());
  if (!wanted) return [];
  const rank = (entity: Entity) => {
    let best = 3;
    for (const text of entity.keys) {
      const at = text.indexOf(wanted);
      if (at < 0) continue;
      best = Math.min(best, at === 0 ? 0 : /[\p{L}\p{N}]/u.test(text[at - 1]) ? 2 : 1);
    }
    return best;
  };
  return model.entities
    .map((entity) => [rank(entity), entity] as const)
    .filter(([best]) => best < 3)
    .sort(([a, one], [b, other]) => a - b || one.name.length - other.name.length || (key(one.name) < key(other.name) ? -1 : 1))
    .slice(0, most)
    .map(([, entity]) => entity);
}
