// The fields of a value, to be read and edited. An error of the type stands below its field.

import { button, entityOf, fieldsOf, make, textOf } from './dom.js';

// A field that changes more often than this is not marked, or a live value would flash all the time.
const QUIET = 1000;

export class Fields {
  /** `edit(path, value)` returns a promise; `follow(entity)` goes to an entity that a field names. */
  constructor(name, { isReadOnly, edit, follow }) {
    Object.assign(this, { name, isReadOnly, edit, follow, shape: '', fields: new Map(), box: make('div') });
  }

  set(value) {
    const all = fieldsOf(value);
    const shape = JSON.stringify(all.map(([path, field]) => [path, typeof field, entityOf(field) !== null]));
    if (shape !== this.shape && !this.box.contains(document.activeElement)) {
      this.shape = shape;
      this.fields = new Map(all.map(([path, field]) => [path, this.make(path, field)]));
      this.box.replaceChildren(...[...this.fields.values()].map((field) => field.row));
    }
    for (const [path, field] of all) this.fields.get(path)?.show(field);
  }

  make(path, first) {
    const id = `field-${this.name}-${path}`;
    const isFlag = typeof first === 'boolean';
    const input = isFlag
      ? make('input', { id, type: 'checkbox', disabled: this.isReadOnly })
      : make('input', { id, readOnly: this.isReadOnly, spellcheck: 'false', autocomplete: 'off' });
    const error = make('span', { class: 'error', role: 'alert' });
    const entity = entityOf(first) === null ? null : button('go', () => this.follow(input.value), { class: 'link' });
    const row = make('div', { class: 'field' }, make('label', { for: id, title: path }, path || 'value'), input, entity, error);
    let last;
    let changedAt = 0;
    const apply = async () => {
      try {
        await this.edit(path, isFlag ? input.checked : parse(input.value, last));
        error.textContent = '';
        input.classList.remove('wrong');
        if (!isFlag) input.blur();
      } catch (problem) {
        error.textContent = problem.message;
        input.classList.add('wrong');
      }
    };
    const takeBack = () => {
      error.textContent = '';
      input.classList.remove('wrong');
      input.value = inputText(last);
      input.blur();
    };
    if (isFlag) input.onchange = apply;
    else input.onkeydown = (event) => ({ Enter: apply, Escape: takeBack })[event.key]?.();
    const show = (value) => {
      const text = inputText(value);
      const isNew = last !== undefined && text !== inputText(last);
      last = value;
      if (document.activeElement === input && !isFlag) return;
      if (input.classList.contains('wrong')) return;
      if (isFlag) input.checked = value;
      else input.value = text;
      if (isNew) {
        const now = performance.now();
        if (now - changedAt > QUIET) {
          input.classList.add('changed');
          setTimeout(() => input.classList.remove('changed'), 400);
        }
        changedAt = now;
      }
    };
    return { row, show };
  }
}

/** Returns the text of a field: what `parse` reads. */
const inputText = (value) => (value === null ? 'null' : textOf(value));

/** Reads the text of a field: a text stays one if the field was a text, and everything else is JSON if it can be. */
function parse(text, before) {
  if (entityOf(before) !== null) return { entity: text.trim() };
  if (typeof before === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
