// The graph of frame times: an axis, the line of 60 frames a second, and frames to click.

import { $ } from './dom.js';

const LINE = 16.7;
const LEFT = 34;
const canvas = $('#frames');
/** The last frames that were measured: `[frame, milliseconds]`, the oldest first. */
let times = [];

/** Adds the milliseconds of frames, the last of which has a number, and draws them. */
export function addFrames(last, added) {
  added.forEach((time, position) => times.push([last - added.length + 1 + position, time]));
  times = times.slice(-(canvas.width - LEFT));
  if (added.length) draw();
}

export function forgetFrames() {
  times = [];
}

function draw() {
  const paint = canvas.getContext('2d');
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name);
  const top = Math.max(LINE * 1.6, ...times.map(([, time]) => time));
  const y = (time) => canvas.height - 2 - (time / top) * (canvas.height - 12);
  paint.clearRect(0, 0, canvas.width, canvas.height);
  paint.fillStyle = color('--accent');
  times.forEach(([, time], position) => {
    if (time > LINE) paint.fillStyle = color('--wrong');
    paint.fillRect(LEFT + position, y(time), 1, canvas.height - 2 - y(time));
    paint.fillStyle = color('--accent');
  });
  paint.fillStyle = color('--dim');
  paint.font = '10px system-ui';
  paint.fillText(`${top.toFixed(0)} ms`, 1, 10);
  paint.fillText('16.7', 1, y(LINE) + 3);
  paint.fillRect(LEFT, y(LINE), canvas.width - LEFT, 1);
}

/** Calls a function with the number and the milliseconds of the frame that is clicked; of the slowest, by the keyboard. */
export function onFrame(clicked) {
  canvas.addEventListener('click', (event) => {
    const box = canvas.getBoundingClientRect();
    const at = Math.round(((event.clientX - box.left) / box.width) * canvas.width) - LEFT;
    // A spike is one pixel wide: the slowest one near the pointer is meant.
    const near = times.slice(Math.max(0, at - 3), at + 4);
    if (near.length) clicked(near.reduce((slowest, one) => (one[1] > slowest[1] ? one : slowest)));
  });
  canvas.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && times.length) clicked(times.reduce((slowest, one) => (one[1] > slowest[1] ? one : slowest)));
  });
}
