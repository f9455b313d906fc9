// A study as panels see it: tables by name, figures by name, methods with colours.
import { runColour } from './theme.js';

const plain = (values) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));

class Table {
  constructor(given) {
    Object.assign(this, given);
    this.names = given.columns.map(({ name }) => name);
  }
  // lows and highs; the same array where every row is there
  range(name) {
    const column = this.columns.find((one) => one.name === name);
    if (!column) return [[], []];
    column.kept ??= column.values ? [plain(column.values)] : [plain(column.low), plain(column.high)];
    return [column.kept[0], column.kept[1] ?? column.kept[0]];
  }
  column(name) {
    return this.range(name)[1];
  }
}

const named = (list) => new Map(list.map((item) => [item.name, item]));
const tables = (list) => new Map(list.map((given) => [given.name, new Table(given)]));

export class Study {
  constructor(given, index) {
    Object.assign(this, given);
    this.number = index;
    this.tables = tables(given.tables);
    this.figures = named(given.figures);
    this.methods = given.methods.map((method, i) => ({
      ...method, number: i, colour: () => runColour(i), tables: tables(method.tables), figures: named(method.figures), fits: named(method.fits),
    }));
  }
  figure(name) {
    return this.figures.get(name)?.value ?? null;
  }
  // Methods with a table that has rows.
  with(table) {
    return this.methods.filter((method) => method.tables.get(table)?.rows > 0);
  }
}
