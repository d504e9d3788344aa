// Events that are kept, and how far their readers are behind.

import { $, make } from './dom.js';

export const calls = () => [['events.list', {}]];

const row = (tag, cells) => make('tr', {}, ...cells.map((cell) => make(tag, { class: typeof cell === 'number' ? 'number' : '' }, String(cell))));

export function show([events]) {
  const queues = (events.result ?? []).map(({ name, kept, unread }) => row('td', [name, kept, unread.join(', ') || 'no readers']));
  const head = make('thead', {}, row('th', ['event', 'kept', 'unread, by reader']));
  $('#event-list').replaceChildren(make('table', {}, head, make('tbody', {}, ...queues)));
}
