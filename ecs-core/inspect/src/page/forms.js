// The forms that copy, spawn and insert.

import { call } from './rpc.js';
import { make } from './dom.js';
import { dialog, notice } from './say.js';
import { choose } from './entities.js';
import { components, firstEvent, firstValue } from './types.js';

const area = (label, value) => make('textarea', { ariaLabel: label }, value);

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

/** Inserts a component, or replaces one as a whole: the only way to other variants and lengths. */
export async function insert(entity, name) {
  const types = await components();
  const choice = make('select', { ariaLabel: 'component' }, ...types.map((type) => make('option', {}, type.name)));
  choice.value = name ?? types[0]?.name;
  const value = area('value', '');
  choice.onchange = async () => {
    const { components: has } = await call('world.get_components', { entity, components: [choice.value], whole: true });
    value.value = JSON.stringify(has[choice.value] ?? firstValue(types[choice.selectedIndex]), null, 1);
  };
  choice.onchange();
  const submit = () => call('world.insert_components', { entity, components: { [choice.value]: JSON.parse(value.value) } });
  dialog(`Component of ${entity}`, [make('p', {}, choice), value], submit, name ? 'Replace' : 'Insert');
}

/** Sends an event, or calls its observers. */
export async function send(event, entity) {
  const value = area('value', JSON.stringify(await firstEvent(event), null, 1));
  const to = ['its readers', 'its observers', entity && `the observers of ${entity}`].filter(Boolean);
  const choice = make('select', { ariaLabel: 'to' }, ...to.map((one) => make('option', {}, one)));
  const submit = () => {
    const params = { event, message: event, value: JSON.parse(value.value), entity: choice.selectedIndex > 1 ? entity : undefined };
    return call(choice.selectedIndex ? 'world.trigger_event' : 'world.write_message', params);
  };
  dialog(`Send ${event} to`, [make('p', {}, choice), value], submit, 'Send');
}
