// One entity: its components with fields to edit, what leads to it, and what can be done with it.

import { call } from './rpc.js';
import { $, button, bytes, link, make, remember, setWhy, textOf } from './dom.js';
import { refresh, status, whyNoEdits } from './turns.js';
import { act } from './say.js';
import { choose, DISABLED } from './entities.js';
import { Fields } from './fields.js';
import { copy, editText, insert, reparent } from './forms.js';
import { nameComponents } from './types.js';

let shown = '';
let cards = new Map();

export const calls = (entity) => (entity ? [['entity.get', { entity }], ['entities.children', { of: entity, limit: 50 }]] : []);

export function show(entity, [got, children]) {
  const box = $('#detail');
  if (!entity) {
    if (shown !== 'none') box.replaceChildren(make('p', { class: 'dim' }, 'Choose an entity in the list: click it, or press the down arrow.'));
    shown = 'none';
    return;
  }
  if (!got) return;
  if (got.error) {
    box.replaceChildren(make('p', { class: 'dim' }, `${entity}: ${got.error.message}`));
    shown = '';
    return;
  }
  const components = got.result.components;
  const relations = children.result?.relations ?? [];
  const shape = JSON.stringify([entity, status.writes, relations, components.map(({ name, error }) => [name, error])]);
  if (shape !== shown) {
    shown = shape;
    build(box, entity, components, relations);
  }
  for (const { name, value } of components) cards.get(name)?.set(value);
}

function build(box, entity, components, relations) {
  cards = new Map();
  const name = nameComponents().map((one) => components.find((component) => component.name === one)).find(Boolean);
  const isDisabled = components.some((component) => component.name === DISABLED);
  const sources = relations.map(({ relation, count, rows }) =>
    make('p', {},
      make('span', { class: 'dim' }, `${relation} from ${count}: `),
      ...rows.flatMap((row) => [link(row.entity, () => choose(row.entity)), ' ']),
      count > rows.length ? `and ${count - rows.length} more` : null));
  box.replaceChildren(
    make('h2', {}, name ? `${textOf(name.value)} ` : '', make('code', {}, entity), isDisabled ? make('small', {}, ' disabled') : ''),
    actions(entity, components, isDisabled),
    ...sources,
    // The lists of sources are shown above.
    ...components.filter((component) => !(component.relation && component.value === null)).map((component) => card(entity, component)),
  );
}

/** A button for a change, which says why it does nothing if nothing may be changed. */
const editing = (text, does, attributes) => setWhy(button(text, does, attributes), whyNoEdits());

function actions(entity, components, isDisabled) {
  const disable = () =>
    isDisabled
      ? act('world.remove_components', { entity, components: [DISABLED] })
      : act('world.insert_components', { entity, components: { [DISABLED]: null } });
  const clone = async () => {
    const made = await act('entity.clone', { entity });
    if (made) choose(made.entity);
  };
  return make('div', { class: 'actions' },
    button('Copy', () => copy(components)),
    editing('Insert…', () => insert(entity)),
    editing('Clone', clone),
    editing('Reparent…', () => reparent(entity)),
    editing(isDisabled ? 'Enable' : 'Disable', disable),
    editing('Despawn', () => act('world.despawn_entity', { entity })),
  );
}

function card(entity, { name, bytes: size, storage, error, value }) {
  const users = () => {
    remember({ view: 'schedule', access: name }, true);
    refresh();
  };
  const remove = () => act('world.remove_components', { entity, components: [name] });
  const head = make('h3', {}, link(name, users, { title: 'show the systems that read or write it' }), make('small', {}, `${bytes(size)}, ${storage}`),
    error ? null : editing('Text…', () => editText(entity, name), { 'aria-label': `edit ${name} as text` }),
    editing('×', remove, { 'aria-label': `remove ${name}` }));
  if (error) return make('div', { class: 'card' }, head, make('p', { class: 'dim' }, error));
  const edit = (path, changed) => call('world.mutate_components', { entity, component: name, path, value: changed });
  const fields = new Fields(name, { follow: choose, edit });
  // Tags have no fields.
  if (value !== null) cards.set(name, fields);
  return make('div', { class: 'card' }, head, fields.box);
}
