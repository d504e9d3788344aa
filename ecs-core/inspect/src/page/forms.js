// The forms that spawn, insert, move and edit as text.

import { call } from './rpc.js';
import { make } from './dom.js';
import { dialog, notice } from './say.js';
import { choose } from './entities.js';
import { components as allComponents, firstValue } from './types.js';

const area = (label, value) => make('textarea', { ariaLabel: label }, value);
const pretty = (value) => JSON.stringify(value, null, 1);

/** Copies entities as the text that "Spawn…" takes, in this program or in another one. */
export async function copy(entity, relation) {
  let copied;
  try {
    copied = await call('entities.copy', { entities: [entity], relation });
    await navigator.clipboard.writeText(copied.text);
    const left = copied.left_out.length ? ` without ${copied.left_out.join(', ')}` : '';
    notice(`copied ${copied.entities}${left}: paste into "Spawn…", here or elsewhere`);
  } catch (error) {
    if (copied) dialog('Copy this text', [area('copy', copied.text)]);
    else notice(error.message);
  }
}

/** Spawns a prefab, an entity of some components, or a copy. */
export async function spawn() {
  const prefabs = await call('prefabs.list').catch(() => []);
  const text = area('components', '{}');
  const hide = () => (text.hidden = choice.value !== '');
  const choice = make('select', { ariaLabel: 'prefab', onchange: hide },
    make('option', { value: '' }, 'components by name, or a copy'), ...prefabs.map(({ name }) => make('option', { value: name }, `prefab ${name}`)));
  const submit = async () => {
    const value = JSON.parse(text.value);
    const { entity, entities } = choice.value
      ? await call('prefabs.spawn', { prefab: choice.value })
      : value.format
        ? await call('entities.paste', { text: text.value })
        : await call('world.spawn_entity', { components: value });
    choose(entity ?? entities[0]);
  };
  dialog('Spawn', [make('p', {}, choice), text], submit, 'Spawn');
}

export async function insert(entity) {
  const types = await allComponents();
  const fill = () => (value.value = pretty(firstValue(types[choice.selectedIndex])));
  const choice = make('select', { ariaLabel: 'component', onchange: fill }, ...types.map((type) => make('option', {}, type.name)));
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
  const parent = make('input', { ariaLabel: 'parent', placeholder: '12v1, or nothing' });
  const submit = () => call('world.reparent_entities', { entities: [entity], parent: parent.value.trim() || null });
  dialog(`Parent of ${entity}`, [parent], submit, 'Move');
}
