// Systems: their costs, what each waits for and why, and a traced frame as lanes of threads.

import { call } from './rpc.js';
import { $, button, make, micros } from './dom.js';
import { notice, refresh } from './main.js';

const LANE = 22;
const NAMES = 90;
/** What each system waits for, by schedule and name. It does not change unless the program starts anew. */
let plan;
let order = 'mean';
/** A traced frame: `{lane, system, start, time}` of each run, in microseconds. */
let spans = [];
let chosen;
let boxes = [];

const COLUMNS = { system: 'system', runs: 'count', last: 'last_us', mean: 'mean_us', longest: 'max_us', share: 'total_us' };

export const calls = () => [['schedule.timings', {}]];

export function show([timings]) {
  if (!plan) loadPlan();
  const all = (timings.result ?? []).map((one) => ({ ...one, total_us: one.mean_us * one.count }));
  const total = all.reduce((sum, one) => sum + one.total_us, 0) || 1;
  const key = COLUMNS[order];
  all.sort((one, other) => (key === 'system' ? one.system.localeCompare(other.system) : other[key] - one[key]));
  // A table that is made anew takes the focus from its keys.
  if ($('#systems').contains(document.activeElement)) return;
  const head = Object.keys(COLUMNS).map((name) =>
    make('th', { class: ['system', 'share'].includes(name) ? '' : 'number', 'aria-sort': name === order ? 'descending' : 'none' }, button(name, (event) => sortBy(name, event.target))));
  const body = all.map((one) => {
    const bar = make('span', { class: 'bar' });
    bar.style.width = `${(one.total_us / total) * 160}px`;
    const waits = plan?.get(one.system) ?? [];
    const number = (text) => make('td', { class: 'number' }, text);
    return make('tr', {},
      make('td', { title: one.path }, one.system), number(one.count.toLocaleString('en')), number(micros(one.last_us)), number(micros(one.mean_us)),
      number(micros(one.max_us)), make('td', {}, bar),
      make('td', {}, ...waits.flatMap(({ system }) => [button(system, () => why(one.system, system), { class: 'link' }), ' '])));
  });
  $('#systems').replaceChildren(make('thead', {}, make('tr', {}, ...head, make('th', {}, 'waits for'))), make('tbody', {}, ...body));
}

function sortBy(name, pressed) {
  order = name;
  pressed.blur();
  refresh();
}

async function loadPlan() {
  plan = new Map();
  try {
    for (const { name } of await call('schedule.list')) {
      for (const step of await call('schedule.plan', { schedule: name })) plan.set(step.system, step.waits_for);
    }
  } catch (error) {
    // In the middle of a frame there is no plan to see.
    plan = undefined;
  }
}

async function why(system, earlier) {
  try {
    $('#why').textContent = (await call('schedule.why', { a: system, b: earlier })).text;
  } catch (error) {
    $('#why').textContent = error.message;
  }
}

/** Shows a frame of the graph: its time, and the trace of the next one. */
export function openFrame([frame, time]) {
  $('#trace-note').textContent = `frame ${frame} took ${time.toFixed(2)} ms; a trace shows the next one`;
}

$('#trace').onclick = async () => {
  try {
    await call('schedule.trace_next');
    $('#trace-note').textContent = 'waiting for a frame';
    for (let turn = 0; turn < 100; turn += 1) {
      const text = await call('schedule.trace');
      if (text) return showTrace(JSON.parse(text));
      await new Promise((done) => setTimeout(done, 50));
    }
    $('#trace-note').textContent = 'no frame has run; is the program paused?';
  } catch (error) {
    notice(error.message);
  }
};

/** Reads a trace in the format of Chrome. */
function showTrace(trace) {
  const events = trace.traceEvents ?? trace;
  const lanes = new Map(events.filter((one) => one.ph === 'M' && one.name === 'thread_name').map((one) => [one.tid, one.args.name]));
  spans = events
    .filter((one) => one.ph === 'X')
    .map((one) => ({ lane: lanes.get(one.tid) ?? `thread ${one.tid}`, system: one.name, start: one.ts, time: one.dur }));
  $('#trace-note').textContent = `${spans.length} runs`;
  draw();
}

function draw() {
  const canvas = $('#lanes');
  const lanes = [...new Set(spans.map((span) => span.lane))].sort();
  const height = lanes.length * LANE + 18;
  canvas.style.height = height + 'px';
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const paint = canvas.getContext('2d');
  paint.scale(devicePixelRatio, devicePixelRatio);
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const start = Math.min(...spans.map((span) => span.start));
  const length = Math.max(1e-3, ...spans.map((span) => span.start + span.time - start));
  const x = (time) => NAMES + ((time - start) / length) * (canvas.clientWidth - NAMES - 4);
  paint.font = '11px system-ui';
  paint.fillStyle = color('--dim');
  lanes.forEach((lane, number) => paint.fillText(lane, 2, number * LANE + 15));
  paint.fillText('0', NAMES, height - 4);
  paint.textAlign = 'right';
  paint.fillText(micros(length), canvas.clientWidth - 4, height - 4);
  paint.textAlign = 'left';
  boxes = spans.map((span) => {
    const left = x(span.start);
    const box = { span, left, top: lanes.indexOf(span.lane) * LANE + 2, width: Math.max(1, x(span.start + span.time) - left), height: LANE - 4 };
    paint.fillStyle = color(span === chosen ? '--wrong' : '--accent');
    paint.fillRect(box.left, box.top, box.width, box.height);
    if (box.width > 40) {
      paint.save();
      paint.beginPath();
      paint.rect(box.left, box.top, box.width - 3, box.height);
      paint.clip();
      paint.fillStyle = color('--back');
      paint.fillText(span.system.split('::').pop(), box.left + 3, box.top + 13);
      paint.restore();
    }
    return box;
  });
}

$('#lanes').onclick = ({ offsetX, offsetY }) => {
  const isHit = (box) => offsetX >= box.left && offsetX <= box.left + box.width && offsetY >= box.top && offsetY <= box.top + box.height;
  const box = boxes.find(isHit);
  if (!box) return;
  chosen = box.span;
  const waits = plan?.get(chosen.system) ?? [];
  const reasons = waits.map(({ system, reason }) => `waits for ${system}${reason ? `: ${reason}` : ''}`);
  $('#why').textContent = [`${chosen.system}: ${micros(chosen.time)}`, ...reasons].join('\n');
  draw();
};
new ResizeObserver(() => spans.length && draw()).observe($('#schedule'));

export function restarted() {
  plan = undefined;
  spans = [];
}
