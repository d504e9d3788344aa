// A grid of any length that only has elements for the rows in sight, with heads of columns that sort.

import { button, digits, make } from './dom.js';

const HEIGHT = 24;
// Browsers end elements somewhere above this height, so the scroll bar of a longer list is scaled.
const LIMIT = 8_000_000;

const plain = (row, { key }) => (typeof row[key] === 'number' ? digits(row[key]) : row[key]);

export class List {
  /**
   * A column is `{ text, key, show, isNumber, flex, class }`: `show(row)` returns the text of a cell, or `[text, part of 1]` for one with a
   * bar; without it, the text is `row[key]`. A click on its head sorts by `key`.
   *
   * `isChosen(row)`, `choose(row, number)` and `classOf(row)` are about a row; `moved()` is called when other rows are in sight, and
   * `sorted()` for another order.
   */
  constructor(root, label, options) {
    Object.assign(this, { columns: [], classOf: () => '', isChosen: () => false, choose() {}, moved() {}, sorted: () => this.setRows(this.all) }, options);
    Object.assign(this, { root, length: 0, cursor: -1, top: 0, pool: [], all: [] });
    Object.assign(root, { role: 'grid', tabIndex: 0, ariaLabel: label });
    this.head = make('div.row.head', { role: 'row', ariaRowIndex: 1 });
    this.space = make('div');
    this.rows = make('div.rows', { role: 'rowgroup' });
    this.scroller = make('div.scroll', { tabIndex: -1, role: 'presentation' }, this.space, this.rows);
    root.append(this.head, this.scroller);
    this.scroller.onscroll = () => this.scrolled();
    // A notch of the wheel is some rows, however many there are.
    this.scroller.onwheel = (event) => this.wheel(event);
    root.onkeydown = (event) => this.key(event);
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.setColumns(this.columns);
  }

  get visible() { return Math.max(1, Math.floor((this.scroller.clientHeight || 400) / HEIGHT)); }
  get maximum() { return Math.max(0, this.length - this.visible); }
  /** The pixels of the scroll bar for each row. */
  get step() { return this.length * HEIGHT > LIMIT ? (this.scroller.scrollHeight - this.scroller.clientHeight) / this.maximum : HEIGHT; }

  setColumns(columns) {
    this.columns = columns;
    const cell = (column, attributes, text = '') => {
      const element = make('span', { className: `${column.isNumber ? 'number' : ''} ${column.class ?? ''}`, ...attributes }, text);
      element.style.flex = column.flex ?? 1;
      return element;
    };
    this.head.replaceChildren(...columns.map((column) => {
      const { text, key, title = text } = column;
      const [ariaSort, mark] = !key || key !== this.by ? ['none', ''] : this.isDown ? ['descending', ' ▾'] : ['ascending', ' ▴'];
      return cell(column, { role: 'columnheader', ariaSort }, key ? button(text + mark, () => this.sortBy(column), { title: `sort by ${title}` }) : text);
    }));
    for (const row of this.pool) row.remove();
    this.make = () => columns.map((column) => cell(column, { role: 'gridcell' }));
    this.pool = [];
    this.draw();
  }

  /** The first click sorts numbers down and texts up, the second the other way, and the third ends it. */
  sortBy({ key, isNumber }) {
    const isFirst = this.by !== key;
    const isLast = !isFirst && this.isDown !== !!isNumber;
    this.isDown = isFirst ? !!isNumber : !this.isDown;
    this.by = isLast ? undefined : key;
    this.setColumns(this.columns);
    this.sorted();
  }

  /** Shows rows that are all here, in the order that the user chose. */
  setRows(rows) {
    const sign = this.isDown ? -1 : 1;
    const compare = ({ [this.by]: one }, { [this.by]: other }) => sign * (typeof one === 'string' ? one.localeCompare(other) : one - other);
    this.all = rows;
    const inOrder = this.by ? [...rows].sort(compare) : rows;
    this.row = (number) => inOrder[number];
    this.cursor = inOrder.findIndex(this.isChosen);
    this.setLength(rows.length);
    this.draw();
  }

  setLength(length) {
    if (length === this.length) return;
    this.length = length;
    this.space.style.height = Math.min(length * HEIGHT, LIMIT) + 'px';
    // The heads are the first row.
    this.root.ariaRowCount = length + 1;
    this.top = Math.min(this.top, this.maximum);
    this.draw();
  }

  scrolled() {
    if (this.ownScroll === this.scroller.scrollTop) return;
    this.top = Math.min(this.scroller.scrollTop / this.step, this.maximum);
    this.draw();
    this.moved();
  }

  scrollTo(top) {
    this.top = Math.max(0, Math.min(top, this.maximum));
    this.scroller.scrollTop = this.top * this.step;
    // Browsers round the place, and the event comes later.
    this.ownScroll = this.scroller.scrollTop;
    this.draw();
    this.moved();
  }

  wheel(event) {
    if (this.step === HEIGHT || event.ctrlKey) return;
    event.preventDefault();
    this.scrollTo(this.top + event.deltaY / HEIGHT);
  }

  key(event) {
    const to = {
      ArrowDown: this.cursor + 1,
      ArrowUp: this.cursor - 1,
      PageDown: this.cursor + this.visible,
      PageUp: this.cursor - this.visible,
      Home: 0,
      End: this.length - 1,
    }[event.key];
    if (to === undefined || this.length === 0) return;
    event.preventDefault();
    this.select(Math.max(0, Math.min(this.length - 1, to)));
  }

  select(number) {
    this.cursor = number;
    if (number < this.top) this.scrollTo(number);
    else if (number > this.top + this.visible - 1) this.scrollTo(number - this.visible + 1);
    this.choose(this.row(number), number);
    this.draw();
  }

  draw() {
    if (!this.row || !this.scroller.clientHeight) return;
    while (this.pool.length < this.visible + 2) this.pool.push(this.addRow());
    const first = Math.floor(this.top);
    this.rows.style.transform = `translateY(${this.scroller.scrollTop - (this.top - first) * HEIGHT}px)`;
    let active = '';
    this.pool.forEach((element, position) => {
      const number = first + position;
      element.hidden = number >= this.length || position >= this.visible + 2;
      if (element.hidden) return;
      const row = this.row(number);
      const isChosen = row ? this.isChosen(row) : number === this.cursor;
      element.number = number;
      element.ariaRowIndex = number + 2;
      element.ariaSelected = isChosen;
      if (isChosen) active = element.id;
      element.className = `row ${row ? this.classOf(row) : 'waiting'}`;
      this.columns.forEach((column, at) => {
        const shown = row ? (column.show ?? plain)(row, column) : at === 0 ? '…' : '';
        const [text, part] = Array.isArray(shown) ? shown : [shown];
        const cell = element.children[at];
        if (cell.textContent !== text) cell.textContent = cell.title = text;
        if (part !== undefined) cell.style.setProperty('--part', `${part * 100}%`);
      });
    });
    this.root.setAttribute('aria-activedescendant', active);
  }

  addRow() {
    const id = `${this.root.id}-${this.pool.length}`;
    const element = make('div', { role: 'row', id, draggable: !!this.isDraggable, onclick: () => (this.select(element.number), this.root.focus()) }, ...this.make());
    this.rows.append(element);
    return element;
  }
}
