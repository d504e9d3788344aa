// Turns: the program is asked ten times a second, and at once after an action. There is never more than one turn on the way, and none
// while the page is hidden, so a slow program is asked less often.

import { remember } from './dom.js';

const INTERVAL = 100;

/** The program's last `app.status`. */
export const status = {};

/** Returns the reason why nothing can be changed, or nothing. */
export const whyNoEdits = () => (status.writes ? '' : 'read-only; open the address that the program prints, with its token');

let ask;
let isAsking = false;
let isWanted = false;

/** Begins the turns: `asks` returns a promise of the end of one. */
export function start(asks) {
  ask = asks;
  setInterval(turn, INTERVAL);
  document.onvisibilitychange = turn;
  // Also a hidden page shows something.
  refresh();
}

/** Asks at once: after an action, or when other rows come into sight. */
export function refresh() {
  isWanted = true;
  turn();
}

/** Goes to another state of the page; `isStep` as in `remember`. */
export function go(changes, isStep) {
  remember(changes, isStep);
  refresh();
}

async function turn() {
  if (!ask || isAsking || (document.hidden && !isWanted)) return;
  isAsking = true;
  isWanted = false;
  await ask().catch(console.error);
  isAsking = false;
  if (isWanted) turn();
}
