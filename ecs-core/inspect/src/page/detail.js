// One entity: its components with fields to edit, what leads to it, and what can be done with it.

import { call } from './rpc.js';
import { $, button, bytes, card, dim, link, make, nameText, setWhy, state } from './dom.js';
import { go, status, whyNoEdits } from './turns.js';
import { act, untilButton } from './say.js';
import { choose, DISABLED, held, hold, linkTo, move, require } from './entities.js';
import { Fields } from './fields.js';
import { copy, insert } from './forms.js';
import { nameComponents } from './types.js';

const MOST_PINS = 8;

/** What is shown of an entity: its box, its shape, and the fields of its components. */
class Panel {
  shown = '';
  cards = new Map();
  box = make('div.panel');
}
/** The chosen entity, and those that stay. */
const panels = [];
const pins = () => state.pins?.split(' ') ?? [];
const entities = () => [state.entity, ...pins().filter((pin) => pin !== state.entity)];

export const calls = () =>
  entities().filter(Boolean).flatMap((entity) => [['entity.get', { entity }], ['entities.children', { of: entity, limit: 50 }]]);

export function show(answers) {
  const left = [...answers];
  entities().forEach((entity, at) => {
    if (!panels[at]) $('#detail').append((panels[at] = new Panel()).box);
    showPanel(panels[at], entity, entity ? left.splice(0, 2) : [], at > 0);
  });
  for (const panel of panels.splice(entities().length)) panel.box.remove();
}

function showPanel(panel, entity, [got, children], isPin) {
  const { box, shown } = panel;
  if (entity && !got) return;
  const none = entity ? got.error && `${entity}: ${got.error.message}` : 'Choose an entity in the list.';
  if (none) {
    if (shown !== none) box.replaceChildren(dim(none), isPin ? pinButton(entity) : '');
    panel.shown = none;
    return;
  }
  const components = got.result.components;
  const relations = children.result?.relations ?? [];
  const shape = JSON.stringify([entity, pins(), held, status.writes, nameComponents(), relations, components.map(({ name, error }) => [name, error])]);
  // Fields stay while one of them is edited.
  const isEdited = box.querySelector('.field :focus') && shown.startsWith(`["${entity}"`);
  if (shape !== shown && !isEdited) {
    panel.shown = shape;
    build(panel, entity, components, relations, isPin);
  }
  for (const { name, value } of components) panel.cards.get(name)?.set(value);
}

function pinButton(entity) {
  const isPinned = pins().includes(entity);
  const others = pins().filter((pin) => pin !== entity);
  const change = () => go({ pins: (isPinned ? others : [...others, entity].slice(-MOST_PINS)).join(' ') });
  return button(isPinned ? 'Unpin' : 'Pin', change, { title: 'keep it here beside others' });
}

function build(panel, entity, components, relations, isPin) {
  panel.cards = new Map();
  const name = nameComponents().map((one) => components.find((component) => component.name === one)).find(Boolean);
  const isDisabled = components.some((component) => component.name === DISABLED);
  const sources = relations.map(({ relation, count, rows }) =>
    make('p', {},
      make('span.dim', {}, `${relation} from ${count}: `),
      ...rows.flatMap((row) => [linkTo(row.entity), ' ']),
      count > rows.length ? `and ${count - rows.length} more` : null));
  panel.box.replaceChildren(
    make('h2', {}, name ? `${nameText(name.value)} ` : '', make('code', {}, entity), isDisabled ? make('small', {}, ' disabled') : ''),
    actions(entity, relations[0]?.relation, isDisabled, isPin),
    ...sources,
    // The lists of sources are shown above.
    ...components.filter((component) => !(component.relation && component.value === null)).map((one) => component(panel, entity, one, isPin)),
  );
}

/** A button for a change, which says why it does nothing if nothing may be changed. */
const editing = (text, does, attributes) => setWhy(button(text, does, attributes), whyNoEdits());

/** Copies and clones contain the sources of a relation: children. */
function actions(entity, relation, isDisabled, isPin) {
  const [verb, components] = isDisabled ? ['remove', [DISABLED]] : ['insert', { [DISABLED]: null }];
  const clone = async () => {
    const made = await act('entity.clone', { entity, relation });
    if (made) choose(made.entity);
  };
  // The keys are for the chosen entity.
  const id = (name) => (isPin ? {} : { id: name });
  return make('div.actions', {},
    pinButton(entity),
    button('Copy', () => copy(entity, relation)),
    editing('Insert…', () => insert(entity)),
    editing('Clone', clone),
    editing(!held ? 'Move…' : held === entity ? 'To the top' : `Put ${held} here`,
      () => (!held ? hold(entity) : move(held, held === entity ? undefined : entity)), id('move')),
    editing(isDisabled ? 'Enable' : 'Disable', () => act(`world.${verb}_components`, { entity, components })),
    editing('Despawn', () => act('world.despawn_entity', { entity }), id('despawn')),
  );
}

function component(panel, entity, { name, bytes: size, storage, error, value }, isPin) {
  const users = () => go({ view: 'schedule', access: name }, true);
  const remove = () => act('world.remove_components', { entity, components: [name] });
  const head = [link(name, users, { title: 'show its users' }), make('small', {}, `${bytes(size)}, ${storage}`),
    button('+', () => require(name), { ariaLabel: `find entities with ${name} too`, title: 'add it to the query' }),
    untilButton('Break', { entity, component: name }, 'run until a system changes it'),
    error ? null : editing('Text…', () => insert(entity, name), { ariaLabel: `edit ${name} as text` }),
    editing('×', remove, { ariaLabel: `remove ${name}` })];
  if (error) return card(head, dim(error));
  const edit = (path, changed) => call('world.mutate_components', { entity, component: name, path, value: changed });
  const fields = new Fields(name, edit, isPin ? entity : '');
  // Tags have no fields.
  if (value !== null) panel.cards.set(name, fields);
  return card(head, fields.box);
}
