// Entities that match a query, as a list with a column for each field, and the one that was chosen.

import { $, fieldsOf, make, remember, state, textOf } from './dom.js';
import { List } from './list.js';
import * as detail from './detail.js';
import { spawn } from './forms.js';
import { batch } from './rpc.js';
import { refresh } from './turns.js';
import { act } from './say.js';
import { components as knownComponents, forget, nameComponents } from './types.js';

const COLUMNS = 10;
/** The pause after a key that begins a search, in milliseconds. */
const TYPING = 250;
/** The component of entities that loops leave out. */
export const DISABLED = 'ecs.disabled';

/** Rows that were seen, by number. */
let rows = new Map();
/** The fields that have a column: `[component, path, whether the column is of numbers]`. */
let fields;
/** The search that is on the way. */
let asked;
/** The row that becomes the chosen one when it is known. */
let pending;

const list = new List($('#list'), 'entities', {
  row: (number) => rows.get(number),
  classOf: (row) => (row.components[DISABLED] === undefined ? '' : 'off'),
  isChosen: (row) => row.entity === state.entity,
  choose(row, number) {
    if (row) choose(row.entity);
    else pending = number;
  },
  moved: () => find(),
  sorted: () => search({ sort: list.by && (list.isDown ? '-' : '') + list.by }),
  drop: (dragged, row) => act('world.reparent_entities', { entities: [dragged.entity], parent: row.entity }),
});

/** Chooses an entity, in the list or not. */
export function choose(entity) {
  pending = undefined;
  remember({ entity, view: 'entities' }, state.entity !== entity);
  refresh();
}

/** Returns the part of a value at a path such as `place.x` or `items[2]`. */
function at(value, path) {
  for (const key of path.split(/[.[\]]+/).filter(Boolean)) value = value?.[key];
  return value;
}

export function calls() {
  find();
  return detail.calls(state.entity);
}

export const show = (answers) => detail.show(state.entity, answers);

const first = () => Math.max(0, Math.floor(list.top));
const question = () => JSON.stringify([state.query, state.sort, state.disabled]);

/** Asks for the rows in sight. A search may take many frames, so it has turns of its own. */
async function find() {
  if (asked) return;
  asked = question();
  const from = first();
  // A query that names the component sees disabled entities.
  const query = [state.query, state.disabled && `?${DISABLED}`].filter(Boolean).join(', ');
  const params = { query, from, limit: Math.min(200, list.visible + 2), columns: nameComponents(), count: true };
  try {
    const [{ result, error }] = await batch([['entities.find', params]]);
    if (asked === question()) {
      $('#query-error').textContent = error ? errorText(error) : '';
      $('#count').hidden = !!error;
      if (!error) showRows(result, from);
    }
  } catch {
    // The next turn says that the program does not answer.
  }
  // The user may have gone on.
  const isOld = asked !== question() || from !== first();
  asked = undefined;
  if (isOld) find();
}

/** Returns the text of an error, with a caret below the place in the query that it is about. */
function errorText({ message, data }) {
  if (!data?.message) return message;
  const caret = data.column ? `${' '.repeat(data.column - 1)}^\n` : '';
  return `${caret}${data.message}${data.help ? `; help: ${data.help}` : ''}`;
}

function showRows(result, from) {
  if (rows.size > 4000) rows.clear();
  result.rows.forEach((row, position) => rows.set(from + position, row));
  setFields(result);
  // Rows may have gone since they were seen.
  const count = result.count.at_least;
  for (const number of rows.keys()) if (number >= count) rows.delete(number);
  list.setLength(count);
  const unit = count === 1 ? 'entity' : 'entities';
  $('#count').textContent = `${result.count.exact ? '' : 'at least '}${count.toLocaleString('en')} ${unit}`;
  if (rows.has(pending)) choose(rows.get(pending).entity);
  list.draw();
}

function setFields(result) {
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
  if (JSON.stringify(next) === JSON.stringify(fields)) return;
  fields = next;
  const name = (row) => textOf(nameComponents().map((one) => row.components[one]).find(Boolean));
  list.setColumns([
    { text: 'entity', show: (row) => row.entity, flex: '0 0 88px', class: 'code' },
    { text: 'name', show: name, flex: '1.4' },
    ...fields.map(([component, path, isNumber]) => ({
      text: label(component, path), title: `${component} ${path}`, isNumber, key: [component, path].filter(Boolean).join('.'),
      show: (row) => textOf(at(row.components[component], path)),
    })),
  ]);
}

/** The last word of the component's name and the path, which fit into a column. */
const label = (component, path) => [component.split(/\.|::/).pop(), path].filter(Boolean).join('.');

export function restarted() {
  rows.clear();
  forget();
  remember({ entity: undefined });
}

/** Shows the search that the address contains. */
export function restored() {
  $('#query').value = state.query ?? '';
  $('#disabled').checked = !!state.disabled;
  rows.clear();
}

/** Begins another search. */
export function search(changes) {
  remember(changes);
  $('#count').textContent = 'searching…';
  rows.clear();
  list.cursor = -1;
  list.scrollTo(0);
  refresh();
}

let typing;
$('#query').oninput = async () => {
  clearTimeout(typing);
  typing = setTimeout(() => search({ query: $('#query').value }), TYPING);
  // The browser completes the whole text, so each name follows the terms before it.
  const [, before, word] = $('#query').value.match(/^(.*?)([\w.:]*)$/s);
  const names = (await knownComponents()).map((type) => type.name).filter((name) => word && name.includes(word) && name !== word);
  $('#names').replaceChildren(...names.slice(0, 20).map((name) => make('option', { value: before + name })));
};
$('#ask').onsubmit = (event) => {
  event.preventDefault();
  clearTimeout(typing);
  search({ query: $('#query').value });
};
$('#disabled').onchange = () => search({ disabled: $('#disabled').checked ? '1' : undefined });
$('#spawn').onclick = spawn;
