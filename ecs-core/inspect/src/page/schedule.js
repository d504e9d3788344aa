// Systems: their costs, what each waits for and why, and who reads and writes a component.

import { call } from './rpc.js';
import { $, card, dim, link, make, micros, put, save, state } from './dom.js';
import { go, status } from './turns.js';
import { inRecording } from './frames.js';
import { classLanes, showTrace } from './lanes.js';
import { List } from './list.js';
import { untilButton } from './say.js';

/** The steps by the names of their systems. They do not change unless the program starts anew. */
let plan;
/** The use that a system makes of the type in `state.access`. */
let uses = new Map();
/** The `state.access` that is in its box. */
let marked;
let shown = '';
const say = (text) => put('#trace-note', text);
/** The text of the trace that is shown. */
let trace;
const keepTrace = (text) => {
  trace = text;
  $('#keep').hidden = false;
  return showTrace(text);
};

const time = (text, key) => ({ text, key, isNumber: true, show: (row) => micros(row[key]) });
const list = new List($('#systems'), 'systems', {
  by: 'total_us',
  isDown: true,
  columns: [
    { text: 'system', key: 'system', flex: '3', class: 'code', show: ({ system }) => (uses.has(system) ? `${uses.get(system)}: ` : '') + system.split('::').slice(-2).join('::') },
    { text: 'runs', key: 'count', isNumber: true },
    time('mean', 'mean_us'), time('p99', 'p99_us'), time('longest', 'max_us'),
    { text: 'share', key: 'total_us', isNumber: true, flex: '1.6', class: 'bar', show: (row) => [`${(row.share * 100).toFixed(1)} %`, row.share * 0.4] },
  ],
  classOf: (row) => uses.get(row.system) ?? '',
  isChosen: (row) => row.system === state.system,
  choose: ({ system }) => go({ system }),
});

export const calls = () => [['schedule.timings', {}]];

export function show([timings]) {
  if (!plan) loadPlan();
  let all = timings.result ?? [];
  // Of a program that stands still, only the plan is known.
  if (!all.length && plan) all = [...plan.values()].map(({ system }) => ({ system, count: 0, mean_us: 0, p99_us: 0, max_us: 0 }));
  all = all.map((one) => ({ ...one, total_us: one.mean_us * one.count }));
  const total = all.reduce((sum, one) => sum + one.total_us, 0) || 1;
  for (const one of all) one.share = one.total_us / total;
  list.setRows(all);
  const now = JSON.stringify([state.system, state.access, plan?.size]);
  if (shown === now) return;
  shown = now;
  showSystem(all.find((one) => one.system === state.system));
  showUses();
}

async function loadPlan() {
  plan = new Map();
  try {
    for (const { name } of await call('schedule.list')) {
      for (const step of await call('schedule.plan', { schedule: name })) plan.set(step.system, step);
    }
  } catch {
    // In the middle of a frame there is no plan to see.
    plan = undefined;
  }
}

/** Shows the chosen system at the side. */
function showSystem(timing) {
  const name = state.system;
  const step = plan?.get(name);
  const box = $('#system');
  if (!step) {
    box.replaceChildren(dim('Choose a system.'));
    return;
  }
  const linkTo = (system) => link(system, () => go({ system }));
  const facts = [step.path && `in ${step.path}`, step.commands && 'has commands', timing?.max_frame && `longest in frame ${timing.max_frame}`];
  const before = step.waits_for.map(({ system }) => {
    const why = make('pre', {}, '…');
    call('schedule.why', { a: name, b: system }).then(({ text }) => (why.textContent = text), (error) => (why.textContent = error.message));
    return card(['Waits for ', linkTo(system)], why);
  });
  const after = [...plan.values()].filter((one) => one.waits_for.some((earlier) => earlier.system === name));
  box.replaceChildren(make('h2', {}, name), dim(facts.filter(Boolean).join(', ')),
    untilButton('Run to it', { system: name }),
    ...(before.length ? before : [card(['It waits for no system'])]),
    card([after.length ? 'These wait for it' : 'No system waits for it'], ...after.map((one) => make('p', {}, linkTo(one.system)))));
}

/** Marks the systems that use a component or a resource. */
async function showUses() {
  const name = state.access;
  // A name that is half typed stays.
  if (name !== marked) $('#access').value = name ?? '';
  marked = name;
  const found = new Map();
  if (name) {
    const of = (kind) => call('schedule.access', { [kind]: name });
    const lists = await of('component').catch(() => of('resource')).catch((error) => error);
    if (name !== state.access) return;
    const kinds = { exclusive: 'uses all', commands_of: 'commands', read_by: 'reads', written_by: 'writes' };
    for (const kind in kinds) for (const system of lists[kind] ?? []) found.set(system, kinds[kind]);
    say(lists.message ?? `${lists.read_by.length} read, ${lists.written_by.length} write ${name}`);
  }
  uses = found;
  classLanes((system) => (name ? uses.get(system) ?? 'no' : system === state.system ? 'writes' : ''));
  list.draw();
}

/** Shows a frame of the graph: the trace of a slow one. */
export async function openFrame(slow) {
  const [frame, milliseconds] = slow;
  const end = await call('schedule.trace', { frame }).then((trace) => `: ${keepTrace(trace)} runs`, () => '; it was not traced');
  say(`frame ${frame} took ${milliseconds.toFixed(2)} ms${inRecording(slow)}${end}`);
}

$('#trace').onclick = async () => {
  try {
    await call('schedule.trace_next');
    say(status.paused ? 'paused: step a frame' : 'waiting for a frame');
    let next;
    while (!(next = await call('schedule.trace'))) await new Promise((done) => setTimeout(done, 50));
    say(`${keepTrace(next)} runs`);
  } catch ({ message }) {
    say(message);
  }
};
$('#picture').onclick = () =>
  call('schedule.graph', { picture: 'svg' }).then(({ picture }) => save('schedule.svg', picture), ({ message }) => say(message));
$('#keep').onclick = () => save('trace.json', trace);
$('#access').onchange = () => go({ access: $('#access').value.trim() });
$('#lanes').onclick = ({ target: { system } }) => system && go({ system });
