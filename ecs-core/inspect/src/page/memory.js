// Tables and sparse sets with their memory, as a map and as a list.

import { $, bytes, make, place, plural, put } from './dom.js';
import { restored } from './entities.js';
import { List } from './list.js';
import { go } from './turns.js';

export const calls = () => [['tables.memory', {}]];

const map = $('#map');
let chosen;
const sum = (all, key) => all.reduce((total, one) => total + one[key], 0);
const size = (key) => ({ text: key, key, isNumber: true, show: (row) => bytes(row[key]) });

const list = new List($('#tables'), 'tables', {
  by: 'reserved',
  isDown: true,
  columns: [
    { text: 'table', key: 'name', flex: '0 0 80px' },
    { text: 'components', key: 'of', flex: '4' },
    { text: 'rows', key: 'rows', isNumber: true },
    size('used'), size('reserved'), size('unused'),
  ],
  isChosen: (row) => row.name + row.of === chosen,
  choose(row) {
    // The second time shows the entities with these components.
    if (this.isChosen(row)) {
      go({ view: 'entities', query: row.of }, true);
      restored();
    }
    chosen = row.name + row.of;
    draw();
  },
});

export function show([{ result }]) {
  if (!result) return;
  const row = (name, rows, parts) => {
    const [used, reserved] = [sum(parts, 'used'), sum(parts, 'reserved')];
    return { name, rows, used, reserved, unused: reserved - used, of: parts.map((part) => part.name).join(', ') };
  };
  const tables = result.tables.map(({ table, rows, components }) => row(`table ${table}`, rows, components));
  const sparse = result.sparse.map((set) => row('sparse', set.values, [set]));
  put('#bytes', `${bytes(result.reserved)} reserved, ${bytes(result.used)} used. Striped: not used. A second click shows the entities.`);
  list.setRows([...tables, ...sparse].filter((one) => one.reserved));
  draw();
}

/** Cuts a rectangle into boxes with the areas of the rows: half of the bytes on each side of a cut through the longer side. */
function cut(rows, left, top, width, height) {
  if (rows.length < 2) return rows.map((row) => [row, { left, top, width, height }]);
  const total = sum(rows, 'reserved');
  let [count, part] = [1, rows[0].reserved];
  while (count < rows.length - 1 && part + rows[count].reserved <= total / 2) part += rows[count++].reserved;
  const [one, other] = [rows.slice(0, count), rows.slice(count)];
  // The map is some times wider than high.
  const [right, down] = width * 4 > height ? [(width * part) / total, 0] : [0, (height * part) / total];
  return [...cut(one, left, top, right || width, down || height), ...cut(other, left + right, top + down, width - right, height - down)];
}

function draw() {
  const boxes = cut([...list.all].sort((one, other) => other.reserved - one.reserved), 0, 0, 1, 1);
  // Boxes stay the same elements, or a click would be lost.
  while (map.children.length < boxes.length) map.append(make('i', {}, make('span')));
  while (map.children.length > boxes.length) map.lastChild.remove();
  boxes.forEach(([row, box], at) => {
    const element = place(map.children[at], box);
    element.row = row;
    element.className = list.isChosen(row) ? 'writes' : '';
    element.title = element.firstChild.textContent = `${row.of}\n${bytes(row.reserved)}, ${plural(row.rows, 'row')}`;
    element.style.setProperty('--part', `${(row.used / row.reserved) * 100}%`);
  });
}

map.onclick = ({ target }) => {
  const box = target.closest('i');
  if (box) list.choose(box.row);
};
