// The fields of a value, to be read and edited. An error of the type stands below its field.

import { button, entityOf, fieldsOf, link, make, textOf } from './dom.js';
import { choose } from './entities.js';
import { status } from './turns.js';
import { variantsOf } from './types.js';

// A field that changes more often than this is not marked, or a live value would flash all the time.
const QUIET = 1000;

export class Fields {
  /** `edit(path, value)` returns a promise. Fields of the same component elsewhere have another prefix. */
  constructor(name, edit, prefix = '') {
    Object.assign(this, { name, edit, prefix, shape: '', fields: new Map(), box: make('div') });
  }

  set(value) {
    const all = fieldsOf(value);
    const shape = JSON.stringify(all.map(([path, field]) => [path, typeof field, entityOf(field) !== null, !!variantsOf(this.name, path), /\n/.test(field)]));
    if (shape !== this.shape && !this.box.contains(document.activeElement)) {
      this.shape = shape;
      this.fields = new Map(all.map(([path, field]) => [path, this.make(path, field)]));
      this.box.replaceChildren(...[...this.fields.values()].map((field) => field.row));
    }
    for (const [path, field] of all) this.fields.get(path)?.show(field);
  }

  make(path, first) {
    const id = `${this.prefix}field-${this.name}-${path}`;
    const isFlag = typeof first === 'boolean';
    const variants = typeof first === 'string' && variantsOf(this.name, path);
    const isChoice = isFlag || variants;
    // An `input` would drop the ends of a text's lines.
    const input = variants
      ? make('select', { id }, ...variants.map((name) => make('option', {}, name)))
      : make(/\n/.test(first) ? 'textarea' : 'input', isFlag ? { id, type: 'checkbox' } : { id });
    input[isChoice ? 'disabled' : 'readOnly'] = !status.writes;
    const error = make('span.error', { role: 'alert' });
    const entity = entityOf(first) === null ? null : link('go', () => choose(input.value, true));
    const plot = typeof first === 'number' ? new Plot() : undefined;
    const row = make('div.field', {}, make('label', { htmlFor: id, title: path }, path || 'value'), input, entity, plot?.button, error, plot?.canvas);
    let last;
    let changedAt = 0;
    const say = (text) => {
      error.textContent = text;
      input.classList.toggle('wrong', text !== '');
    };
    const apply = async () => {
      // A text may have fewer digits than its number.
      if (!isChoice && input.value === inputText(last)) return takeBack();
      try {
        await this.edit(path, isFlag ? input.checked : parse(input.value, last));
        say('');
        if (!isChoice) input.blur();
      } catch (problem) {
        say(problem.message);
      }
    };
    const takeBack = () => {
      say('');
      input.value = inputText(last);
      input.blur();
    };
    const keys = { Enter: apply, Escape: takeBack };
    if (isChoice) input.onchange = apply;
    else {
      // With Shift, Enter begins a line of a text that has some.
      input.onkeydown = ({ key, shiftKey }) => shiftKey || (keys[key]?.() && false);
      // A row of the list is an entity for the field.
      input.ondrop = (event) => {
        event.preventDefault();
        input.focus();
        input.value = event.dataTransfer.getData('text/plain');
      };
    }
    const show = (value) => {
      plot?.add(value);
      const text = inputText(value);
      const isNew = last !== undefined && text !== inputText(last);
      last = value;
      if ((document.activeElement === input && !isChoice) || input.classList.contains('wrong')) return;
      if (isFlag) input.checked = value;
      else input.value = text;
      if (!isNew) return;
      const now = performance.now();
      if (now - changedAt > QUIET) {
        input.classList.add('changed');
        setTimeout(() => input.classList.remove('changed'), 400);
      }
      changedAt = now;
    };
    return { row, show };
  }
}

/** The last values of a number, as a line. */
class Plot {
  values = [];
  canvas = make('canvas', { hidden: true, width: 300, height: 40, role: 'img' });
  button = button('∿', () => (this.canvas.hidden = !this.canvas.hidden), { className: 'link', ariaLabel: 'plot' });

  add(value) {
    this.values = [...this.values, value].slice(-this.canvas.width);
    if (this.canvas.hidden) return;
    const [least, most] = [Math.min(...this.values), Math.max(...this.values)];
    const paint = this.canvas.getContext('2d');
    paint.reset();
    paint.strokeStyle = getComputedStyle(this.canvas).getPropertyValue('--accent');
    this.values.forEach((one, x) => paint.lineTo(x, 38 - ((one - least) / (most - least || 1)) * 36));
    paint.stroke();
    this.canvas.ariaLabel = this.canvas.title = `from ${textOf(least)} to ${textOf(most)}`;
  }
}

/** Returns the text of a field: what `parse` reads. */
const inputText = (value) => (value === null ? 'null' : textOf(value));

/** Reads the text of a field: a text stays one if the field was a text, and everything else is JSON if it can be. */
function parse(text, before) {
  if (typeof before === 'string') return text;
  if (entityOf(before) !== null || /^\d+v\d+$/.test(text)) return { entity: text.trim() };
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
