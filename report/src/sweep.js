// A sweep as panels see it: what was varied, and what came of it.
import { planOf } from './sampling.js';
import { runColour, shade } from './theme.js';

export const FEW = 8; // lines with a colour each; of more the colours go from dark to light
const VARIED = /^(set|start):/;
// What every sweep has of each case.
const COMMON = new Set(['time', 'steps', 'energy_error', 'g', 'psi', 'H', 'work', 'balance']);

export class Sweep {
  constructor(given, index) {
    Object.assign(this, given);
    this.number = index;
    this.plan = planOf(given.plan);
    this.methods = (this.plan.words.get('methods') ?? '').split(/,(?![^(]*\))/);
    const status = given.columns.find(({ name }) => name === 'status')?.values;
    this.failed = Array.from(given.numbers, (_, i) => Boolean(status && status[i] !== 0));
    const columns = given.columns.filter(({ name }) => name !== 'status').map((column) => this.column(column));
    const change = (input) => columns.filter((column) => column.input === input && column.different.length > 1);
    this.inputs = change(true);
    this.results = change(false).sort((a, b) => COMMON.has(a.name) - COMMON.has(b.name)); // those of the model first
    this.same = columns.filter(({ different }) => different.length <= 1);
  }
  // Results of cases that failed are left out. drawn: from a law, which stands behind its name in the plan ("x~normal(0,0.1)").
  column(given) {
    const { name } = given;
    const input = VARIED.test(name) || name === 'step' || name === 'method';
    const values = Array.from(given.values, (v, i) => (Number.isFinite(v) && (input || !this.failed[i]) ? v : null));
    const own = name.replace(VARIED, '');
    return { ...given, input, values, label: name.startsWith('start:') ? `${own} at the start` : own, different: [...new Set(values)].filter((v) => v !== null).sort((a, b) => a - b),
      drawn: this.plan.lines.some(([, text]) => text.startsWith(`${own}~`)) };
  }
  // Quantities of the table of one name, as options of a list.
  static options = (columns) => [['', columns.map(({ name, label }) => [name, label])]];
  named = (name) => [...this.inputs, ...this.results].find((column) => column.name === name);

  // The rows by the values of a column: those of one value are one line where nothing else was varied or drawn in it.
  // [{ name, colour, xs, ys, joined }]
  sets(x, y, by) {
    const values = by ? by.different : [null];
    return values.map((value, k) => {
      const rows = this.failed.map((_, i) => i).filter((i) => (!by || by.values[i] === value) && x.values[i] !== null);
      rows.sort((a, b) => x.values[a] - x.values[b]);
      const xs = rows.map((i) => x.values[i]);
      const joined = !x.drawn && xs.every((v, i) => i === 0 || v > xs[i - 1]);
      return { name: by ? `${by.label} = ${this.written(by, value)}` : '', colour: () => (values.length > FEW ? shade(k / (values.length - 1)) : runColour(k)), xs, ys: rows.map((i) => y.values[i]), joined, marked: true };
    });
  }
  // A value as people write it; a method by its name.
  written(column, value) {
    return column.name === 'method' ? this.methods[value] ?? String(value) : String(Number(value.toPrecision(6)));
  }
}
