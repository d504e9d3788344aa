// The types that the program knows, with their shapes. They are asked for once.

import { call } from './rpc.js';
import { keysOf } from './dom.js';

let known = null;
/** The types by name, once they are here. */
let byName = new Map();

const all = () => (known ??= call('registry.schema').then(
  (types) => {
    byName = new Map(types.map((type) => [type.name, type]));
    return types;
  },
  () => {
    known = null;
    return [];
  },
));

export const components = async () => (await all()).filter((type) => type.kind === 'component' && type.data);

export const relations = async () => (await all()).filter((type) => type.kind === 'relation').map((type) => type.name);

/** Returns the resource that requests another value of a state. */
export const nextOf = (name) => byName.get(name)?.next;

/** Returns a value to begin with, of events. */
export const firstEvent = async (name) => firstValue((await all()).find((type) => type.name === name));

/** Returns the components that may name an entity, the best one first: the library's own, those called a name, other texts. */
export function nameComponents() {
  all();
  const rank = (name) => (name === 'ecs.name' ? 0 : /name$/i.test(name) ? 1 : 2);
  const texts = [...byName.values()].filter((type) => type.kind === 'component' && type.data && type.schema?.kind === 'str');
  return texts.map((type) => type.name).sort((one, other) => rank(one) - rank(other)).slice(0, 3);
}

/** Returns the variants of a field that is an enum without values, or nothing. */
export function variantsOf(name, path) {
  all();
  let shape = byName.get(name)?.schema;
  for (const key of keysOf(path)) {
    while (shape?.kind === 'option') shape = shape.some;
    shape = shape?.fields?.find((field) => field.name === key)?.type ?? shape?.items?.[key] ?? shape?.item;
  }
  const isPlain = shape?.kind === 'enum' && shape.variants.every(({ type }) => type.kind === 'unit');
  return isPlain ? shape.variants.map((variant) => variant.name) : undefined;
}

/** Returns a value to begin with: the type's default, or one of its shape. */
export const firstValue = (type) => type.default ?? (type.schema ? ofShape(type.schema) : null);

const PLAIN = { bool: false, str: '', list: [], map: {}, entity: { entity: '0v1' }, option: null, unit: null, unknown: null };

function ofShape({ kind, fields, items, variants }) {
  if (fields) return Object.fromEntries(fields.map(({ name, type }) => [name, ofShape(type)]));
  if (items) return items.map(ofShape);
  if (!variants) return kind in PLAIN ? PLAIN[kind] : 0;
  const [{ name, type }] = variants;
  return type.kind === 'unit' ? name : { [name]: ofShape(type) };
}
