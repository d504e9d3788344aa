// Entities as a tree: those without a target in a relation that match the query, and the sources of each that is open.

import { batch } from './rpc.js';

// One batch has no more calls than 32.
const MOST_OPEN = 31;
const LEVELS = 32;
const open = new Set();

/** Opens or closes the row of an entity. */
export const toggle = ({ entity }) => open.delete(entity) || open.add(entity);

/** Returns what `entities.find` would, with the rows in the order of the tree; each has its `depth`, and whether it is open. */
export async function find({ query, disabled }, relation, columns) {
  const opened = [...open].slice(0, MOST_OPEN);
  const roots = { query: [query, `!(\`${relation}\` *)`].filter(Boolean).join(', '), disabled, columns, relation, limit: 200 };
  const [found, ...below] = await batch([
    ['entities.find', roots],
    ...opened.map((of) => ['entities.children', { of, relation, columns, limit: 200 }]),
  ]);
  if (found.error) return found;
  const sources = new Map(opened.map((of, at) => [of, below[at].result?.relations[0]?.rows ?? []]));
  const rows = [];
  const add = (row, depth) => {
    const inside = sources.get(row.entity);
    rows.push({ ...row, depth, isOpen: !!inside });
    if (inside && depth < LEVELS) inside.forEach((one) => add(one, depth + 1));
  };
  found.result.rows.forEach((row) => add(row, 0));
  const more = found.result.count.at_least - found.result.rows.length;
  return { result: { ...found.result, rows, count: { exact: true, at_least: rows.length }, more } };
}
