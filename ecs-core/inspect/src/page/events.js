// Events: their queues, the events of one type as they pass, and observers.

import { $, entityOf, fieldsOf, make, put, setWhy, state, textOf } from './dom.js';
import { choose, linkTo } from './entities.js';
import { List } from './list.js';
import { go, whyNoEdits } from './turns.js';
import { send } from './forms.js';

const MOST_LINES = 200;
/** The event whose passing is shown, and the number of the first one that was not seen. */
let [passing, since] = [undefined, 0];

const queues = new List($('#queues'), 'events', {
  columns: [
    { text: 'event', key: 'name', flex: '2' },
    ...['kept', 'delayed'].map((key) => ({ text: key, key, isNumber: true })),
    { text: 'unread, by reader', flex: '2', show: (row) => row.unread.join(', ') || 'no readers' },
  ],
  isChosen: (row) => row.name === state.event,
  choose: (row) => go({ event: row.name }),
});
const observers = new List($('#observers'), 'observers', {
  columns: [
    { text: 'observer', key: 'observer', flex: '2', class: 'code' },
    { text: 'called at', key: 'at', flex: '2' },
    ...['reads', 'writes'].map((text) => ({ text, show: (row) => row[text].join(', ') })),
  ],
  choose: (row) => row.entity && choose(row.entity),
});

export function calls() {
  const all = [['events.list', {}], ['observers.list', {}]];
  if (state.event) all.push(['events.tail', { event: state.event, since: state.event === passing ? since : 0, limit: 100 }]);
  return all;
}

export function show([list, observing, tail]) {
  queues.setRows(list.result ?? []);
  const at = ({ lifecycle, component, event, entity }) => `${lifecycle ? `${lifecycle} of ${component}` : event}${entity ? `, on ${entity}` : ''}`;
  observers.setRows((observing.result ?? []).map((one) => ({ ...one, at: at(one) })));
  setWhy($('#send'), whyNoEdits() || (state.event ? '' : 'choose an event'));
  if (passing !== (state.event ?? '')) begin();
  if (!tail) return;
  const { events = [], next = since, missed } = tail.result ?? {};
  if (next < since) begin();
  since = next;
  put('#tail-note', tail.error?.message ?? (missed ? `${missed} passed unseen` : ''));
  $('#tail').prepend(...events.map(line).reverse());
  while ($('#tail').children.length > MOST_LINES) $('#tail').lastChild.remove();
}

/** Shows another event, from the first one that is kept. */
function begin() {
  [passing, since] = [state.event ?? '', 0];
  $('#tail').replaceChildren();
  put('#tail-note', passing ? '' : 'Choose an event.');
  put('#tail-head', passing || 'Events as they pass');
}

function line({ frame, value, error }) {
  const fields = fieldsOf(value).flatMap(([path, field]) =>
    [` ${path} `, entityOf(field) ? linkTo(entityOf(field)) : make('b', {}, textOf(field))]);
  return make('p', {}, make('small', {}, String(frame)), ...(error ? [` ${error}`] : fields));
}

$('#send').onclick = () => send(state.event, state.entity);
