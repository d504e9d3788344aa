// The types that the program knows, with their shapes. They are asked for once.

import { call } from './rpc.js';

let known = null;
/** The types by name, once they are here. */
let byName = new Map();

const load = () => (known ??= call('registry.schema').then(
  (types) => {
    byName = new Map(types.map((type) => [type.name, type]));
    return types;
  },
  () => {
    known = null;
    return [];
  },
));

export const components = async () => (await load()).filter((type) => type.kind === 'component' && type.data);

/** Returns the components that may name an entity, the best one first: the library's own, those called a name, other texts. */
export function nameComponents() {
  load();
  const rank = (name) => (name === 'ecs.name' ? 0 : /name$/i.test(name) ? 1 : 2);
  const texts = [...byName.values()].filter((type) => type.kind === 'component' && type.data && type.schema?.kind === 'str');
  return texts.map((type) => type.name).sort((one, other) => rank(one) - rank(other)).slice(0, 3);
}

/** Returns the variants of a field that is an enum without values, or nothing. */
export function variantsOf(name, path) {
  load();
  let shape = byName.get(name)?.schema;
  for (const key of path.split(/[.[\]]+/).filter(Boolean)) {
    while (shape?.kind === 'option') shape = shape.some;
    shape = shape?.fields?.find((field) => field.name === key)?.type ?? shape?.items?.[key] ?? shape?.item;
  }
  const isPlain = shape?.kind === 'enum' && shape.variants.every(({ type }) => type.kind === 'unit');
  return isPlain ? shape.variants.map((variant) => variant.name) : undefined;
}

/** Returns a value to begin with: the type's default, or one of its shape. */
export const firstValue = (type) => type.default ?? (type.schema ? ofShape(type.schema) : null);

function ofShape(shape) {
  switch (shape.kind) {
    case 'bool': return false;
    case 'str': case 'char': return '';
    case 'struct': return Object.fromEntries(shape.fields.map((field) => [field.name, ofShape(field.type)]));
    case 'tuple': return shape.items.map(ofShape);
    case 'list': return [];
    case 'map': return {};
    case 'enum': {
      const [{ name: variant, type }] = shape.variants;
      return type.kind === 'unit' ? variant : { [variant]: ofShape(type) };
    }
    case 'entity': return { entity: '0v1' };
    case 'option': case 'unit': case 'unknown': return null;
    default: return 0;
  }
}

export function forget() {
  known = null;
}
