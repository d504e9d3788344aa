// Tables and sparse sets, with their memory.

import { $, bytes, make } from './dom.js';

export const calls = () => [['tables.memory', {}]];

const sum = (all, key) => all.reduce((total, one) => total + one[key], 0);

export function show([got]) {
  if (!got.result) return;
  const { used, reserved, tables, sparse } = got.result;
  const all = [
    ...tables.map(({ table, rows, components }) => ({
      name: `table ${table}`, rows, used: sum(components, 'used'), reserved: sum(components, 'reserved'), of: components.map(({ name }) => name).join(', '),
    })),
    ...sparse.map(({ name, values, used, reserved }) => ({ name: 'sparse', rows: values, used, reserved, of: name })),
  ].filter((one) => one.reserved > 0).sort((one, other) => other.reserved - one.reserved);
  const most = Math.max(1, ...all.map((one) => one.reserved));
  const bar = (size, kind) => {
    const element = make('span', { class: kind });
    element.style.width = `${(size / most) * 200}px`;
    return element;
  };
  const number = (text) => make('td', { class: 'number' }, text);
  const rows = all.map((one) =>
    make('tr', {}, make('td', {}, one.name), number(one.rows.toLocaleString('en')), number(bytes(one.used)), number(bytes(one.reserved)),
      make('td', {}, bar(one.used, 'bar'), bar(one.reserved - one.used, 'bar unused')), make('td', {}, one.of)));
  const head = ['', 'rows', 'used', 'reserved', 'hatched: reserved and not used', 'components'].map((text) => make('th', {}, text));
  $('#tables').replaceChildren(
    make('p', {}, `${bytes(reserved)} reserved, ${bytes(used)} used`),
    make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows)));
}
