// Resources, states among them, with fields to edit.

import { call } from './rpc.js';
import { $, make } from './dom.js';
import { mayWrite } from './main.js';
import { choose } from './entities.js';
import { Fields } from './fields.js';

// One batch has no more calls than this.
const MOST = 30;
let names = [];
let shown = '';
let cards = new Map();

export const calls = () => [['world.list_resources', {}], ...names.slice(0, MOST).map((resource) => ['world.get_resources', { resource }])];

export function show([list, ...values]) {
  const asked = names;
  names = list.result ?? [];
  const shape = JSON.stringify([mayWrite(), asked, values.map(({ error }) => error?.message)]);
  if (shape !== shown) {
    shown = shape;
    cards = new Map();
    const left = asked.length > MOST ? [make('p', { class: 'dim' }, `and ${asked.length - MOST} more`)] : [];
    $('#resource-list').replaceChildren(...asked.slice(0, MOST).flatMap((name, position) => card(name, values[position]?.error)), ...left);
  }
  values.forEach(({ result }, position) => cards.get(asked[position])?.set(result?.value));
}

function card(name, error) {
  const head = make('h3', {}, name);
  if (error) return [head, make('p', { class: 'dim' }, error.message)];
  const edit = (path, value) => call('world.mutate_resources', { resource: name, path, value });
  const fields = new Fields(name, { isReadOnly: !mayWrite(), edit, follow: choose });
  cards.set(name, fields);
  return [head, fields.box];
}

export function restarted() {
  names = [];
}
