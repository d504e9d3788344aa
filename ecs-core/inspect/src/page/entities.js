// Entities that match a query, as a list with a column for each field, and the one that was chosen.

import { $, fieldsOf, make, remember, state, textOf } from './dom.js';
import { List, setCells } from './list.js';
import * as detail from './detail.js';
import { refresh } from './main.js';
import { forget, nameComponents } from './types.js';

const COLUMNS = 10;
/** Rows that were seen, by number. */
let rows = new Map();
/** The fields that have a column: `[component, path, whether the column is of numbers]`. */
let columns;
let asked = { from: 0 };

const list = new List($('#list'), {
  fill(element, number) {
    const row = rows.get(number);
    element.classList.toggle('waiting', !row);
    element.classList.toggle('off', row?.components[DISABLED] !== undefined);
    if (!row) return setCells(element, ['…']);
    const cells = (columns ?? []).map(([component, path, isNumber]) => ({ text: textOf(at(row.components[component], path)), isNumber }));
    setCells(element, [row.entity, textOf(nameComponents().map((name) => row.components[name]).find(Boolean)), ...cells]);
  },
  choose(number) {
    const row = rows.get(number);
    if (row) choose(row.entity);
    else choose.pending = number;
  },
  moved: () => refresh(),
});

/** Chooses an entity, in the list or not. */
export function choose(entity) {
  choose.pending = undefined;
  remember({ entity });
  refresh();
}

/** The component of entities that loops leave out. */
export const DISABLED = 'ecs.disabled';

/** Returns the part of a value at a path such as `place.x` or `items[2]`. */
function at(value, path) {
  for (const key of path.split(/[.[\]]+/).filter(Boolean)) value = value?.[key];
  return value;
}

export function calls() {
  const text = state.query ?? '';
  asked = { from: Math.max(0, Math.floor(list.top)), text };
  // A query that names the component sees disabled entities.
  const query = state.disabled ? [text, `?${DISABLED}`].filter(Boolean).join(', ') : text;
  const find = { query, from: asked.from, limit: Math.min(200, list.visible + 2), columns: nameComponents(), count: true };
  return [['entities.find', find], ...detail.calls(state.entity)];
}

export function show([found, ...others]) {
  const error = found.error;
  $('#query-error').textContent = error ? errorText(error) : '';
  if (!error && asked.text === (state.query ?? '')) showRows(found.result);
  detail.show(state.entity, others);
}

/** Returns the text of an error, with a caret below the place in the query that it is about. */
function errorText({ message, data }) {
  if (!data?.message) return message;
  const caret = data.column ? `${' '.repeat(data.column - 1)}^\n` : '';
  return `${caret}${data.message}${data.help ? `; help: ${data.help}` : ''}`;
}

function showRows(result) {
  if (rows.size > 4000) rows.clear();
  result.rows.forEach((row, position) => rows.set(asked.from + position, row));
  setColumns(result);
  // Rows may have gone since they were seen.
  const count = result.count.at_least;
  for (const number of rows.keys()) if (number >= count) rows.delete(number);
  list.setLength(count);
  const unit = count === 1 ? 'entity' : 'entities';
  $('#count').textContent = `${result.count.exact ? '' : 'at least '}${count.toLocaleString('en')} ${unit}`;
  if (choose.pending !== undefined && rows.has(choose.pending)) choose(rows.get(choose.pending).entity);
  list.draw();
}

function setColumns(result) {
  const seen = new Map();
  for (const name of result.columns.filter((name) => !nameComponents().includes(name) && name !== DISABLED)) {
    for (const row of result.rows) {
      const value = row.components[name];
      if (value === undefined) continue;
      for (const [path, field] of fieldsOf(value)) {
        const key = JSON.stringify([name, path]);
        const isNumber = typeof field === 'number' && (seen.get(key)?.[2] ?? true);
        seen.set(key, [name, path, isNumber]);
      }
    }
  }
  const next = [...seen.values()].slice(0, COLUMNS);
  if (JSON.stringify(next) === JSON.stringify(columns)) return;
  columns = next;
  const head = $('#list-head');
  setCells(head, ['entity', 'name', ...columns.map(([component, path, isNumber]) => ({ text: label(component, path), isNumber }))]);
}

/** The last word of the component's name and the path, which fit into a column. */
const label = (component, path) => [component.split(/\.|::/).pop(), path].filter(Boolean).join('.');

export function restarted() {
  rows.clear();
  forget();
  remember({ entity: undefined });
}

$('#ask').onsubmit = (event) => {
  event.preventDefault();
  remember({ query: $('#query').value });
  rows.clear();
  list.chosen = -1;
  list.scrollTo(0);
  refresh();
};
$('#disabled').onchange = () => {
  remember({ disabled: $('#disabled').checked ? '1' : undefined });
  rows.clear();
  refresh();
};
$('#query').value = state.query ?? '';
$('#disabled').checked = !!state.disabled;
$('#spawn').onclick = () => detail.spawn();
