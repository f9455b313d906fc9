// Sliders: one for each number that can be moved, with a box for its digits.
import { h } from '../dom.js';
import { round } from '../player.js';

// Where a parameter may go: its range in the model, else from nothing to three times its value, or as far to both sides of 0.
export function rangeOf({ value, range }) {
  if (range) return range;
  if (value === 0) return [-1, 1];
  const most = round(3 * Math.abs(value));
  return value > 0 ? [0, most] : [-most, 0];
}
// A start: about what it is, angles once round.
export function rangeOfStart(value, isAngle) {
  if (isAngle) return [Math.min(-3.2, value), Math.max(3.2, value)];
  const most = round(2 * Math.max(Math.abs(value), 0.5));
  return [-most, most];
}

const short = (value) => String(Number(value.toPrecision(6)));

export class Slider {
  // number: { name, value, range: [low, high] }; moved(value) while it moves
  constructor({ name, value, range }, moved) {
    Object.assign(this, { name, base: value });
    this.bar = h('input', { type: 'range', min: range[0], max: range[1], step: 'any', 'aria-label': name, oninput: () => this.give(this.bar.value, moved) });
    this.box = h('input', { type: 'number', step: 'any', 'aria-label': `${name}, digits`, onchange: () => this.give(this.box.value, moved) });
    this.element = h('div', { class: 'slider' }, h('span', { class: 'name', title: name }, name), this.bar, this.box);
    this.set(value);
  }
  give(text, moved) {
    const value = Number(text);
    if (text === '' || !Number.isFinite(value)) return this.set(this.value);
    this.set(value);
    return moved(value);
  }
  set(value) {
    this.value = value;
    if (Number(this.bar.value) !== value) {
      if (value < Number(this.bar.min)) this.bar.min = value;
      if (value > Number(this.bar.max)) this.bar.max = value;
      this.bar.value = value;
    }
    this.box.value = short(value);
    this.element.classList.toggle('changed', value !== this.base);
  }
}
