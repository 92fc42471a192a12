// Whether a record can be shown at all, and what to say where it cannot. The twin of checking.py.

import SCHEMA from "./record.json" with { type: "json" };

const VERSION = 2;

// A sentence about what is wrong with a record, or "".
export function complaint(record) {
  const is = part => part && typeof part === "object" && !Array.isArray(part);
  if (!is(record) || !is(record.nodes) || !Object.keys(record.nodes).length) return "This explorer was given no recorded search.";
  const { version = VERSION, nodes, steps } = record;
  if (Number.isInteger(version) && version >= 0 && version < 1000 && version !== VERSION) {
    return `This record was written in format ${version}, and this explorer reads format ${VERSION}: run the search again with this version of the package.`;
  }
  if (!nodes.parent || nodes.parent.length === 0) return "This record has no nodes: the search never started.";
  if (!is(steps) || (steps.leaf ?? null) === null) return "This record has no steps, so there is nothing to draw.";
  if (Array.isArray(steps.leaf) && !steps.leaf.length && (record.totals ?? null) === null) return "This search ran no simulations: there is no tree yet.";
  const damage = fault(record) || misfit(record);
  return damage && `This record is damaged: ${damage}. Run the search again.`;
}

// What does not have the type that record.json wants, or "".
export const fault = (value, schema = SCHEMA) => faultIn(value, schema).replace(/^\./, "");

function faultIn(value, schema) {
  if (schema.$ref) return faultIn(value, SCHEMA.$defs[schema.$ref.split("/").pop()]);
  if (!fits(value, schema)) return ` is ${shown(value)}, not ${schema.title || "an object"}`;
  if (!value || typeof value !== "object") return "";
  const isList = Array.isArray(value), { required = [], properties = {}, additionalProperties: others } = schema;
  const missing = required.find(name => !Object.hasOwn(value, name));
  if (missing) return `.${missing} is missing`;
  for (const name of Object.keys(value)) {
    const kind = isList ? schema.items : Object.hasOwn(properties, name) ? properties[name] : others;
    const wrong = kind ? faultIn(value[name], kind) : "";
    if (wrong) return (isList ? `[${name}]` : `.${name}`) + wrong;
  }
  return "";
}

function fits(value, schema) {
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value, wanted = [schema.type].flat();
  if (!wanted.includes(kind) && !(wanted.includes("integer") && Number.isInteger(value))) return false;
  if (kind === "number") return schema.minimum === undefined || (schema.minimum <= value && value <= schema.maximum);
  if (kind === "string") return (schema.enum || [value]).includes(value) && (value.length <= (schema.maxLength ?? 200) || [...value].length <= schema.maxLength);
  return kind !== "array" || schema.minItems === undefined || (schema.minItems <= value.length && value.length <= schema.maxItems);
}

function shown(value) {
  if (value && typeof value === "object") return Array.isArray(value) ? `a list of ${value.length}` : "an object";
  const text = [...JSON.stringify(value) ?? "undefined"];
  return text.length <= 24 ? text.join("") : `${text.slice(0, 23).join("")}…`;
}

// Of a record whose types are right: what is not there although it is named.
function misfit(record) {
  const { game, root, nodes, steps } = record;
  const size = nodes.parent.length, rows = steps.leaf.length, actions = game.num_actions, cells = root.cells.length, board = game.rows * game.cols;
  const entries = (part, wanted, noun) => Object.keys(SCHEMA.properties[part].properties).map(name => [`${part}.${name}`, (record[part] || {})[name], wanted, noun]);
  const columns = [...entries("nodes", size, "nodes"), ...entries("steps", rows, "steps"), ...entries("totals", size, "nodes"), ["game.labels", game.labels, actions, "actions"], ["root.lands", board && !game.drawing.falls ? root.lands : null, actions, "actions"]];
  const uneven = columns.find(([, column, wanted]) => Array.isArray(column) && column.length !== wanted);
  if (uneven) return `${uneven[0]} has ${uneven[1].length} entries for ${uneven[2]} ${uneven[3]}`;
  const stray = nodes.parent.findIndex((up, i) => (i ? !(up >= 0 && up < i) : up !== -1));
  if (stray >= 0) return `node ${stray} does not come after its parent`;
  const lost = steps.leaf.findIndex(i => i >= size);
  if (lost >= 0) return `step ${lost + 1} ends at a node that is not there`;
  if (board && cells !== board) return `the root has ${cells} cells, but a board of ${game.name} has ${board}`;
  const named = [
    ...nodes.legal.map((legal, i) => [`nodes.legal[${i}]`, legal, actions]), ["nodes.action", nodes.action, actions], ["nodes.cell", nodes.cell, cells], ["nodes.origin", nodes.origin || [], cells], ["root.lands", root.lands, cells],
    ...Object.values(nodes.highlights).map(line => ["nodes.highlights", line, cells]), ...(nodes.changes || []).map(pairs => ["nodes.changes", pairs.filter((_, k) => k % 2 === 0), cells]),
  ];
  for (const [name, part, end] of named) {
    const highest = part.reduce((a, b) => Math.max(a, b), -1);
    if (highest >= end) return `${name} names ${highest}, but ${end} is the end`;
  }
  if (nodes.action.slice(1).some(action => action < 0)) return "nodes.action does not tell how a node is reached";
  return unevenParts(nodes, steps, actions);
}

// Lists of a node or a step that are not as long as they should be.
function unevenParts(nodes, steps, actions) {
  const depth = [0], lists = (nodes.prior || []).flatMap((p, i) => (p ? [[`nodes.prior[${i}]`, p, actions]] : []));
  for (let i = 1; i < nodes.parent.length; i++) depth[i] = depth[nodes.parent[i]] + 1;
  for (const name of ["change", "visits", "scores"]) {
    (steps[name] || []).forEach((part, row) => {
      lists.push([`steps.${name}[${row}]`, part, depth[steps.leaf[row]]]);
      if (name === "scores") lists.push(...part.map(scores => [`steps.scores[${row}]`, scores, actions]));
    });
  }
  const wrong = lists.find(([, part, wanted]) => part.length !== wanted);
  if (wrong) return `${wrong[0]} has ${wrong[1].length} entries, not ${wrong[2]}`;
  return steps.simulation.some((s, k) => s < (k ? steps.simulation[k - 1] : 1)) ? "steps.simulation does not count up" : "";
}

// A sentence about a search that is shown although it did not end as planned, or "".
export function remark(record) {
  const { info, steps } = record;
  if (!info || !info.stopped || !steps.leaf.length) return "";
  const count = n => Number(n).toLocaleString("en"), done = steps.simulation[steps.simulation.length - 1];
  const ended = (record.nodes.proven || {})["0"] ? "its root is proven" : "";
  return `This search ${ended ? "ended" : "was stopped"} after ${count(done)} of ${count(info.num_simulations)} simulations${ended && ": " + ended}.`;
}
