// A file of samples as panels see it: columns with what the chains say, their draws, and how they are spread.
import { runColour } from './theme.js';

// The plan of a file of cases: lines "name value", of which some may be several.
export function planOf(text) {
  const lines = text.split('\n').filter(Boolean).map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
  return { lines, words: new Map(lines.filter(([name]) => name !== 'param')), parameters: lines.filter(([name]) => name === 'param').map(([, value]) => value) };
}

// Edges of equal bins, each of `join` fine ones, and densities with the last one repeated: what steps are drawn from.
export function steps(fine, low, high, join = 1) {
  const counts = Array.from({ length: fine.length / join }, (_, i) => fine.slice(i * join, (i + 1) * join).reduce((sum, count) => sum + count, 0));
  const width = (high - low) / counts.length;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const edges = Array.from({ length: counts.length + 1 }, (_, i) => low + i * width);
  const heights = Array.from(counts, (count) => count / (all * width));
  return { edges, heights: [...heights, heights[heights.length - 1]] };
}

export class Sampling {
  constructor(given, index, restore) {
    Object.assign(this, given);
    this.number = index;
    this.plan = planOf(given.plan);
    this.columns = given.columns.map((column) => ({
      ...column,
      joint: restore(column.joint, column),
      traces: column.traces.map(({ low, high }) => {
        const lows = restore(low, column);
        return { lows, highs: high ? restore(high, column) : lows };
      }),
    }));
    this.chain = Array.from({ length: this.columns[0].traces.length }, (_, c) => ({ name: `chain ${c}`, colour: () => runColour(c) }));
  }
  column(name) {
    return this.columns.find((column) => column.name === name);
  }
  // The columns of which `has` is true, as the options of a list; those that vary come first.
  names(has) {
    return this.columns.filter(has).map(({ name }) => name);
  }
  // What is not shown of many chains.
  get left() {
    return this.chains > this.chain.length ? ` The first ${this.chain.length} of ${this.chains} chains are shown.` : '';
  }
}
