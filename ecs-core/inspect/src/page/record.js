// A recording of the program, if it has a recorder: a button starts and ends it, and then keeps the file.

import { $, bytes, plural, save } from './dom.js';
import { act, notice } from './say.js';
import { status } from './turns.js';

/** The recorder's last answer; nothing if there is no recorder, or this page may only read. */
let recorder = {};

export const calls = () => (recorder ? [['app.record']] : []);

/** Shows the state of the recorder. */
export function show(answer) {
  if (!recorder || answer.error && !answer.error.code) return;
  recorder = answer.result;
  const { on, frames, bytes: size } = recorder ?? {};
  Object.assign($('#record'), { hidden: !recorder, textContent: on ? '■ End' : '● Record', title: on ? `${plural(frames, 'frame')}, ${bytes(size)} (r)` : 'record (r)' });
}

/** Returns the number of a frame in the recording, below 0 if it is not there. */
export const recorded = (frame) => (recorder?.on ? frame - recorder.frame + recorder.frames : -1);

/** Begins a recording, or ends it and keeps its file. */
export async function toggle() {
  const on = !recorder?.on;
  if (!on && status.paused) return notice('resume first');
  let now = await act('app.record', { on });
  // It ends before the next frame.
  while (now?.on && !on) now = await act('app.record');
  if (!now || on) return;
  const parts = [];
  let text;
  for (let at = 0; (text = await act('record.read', { at })); at += text.length / 2) parts.push(Uint8Array.from(text.match(/../g), (two) => parseInt(two, 16)));
  if (text != null) save(now.file.split(/[/\\]/).pop(), new Blob(parts));
}
