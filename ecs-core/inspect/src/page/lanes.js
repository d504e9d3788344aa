// A traced frame: a lane for each thread, and a box for each run of a system.

import { $, micros } from './dom.js';
import { begin, boxAt, fillBox } from './canvas.js';

const LANE = 22;
const LEFT = 90;
const RIGHT = 8;
const canvas = $('#lanes');
/** `{lane, system, start, time}` of each run, in microseconds from the first one. */
let spans = [];
let lanes = [];
let whole = 1;
/** The part that is in sight: its begin and its length, as parts of the whole. */
let [from, size] = [0, 1];
let boxes = [];
let colorOf = () => '--accent';

/** Shows a trace in the format of Chrome, and returns the number of runs. */
export function showTrace(trace) {
  const events = trace.traceEvents ?? trace;
  const names = new Map(events.filter((one) => one.name === 'thread_name').map((one) => [one.tid, one.args.name]));
  const runs = events.filter((one) => one.ph === 'X');
  const start = Math.min(...runs.map((one) => one.ts));
  spans = runs.map((one) => ({ lane: names.get(one.tid) ?? `thread ${one.tid}`, system: one.name, start: one.ts - start, time: one.dur }));
  lanes = [...new Set(spans.map((span) => span.lane))].sort();
  whole = Math.max(1e-3, ...spans.map((span) => span.start + span.time));
  [from, size] = [0, 1];
  draw();
  return spans.length;
}

/** Draws the lanes with a color for each system: a variable of the styles. */
export function colorLanes(color) {
  colorOf = color;
  draw();
}

function draw() {
  canvas.style.height = spans.length ? `${lanes.length * LANE + 20}px` : 0;
  const { paint, width, height, color } = begin(canvas);
  const room = width - LEFT - RIGHT;
  const x = (time) => LEFT + ((time / whole - from) / size) * room;
  boxes = [];
  for (const { lane, system, start, time } of spans) {
    const left = Math.max(LEFT, x(start));
    const box = { x: left, y: lanes.indexOf(lane) * LANE + 2, width: Math.max(1, x(start + time) - left), height: LANE - 4, system, time };
    if (left > width || x(start + time) < LEFT) continue;
    boxes.push(box);
    fillBox(paint, color(colorOf(system)), box, () => {
      paint.fillStyle = color('--on-accent');
      if (box.width > 30) paint.fillText(system.split('::').pop(), box.x + 4, box.y + 13);
    });
  }
  paint.fillStyle = color('--dim');
  lanes.forEach((lane, number) => paint.fillText(lane, 10, number * LANE + 15, LEFT - 14));
  for (const [mark, align] of [[0, 'left'], [0.5, 'center'], [1, 'right']]) {
    paint.textAlign = align;
    paint.fillText(micros((from + size * mark) * whole), LEFT + mark * room, height - 5);
  }
}

/** Calls a function with the system of a box that is clicked. The wheel zooms. */
export function onBox(clicked) {
  canvas.onclick = (event) => {
    const box = boxAt(boxes, event);
    if (box) clicked(box.system);
  };
  canvas.onmousemove = (event) => {
    const box = boxAt(boxes, event);
    canvas.title = box ? `${box.system}: ${micros(box.time)}` : 'wheel: zoom; with Shift: move';
  };
  canvas.onwheel = (event) => {
    event.preventDefault();
    const place = Math.max(0, (event.offsetX - LEFT) / (canvas.clientWidth - LEFT - RIGHT));
    const notch = (event.deltaY || event.deltaX) / 300;
    const next = event.shiftKey ? size : Math.min(1, Math.max(1e-4, size * 2 ** notch));
    from += event.shiftKey ? notch * size : place * (size - next);
    size = next;
    from = Math.max(0, Math.min(1 - size, from));
    draw();
  };
  new ResizeObserver(draw).observe(canvas.parentElement);
}
