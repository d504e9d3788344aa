// Tables and sparse sets with their memory, as a map and as a list.

import { $, bytes, remember } from './dom.js';
import { begin, boxAt, fillBox } from './canvas.js';
import { restored } from './entities.js';
import { List } from './list.js';
import { refresh } from './turns.js';

export const calls = () => [['tables.memory', {}]];

const canvas = $('#map');
let chosen;
let boxes = [];
const sum = (all, key) => all.reduce((total, one) => total + one[key], 0);
const size = (key) => ({ text: key, key, isNumber: true, show: (row) => bytes(row[key]) });

const list = new List($('#tables'), 'tables', {
  by: 'reserved',
  isDown: true,
  columns: [
    { text: 'table', show: (row) => row.name, flex: '0 0 80px' },
    { text: 'components', key: 'of', flex: '4', show: (row) => row.of },
    { text: 'rows', key: 'rows', isNumber: true, show: (row) => row.rows.toLocaleString('en') },
    size('used'), size('reserved'), size('unused'),
  ],
  isChosen: (row) => row.name + row.of === chosen,
  choose(row) {
    // The second time shows the entities with these components.
    if (this.isChosen(row)) {
      remember({ view: 'entities', query: row.of }, true);
      restored();
      refresh();
    }
    chosen = row.name + row.of;
    draw();
  },
});

export function show([{ result }]) {
  if (!result) return;
  const tables = result.tables.map(({ table, rows, components }) =>
    ({ name: `table ${table}`, rows, used: sum(components, 'used'), reserved: sum(components, 'reserved'), of: components.map(({ name }) => name).join(', ') }));
  const sparse = result.sparse.map(({ name, values, used, reserved }) => ({ name: 'sparse', rows: values, used, reserved, of: name }));
  const all = [...tables, ...sparse].filter((one) => one.reserved);
  $('#bytes').textContent =
    `${bytes(result.reserved)} reserved, ${bytes(result.used)} used. Area: reserved; hatched: not used. A second click shows the entities.`;
  list.setRows(all.map((one) => ({ ...one, unused: one.reserved - one.used })));
  draw();
}

/** Cuts a rectangle into boxes with the areas of the rows: half of the bytes on each side of a cut through the longer side. */
function cut(rows, x, y, width, height) {
  if (rows.length < 2) return rows.map((row) => ({ row, x: x + 1, y: y + 1, width: width - 2, height: height - 2 }));
  const total = sum(rows, 'reserved');
  let [count, part] = [1, rows[0].reserved];
  while (count < rows.length - 1 && part + rows[count].reserved <= total / 2) part += rows[count++].reserved;
  const [one, other] = [rows.slice(0, count), rows.slice(count)];
  const [right, down] = width > height ? [(width * part) / total, 0] : [0, (height * part) / total];
  return [
    ...cut(one, x, y, right || width, down || height),
    ...cut(other, x + right, y + down, width - right, height - down),
  ];
}

function draw() {
  const { paint, width, height, color } = begin(canvas);
  const rows = [...list.all].sort((one, other) => other.reserved - one.reserved);
  boxes = cut(rows, 8, 0, width - 16, height - 8);
  for (const box of boxes) {
    const { row, x, y } = box;
    fillBox(paint, color(list.isChosen(row) ? '--write' : '--accent'), box, () => {
      paint.fillStyle = color('--on-accent');
      paint.fillText(row.of, x + 6, y + 16);
      paint.fillText(`${bytes(row.reserved)}, ${row.rows.toLocaleString('en')} rows`, x + 6, y + 31);
      // The unused part is hatched.
      const used = x + (box.width * row.used) / row.reserved;
      paint.beginPath();
      paint.rect(used, y, box.width, box.height);
      paint.clip();
      for (let line = used - box.height; line < x + box.width; line += 6) {
        paint.moveTo(line, y + box.height);
        paint.lineTo(line + box.height, y);
      }
      paint.strokeStyle = color('--card');
      paint.stroke();
    });
  }
}

canvas.onclick = (event) => {
  const box = boxAt(boxes, event);
  if (box) list.choose(box.row);
};
new ResizeObserver(draw).observe(canvas);
