// The drawn graph: what the filters let through, in sigma.

import { MultiDirectedGraph } from "graphology";
import type Sigma from "sigma";
import { extremityArrow, pathCurved, pathLine } from "sigma/rendering";
import { DEFAULT_STYLES } from "sigma/types";
import { Calm } from "./calm";
import { type Legend, PALETTES, type Theme } from "./colours";
import { type Line, Lines } from "./lines";
import { type Bundle, type Filters, type Model, shownClaims } from "./model";

export interface Look {
  theme: Theme;
  legend: Legend;
  by: "kind" | "provenance";
}

export interface Clicks {
  node(entity: number): void;
  edge(bundle: number): void;
  stage(): void;
}

export interface Shown {
  nodes: number;
  bundles: Bundle[];
}

type Chosen = { entity: number } | { bundle: Bundle } | null;

// Beyond so many edges, arrow heads and curves would only blur the picture: they are lines, which sigma knows nothing of.
const MANY = 3000;
// How far off an edge may be clicked, in pixels.
const NEAR = 5;

export class Picture {
  private renderer: Sigma | null = null;
  private isMany = false;
  private graph = new MultiDirectedGraph();
  private look: Look | null = null;
  private near = new Set<string>();
  private chosenNode: string | null = null;
  private chosenEdge: string | null = null;

  constructor(
    private readonly model: Model,
    private readonly container: HTMLElement,
    private readonly clicks: Clicks,
  ) {}

  // Draws anew. Throws where there is no WebGL 2.
  draw(look: Look, filters: Filters): Shown {
    this.look = look;
    const { graph, shown } = this.build(look, filters);
    this.graph = graph;
    this.isMany ||= this.renderer === null && shown.bundles.length > MANY;
    this.renderer ??= this.start();
    this.renderer.setGraph(this.isMany ? graph.emptyCopy() : graph);
    return shown;
  }

  choose(chosen: Chosen): void {
    if (chosen === null && this.chosenNode === null && this.chosenEdge === null) return;
    this.near.clear();
    this.chosenNode = chosen && "entity" in chosen ? `${chosen.entity}` : null;
    this.chosenEdge = chosen && "bundle" in chosen ? `${chosen.bundle.place}` : null;
    if (chosen && "bundle" in chosen) {
      this.near.add(`${chosen.bundle.source}`).add(`${chosen.bundle.target}`);
    } else if (this.chosenNode !== null && this.graph.hasNode(this.chosenNode)) {
      this.near.add(this.chosenNode);
      this.graph.forEachNeighbor(this.chosenNode, (other) => this.near.add(other));
    }
    this.renderer?.refresh({ skipIndexation: true, schedule: true });
  }

  // Brings a node to the middle, near enough to read what is around it.
  show(entity: number): void {
    if (!this.renderer) return;
    const place = this.renderer.graphToFramedGraph(this.model.entities[entity]);
    const camera = this.renderer.getCamera();
    const ratio = Math.min(camera.ratio, Math.max(0.08, Math.min(1, 12 / Math.sqrt(this.graph.order))));
    this.move({ x: place.x, y: place.y, ratio });
  }

  zoom(factor: number): void {
    if (this.renderer) this.move({ ratio: this.renderer.getCamera().ratio * factor });
  }

  showAll(): void {
    this.move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  // The nearest neighbour within a right angle around a direction; y grows upwards.
  neighbour(entity: number, x: number, y: number): number | null {
    const from = this.model.entities[entity];
    if (!this.graph.hasNode(`${entity}`)) return null;
    let best: number | null = null;
    let least = Infinity;
    this.graph.forEachNeighbor(`${entity}`, (name) => {
      const other = this.model.entities[Number(name)];
      const along = (other.x - from.x) * x + (other.y - from.y) * y;
      const across = Math.abs((other.x - from.x) * y - (other.y - from.y) * x);
      const far = Math.hypot(along, across);
      if (along >= across && far > 0 && far < least) [best, least] = [other.place, far];
    });
    return best;
  }

  // The node with the most edges: where the arrow keys begin.
  first(): number | null {
    let best: string | null = null;
    this.graph.forEachNode((node) => {
      if (best === null || this.graph.degree(node) > this.graph.degree(best)) best = node;
    });
    return best === null ? null : Number(best);
  }

  private move(state: object): void {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const camera = this.renderer?.getCamera();
    if (isStill) camera?.setState(state);
    else void camera?.animate(state, { duration: 250 });
  }

  private build(look: Look, filters: Filters): { graph: MultiDirectedGraph; shown: Shown } {
    const { model } = this;
    const palette = PALETTES[look.theme];
    const graph = new MultiDirectedGraph();
    const bundles: Bundle[] = [];
    const tops: ReturnType<typeof shownClaims> = [];
    const degrees = new Uint32Array(model.entities.length);
    for (const bundle of model.bundles) {
      const [top] = shownClaims(model, bundle, filters);
      if (!top) continue;
      bundles.push(bundle);
      tops.push(top);
      degrees[bundle.source]++;
      degrees[bundle.target]++;
    }
    // Many nodes are drawn small, so that they do not hide each other.
    const unit = Math.min(1, (500 / model.entities.length) ** 0.4);
    for (const entity of model.entities) {
      if (filters.types.has(entity.type) || (degrees[entity.place] === 0 && !filters.alone)) continue;
      graph.addNode(`${entity.place}`, {
        x: entity.x,
        y: entity.y,
        size: unit * Math.min(24, 3.4 + 1.2 * Math.sqrt(degrees[entity.place])),
        color: entity.type === null ? palette.mention : look.legend.types[entity.type],
        label: entity.name,
      });
    }
    const colours = look.by === "kind" ? look.legend.kinds : look.legend.provenances;
    bundles.forEach((bundle, number) => {
      const colour = colours[look.by === "kind" ? bundle.kind : tops[number].provenance];
      graph.addEdgeWithKey(`${bundle.place}`, `${bundle.source}`, `${bundle.target}`, {
        color: colour,
        size: colour === palette.quiet ? 1 : 1.8,
      });
    });
    return { graph, shown: { nodes: graph.order, bundles } };
  }

  private get palette() {
    return PALETTES[this.look?.theme ?? "light"];
  }

  private start(): Sigma {
    const { isMany } = this;
    // The box must be known before many nodes are placed in it; sigma spreads parallel edges only if it began with some.
    const renderer = new Calm(isMany ? new MultiDirectedGraph() : this.graph.copy(), this.container, {
      primitives: {
        edges: { paths: [pathLine(), pathCurved()], extremities: [extremityArrow()] },
      },
      styles: {
        edges: { ...DEFAULT_STYLES.edges, head: "arrow", parallelPath: "curved" },
      },
      settings: {
        itemSizesReference: "screen",
        enableEdgeEvents: !isMany,
        edgePickingPadding: 3,
        labelRenderedSizeThreshold: isMany ? 5 : 3,
        labelDensity: 0.9,
        labelGridCellSize: 110,
        minEdgeThickness: 1,
        stagePadding: 60,
        minCameraRatio: 0.005,
        maxCameraRatio: 4,
      },
      nodeReducer: (node, data) => {
        const look = {
          labelColor: this.palette.label,
          // Among a few nodes, this would hide more than it shows.
          ...(isMany ? { labelBackgroundColor: this.palette.ground, labelBackgroundPadding: 1 } : {}),
          backdropColor: this.palette.backdrop,
          backdropShadowColor: this.palette.shadow,
        };
        if (node === this.chosenNode) {
          return { ...look, color: this.palette.chosen, size: data.size * 1.25, labelVisibility: "visible", depth: "topNodes" };
        }
        if (this.near.size === 0) return look;
        if (!this.near.has(node)) return { ...look, color: this.palette.faded, labelVisibility: "hidden" };
        return { ...look, labelVisibility: this.near.size <= 40 ? "visible" : "auto", depth: "topNodes" };
      },
      edgeReducer: (edge, data) => {
        if (edge === this.chosenEdge) return { size: data.size + 2, depth: "topEdges" };
        if (this.near.size === 0) return {};
        return this.isNear(edge) ? { size: data.size + 0.8, depth: "topEdges" } : { color: this.palette.fadedEdge };
      },
    });
    renderer.on("clickNode", ({ node }) => this.clicks.node(Number(node)));
    renderer.on("clickEdge", ({ edge }) => this.clicks.edge(Number(edge)));
    renderer.on("clickStage", ({ event }) => {
      const edge = isMany ? this.edgeAt(renderer.viewportToGraph(event), renderer.viewportToGraph({ x: event.x + NEAR, y: event.y })) : null;
      if (edge === null) this.clicks.stage();
      else this.clicks.edge(edge);
    });
    renderer.watch().setCustomBBox(this.box());
    if (isMany) renderer.addCustomLayerProgram("lines", "edges", (gl) => new Lines(gl, () => this.lined()));
    return renderer;
  }

  // An edge of the chosen node.
  private isNear(edge: string): boolean {
    return this.chosenNode !== null && this.graph.extremities(edge).includes(this.chosenNode);
  }

  private lined(): Line[] {
    const { renderer, near, palette } = this;
    if (!renderer) return [];
    const places = new Map(this.graph.mapNodes((node, { x, y }) => [node, renderer.graphToFramedGraph({ x, y })]));
    return this.graph.mapEdges((edge, { color }, source, target) => {
      const strong = edge === this.chosenEdge || this.isNear(edge);
      const colour = strong || near.size === 0 ? color : palette.fadedEdge;
      return { from: places.get(source)!, to: places.get(target)!, colour, strong };
    });
  }

  // The edge, drawn as a line, nearest to a point and not farther from it than another point is.
  private edgeAt(point: { x: number; y: number }, limit: { x: number; y: number }): number | null {
    let best: number | null = null;
    let least = Math.hypot(limit.x - point.x, limit.y - point.y);
    this.graph.forEachEdge((edge, _, source, target, from, to) => {
      if (this.near.size > 0 && !(this.near.has(source) && this.near.has(target))) return;
      const [x, y] = [to["x"] - from["x"], to["y"] - from["y"]];
      const along = ((point.x - from["x"]) * x + (point.y - from["y"]) * y) / (x * x + y * y || 1);
      const share = Math.max(0, Math.min(1, along));
      const far = Math.hypot(point.x - from["x"] - share * x, point.y - from["y"] - share * y);
      if (far < least) [best, least] = [Number(edge), far];
    });
    return best;
  }

  // That of all nodes, so that nothing moves when filters change.
  private box(): { x: [number, number]; y: [number, number] } {
    const span = (values: number[]): [number, number] => [
      values.reduce((one, other) => Math.min(one, other), Infinity) - 1,
      values.reduce((one, other) => Math.max(one, other), -Infinity) + 1,
    ];
    return { x: span(this.model.entities.map(({ x }) => x)), y: span(this.model.entities.map(({ y }) => y)) };
  }
}
