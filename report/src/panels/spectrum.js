// What frequencies a quantity is made of.
import uPlot from 'uplot';
import { choice, h, list, tool } from '../dom.js';
import { number } from '../format.js';
import { logAxis, logRange, plainAxis, timeRange } from '../axes.js';
import { title } from '../quantities.js';
import { PAPER, onPrint, onTheme, printing, runColour } from '../theme.js';
import { fileName, savePicture } from '../image.js';

const HEIGHT = 240;
const rhythm = (run) => Math.abs(run.step) * run.every; // time from sample to sample

// The highest local peaks, none within a few bins of a higher one.
function peaks(line) {
  const found = [];
  const order = line.amplitude.map((a, i) => i).sort((a, b) => line.amplitude[b] - line.amplitude[a]);
  for (const i of order) {
    const isTop = line.amplitude[i] >= (line.amplitude[i - 1] ?? 0) && line.amplitude[i] >= (line.amplitude[i + 1] ?? 0);
    if (isTop && found.every((k) => Math.abs(line.frequency[k] - line.frequency[i]) > 6 * line.bin)) found.push(i);
    if (found.length === 3) break;
  }
  return found.filter((i) => line.amplitude[i] > 1e-3 * line.amplitude[found[0]]);
}

function lineOf(run, wanted) {
  const entry = run.spectra?.list.find(({ channel }) => title(run.channels[channel]) === wanted);
  if (!entry) return null;
  const each = rhythm(run);
  return { run, name: run.label, bin: 1 / (run.spectra.size * each),
    frequency: Array.from(entry.frequency, (f) => f / each), amplitude: Array.from(entry.amplitude) };
}

class Spectrum {
  constructor(context) {
    this.context = context;
    this.host = h('div', { class: 'plot' });
    this.figure = h('figure', { class: 'chart', role: 'group', 'aria-label': 'amplitude over frequency' }, this.host);
    new ResizeObserver(() => this.fit()).observe(this.host);
    onPrint(() => this.fit());
    onTheme(() => this.plot?.redraw(false));
  }
  fit() {
    if (this.plot && this.plot.width !== this.width()) this.plot.setSize({ width: this.width(), height: HEIGHT });
  }
  width() {
    return printing ? PAPER : Math.max(200, Math.floor(this.host.clientWidth || 560));
  }
  draw(lines, log, name) {
    this.plot?.destroy();
    this.name = name;
    this.lines = lines;
    const tables = lines.map((line) => [line.frequency, line.amplitude.map((a) => (a > 0 ? a : null))]);
    const data = tables.length > 1 ? uPlot.join(tables) : tables[0];
    const most = Math.max(...lines.flatMap((line) => line.amplitude));
    const last = Math.max(...lines.map((line) => line.frequency[line.frequency.length - 1]));
    // up to where something is to be seen
    const seen = Math.max(...lines.flatMap((line) => line.frequency.filter((f, i) => line.amplitude[i] > 1e-6 * most)));
    this.all = [0, last];
    this.shown = seen * 1.2 < last ? [0, seen * 1.2] : this.all;
    this.plot = new uPlot({
      width: this.width(), height: HEIGHT, padding: [10, 12, 0, 0], legend: { show: false },
      scales: { x: { time: false, range: (u, low, high) => timeRange(u, low, high) }, y: log ? { distr: 3, log: 10, range: (u, low, high) => logRange(u, Math.max(low, most * 1e-10), high) } : { range: (u, low, high) => [0, (high || 1) * 1.06] } },
      axes: [plainAxis('frequency, cycles per unit of time', 'bottom'), log ? logAxis('amplitude') : plainAxis('amplitude', 'left')],
      series: [{}, ...lines.map((line) => ({ stroke: () => runColour(line.run.number), width: 1.3, points: { show: false } }))],
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, dist: 6 } },
    }, data, this.host);
    this.zoomTo(this.shown);
  }
  zoomTo([min, max]) {
    this.plot.setScale('x', { min, max });
  }
  zoomBy(factor) {
    const { min, max } = this.plot.scales.x;
    const [half, middle] = [((max - min) * factor) / 2, (max + min) / 2];
    this.zoomTo([Math.max(0, middle - half), Math.min(this.all[1], middle + half)]);
  }
  get tools() {
    return h('span', { class: 'tools' }, tool('−', 'zoom out', () => this.zoomBy(2)), tool('+', 'zoom in', () => this.zoomBy(0.5)),
      tool('↺', 'show all frequencies', () => this.zoomTo(this.all)),
      tool('PNG', 'save the spectrum as a PNG picture', () => savePicture(this.plot.ctx.canvas, `Spectrum of ${this.name}`,
        this.lines.filter((line) => line.name).map((line) => [line.name, runColour(line.run.number)]), fileName(this.context.title, 'spectrum'))));
  }
}

function described(lines) {
  return lines.map((line) => h('span', { class: line.name ? 'each' : undefined }, line.name ? `${line.name}: ` : 'Peaks: ', peaks(line).map((i, k) => [k ? ', ' : '', 'f = ', h('b', {}, number(line.frequency[i], 4)),
    ` (period ${number(1 / line.frequency[i], 4)}), amplitude ${number(line.amplitude[i])}`]), '. '));
}
function madeOf(run) {
  const { segments, length } = run.spectra;
  const what = segments > 1 ? `the mean power of ${segments} segments of ${length} samples` : `all ${length} samples`;
  return `From ${what}, Hann window; the highest amplitude of neighbouring frequencies. The height of a sine is its amplitude; `
    + `frequencies above ${number(0.5 / rhythm(run))} are aliased.`;
}

export default {
  id: 'spectrum',
  title: 'Spectrum',
  shows: (report) => report.runs.some((run) => run.spectra?.list.length),
  build(report, context) {
    const runs = report.runs.filter((run) => run.spectra?.list.length);
    const names = [...new Set(runs.flatMap((run) => run.spectra.list.map(({ channel }) => title(run.channels[channel]))))];
    const kinds = ['observed', 'coordinate', 'multiplier', 'energy'];
    const listed = runs[0].spectra.list.map(({ channel }) => runs[0].channels[channel]);
    const first = title(kinds.map((kind) => listed.find((channel) => channel.kind === kind)).find(Boolean));
    const state = { name: first, log: true };
    const chart = new Spectrum(context);
    const note = h('p', { class: 'note' });
    const draw = () => {
      const lines = runs.map((run) => lineOf(run, state.name)).filter(Boolean);
      chart.draw(lines, state.log, state.name);
      note.textContent = '';
      note.append(...described(lines), madeOf(runs[0]));
    };
    draw();
    const which = list('quantity', [['', names.map((name) => [name, name])]], first, (name) => {
      state.name = name;
      draw();
    });
    const scale = choice('scale', [[true, 'log'], [false, 'linear']], true, (log) => {
      state.log = log;
      draw();
    });
    return { tools: [which, scale, chart.tools], body: [chart.figure, note] };
  },
};
