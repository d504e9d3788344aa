// The graph of frame times: an axis, the line of 60 frames a second, and frames to click.

import { $ } from './dom.js';

/** The milliseconds of a frame at 60 frames a second; slower ones are traced. */
export const SLOW = 16.7;
/** A single slow frame does not make the others flat. */
const HIGHEST = 4 * SLOW;
const LEFT = 34;
const canvas = $('#frames');
/** The last frames that were measured: `[frame, milliseconds, frame in the recording]`, the oldest first. */
let times = [];
/** The frames that were traced. */
let traced = [];

/** Adds the milliseconds of frames, and draws them. The last one has a number, and another one in the recording. */
export function addFrames(last, added, slow, recorded) {
  traced = slow;
  added.forEach((time, n, { length }) => times.push([last + n + 1 - length, time, recorded + n + 1 - length]));
  times = times.slice(LEFT - canvas.clientWidth);
  if (added.length) draw();
}

function draw() {
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const paint = canvas.getContext('2d');
  paint.scale(devicePixelRatio, devicePixelRatio);
  paint.font = '11px system-ui';
  const style = getComputedStyle(canvas);
  const color = (name) => style.getPropertyValue(name);
  const longest = Math.max(...times.map(([, time]) => time));
  const top = Math.min(HIGHEST, Math.max(SLOW * 1.6, longest));
  const y = (time) => height - 2 - (Math.min(time, top) / top) * (height - 12);
  times.forEach(([, time], position) => {
    paint.fillStyle = color(time > SLOW ? '--wrong' : '--accent');
    paint.fillRect(LEFT + position, y(time), 1, height - 2 - y(time));
  });
  paint.fillStyle = color('--dim');
  paint.fillText(`${top.toFixed(0)} ms`, 1, 10, LEFT - 3);
  // Of a low line, the label would stand on the other one.
  paint.fillText('16.7', 1, Math.max(22, y(SLOW) + 3), LEFT - 3);
  paint.fillRect(LEFT, y(SLOW), width - LEFT, 1);
  canvas.ariaLabel = `milliseconds of the last ${times.length} frames, at most ${longest.toFixed(1)}; Enter opens the slowest`;
}

/** Returns the place of a frame in the recording as text. */
export const inRecording = ([, , recorded]) => (recorded >= 0 ? `, ${recorded} in the recording` : '');

/** Calls a function with the number and the milliseconds of the frame that is clicked; of the slowest, by the keyboard. */
export function onFrame(clicked) {
  const slowest = (some) => some.reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0]);
  // A spike is one pixel wide: the slowest one near the pointer is meant.
  const near = ({ offsetX }) => slowest(times.slice(Math.max(0, offsetX - LEFT - 3), Math.max(0, offsetX - LEFT + 4)));
  const open = (frame) => frame[0] && clicked(frame);
  canvas.onclick = (event) => open(near(event));
  canvas.onkeydown = (event) => event.key === 'Enter' && open(slowest(times));
  canvas.onmousemove = (event) => {
    const slow = near(event);
    const [frame, time] = slow;
    canvas.title = frame ? `frame ${frame}: ${time.toFixed(2)} ms${inRecording(slow)}${traced.includes(frame) ? '; click to see its trace' : ''}` : '';
  };
}
