// The page: the header with the time of the program, the views, and the keys.
//
// Each view has a module that offers `calls()`, the calls whose results it shows, and `show(responses)`. One batch per turn asks
// for the status and for the visible view.

import { batch } from './rpc.js';
import { $, make, recall, remember, setWhy, state } from './dom.js';
import { refresh, start, status, whyNoEdits } from './turns.js';
import { act, dialog, notice } from './say.js';
import { call } from './rpc.js';
import { addFrames, forgetFrames, onFrame } from './frames.js';
import * as entities from './entities.js';
import * as resources from './resources.js';
import * as events from './events.js';
import * as schedule from './schedule.js';
import * as memory from './memory.js';

const views = { entities, resources, events, schedule, memory };
const names = Object.keys(views);
/** The view that is on the screen. */
let shown = null;

async function ask() {
  if (shown !== state.view) showView();
  const view = views[shown];
  let answers;
  try {
    answers = await batch([['app.status', { since: status.measured ?? 0 }], ...view.calls()]);
  } catch (error) {
    $('#live').textContent = 'the program does not answer';
    $('#live').className = 'lost';
    $('#live').title = error.message;
    return;
  }
  const [now, ...others] = answers;
  showStatus(now.result);
  view.show(others);
}

function showView() {
  if (!views[state.view]) remember({ view: 'entities' });
  shown = state.view;
  for (const name of names) {
    $('#' + name).hidden = name !== shown;
    $('#tab-' + name).setAttribute('aria-selected', name === shown);
    $('#tab-' + name).tabIndex = name === shown ? 0 : -1;
  }
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
  Object.assign(status, now);
  const isStill = now.ended || now.paused;
  $('#live').className = isStill ? 'still' : '';
  $('#live').title = '';
  $('#live').textContent = now.ended ? 'ended' : now.in_frame ? 'paused in a frame' : now.paused ? 'paused' : 'live';
  $('#frame').textContent = now.frame.toLocaleString('en');
  $('#time').textContent = `${now.last.toFixed(2)} ms`;
  $('#total').textContent = now.entities.toLocaleString('en');
  const why = whyNoEdits();
  $('#mode').textContent = why ? 'read-only' : 'edits on';
  $('#mode').title = why;
  setWhy($('#pause'), why, 'pause or resume (space)');
  setWhy($('#step'), why, 'one frame on (.)');
  setWhy($('#step-system'), why, 'run the next system (s)');
  setWhy($('#until'), why, 'run until a query matches (u)');
  setWhy($('#spawn'), why);
  setWhy($('#back'), why || now.why_not_back || (now.back ? '' : 'no earlier frame is kept'), `one frame back (,); ${now.back} are kept`);
  setWhy($('#undo'), why || (now.edits ? '' : 'no value was edited'), `take back the last edit (z); ${now.edits} are kept`);
  $('#pause span').textContent = now.paused ? 'Resume' : 'Pause';
  $('#pause-icon').setAttribute('d', now.paused ? 'M4 3v10l8-5z' : 'M4 3h3v10H4zM9 3h3v10H9z');
}

function open(view) {
  remember({ view }, view !== shown);
  showView();
  refresh();
}

function runUntil() {
  const query = make('input', { value: state.query ?? '', 'aria-label': 'query', spellcheck: 'false', placeholder: 'game.health.now < 1' });
  const frames = make('input', { value: '10000', 'aria-label': 'frames at most' });
  const content = [make('p', {}, 'Run until an entity matches'), query, make('p', {}, 'or this many frames have run'), frames];
  const run = async () => {
    const { reached, found } = await call('app.run_until', { query: query.value, frames: Number(frames.value) });
    notice(found ? `${found} matches after ${reached.frames} frames` : `nothing matches after ${reached.frames} frames`);
    if (found) entities.choose(found);
  };
  dialog('Run until', content, run, 'Run');
}

const KEYS = [
  ['1 to 5', 'views'], ['/', 'query'], ['arrows, page, Home, End', 'rows'], ['e', 'edit the first field'],
  ['Enter, Escape', 'apply an edit, take it back'], ['up, down in a number', '1 more or less; with Shift 10, with Alt 0.1'],
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
  if (event.key === '/') open('entities');
  const goal = event.key === '/' ? '#query' : event.key === 'e' ? `#${shown} .field input` : undefined;
  if (goal) $(goal)?.focus();
  else if (shortcuts[event.key]) $(shortcuts[event.key]).click();
  else return;
  event.preventDefault();
});

$('[role=tablist]').addEventListener('keydown', (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  open(names[(names.indexOf(shown) + by + names.length) % names.length]);
  $('#tab-' + shown).focus();
});

$('#pause').onclick = () => act(status.paused ? 'app.resume' : 'app.pause');
$('#step').onclick = () => act('app.step');
$('#step-system').onclick = () => act('app.step_system');
$('#back').onclick = () => act('app.step_back');
$('#undo').onclick = () => act('edit.undo');
$('#until').onclick = runUntil;
$('#keys').onclick = showKeys;
for (const name of names) $('#tab-' + name).onclick = () => open(name);
onFrame((frame) => {
  open('schedule');
  schedule.openFrame(frame);
});
addEventListener('popstate', () => {
  recall();
  entities.restored();
  refresh();
});
entities.restored();
start(ask);
