// Events that are kept, and how far their readers are behind.

import { $ } from './dom.js';
import { List } from './list.js';

export const calls = () => [['events.list', {}]];

const queues = new List($('#queues'), 'events', {
  columns: [
    { text: 'event', key: 'name', show: (row) => row.name, flex: '2' },
    { text: 'kept', key: 'kept', isNumber: true, show: (row) => String(row.kept) },
    { text: 'unread, by reader', flex: '2', show: (row) => row.unread.join(', ') || 'no readers' },
  ],
});

export function show([events]) {
  queues.setRows(events.result ?? []);
}
