// A traced frame: a lane for each thread, and a box for each run of a system.

import { $, make, micros, place } from './dom.js';

const lanes = $('#lanes');
/** The microseconds of the whole trace, and how many times wider than the view it is. */
let [whole, zoom] = [1, 1];
let classOf = () => '';

/** Shows the text of a trace in the format of Chrome, and returns the number of runs. */
export function showTrace(text) {
  const trace = JSON.parse(text);
  const events = trace.traceEvents ?? trace;
  const names = new Map(events.filter((one) => one.name === 'thread_name').map((one) => [one.tid, one.args.name]));
  const runs = events.filter((one) => one.ph === 'X');
  const start = Math.min(...runs.map((run) => run.ts));
  whole = Math.max(1e-3, ...runs.map((run) => run.ts + run.dur - start));
  const box = ({ name, ts, dur }) =>
    place(make('i', { title: `${name}: ${micros(dur)}`, system: name }, name.split('::').pop()), { left: (ts - start) / whole, width: dur / whole });
  const threads = [...Map.groupBy(runs, ({ tid }) => names.get(tid) ?? `thread ${tid}`)].sort(([one], [other]) => one.localeCompare(other));
  $('#threads').replaceChildren(...threads.map(([name]) => make('div', { title: name }, name)));
  lanes.replaceChildren(make('div', {}, ...threads.map(([, runs]) => make('div', {}, ...runs.map(box)))));
  zoom = 1;
  lanes.onscroll();
  classLanes(classOf);
  return runs.length;
}

/** Gives the boxes the class of their systems. */
export function classLanes(of) {
  classOf = of;
  for (const box of lanes.querySelectorAll('i')) box.className = of(box.system);
}

lanes.onscroll = () => {
  const at = (part) => make('span', {}, micros(((lanes.scrollLeft + part * lanes.clientWidth) / lanes.scrollWidth) * whole));
  $('#axis').replaceChildren(at(0), at(0.5), at(1));
};
lanes.onwheel = (event) => {
  // With Shift, the browser scrolls.
  if (event.shiftKey || !lanes.firstChild) return;
  event.preventDefault();
  const x = event.clientX - lanes.getBoundingClientRect().x;
  const part = (lanes.scrollLeft + x) / lanes.scrollWidth;
  zoom = Math.max(1, Math.min(1e4, zoom * 2 ** (-event.deltaY / 300)));
  place(lanes.firstChild, { width: zoom });
  lanes.scrollLeft = part * lanes.scrollWidth - x;
  lanes.onscroll();
};
