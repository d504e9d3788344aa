// Resources, states among them, with fields to edit.

import { call } from './rpc.js';
import { $, card, dim } from './dom.js';
import { refresh, status } from './turns.js';
import { Fields } from './fields.js';
import { nextOf } from './types.js';

// One batch has no more calls than this.
const MOST = 30;
/** The resources whose values are asked for. */
let names = [];
let shown = '';
let cards = new Map();

export const calls = () => [['world.list_resources', {}], ...names.map((resource) => ['world.get_resources', { resource }])];

export function show([list, ...values]) {
  const asked = names;
  const part = $('#resource-filter').value.toLowerCase();
  const all = (list.result ?? []).filter((name) => name.toLowerCase().includes(part));
  names = all.slice(0, MOST);
  const shape = JSON.stringify([status.writes, asked, all.length, values.map(({ error }) => error?.message)]);
  if (shape !== shown) {
    shown = shape;
    cards = new Map();
    // Resources with values come first.
    const order = [...asked.keys()].sort((one, other) => !!values[one].error - !!values[other].error);
    const more = all.length > MOST ? dim(`and ${all.length - MOST} more: write a part of the name`) : '';
    $('#resource-list').replaceChildren(...order.map((position) => resource(asked[position], values[position].error)), more);
  }
  values.forEach(({ result }, position) => cards.get(asked[position])?.set(result?.value));
}

function resource(name, error) {
  const edit = (path, value) => {
    // A state changes in the next frame, with its transition.
    const next = path === '' && nextOf(name);
    return call('world.mutate_resources', next ? { resource: next, path: '[0]', value: [value, false] } : { resource: name, path, value });
  };
  const fields = new Fields(name, edit);
  if (!error) cards.set(name, fields);
  return card([name], error ? dim(error.message) : fields.box);
}

$('#resource-filter').oninput = refresh;
