// Which colour means what, in both themes. Plain links are quiet, so that the others can be seen.

import type { Model } from "./model";

export type Theme = "light" | "dark";

interface Palette {
  strong: string[];
  quiet: string;
  note: string[];
  mention: string;
  label: string;
  ground: string; // under labels
  chosen: string;
  faded: string;
  fadedEdge: string;
  backdrop: string;
  shadow: string;
}

export const PALETTES: Record<Theme, Palette> = {
  light: {
    strong: ["#d9480f", "#1971c2", "#2b8a3e", "#9c36b5", "#c2255c", "#0b7285", "#e08e0b", "#5f3dc4", "#66800b", "#845a33"],
    quiet: "#b9c1cb",
    note: ["#37506b", "#0c8599", "#c2255c", "#5c940d", "#e67700", "#6741d9", "#a0522d", "#1864ab"],
    mention: "#a9b2bd",
    label: "#1d2733",
    ground: "rgba(255, 255, 255, 0.75)",
    chosen: "#d9480f",
    faded: "#e3e7ec",
    fadedEdge: "#eef0f3",
    backdrop: "#ffffff",
    shadow: "rgba(20, 30, 45, 0.35)",
  },
  dark: {
    strong: ["#ff922b", "#4dabf7", "#69db7c", "#da77f2", "#f783ac", "#3bc9db", "#ffd43b", "#9775fa", "#c0eb75", "#d2a679"],
    quiet: "#4a5563",
    note: ["#a5c0dc", "#3bc9db", "#f783ac", "#a9e34b", "#ffc078", "#b197fc", "#e0a98f", "#74c0fc"],
    mention: "#6b7685",
    label: "#e4e9ef",
    ground: "rgba(20, 24, 29, 0.75)",
    chosen: "#ff922b",
    faded: "#2a313b",
    fadedEdge: "#1f252d",
    backdrop: "#262d36",
    shadow: "rgba(0, 0, 0, 0.6)",
  },
};

const QUIET = new Set(["references", "referenced_by", "structure"]);
const PROVENANCES: Record<string, number> = { explicit: 1, "explicit:note_zone": 2, rule: 3, semantic_ai: 4 };

export interface Legend {
  kinds: string[];
  provenances: string[];
  types: string[];
}

// The commonest have colours of their own, and beyond these they come again: no kind looks like a plain link. A kind and
// its inverse share one.
export function legend(model: Model, theme: Theme): Legend {
  const palette = PALETTES[theme];
  const counts = new Array<number>(model.kinds.length).fill(0);
  for (const bundle of model.bundles) counts[bundle.kind] += bundle.claims.length;
  const kinds: string[] = [];
  let next = 0;
  for (const kind of [...counts.keys()].sort((one, other) => counts[other] - counts[one] || one - other)) {
    const isQuiet = QUIET.has(model.kinds[kind]);
    kinds[kind] ??= kinds[model.inverses[kind] ?? kind] ?? (isQuiet ? palette.quiet : palette.strong[next++ % palette.strong.length]);
  }
  const provenances = model.provenances.map((name) =>
    QUIET.has(name) ? palette.quiet : palette.strong[PROVENANCES[name] ?? 0],
  );
  const others = model.types.filter((name) => name !== "default").sort();
  const types = model.types.map((name) => palette.note[name === "default" ? 0 : 1 + (others.indexOf(name) % (palette.note.length - 1))]);
  return { kinds, provenances, types };
}
