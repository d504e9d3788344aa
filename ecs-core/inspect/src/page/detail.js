// One entity: its components with fields to edit, what leads to it, and what can be done with it.

import { call } from './rpc.js';
import { $, button, bytes, make, textOf } from './dom.js';
import { act, dialog, mayWrite, notice } from './main.js';
import { choose, DISABLED } from './entities.js';
import { Fields } from './fields.js';
import { components as allComponents, firstValue, nameComponents } from './types.js';

let shown = '';
let cards = new Map();

export const calls = (entity) => (entity ? [['entity.get', { entity }], ['entities.children', { of: entity, limit: 50 }]] : []);

export function show(entity, [got, children]) {
  const box = $('#detail');
  if (!entity) {
    if (shown !== 'none') box.replaceChildren(make('p', { class: 'dim' }, 'Choose an entity in the list.'));
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
  const shape = JSON.stringify([entity, mayWrite(), relations, components.map(({ name, error }) => [name, error])]);
  if (shape !== shown) {
    shown = shape;
    build(box, entity, components, relations);
  }
  for (const { name, value } of components) cards.get(name)?.set(value);
}

const link = (entity) => button(entity, () => choose(entity), { class: 'link' });

function build(box, entity, components, relations) {
  cards = new Map();
  const name = nameComponents().map((one) => components.find((component) => component.name === one)).find(Boolean);
  const isDisabled = components.some((component) => component.name === DISABLED);
  const sources = relations.map(({ relation, count, rows }) =>
    make('div', {},
      make('span', { class: 'dim' }, `${relation} from ${count}: `),
      ...rows.flatMap((row) => [link(row.entity), ' ']),
      count > rows.length ? `and ${count - rows.length} more` : null));
  box.replaceChildren(
    make('h2', {}, name ? `${textOf(name.value)} ` : '', make('code', {}, entity), isDisabled ? ' (disabled)' : ''),
    actions(entity, components, isDisabled),
    ...sources,
    // The lists of sources are shown above.
    ...components.filter((component) => !(component.relation && component.value === null)).flatMap((component) => card(entity, component)),
  );
}

function actions(entity, components, isDisabled) {
  const edit = (text, does) => button(text, does, { disabled: !mayWrite() });
  const disable = () =>
    isDisabled
      ? act('world.remove_components', { entity, components: [DISABLED] })
      : act('world.insert_components', { entity, components: { [DISABLED]: null } });
  return make('div', { class: 'actions' },
    button('Copy', () => copy(components)),
    edit('Insert…', () => insert(entity)),
    edit('Clone', async () => {
      const made = await act('entity.clone', { entity });
      if (made) choose(made.entity);
    }),
    edit('Reparent…', () => reparent(entity)),
    edit(isDisabled ? 'Enable' : 'Disable', disable),
    edit('Despawn', () => act('world.despawn_entity', { entity })),
  );
}

function card(entity, { name, bytes: size, storage, error }) {
  const remove = () => act('world.remove_components', { entity, components: [name] });
  const head = make('h3', {}, name, make('small', {}, `${bytes(size)}, ${storage}`),
    button('Remove', remove, { disabled: !mayWrite(), 'aria-label': `remove ${name}` }));
  if (error) return [head, make('p', { class: 'dim' }, error)];
  const edit = (path, value) => call('world.mutate_components', { entity, component: name, path, value });
  const fields = new Fields(name, { isReadOnly: !mayWrite(), follow: choose, edit });
  cards.set(name, fields);
  return [head, fields.box];
}

/** Copies the components as the text that "Spawn…" takes, in this program or in another one. */
async function copy(components) {
  const values = components.filter(({ error, relation }) => !error && !relation).map(({ name, value }) => [name, value]);
  try {
    await navigator.clipboard.writeText(JSON.stringify(Object.fromEntries(values), null, 1));
    notice('copied: paste it into "Spawn…", here or in another program');
  } catch (error) {
    notice(`cannot copy: ${error.message}`);
  }
}

async function insert(entity) {
  const types = await allComponents();
  const value = make('textarea', { 'aria-label': 'value', spellcheck: 'false' });
  const fill = () => (value.value = JSON.stringify(firstValue(types[choice.selectedIndex]), null, 1));
  const choice = make('select', { 'aria-label': 'component', onchange: fill }, ...types.map((type) => make('option', {}, type.name)));
  fill();
  const submit = () => call('world.insert_components', { entity, components: { [choice.value]: JSON.parse(value.value) } });
  dialog(`Insert into ${entity}`, [make('p', {}, choice), value], submit, 'Insert');
}

function reparent(entity) {
  const parent = make('input', { 'aria-label': 'parent', placeholder: '12v1, or nothing' });
  const submit = () => call('world.reparent_entities', { entities: [entity], parent: parent.value.trim() || null });
  dialog(`Parent of ${entity}`, [make('p', {}, parent)], submit, 'Move');
}

/** Asks for the components of a new entity. */
export function spawn() {
  const text = make('textarea', { 'aria-label': 'components', spellcheck: 'false' });
  text.value = '{}';
  const help = make('p', { class: 'dim' }, 'Components by name, such as {"game.health": {"now": 5}}, or a copied entity.');
  const submit = async () => {
    const made = await call('world.spawn_entity', { components: JSON.parse(text.value) });
    choose(made.entity);
  };
  dialog('Spawn', [help, text], submit, 'Spawn');
}
