// The forms that spawn, insert, move and edit as text.

import { call } from './rpc.js';
import { make } from './dom.js';
import { dialog, notice } from './say.js';
import { choose } from './entities.js';
import { components as allComponents, firstValue } from './types.js';

const area = (label, value) => make('textarea', { 'aria-label': label, spellcheck: 'false' }, value);
const pretty = (value) => JSON.stringify(value, null, 1);

/** Copies the components as the text that "Spawn…" takes, in this program or in another one. */
export async function copy(components) {
  const values = components.filter(({ error, relation }) => !error && !relation).map(({ name, value }) => [name, value]);
  try {
    await navigator.clipboard.writeText(pretty(Object.fromEntries(values)));
    notice('copied: paste it into "Spawn…", here or in another program');
  } catch (error) {
    notice(`cannot copy: ${error.message}`);
  }
}

/** Asks for the components of a new entity. */
export function spawn() {
  const text = area('components', '{}');
  const help = make('p', { class: 'dim' }, 'Components by name, such as {"game.health": {"now": 5}}, or a copied entity.');
  const submit = async () => {
    const made = await call('world.spawn_entity', { components: JSON.parse(text.value) });
    choose(made.entity);
  };
  dialog('Spawn', [help, text], submit, 'Spawn');
}

export async function insert(entity) {
  const types = await allComponents();
  const fill = () => (value.value = pretty(firstValue(types[choice.selectedIndex])));
  const choice = make('select', { 'aria-label': 'component', onchange: fill }, ...types.map((type) => make('option', {}, type.name)));
  const value = area('value', '');
  fill();
  const submit = () => call('world.insert_components', { entity, components: { [choice.value]: JSON.parse(value.value) } });
  dialog(`Insert into ${entity}`, [make('p', {}, choice), value], submit, 'Insert');
}

/** Edits a whole component: the only way to other variants and lengths. */
export async function editText(entity, name) {
  const { [name]: before } = await call('world.get_components', { entity, components: [name], strict: true });
  const value = area('value', pretty(before));
  const submit = () => call('world.insert_components', { entity, components: { [name]: JSON.parse(value.value) } });
  dialog(`${name} of ${entity}`, [value], submit, 'Replace');
}

export function reparent(entity) {
  const parent = make('input', { 'aria-label': 'parent', placeholder: '12v1, or nothing' });
  const help = make('p', { class: 'dim' }, 'You can also drag its row onto the row of the parent.');
  const submit = () => call('world.reparent_entities', { entities: [entity], parent: parent.value.trim() || null });
  dialog(`Parent of ${entity}`, [parent, help], submit, 'Move');
}
