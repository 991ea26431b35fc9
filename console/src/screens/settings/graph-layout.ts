/** A step of a workflow: a node with the keys of those that may follow. */
export interface Step {
  id: string;
  initial: boolean;
  next: string[];
}

export interface PlacedNode {
  id: string;
  x: number;
  y: number;
}

export interface PlacedEdge {
  from: string;
  to: string;
  /** The points of a path, from the border of a node to that of the other. */
  points: { x: number; y: number }[];
  /** Leads back to an earlier step. */
  isBack: boolean;
}

export interface Layout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

export const NODE_WIDTH = 150;
export const NODE_HEIGHT = 52;
const COLUMN = 204;
const ROW = 84;
/** A place without a node, through which a long edge goes, is lower than a node. */
const PASS = 34;
const MARGIN = 14;
/** Edges forward and back use different places of a border. */
const PORT = 9;
const SWEEPS = 6;

interface Cell {
  name: string;
  node?: string;
  y: number;
  height: number;
  before: Cell[];
  after: Cell[];
}

/** Finds edges that close a circle, from the initial steps on. */
function backEdges(steps: Step[]): Set<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const back = new Set<string>();
  const state = new Map<string, 'open' | 'done'>();
  const visit = (step: Step) => {
    state.set(step.id, 'open');
    for (const id of step.next) {
      const next = byId.get(id);
      if (!next) continue;
      if (id === step.id || state.get(id) === 'open') back.add(`${step.id} ${id}`);
      else if (!state.has(id)) visit(next);
    }
    state.set(step.id, 'done');
  };
  const entered = new Set(steps.flatMap((step) => step.next));
  const begins = (step: Step) => (entered.has(step.id) ? 2 : 0) + (step.initial ? 0 : 1);
  for (const step of [...steps].sort((a, b) => begins(a) - begins(b))) if (!state.has(step.id)) visit(step);
  return back;
}

/** The column of each step: one behind the last of those before it. */
function columnsOf(steps: Step[], back: Set<string>): Map<string, number> {
  const column = new Map(steps.map((step) => [step.id, 0]));
  // Without back edges there is no circle: after as many rounds as steps nothing moves any more.
  for (let round = 0, moved = true; moved && round <= steps.length; round++) {
    moved = false;
    for (const step of steps)
      for (const id of step.next) {
        const least = column.get(step.id)! + 1;
        if (back.has(`${step.id} ${id}`) || !column.has(id) || column.get(id)! >= least) continue;
        column.set(id, least);
        moved = true;
      }
  }
  return column;
}

/** Places the steps of a workflow in columns from left to right, and edges between them. */
export function layOut(steps: Step[]): Layout {
  const back = backEdges(steps);
  const column = columnsOf(steps, back);
  const columns: Cell[][] = Array.from({ length: Math.max(0, ...column.values()) + 1 }, () => []);
  const cells = new Map<string, Cell>();
  const cell = (name: string, at: number, height: number, node?: string): Cell => {
    const made: Cell = { name, node, y: 0, height, before: [], after: [] };
    columns[at]!.push(made);
    cells.set(name, made);
    return made;
  };
  for (const step of steps) cell(step.id, column.get(step.id)!, ROW, step.id);
  const chains: { from: string; to: string; isBack: boolean; cells: Cell[] }[] = [];
  for (const step of steps)
    for (const to of step.next) {
      if (!column.has(to) || to === step.id) continue;
      const isBack = back.has(`${step.id} ${to}`);
      const [left, right] = isBack ? [to, step.id] : [step.id, to];
      const chain = [cells.get(left)!];
      for (let at = column.get(left)! + 1; at < column.get(right)!; at++) chain.push(cell(`${step.id} ${to} ${at}`, at, PASS));
      chain.push(cells.get(right)!);
      for (let at = 1; at < chain.length; at++) {
        chain[at - 1]!.after.push(chain[at]!);
        chain[at]!.before.push(chain[at - 1]!);
      }
      chains.push({ from: step.id, to, isBack, cells: chain });
    }
  arrange(columns);
  const xOf = (name: string) => MARGIN + column.get(name)! * COLUMN;
  const nodes = steps.map((step) => ({ id: step.id, x: xOf(step.id), y: cells.get(step.id)!.y - NODE_HEIGHT / 2 }));
  const edges = chains.map(({ from, to, isBack, cells: chain }) => {
    const first = chain[0]!;
    const start = column.get(first.name)!;
    const shift = isBack ? PORT : -PORT;
    const points = chain.flatMap((one, at) => {
      const x = MARGIN + (start + at) * COLUMN;
      if (one === first) return [{ x: x + NODE_WIDTH, y: one.y + shift }];
      if (at === chain.length - 1) return [{ x, y: one.y + shift }];
      return [
        { x, y: one.y },
        { x: x + NODE_WIDTH, y: one.y },
      ];
    });
    return { from, to, isBack, points: isBack ? points.reverse() : points };
  });
  const heights = columns.map((all) => all.reduce((sum, one) => sum + one.height, 0));
  return {
    nodes,
    edges,
    width: MARGIN * 2 + (columns.length - 1) * COLUMN + NODE_WIDTH,
    height: Math.max(ROW, ...heights) + MARGIN,
  };
}

/** Orders each column by the middle of its neighbours, so that few edges cross, and places it in the middle of the height. */
function arrange(columns: Cell[][]): void {
  const height = Math.max(...columns.map((all) => all.reduce((sum, one) => sum + one.height, 0)));
  const place = (all: Cell[]) => {
    let y = MARGIN / 2 + (height - all.reduce((sum, one) => sum + one.height, 0)) / 2;
    for (const one of all) {
      one.y = y + one.height / 2;
      y += one.height;
    }
  };
  columns.forEach(place);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forward = sweep % 2 === 0;
    for (const all of forward ? columns : [...columns].reverse()) {
      const middle = new Map(
        all.map((one) => {
          const neighbours = forward ? one.before : one.after;
          const sum = neighbours.reduce((total, other) => total + other.y, 0);
          return [one, neighbours.length ? sum / neighbours.length : one.y];
        }),
      );
      all.sort((a, b) => middle.get(a)! - middle.get(b)!);
      place(all);
    }
  }
}

/** A path with soft curves through the points. */
export function pathOf(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let before = first;
  const parts = [`M${first.x} ${first.y}`];
  for (const point of rest) {
    const middle = (before.x + point.x) / 2;
    parts.push(
      before.y === point.y ? `L${point.x} ${point.y}` : `C${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`,
    );
    before = point;
  }
  return parts.join('');
}
