// Quantities over time: lines where every sample is there, bands from lowest to highest where samples were gathered.
import uPlot from 'uplot';
import { h, replace, tool } from './dom.js';
import { logAxis, logRange, plainAxis, plainRange, readout, timeRange, zeroRange } from './axes.js';
import { PAPER, faded, onPrint, onTheme, printing } from './theme.js';
import { withUnit } from './format.js';
import { fileName, savePicture } from './image.js';

const HEIGHT = 240;
const crosshair = uPlot.sync('time');

// Magnitudes of ranges: where a range holds 0 its lowest magnitude is 0.
function magnitudes(lows, highs) {
  const low = lows.map((a, i) => (a === null ? null : a <= 0 && highs[i] >= 0 ? 0 : Math.min(Math.abs(a), Math.abs(highs[i]))));
  const high = lows.map((a, i) => (a === null ? null : Math.max(Math.abs(a), Math.abs(highs[i]))));
  return [low, high];
}

// Where the logarithmic axis ends below: under nearly all values that are not 0, and for ranges two decades under their upper ends.
function floorOf(highs, isRange) {
  const values = highs.flat().filter((v) => v > 0).sort((a, b) => a - b);
  if (values.length === 0) return 1e-17;
  return Number(`1e${Math.floor(Math.log10(values[Math.floor(values.length / 50)])) - (isRange ? 2 : 0)}`);
}

// lines: [{ run, name, colour: () => string, dash, stepped, times, lows, highs (the same array as lows: a line) }]
function tabulate(lines, log) {
  let columns = lines.map((line) => (log ? magnitudes(line.lows, line.highs) : [line.lows, line.highs]));
  let floor = null;
  if (log) {
    const lowest = floorOf(columns.map(([, high]) => high), lines.some((line) => line.ranged));
    const clamp = (v) => {
      if (v === null || v > lowest) return v;
      floor = lowest;
      return lowest;
    };
    columns = columns.map((pair) => pair.map((column) => column.map(clamp)));
  }
  const tables = lines.map((line, i) => {
    const [low, high] = columns[i];
    return line.lows === line.highs && !line.ranged ? [line.times, log ? high : low] : [line.times, low, high];
  });
  return { tables, floor };
}

function join(tables) {
  const same = tables.every((t) => t[0] === tables[0][0]);
  return same ? [tables[0][0], ...tables.flatMap((t) => t.slice(1))] : uPlot.join(tables);
}

// Of a band on a logarithmic axis the upper edge alone is drawn: what crosses 0 has its lower one at the floor.
function seriesOf(lines, tables, log) {
  const series = [{}];
  const bands = [];
  lines.forEach((line, i) => {
    const style = { stroke: () => line.colour(), width: 1.5, dash: line.dash, paths: line.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined, points: { show: tables[i][0].length < 2, size: 7 } };
    if (tables[i].length === 2) {
      series.push(style);
      line.at = [series.length - 1, series.length - 1];
    } else {
      series.push({ ...style, width: log ? 0 : 1 }, { ...style, width: 1 });
      line.at = [series.length - 2, series.length - 1];
      bands.push({ series: [line.at[1], line.at[0]], fill: () => faded(line.colour(), log ? 0.15 : 0.3) });
    }
  });
  return { series, bands };
}

// One chart in a figure, with a legend that reads out, tools, keys, and the time and range that all charts share.
//   spec: { name, title, label, lines, log }   context: { range, time, player }
export class TimeChart {
  constructor(spec, context) {
    this.context = context;
    this.name = spec.name;
    this.title = spec.title;
    this.host = h('div', { class: 'plot' });
    this.legend = h('div', { class: 'legend' });
    this.figure = h('figure', { class: 'chart', tabindex: 0, role: 'group', 'aria-label': `${spec.title}, chart over time` },
      this.legend, this.host);
    this.figure.addEventListener('keydown', (event) => this.key(event));
    this.hidden = new Set();
    this.draw(spec);
    new ResizeObserver(() => this.fit()).observe(this.host);
    onTheme(() => this.plot?.redraw(false));
    onPrint(() => this.fit());
    context.range.on((range, from) => from !== this && this.zoomTo(range, false));
    context.time.on(() => this.moveHead());
  }

  draw({ lines, log, label, zero, across }) {
    this.lines = lines;
    this.log = log;
    this.plot?.destroy();
    const { tables, floor } = tabulate(lines, log);
    const { series, bands } = seriesOf(lines, tables, log);
    this.data = join(tables);
    this.head = h('div', { class: 'head' });
    const options = {
      width: this.width(),
      height: HEIGHT,
      legend: { show: false },
      padding: [10, 12, 0, 0],
      scales: { x: { time: false, range: timeRange }, y: log ? { distr: 3, log: 10, range: logRange } : { range: zero ? zeroRange : plainRange } },
      axes: [plainAxis(across ?? withUnit('time t', this.context.unit), 'bottom'), log ? logAxis(label, floor) : plainAxis(label, 'left')],
      series,
      bands,
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, dist: 6 },
        sync: { key: crosshair.key, scales: ['x', null], setSeries: false, filters: { pub: (type) => type.startsWith('mousem') } },
      },
      hooks: {
        setCursor: [() => this.read()],
        setScale: [(u, key) => key === 'x' && this.ready && this.share()],
        draw: [() => this.moveHead()],
      },
    };
    this.ready = false;
    this.plot = new uPlot(options, this.data, this.host);
    this.plot.over.append(this.head);
    this.listenForClicks(this.plot.over);
    this.ready = true;
    if (this.context.range.value) this.zoomTo(this.context.range.value, false);
    this.fillLegend();
    this.applyHidden();
  }

  width() {
    return printing ? PAPER : Math.max(200, Math.floor(this.host.clientWidth || 560));
  }
  fit() {
    const width = this.width();
    if (this.plot && this.plot.width !== width) this.plot.setSize({ width, height: HEIGHT });
  }

  fillLegend() {
    this.entries = this.lines.map((line) => {
      const value = h('span', { class: 'value' });
      const button = h('button', { type: 'button', class: 'entry', 'aria-pressed': 'true', title: `show or hide ${line.name}`,
        onclick: () => this.toggle(line) }, h('i', { class: 'swatch' }), h('span', {}, line.name), value);
      return { line, value, button };
    });
    replace(this.legend, this.entries.map((entry) => entry.button));
    this.paintLegend();
    if (!this.painted) onTheme(() => this.paintLegend());
    this.painted = true;
  }
  paintLegend() {
    for (const { line, button } of this.entries) button.firstChild.style.background = line.colour();
  }
  toggle(line) {
    if (!this.hidden.delete(line.name)) this.hidden.add(line.name);
    this.applyHidden();
  }
  applyHidden() {
    for (const { line, button } of this.entries) {
      const show = !this.hidden.has(line.name);
      button.setAttribute('aria-pressed', String(show));
      for (const i of new Set(line.at)) if (this.plot.series[i].show !== show) this.plot.setSeries(i, { show });
    }
  }

  // Values under the cursor.
  read() {
    const i = this.plot.cursor.idx;
    for (const { line, value } of this.entries ?? []) {
      const [low, high] = i === null || i === undefined ? [] : line.at.map((s) => this.data[s][i]);
      value.textContent = readout(low, high);
    }
  }

  // The time that the motion shows.
  moveHead() {
    const { plot, head } = this;
    const time = this.context.time.value;
    if (!plot || time === null) return;
    const { min, max } = plot.scales.x;
    const shown = time >= min && time <= max;
    head.classList.toggle('shown', shown);
    if (shown) head.style.transform = `translateX(${plot.valToPos(time, 'x')}px)`;
  }
  // A click, not the end of a drag, takes the motion there.
  listenForClicks(over) {
    let from = null;
    over.addEventListener('mousedown', (event) => (from = event.clientX));
    over.addEventListener('click', (event) => {
      if (from !== null && Math.abs(event.clientX - from) > 4) return;
      this.context.seek?.(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
    });
  }

  // The stretch of time that all charts show.
  get extent() {
    const times = this.data[0];
    return [times[0], times[times.length - 1]];
  }
  share() {
    const { min, max } = this.plot.scales.x;
    const [first, last] = this.extent;
    this.context.range.set(min <= first && max >= last ? null : [min, max], this);
  }
  zoomTo(range, tell) {
    if (!this.plot) return;
    const [first, last] = this.extent;
    const [min, max] = range ?? (last > first ? [first, last] : [first - 0.5, first + 0.5]);
    this.ready = tell;
    this.plot.setScale('x', { min, max });
    this.ready = true;
  }
  zoomBy(factor, shift = 0) {
    const { min, max } = this.plot.scales.x;
    const [first, last] = this.extent;
    const middle = (min + max) / 2 + shift * (max - min);
    const half = Math.min(((max - min) / 2) * factor, (last - first) / 2);
    const centre = Math.min(Math.max(middle, first + half), last - half);
    if (half > 0) this.zoomTo([centre - half, centre + half], true);
  }
  key(event) {
    if (event.target !== this.figure) return;
    const actions = {
      '+': () => this.zoomBy(0.5), '=': () => this.zoomBy(0.5), '-': () => this.zoomBy(2), 0: () => this.zoomTo(null, true),
      ArrowLeft: () => this.zoomBy(1, -0.25), ArrowRight: () => this.zoomBy(1, 0.25),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  }

  get tools() {
    return h('span', { class: 'tools' },
      tool('−', 'zoom out', () => this.zoomBy(2)), tool('+', 'zoom in', () => this.zoomBy(0.5)),
      tool('↺', 'show the whole run', () => this.zoomTo(null, true)),
      tool('PNG', `save “${this.title}” as a PNG picture`, () => this.picture()));
  }
  picture() {
    const entries = this.lines.filter((line) => !this.hidden.has(line.name)).map((line) => [line.name, line.colour()]);
    savePicture(this.plot.ctx.canvas, this.title, entries, fileName(this.context.title, this.name));
  }
}

// A line of a chart from a channel.
export const lineOf = (run, channel, name, shade, dash) => ({
  run, name, colour: shade, dash, times: run.times, lows: channel.lows, highs: channel.highs, ranged: channel.isRange,
});
