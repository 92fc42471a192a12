// Whether a record can be shown at all, and what to say where it cannot.

const VERSION = 2;
const COLUMNS = ["parent", "action", "cell", "to_play", "outcome", "legal"];

// A sentence about what is wrong with a record, or "".
export function complaint(record) {
  if (!record || typeof record !== "object" || typeof record.nodes !== "object" || !record.nodes || !Object.keys(record.nodes).length) return "This explorer was given no recorded search.";
  const { version, nodes, steps, game, rule, root } = record;
  if (version !== undefined && version !== VERSION) {
    return `This record was written in format ${version}, and this explorer reads format ${VERSION}: run the search again with this version of the package.`;
  }
  if (!nodes.parent || !nodes.parent.length) return "This record has no nodes: the search never started.";
  if (!steps || !steps.leaf) return "This record has no steps, so there is nothing to draw.";
  if (!steps.leaf.length && !record.totals) return "This search ran no simulations: there is no tree yet.";
  const bad = what => `This record is damaged: ${what}. Run the search again.`;
  for (const [name, part] of Object.entries({ game, rule, root })) {
    if (!part || typeof part !== "object") return bad(`${name} is missing`);
  }
  const size = nodes.parent.length, columns = Object.fromEntries(COLUMNS.map(name => [name, nodes[name]]));
  if (nodes.prior) columns.prior = nodes.prior;
  for (const [name, column] of Object.entries(columns)) {
    if (!Array.isArray(column)) return bad(`nodes.${name} is missing`);
    if (column.length !== size) return bad(`nodes.${name} has ${column.length} entries for ${size} nodes`);
  }
  const stray = nodes.parent.findIndex((up, i) => (i ? !(up >= 0 && up < i) : up !== -1));
  if (stray >= 0) return bad(`node ${stray} does not come after its parent`);
  for (const name of ["simulation", "value"]) {
    if (!Array.isArray(steps[name]) || steps[name].length !== steps.leaf.length) return bad(`steps.${name} does not have one entry a step`);
  }
  const lost = steps.leaf.findIndex(i => !(i >= 0 && i < size));
  if (lost >= 0) return bad(`step ${lost + 1} ends at a node that is not there`);
  const cells = (root.cells || []).length, { rows = 0, cols = 0 } = game;
  if (rows && cells !== rows * cols) return bad(`the root has ${cells} cells, but a board of ${game.name} has ${rows * cols}`);
  return "";
}

// A sentence about a search that is shown although it did not end as planned, or "".
export function remark(record) {
  const { info, steps } = record;
  if (!info || !info.stopped || !steps.leaf.length) return "";
  const count = n => Number(n).toLocaleString("en"), done = steps.simulation[steps.simulation.length - 1];
  return `This search was stopped after ${count(done)} of ${count(info.num_simulations)} simulations.`;
}
