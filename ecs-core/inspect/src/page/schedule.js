// Systems: their costs, what each waits for and why, and who reads and writes a component.

import { call } from './rpc.js';
import { $, link, make, micros, remember, state } from './dom.js';
import { notice, act } from './say.js';
import { refresh } from './turns.js';
import { colorLanes, onBox, showTrace } from './lanes.js';
import { List } from './list.js';

/** What each system waits for, by its name. It does not change unless the program starts anew. */
let plan;
let shown = '';

const time = (text, key, title) => ({ text, key, title, isNumber: true, show: (row) => micros(row[key]) });
const list = new List($('#systems'), 'systems', {
  by: 'total_us',
  isDown: true,
  columns: [
    { text: 'system', key: 'system', flex: '3', show: (row) => row.system, class: 'code' },
    { text: 'runs', key: 'count', isNumber: true, show: (row) => row.count.toLocaleString('en') },
    time('last', 'last_us'), time('mean', 'mean_us'), time('longest', 'max_us'),
    { text: 'share', key: 'total_us', isNumber: true, flex: '1.6', class: 'bar', show: (row) => [`${(row.share * 100).toFixed(1)} %`, row.share * 0.6] },
  ],
  isChosen: (row) => row.system === state.system,
  choose: (row) => chooseSystem(row.system),
});

function chooseSystem(system) {
  remember({ system });
  refresh();
}

export const calls = () => [['schedule.timings', {}]];

export function show([timings]) {
  if (!plan) loadPlan();
  const all = (timings.result ?? []).map((one) => ({ ...one, total_us: one.mean_us * one.count }));
  const total = all.reduce((sum, one) => sum + one.total_us, 0) || 1;
  for (const one of all) one.share = one.total_us / total;
  list.setRows(all);
  if (shown !== JSON.stringify([state.system, state.access, plan?.size])) showSystem();
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
async function showSystem() {
  const name = state.system;
  shown = JSON.stringify([name, state.access, plan?.size]);
  colorLanes((system) => (system === name ? '--write' : '--accent'));
  const step = plan?.get(name);
  if (!step) {
    $('#system').replaceChildren(make('p', { class: 'dim' }, 'Choose a system in the list or in the lanes, to see what it waits for, and why.'));
    return;
  }
  const after = [...plan.values()].filter((one) => one.waits_for.some((earlier) => earlier.system === name));
  const box = make('div');
  $('#system').replaceChildren(
    make('h2', {}, name), make('p', { class: 'dim' }, `in ${step.path}${step.commands ? ', has commands' : ''}`), box,
    make('div', { class: 'card' }, make('h3', {}, after.length ? 'These wait for it' : 'No system waits for it'),
      ...after.map((one) => make('p', {}, link(one.system, () => chooseSystem(one.system))))));
  if (!step.waits_for.length) box.append(make('div', { class: 'card' }, make('h3', {}, 'It waits for no system')));
  for (const { system } of step.waits_for) {
    const why = make('pre', {}, '…');
    box.append(make('div', { class: 'card' }, make('h3', {}, 'Waits for ', link(system, () => chooseSystem(system))), why));
    call('schedule.why', { a: name, b: system }).then(({ text }) => (why.textContent = text), (error) => (why.textContent = error.message));
  }
}

/** Shows a frame of the graph: its time, and the trace of the next one. */
export function openFrame([frame, milliseconds]) {
  $('#trace-note').textContent = `frame ${frame} took ${milliseconds.toFixed(2)} ms; a trace shows the next one`;
}

$('#trace').onclick = async () => {
  try {
    await call('schedule.trace_next');
    $('#trace-note').textContent = 'waiting for a frame';
    for (let turn = 0; turn < 100; turn += 1) {
      const text = await call('schedule.trace');
      if (text) {
        $('#trace-note').textContent = `${showTrace(JSON.parse(text))} runs`;
        return;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
    $('#trace-note').textContent = 'no frame has run; is the program paused?';
  } catch (error) {
    notice(error.message);
  }
};
onBox(chooseSystem);

export function restarted() {
  plan = undefined;
}
