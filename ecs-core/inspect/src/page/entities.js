// Entities that match a query, as a list with a column for each field, and the one that was chosen.

import { $, digits, fieldsOf, keysOf, link, make, nameText, plural, put, remember, state, textOf } from './dom.js';
import { List } from './list.js';
import * as detail from './detail.js';
import { spawn } from './forms.js';
import { batch } from './rpc.js';
import { act, notice } from './say.js';
import { go, refresh } from './turns.js';
import * as tree from './tree.js';
import { components as knownComponents, nameComponents, relations } from './types.js';

const COLUMNS = 10;
/** The pause after a key that begins a search, in milliseconds. */
const TYPING = 250;
/** Values change, so matches are counted again after this time, in milliseconds. */
const COUNTING = 2000;
/** The component of entities that loops leave out. */
export const DISABLED = 'ecs.disabled';

/** Rows that were seen, by number. */
let rows = new Map();
/** The fields that have a column: `[component, path, whether the column is of numbers, name]`. */
let [fields, fieldsShape] = [];
/** The search that is on the way. */
let asked;
/** The row that becomes the chosen one when it is known. */
let pending;
/** The entity that the user moves below another one, and the one below the pointer. */
export let held;
let over;

const list = new List($('#list'), 'entities', {
  row: (number) => rows.get(number),
  isDraggable: true,
  classOf: ({ entity, components }) => `${components[DISABLED] === undefined ? '' : 'off'} ${entity === held || entity === over ? 'held' : ''}`,
  isChosen: (row) => row.entity === state.entity,
  choose(row, number) {
    if (!row) pending = number;
    else if (state.tree && row.entity === state.entity) unfold(row);
    else choose(row.entity);
  },
  moved: () => find(),
  sorted: () => begin({ sort: list.by && (list.isDown ? '-' : '') + list.by }),
});

/** Opens or closes a row of the tree. */
function unfold(row) {
  tree.toggle(row);
  find();
}

/** Chooses an entity, in the list or not. */
export function choose(entity, isStep) {
  pending = undefined;
  go({ entity, view: 'entities' }, isStep);
}

export const linkTo = (entity) => link(entity, () => choose(entity, true));

/** Holds an entity until a parent is chosen for it, or no longer. */
export function hold(entity) {
  if (entity) notice(`${entity} is held: choose its parent, and press m again. Escape ends it.`);
  held = entity;
  list.draw();
  refresh();
}

/** Puts an entity below another one, or below none. */
export async function move(entity, parent) {
  await act('world.reparent_entities', { entities: [entity], parent });
  hold();
}

const rowOf = ({ target }) => rows.get(target.closest('.row')?.number);
const showOver = (event) => {
  event.preventDefault();
  over = event.type === 'dragover' && rowOf(event)?.entity;
  list.draw();
};
Object.assign($('#list'), {
  ondragstart: (event) => event.dataTransfer.setData('text/plain', rowOf(event)?.entity),
  ondragover: showOver,
  ondragend: showOver,
  ondrop(event) {
    showOver(event);
    move(event.dataTransfer.getData('text/plain'), rowOf(event)?.entity);
  },
});

/** Returns the part of a value at a path such as `place.x` or `items[2]`. */
const at = (value, path) => keysOf(path).reduce((part, key) => part?.[key], value);

/** Returns the name of a row, before the names of the entities above it, or below them in a tree. */
const nameOf = ({ components, ancestors = [], depth, isOpen, has_children: isInner }) =>
  (depth === undefined ? '' : '\u2003'.repeat(depth) + (isInner ? (isOpen ? '▾ ' : '▸ ') : '\u2003')) +
  [nameComponents().map((one) => components[one]).find(Boolean), ...ancestors.map(({ entity, name }) => name ?? entity)].map(nameText).join(' ‹ ');

export function calls() {
  find();
  return detail.calls();
}

export const { show } = detail;

const first = () => Math.max(0, Math.floor(list.top));
const question = () => JSON.stringify([state.query, state.sort, state.disabled, state.tree]);
const search = () => ({ query: queryOf(state.query ?? ''), disabled: !!state.disabled });

/** Returns a query: a text that begins with a quote is a part of a name. */
export function queryOf(text) {
  const part = text.match(/^\s*"([^"]*)"?\s*$/)?.[1];
  return part ? nameComponents().map((name) => `${name} ~ ${JSON.stringify(part)}`).join(' || ') || text : text;
}

/** Asks for the rows in sight. A search may take many frames, so it has turns of its own. */
async function find() {
  if (asked) return;
  asked = question();
  const from = first();
  const columns = nameComponents();
  const params = { ...search(), from, limit: Math.min(200, list.visible + 2), columns, ancestors: columns, sort: state.sort };
  try {
    const [{ result, error }] = state.tree ? [await tree.find(search(), state.tree, columns)] : await batch([['entities.find', params]]);
    if (asked === question()) {
      put('#query-error', error ? errorText(error) : '');
      $('#count').hidden = !!error;
      if (!error) showRows(result, state.tree ? 0 : from);
    }
  } catch {
    // The next turn says that the program does not answer.
  }
  // The user may have gone on.
  const isOld = asked !== question() || from !== first();
  asked = undefined;
  if (isOld) find();
}

/** The last count of all matches: `{of, time, count}`. */
let counted = {};

/** Counts the matches of a query that tests values. That may take much longer than the first rows, so it is done seldom. */
async function count() {
  const of = question();
  if (counted.isAsked || (counted.of === of && performance.now() - counted.time < COUNTING)) return;
  counted.isAsked = true;
  const [{ result }] = await batch([['entities.find', { ...search(), limit: 1, count: true }]]).catch(() => [{}]);
  counted = { of, time: performance.now(), count: result?.count.at_least };
}

/** Returns the text of an error, with a caret below the place in the query that it is about. */
function errorText({ message, data }) {
  const caret = data?.column ? `${' '.repeat(data.column - 1)}^\n` : '';
  return caret + (data?.message ?? message) + (data?.help ? `; help: ${data.help}` : '');
}

function showRows(result, from) {
  if (rows.size > 4000) rows.clear();
  result.rows.forEach((row, position) => rows.set(from + position, row));
  setFields(result);
  // Rows may have gone since they were seen.
  if (!result.count.exact) count();
  const isKnown = result.count.exact || counted.of === question();
  const length = result.count.exact || !isKnown ? result.count.at_least : counted.count;
  for (const number of rows.keys()) if (number >= length) rows.delete(number);
  list.setLength(length);
  put('#count', (isKnown ? '' : 'at least ') + plural(length, 'entity', 'entities') + (result.more > 0 ? `, and ${digits(result.more)} more at the top` : ''));
  if (rows.has(pending)) choose(rows.get(pending).entity);
  list.draw();
}

function setFields(result) {
  const seen = {};
  for (const name of result.columns) {
    if (name === DISABLED || nameComponents().includes(name)) continue;
    for (const { components: { [name]: value } } of result.rows) {
      for (const [path, field] of value === undefined ? [] : fieldsOf(value)) {
        const key = [name, path].filter(Boolean).join('.');
        const known = (seen[key] ??= [name, path, true]);
        known[2] &&= typeof field === 'number';
      }
    }
  }
  const next = Object.entries(seen).slice(0, COLUMNS).map(([key, field]) => [...field, key]);
  const shape = JSON.stringify([next, nameComponents()]);
  if (shape === fieldsShape) return;
  [fields, fieldsShape] = [next, shape];
  list.setColumns([
    { text: 'entity', show: (row) => row.entity, flex: '0 0 88px', class: 'code' },
    { text: 'name', show: nameOf, flex: '1.4', key: nameComponents()[0] },
    ...fields.map(([component, path, isNumber, key]) => ({
      text: label(component, path), title: `${component} ${path}`, isNumber, key,
      show: (row) => textOf(at(row.components[component], path)),
    })),
  ]);
}

/** The last word of the component's name and the path, which fit into a column. */
const label = (component, path) => [component.split(/\.|::/).pop(), path].filter(Boolean).join('.');

/** Shows the search that the address contains. */
export function restored() {
  $('#query').value = state.query ?? '';
  $('#disabled').checked = !!state.disabled;
  relations().then((all) => {
    $('#tree').replaceChildren(...['', ...all].map((name) => make('option', { value: name }, name ? `tree of ${name}` : 'list')));
    $('#tree').value = state.tree ?? '';
  });
  list.by = state.sort?.replace('-', '');
  list.isDown = state.sort?.[0] === '-';
  list.setColumns(list.columns);
  rows.clear();
}

/** Begins another search. */
export function begin(changes) {
  remember(changes);
  put('#count', 'searching…');
  rows.clear();
  list.cursor = -1;
  list.scrollTo(0);
  refresh();
}

let typing;
$('#query').oninput = async () => {
  clearTimeout(typing);
  typing = setTimeout(() => begin({ query: $('#query').value }), TYPING);
  // The browser completes the whole text, so each name follows the terms before it.
  const [, before, word] = $('#query').value.match(/^(.*?)([\w.:]*)$/s);
  const names = (await knownComponents()).map((type) => type.name).filter((name) => word && name.includes(word) && name !== word);
  $('#names').replaceChildren(...names.slice(0, 20).map((name) => make('option', { value: before + name })));
};
$('#query').onkeydown = ({ key }) => key === 'Enter' && $('#list').focus();
$('#disabled').onchange = () => begin({ disabled: $('#disabled').checked ? '1' : undefined });
$('#spawn').onclick = spawn;
$('#tree').onchange = () => begin({ tree: $('#tree').value });
$('#list').addEventListener('keydown', ({ key }) => {
  const row = rows.get(list.cursor);
  if (state.tree && row && key === (row.isOpen ? 'ArrowLeft' : 'ArrowRight')) unfold(row);
});

/** Adds a component to the query. */
export function require(name) {
  const terms = [state.query, name].filter(Boolean).join(', ');
  begin({ query: $('#query').value = terms });
}
