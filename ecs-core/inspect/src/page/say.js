// What the page says and asks: notices, dialogs, and actions with their errors.

import { call } from './rpc.js';
import { $, button, make, put, setWhy } from './dom.js';
import { refresh, whyNoEdits } from './turns.js';

let noticeTimer;

/** Says something below the header for some seconds. */
export function notice(text) {
  put('#notice', $('#notice').title = text);
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(put, 8000, '#notice', '');
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

/** Runs the program until something happens, says it, and returns the entity that a query has found. */
export async function until(what) {
  const { reached, found, system, before, after } = await call('app.run_until', what);
  const change = after == null ? '' : `; ${JSON.stringify(before)} became ${JSON.stringify(after)}`;
  notice(`after ${reached.frames} frames: ${found ?? system ?? 'nothing'}${change}`);
  return found;
}

/** Returns a button that runs the program until something happens. */
export const untilButton = (text, what, title) =>
  setWhy(button(text, () => until(what).catch(({ message }) => notice(message))), whyNoEdits(), title);

/** Opens a dialog with a form. `submit` returns a promise; if it fails, the dialog stays, with the error. */
export function dialog(title, content, submit, label) {
  const error = make('p.error', { role: 'alert' });
  const close = () => $('#dialog').close();
  const send = async (event) => {
    event.preventDefault();
    try {
      await submit?.();
      close();
      refresh();
    } catch (problem) {
      error.textContent = problem.message;
    }
  };
  const buttons = make('p.actions', {}, submit && make('button', {}, label), button('Close', close));
  $('#dialog').replaceChildren(make('form', { onsubmit: send }, make('h2', {}, title), ...content, error, buttons));
  $('#dialog').showModal();
  $('#dialog').querySelector('input, textarea, select')?.focus();
}

// A button with a reason says it, and does nothing else.
document.addEventListener('click', (event) => {
  const why = event.target.closest('[data-why]')?.dataset.why;
  if (!why) return;
  event.stopPropagation();
  event.preventDefault();
  notice(`not now: ${why}`);
}, true);
