// A list of any length that only has elements for the rows in sight.

import { make } from './dom.js';

const HEIGHT = 24;
// Browsers end elements somewhere above this height, so the scroll bar of a longer list is scaled.
const LIMIT = 8_000_000;

export class List {
  /**
   * `fill(element, number)` shows a row; `choose(number)` is called for the row that the user chooses; `moved()` when other
   * rows are in sight.
   */
  constructor(root, { fill, choose, moved }) {
    Object.assign(this, { root, fill, choose, moved, length: 0, chosen: -1, top: 0, pool: [] });
    this.rows = root.querySelector('.rows');
    this.space = root.querySelector('.space');
    root.addEventListener('scroll', () => this.scrolled());
    root.addEventListener('keydown', (event) => this.key(event));
    // A notch of the wheel is some rows, however many there are.
    root.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => this.draw()).observe(root);
  }

  get visible() { return Math.max(1, Math.floor((this.root.clientHeight || 400) / HEIGHT)); }
  get maximum() { return Math.max(0, this.length - this.visible); }
  get isScaled() { return this.length * HEIGHT > LIMIT; }

  setLength(length) {
    if (length === this.length) return;
    this.length = length;
    this.space.style.height = Math.min(length * HEIGHT, LIMIT) + 'px';
    this.root.setAttribute('aria-rowcount', length);
    this.top = Math.min(this.top, this.maximum);
    this.draw();
  }

  scrolled() {
    if (this.ownScroll === this.root.scrollTop) return;
    const range = this.root.scrollHeight - this.root.clientHeight;
    const part = range > 0 ? this.root.scrollTop / range : 0;
    this.top = this.isScaled ? part * this.maximum : Math.min(this.root.scrollTop / HEIGHT, this.maximum);
    this.draw();
    this.moved();
  }

  scrollTo(top) {
    this.top = Math.max(0, Math.min(top, this.maximum));
    const range = this.root.scrollHeight - this.root.clientHeight;
    this.root.scrollTop = this.isScaled ? (this.top / Math.max(1, this.maximum)) * range : this.top * HEIGHT;
    // Browsers round the place, and the event comes later.
    this.ownScroll = this.root.scrollTop;
    this.draw();
    this.moved();
  }

  wheel(event) {
    if (!this.isScaled || event.ctrlKey) return;
    event.preventDefault();
    this.scrollTo(this.top + event.deltaY / HEIGHT);
  }

  key(event) {
    const to = {
      ArrowDown: this.chosen + 1,
      ArrowUp: this.chosen - 1,
      PageDown: this.chosen + this.visible,
      PageUp: this.chosen - this.visible,
      Home: 0,
      End: this.length - 1,
    }[event.key];
    if (to === undefined || this.length === 0) return;
    event.preventDefault();
    this.select(Math.max(0, Math.min(this.length - 1, to)));
  }

  select(number) {
    this.chosen = number;
    if (number < this.top) this.scrollTo(number);
    else if (number > this.top + this.visible - 1) this.scrollTo(number - this.visible + 1);
    this.draw();
    this.choose(number);
  }

  draw() {
    while (this.pool.length < this.visible + 2) {
      const row = make('div', { role: 'row', class: 'row' });
      row.addEventListener('click', () => this.select(row.number));
      this.pool.push(row);
      this.rows.append(row);
    }
    const first = Math.floor(this.top);
    this.rows.style.transform = `translateY(${this.root.scrollTop - (this.top - first) * HEIGHT}px)`;
    this.pool.forEach((row, position) => {
      row.number = first + position;
      const isShown = row.number < this.length && position < this.visible + 2;
      row.style.display = isShown ? '' : 'none';
      if (!isShown) return;
      row.setAttribute('aria-rowindex', row.number + 1);
      row.setAttribute('aria-selected', row.number === this.chosen);
      this.fill(row, row.number);
    });
  }
}

/** Sets the texts of a row's cells, which are made as needed. */
export function setCells(row, texts) {
  while (row.children.length < texts.length) row.append(make('span', { role: 'gridcell' }));
  while (row.children.length > texts.length) row.lastChild.remove();
  texts.forEach((text, position) => {
    const cell = row.children[position];
    const value = typeof text === 'object' ? text.text : text;
    if (cell.textContent !== value) cell.textContent = value;
    cell.className = typeof text === 'object' && text.isNumber ? 'number' : '';
  });
}
