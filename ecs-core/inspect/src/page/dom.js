// Elements, texts of values, and the state that is kept in the address.

export const $ = (selector) => document.querySelector(selector);

/** Sets the text of an element. */
export const put = (selector, text) => ($(selector).textContent = text);

/** Makes an element, such as `p` or `p.class.class`. Texts are set as text and never as HTML: names come from the program. */
export function make(tag, properties, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = Object.assign(document.createElement(name), { className: classes.join(' ') }, properties);
  element.append(...children.filter((child) => child != null));
  return element;
}

export const button = (text, onclick, attributes, ...more) => make('button', { type: 'button', onclick, ...attributes }, text, ...more);

/** Lets the user keep a text as a file. */
export const save = (download, text) => make('a', { download, href: URL.createObjectURL(new Blob([text])) }).click();

export const dim = (text) => make('p.dim', {}, text);

/** Makes a part of a column: a head with its elements, and what belongs to it. */
export const card = (head, ...rest) => make('div.card', {}, make('h3', {}, ...head), ...rest);

export const link = (text, onclick, attributes) => button(text, onclick, { className: 'link', ...attributes });

/** Returns the id if a value is an entity: `{"entity": "12v1"}`. */
export function entityOf(value) {
  return typeof value?.entity === 'string' && Object.keys(value).length === 1 ? value.entity : null;
}

/** Returns the text of a value in a cell or a field. */
export function textOf(value) {
  if (value == null) return value === null ? '–' : '';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(7)));
  return entityOf(value) ?? (typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Returns the text of a name, without characters that turn the text beside it around. */
export const nameText = (name) => textOf(name).replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** Returns the fields of a value as `[path, value]`, without the objects and lists around them. */
export function fieldsOf(value, path = '') {
  const isTree = value !== null && typeof value === 'object' && entityOf(value) === null && Object.keys(value).length > 0;
  if (!isTree) return [[path, value]];
  const of = (key) => (Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key);
  return Object.keys(value).flatMap((key) => fieldsOf(value[key], of(key)));
}

/** Returns the keys of a path such as `place.x` or `items[2]`. */
export const keysOf = (path) => path.split(/[.[\]]+/).filter(Boolean);

/** Places an element inside of another one: `{left, top, width, height}`, as parts of 1. */
export function place(element, box) {
  for (const side in box) element.style[side] = `${box[side] * 100}%`;
  return element;
}

export const digits = (count) => count.toLocaleString('en');

export const plural = (count, one, many = `${one}s`) => `${digits(count)} ${count === 1 ? one : many}`;

export const bytes = (count) =>
  count < 1024 ? `${count} B` : count < 1 << 20 ? `${(count / 1024).toFixed(1)} KiB` : `${(count / (1 << 20)).toFixed(1)} MiB`;

export const micros = (value) => (value < 1000 ? `${value.toFixed(1)} µs` : `${(value / 1000).toFixed(2)} ms`);

/** The state in the address: `view`, `query`, `sort`, `disabled`, `tree`, `entity`, `pins`, `event`, `system`, `access`. */
export const state = {};
recall();

/** Changes the state. `isStep` makes a step that the browser's Back returns from. */
export function remember(changes, isStep = false) {
  Object.assign(state, changes);
  for (const name of Object.keys(state)) if (!state[name]) delete state[name];
  history[isStep ? 'pushState' : 'replaceState'](null, '', '?' + new URLSearchParams(state));
}

/** Takes the state from the address, after a step of the browser. */
export function recall() {
  for (const name of Object.keys(state)) delete state[name];
  Object.assign(state, Object.fromEntries(new URLSearchParams(location.search)));
}

/** Says why a button does nothing; without a reason it works. It stays in reach of the keys, so that all can find the reason. */
export function setWhy(element, why, title = '') {
  if (why) element.dataset.why = why;
  else delete element.dataset.why;
  element.ariaDisabled = !!why;
  element.title = why ? `not now: ${why}` : title;
  return element;
}
