// Tables and sparse sets with their memory, as a map and as a list.

import { $, bytes, digits, put } from './dom.js';
import { begin, boxAt, fillBox } from './canvas.js';
import { restored } from './entities.js';
import { List } from './list.js';
import { go } from './turns.js';

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
  put('#bytes', `${bytes(result.reserved)} reserved, ${bytes(result.used)} used. Hatched: not used. A second click shows the entities.`);
  list.setRows([...tables, ...sparse].filter((one) => one.reserved));
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
  return [...cut(one, x, y, right || width, down || height), ...cut(other, x + right, y + down, width - right, height - down)];
}

function draw() {
  const { paint, width, height, color } = begin(canvas);
  const rows = [...list.all].sort((one, other) => other.reserved - one.reserved);
  boxes = cut(rows, 8, 0, width - 16, height - 8);
  for (const box of boxes) {
    const { row, x, y } = box;
    fillBox(paint, color(list.isChosen(row) ? '--wrong' : '--accent'), box, () => {
      paint.fillStyle = color('--on-accent');
      paint.fillText(row.of, x + 6, y + 16);
      paint.fillText(`${bytes(row.reserved)}, ${digits(row.rows)} rows`, x + 6, y + 31);
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
