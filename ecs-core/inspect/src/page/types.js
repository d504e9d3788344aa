// The types that the program knows, with their shapes. They are asked for once.

import { call } from './rpc.js';

let known = null;
let names;

const load = () => (known ??= call('registry.schema').then(
  (types) => types,
  () => {
    known = null;
    return [];
  },
));

export const components = async () => (await load()).filter((type) => type.kind === 'component' && type.data);

/** Returns the components that may name an entity, the best one first: the library's own, those called a name, other texts. */
export function nameComponents() {
  if (names === undefined) {
    names = [];
    components().then((all) => {
      const texts = all.filter((type) => type.schema?.kind === 'str').map((type) => type.name);
      const rank = (name) => (name === 'ecs.name' ? 0 : /name$/i.test(name) ? 1 : 2);
      names = texts.sort((one, other) => rank(one) - rank(other)).slice(0, 3);
    });
  }
  return names;
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
  names = undefined;
}
