// The page: the header with the time of the program, the views, and the keys.
//
// Each view has a module that offers `calls()`, the calls whose results it shows, and `show(responses)`. One batch per turn asks
// for the status and for the visible view.

import { batch } from './rpc.js';
import { $, button, digits, make, put, recall, remember, setWhy, state } from './dom.js';
import { refresh, start, status, whyNoEdits } from './turns.js';
import { act, dialog, notice, until } from './say.js';
import { addFrames, onFrame, SLOW } from './frames.js';
import * as entities from './entities.js';
import * as resources from './resources.js';
import * as events from './events.js';
import * as schedule from './schedule.js';
import * as memory from './memory.js';
import * as record from './record.js';

const views = { entities, resources, events, schedule, memory };
const names = Object.keys(views);
/** The view that is on the screen. */
let shown = null;
let isLost = false;

async function ask() {
  if (shown !== state.view) showView();
  const view = views[shown];
  let answers;
  try {
    // Slow frames are traced while a page asks.
    answers = await batch([['app.status', { since: status.measured ?? 0 }], ['schedule.traces', { above_ms: SLOW }], ...view.calls(), ...record.calls()]);
  } catch (error) {
    put('#live', 'the program does not answer');
    $('#live').className = 'lost';
    isLost = true;
    $('#live').title = error.message;
    return;
  }
  const [now, traces, ...others] = answers;
  // Its answer is the last one, if it was asked.
  record.show(others.at(-1));
  showStatus(now.result, traces.result?.frames ?? []);
  isLost = false;
  view.show(others);
}

$('#views').append(...names.map((name, position) =>
  button(name[0].toUpperCase() + name.slice(1) + ' ', () => open(name), { id: 'to-' + name }, make('kbd', {}, String(position + 1)))));

function showView() {
  if (!views[state.view]) remember({ view: 'entities' });
  shown = state.view;
  for (const name of names) {
    $('#' + name).hidden = name !== shown;
    $('#to-' + name).ariaCurrent = name === shown;
  }
}

function showStatus(now, traces) {
  // The program counts the frames that it measures. It also steps back, but not while it does not answer.
  if (now.measured < status.measured || (isLost && now.frame < status.frame)) {
    sessionStorage.anew = 1;
    delete sessionStorage.token;
    remember({ entity: '' });
    location.reload();
    return;
  }
  addFrames(now.frame, now.times, traces.map((one) => one.frame), record.recorded(now.frame));
  now.last = now.times.at(-1) ?? status.last ?? 0;
  Object.assign(status, now);
  $('#live').className = now.ended || now.paused ? 'still' : '';
  $('#live').title = '';
  put('#program', document.title = now.name ?? 'world');
  put('#live', now.ended ? 'ended' : now.in_frame ? 'paused in a frame' : now.paused ? 'paused' : 'live');
  put('#frame', digits(now.frame));
  put('#time', `${now.last.toFixed(2)} ms`);
  put('#total', digits(now.entities));
  const why = whyNoEdits();
  put('#mode', why ? 'read-only' : 'edits on');
  $('#mode').title = why;
  const whyNot = { back: now.why_not_back || (now.back ? '' : 'no earlier frame is kept') };
  for (const [key, does, id, text] of KEYS) if (text) setWhy($('#' + id), why || whyNot[id], `${does} (${key})`);
  setWhy($('#spawn'), why);
  put('#pause', now.paused ? 'Resume' : 'Pause');
}

function open(view) {
  remember({ view }, view !== shown);
  showView();
  refresh();
}

function runUntil() {
  const query = make('input', { value: state.query ?? '', ariaLabel: 'query', placeholder: 'game.health.now < 1' });
  const frames = make('input', { value: '10000', ariaLabel: 'frames at most' });
  const content = [make('p', {}, 'Run until an entity matches'), query, make('p', {}, 'or this many frames have run'), frames];
  const run = async () => {
    const found = await until({ query: entities.queryOf(query.value), frames: Number(frames.value) });
    if (found) entities.choose(found);
  };
  dialog('Run until', content, run, 'Run');
}

async function undo() {
  const undone = await act('edit.undo');
  if (!undone) return;
  const { entity, name, lost } = undone;
  notice(`took back ${[name, entity].filter(Boolean).join(' of ')}${lost.length ? `, without ${lost.join(', ')}` : ''}`);
  // What was despawned has a new id.
  if (!name) entities.choose(entity);
}

/** The keys and what they do: press a button of the header, with its text. */
const KEYS = [
  [',', 'step a frame back', 'back', '◂ Back', () => act('app.step_back')],
  ['space', 'pause or resume', 'pause', 'Pause', () => act(status.paused ? 'app.resume' : 'app.pause')],
  ['.', 'step a frame', 'step', 'Step ▸', () => act('app.step')],
  ['s', 'step a system', 'step-system', 'System ▸', () => act('app.step_system')],
  ['u', 'run until a query matches', 'until', 'Until…', runUntil],
  ['z', 'take back the last change of this page', 'undo', 'Undo', undo],
  ['r', 'record; end and keep it', 'record', '', record.toggle],
  ['1 to 5', 'views'], ['/', 'query'], ['arrows, page, Home, End', 'rows'], ['e', 'edit the first field'], ['Enter, Escape', 'apply an edit, take it back'],
  ['m', 'hold an entity, then put it below the chosen one; dragging does the same', 'move'], ['Delete', 'despawn the chosen entity', 'despawn'], ['?', 'keys', 'keys'],
];
$('#actions').append(...KEYS.filter((one) => one[4]).map(([, , id, text, does]) => button(text, does, { id, hidden: !text })));

const showKeys = () =>
  dialog('Keys', [make('table', {}, ...KEYS.map(([key, does]) => make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {}, does))))]);

document.onkeydown = (event) => {
  const isTyping = event.target.matches('input:not([type=checkbox]), textarea, select') || $('#dialog').open;
  const isPressing = event.target.matches('button') && event.key === ' ';
  if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key === ' ' ? 'space' : event.key;
  if (key === '/') open('entities');
  const pressed = names[key - 1] ? `to-${names[key - 1]}` : KEYS.find(([one]) => one === key)?.[2];
  const goal = key === '/' ? '#query' : key === 'e' ? `#${shown} .field input` : '';
  if (pressed) $('#' + pressed)?.click();
  else if (goal) $(goal)?.focus();
  else if (key === 'Escape') entities.hold();
  else return;
  event.preventDefault();
};

$('#keys').onclick = showKeys;
onFrame((frame) => {
  open('schedule');
  schedule.openFrame(frame);
});
onpopstate = () => {
  recall();
  entities.restored();
  refresh();
};
entities.restored();
if (sessionStorage.anew) notice('the program has started anew');
delete sessionStorage.anew;
start(ask);
