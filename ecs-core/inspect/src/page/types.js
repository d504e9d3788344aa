// The types that the program knows, with their shapes. They are asked for once.

import { call } from './rpc.js';

let known = null;
let name;

const load = () => (known ??= call('registry.schema').then(
  (types) => types,
  () => {
    known = null;
    return [];
  },
));

export const components = async () => (await load()).filter((type) => type.kind === 'component' && type.data);

/** Returns the component with the names of entities: the library's own, or the first one that is a text. */
export function nameComponent() {
  if (name === undefined) {
    name = null;
    components().then((all) => {
      const texts = all.filter((type) => type.schema?.kind === 'str').map((type) => type.name);
      name = texts.find((one) => one === 'ecs.name') ?? texts.find((one) => /name$/i.test(one)) ?? texts[0] ?? null;
    });
  }
  return name;
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
  name = undefined;
}
