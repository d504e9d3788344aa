// The page: asks the program ten times a second, and shows what came back.
//
// Each view has a module that offers `calls()`, the calls whose results it shows, and `show(responses)`. One batch per turn asks
// for the status and for the visible view. There is never more than one on the way, and none while the page is hidden, so a slow
// program is asked less often.

import { batch, call } from './rpc.js';
import { $, button, make, remember, state } from './dom.js';
import { addFrames, forgetFrames, onFrame } from './frames.js';
import * as entities from './entities.js';
import * as resources from './resources.js';
import * as events from './events.js';
import * as schedule from './schedule.js';
import * as memory from './memory.js';

const views = { entities, resources, events, schedule, memory };
const INTERVAL = 100;

let status = {};
let isAsking = false;
let isWanted = false;

/** Asks at once: after an action, or when other rows come into sight. */
export function refresh() {
  isWanted = true;
  turn();
}

async function turn() {
  if (isAsking || (document.hidden && !isWanted)) return;
  isAsking = true;
  isWanted = false;
  const view = views[state.view];
  try {
    const calls = view.calls();
    const [first, ...others] = await batch([['app.status', { since: status.measured ?? 0 }], ...calls]);
    showStatus(first.result);
    view.show(others);
  } catch (error) {
    $('#live').textContent = 'the program does not answer';
    $('#live').className = 'lost';
    $('#live').title = error.message;
  }
  isAsking = false;
  if (isWanted) turn();
}

function showStatus(now) {
  // The program counts all frames that it measures, so a smaller number is another run.
  if (now.measured < status.measured) {
    notice('the program has started anew');
    forgetFrames();
    for (const view of Object.values(views)) view.restarted?.();
  }
  addFrames(now.frame, now.times);
  now.last = now.times.at(-1) ?? status.last ?? 0;
  status = now;
  $('#live').className = $('#live').title = '';
  $('#live').textContent = now.ended ? 'ended' : now.in_frame ? 'paused in a frame' : now.paused ? 'paused' : 'live';
  $('#numbers').textContent =
    `frame ${now.frame.toLocaleString('en')}  ${now.last.toFixed(2)} ms  ${now.entities.toLocaleString('en')} entities`;
  $('#mode').textContent = now.writes ? 'edits on' : 'read-only';
  $('#mode').title = now.writes ? '' : 'open the address that the program prints, with its token, to edit';
  for (const id of ['#pause', '#step', '#step-system', '#until', '#spawn']) $(id).disabled = !now.writes;
  const whyNot = now.why_not_back ?? (now.back ? null : 'no earlier frame is kept');
  $('#back').disabled = !now.writes || whyNot !== null;
  $('#back').title = whyNot === null ? `one frame back (,); ${now.back} are kept` : `cannot step back: ${whyNot}`;
  $('#undo').disabled = !now.writes || now.edits === 0;
  $('#pause span').textContent = now.paused ? 'Resume' : 'Pause';
  $('#pause-icon').setAttribute('d', now.paused ? 'M4 3v10l8-5z' : 'M4 3h3v10H4zM9 3h3v10H9z');
}

export const mayWrite = () => status.writes;

let noticeTimer;
/** Says something in the header for some seconds. */
export function notice(text) {
  $('#notice').textContent = $('#notice').title = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => ($('#notice').textContent = ''), 8000);
}

/** Calls a method that changes something, says its error, and shows the result. */
export async function act(method, params) {
  try {
    return await call(method, params);
  } catch (error) {
    notice(error.message);
    return undefined;
  } finally {
    refresh();
  }
}

/** Opens a dialog with a form. `submit` returns a promise; if it fails, the dialog stays, with the error. */
export function dialog(title, content, submit, label = 'OK') {
  const error = make('p', { class: 'error', role: 'alert' });
  const close = () => $('#dialog').close();
  const form = make('form', {
    method: 'dialog',
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await submit?.();
        close();
        refresh();
      } catch (problem) {
        error.textContent = problem.message;
      }
    },
  }, make('h2', {}, title), ...content, error, make('p', {}, submit && make('button', {}, label), ' ', button('Close', close)));
  $('#dialog').replaceChildren(form);
  $('#dialog').showModal();
  form.querySelector('input, textarea, select')?.focus();
}

function open(view) {
  remember({ view });
  for (const name of Object.keys(views)) {
    $('#' + name).hidden = name !== view;
    $('#tab-' + name).setAttribute('aria-selected', name === view);
    $('#tab-' + name).tabIndex = name === view ? 0 : -1;
  }
  refresh();
}

function runUntil() {
  const query = make('input', { value: 'game.health.now < 1', 'aria-label': 'query', spellcheck: 'false' });
  const frames = make('input', { value: '10000', 'aria-label': 'frames at most' });
  const content = [
    make('p', {}, 'Run until an entity matches ', query),
    make('p', {}, 'for at most ', frames, ' frames'),
  ];
  dialog('Run until', content, () => call('app.run_until', { query: query.value, frames: Number(frames.value) }), 'Run');
}

const KEYS = [
  ['1 to 5', 'views'], ['/', 'query'], ['arrows, page, Home, End', 'rows'], ['Enter', 'apply an edit'], ['Escape', 'take an edit back'],
  ['space', 'pause or resume'], ['.', 'step a frame'], [',', 'step back'], ['s', 'step a system'], ['u', 'run until'], ['z', 'undo an edit'],
];

const showKeys = () =>
  dialog('Keys', [make('table', {}, ...KEYS.map(([key, does]) => make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {}, does))))]);

const shortcuts = {
  ' ': '#pause', '.': '#step', ',': '#back', s: '#step-system', u: '#until', z: '#undo', '?': '#keys',
  1: '#tab-entities', 2: '#tab-resources', 3: '#tab-events', 4: '#tab-schedule', 5: '#tab-memory',
};

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input:not([type=checkbox]), textarea, select') || $('#dialog').open;
  const isPressing = event.target.matches('button') && event.key === ' ';
  if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/') {
    event.preventDefault();
    open('entities');
    $('#query').focus();
  } else if (shortcuts[event.key]) {
    event.preventDefault();
    $(shortcuts[event.key]).click();
  }
});

$('[role=tablist]').addEventListener('keydown', (event) => {
  const names = Object.keys(views);
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  open(names[(names.indexOf(state.view) + by + names.length) % names.length]);
  $('#tab-' + state.view).focus();
});

$('#pause').onclick = () => act(status.paused ? 'app.resume' : 'app.pause');
$('#step').onclick = () => act('app.step');
$('#step-system').onclick = () => act('app.step_system');
$('#back').onclick = () => act('app.step_back');
$('#undo').onclick = () => act('edit.undo');
$('#until').onclick = runUntil;
$('#keys').onclick = showKeys;
for (const name of Object.keys(views)) $('#tab-' + name).onclick = () => open(name);
onFrame((frame) => {
  open('schedule');
  schedule.openFrame(frame);
});
document.addEventListener('visibilitychange', refresh);

open(views[state.view] ? state.view : 'entities');
setInterval(turn, INTERVAL);
