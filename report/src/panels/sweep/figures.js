// Figures of a sweep: results against what was varied, means over a grid, how results are spread.
import uPlot from 'uplot';
import { choice, h, list, replace, tool } from '../../dom.js';
import { plainAxis } from '../../axes.js';
import { TimeChart } from '../../chart.js';
import { number, whole } from '../../format.js';
import { fileName, savePicture } from '../../image.js';
import { steps } from '../../sampling.js';
import { Scatter } from '../../scatter.js';
import { FEW, Sweep } from '../../sweep.js';
import { colour, onPrint, onTheme, shade } from '../../theme.js';

const LINES = 60; // of a figure
const SMALL = 24; // figures of all results
const BINS = 24;
const { options } = Sweep;

// The inputs by which lines may differ, when x goes across: those with few values.
const apart = (sweep, x) => sweep.inputs.filter((column) => column !== x && !column.drawn && column.different.length <= LINES);
const shades = () => {
  const bar = h('i', { class: 'shades' });
  bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(shade).join(', ')})`;
  return bar;
};
function legendOf(sets) {
  if (sets.length > FEW) return h('span', { class: 'entry' }, sets[0].name, shades(), sets[sets.length - 1].name);
  return sets.filter(({ name }) => name).map(({ name, colour: own }) => {
    const swatch = h('i', { class: 'swatch' });
    swatch.style.background = own();
    return h('span', { class: 'entry' }, swatch, name);
  });
}
const some = (sweep) => (sweep.every > 1 ? ` One case in ${whole(sweep.every)} is drawn.` : '');
const omitted = (sweep) => (sweep.failed.some(Boolean) ? ' Cases that failed are left out.' : '');
const axis = (name, box) => h('label', { class: 'axis' }, name, box);

export const against = {
  id: 'against',
  title: () => 'Results against what was varied',
  wide: true,
  shows: (sweep) => sweep.inputs.length > 0 && sweep.results.length > 0,
  build(sweep, context) {
    const state = { x: sweep.inputs[0], y: sweep.results[0], log: false };
    const legend = h('div', { class: 'legend' });
    const tells = h('span');
    const chooseBy = () => {
      const others = apart(sweep, state.x);
      [state.by] = others;
      replace(tells, others.length > 0 && axis('lines for each', list('lines for each', [['', [['', 'nothing'], ...others.map(({ name, label }) => [name, label])]]], state.by.name, (name) => {
        state.by = sweep.named(name);
        draw();
      })));
    };
    const spec = () => {
      const { x, y, by, log } = state;
      const sets = sweep.sets(x, y, by).map((set) => ({ ...set, ys: log ? set.ys.map((v) => (v > 0 ? v : null)) : set.ys }));
      replace(legend, legendOf(sets));
      return { name: `against-${sweep.number}`, title: `${y.label} against ${x.label}`, x: x.label, y: y.label, sets, log };
    };
    chooseBy();
    const chart = new Scatter(spec(), context.apart());
    const draw = () => {
      const next = spec();
      chart.title = next.title;
      chart.figure.setAttribute('aria-label', next.title);
      chart.draw(next);
    };
    const up = axis('up', list('up', options(sweep.results), state.y.name, (name) => {
      state.y = sweep.named(name);
      draw();
    }));
    const across = axis('across', list('across', options(sweep.inputs), state.x.name, (name) => {
      state.x = sweep.named(name);
      chooseBy();
      draw();
    }));
    const scale = choice('scale', [['', 'linear'], ['log', 'logarithmic']], '', (kind) => {
      state.log = kind === 'log';
      draw();
    });
    onTheme(() => replace(legend, legendOf(chart.spec.sets)));
    return { tools: [scale, chart.tools], body: [h('div', { class: 'bar' }, h('span', { class: 'axes' }, across, up, tells)), legend, chart.figure,
      (sweep.every > 1 || sweep.failed.some(Boolean)) && h('p', { class: 'note' }, `${some(sweep)}${omitted(sweep)}`)] };
  },
};

export const all = {
  id: 'each',
  title: () => 'Each result',
  wide: true,
  shows: (sweep) => sweep.inputs.length > 0 && sweep.results.length > 1,
  build(sweep, context) {
    const host = h('div', { class: 'small-figures' });
    const show = (x) => replace(host, sweep.results.slice(0, SMALL).map((y) => {
      const by = apart(sweep, x)[0];
      return new Scatter({ name: `each-${sweep.number}-${y.name}`, title: `${y.label} against ${x.label}`, x: x.label, y: y.label, sets: sweep.sets(x, y, by), height: 190 }, context.apart()).figure;
    }));
    const across = sweep.inputs.length > 1 && axis('across', list('across', options(sweep.inputs), sweep.inputs[0].name, (name) => show(sweep.named(name))));
    show(sweep.inputs[0]);
    return { tools: [across], body: [host, sweep.results.length > SMALL && h('p', { class: 'note' }, `The first ${SMALL} of ${sweep.results.length} results.`)] };
  },
};

// Means of a result over two inputs, each cell up to the middle to its neighbours.
const edges = (values) => {
  const middle = values.slice(1).map((v, i) => (v + values[i]) / 2);
  return [values[0] - (middle[0] - values[0]), ...middle, values[values.length - 1] + (values[values.length - 1] - middle[middle.length - 1])];
};
function cellsOf(sweep, x, y, z) {
  const place = (column) => new Map(column.different.map((value, i) => [value, i]));
  const [across, up] = [place(x), place(y)];
  const sums = Array.from({ length: across.size * up.size }, () => [0, 0]);
  z.values.forEach((v, i) => {
    const cell = sums[up.get(y.values[i]) * across.size + across.get(x.values[i])];
    if (v === null || !cell) return;
    cell[0] += v;
    cell[1] += 1;
  });
  return sums.map(([sum, count]) => (count ? sum / count : null));
}
const planned = (sweep) => sweep.inputs.filter(({ drawn, different, name }) => !drawn && name !== 'method' && different.length > 2);

export const grid = {
  id: 'grid',
  title: () => 'Over the grid',
  wide: true,
  shows: (sweep) => planned(sweep).length > 1 && sweep.results.length > 0,
  build(sweep, context) {
    const [x, y] = planned(sweep);
    let z = sweep.results[0];
    const host = h('div', { class: 'plot tall' });
    const words = h('p', { class: 'note', role: 'status' });
    const key = h('div', { class: 'legend' });
    const figure = h('figure', { class: 'chart' }, key, host);
    let plot;
    const draw = () => {
      plot?.destroy();
      const cells = cellsOf(sweep, x, y, z);
      const there = cells.filter((v) => v !== null);
      const [low, high] = [there.reduce((a, b) => Math.min(a, b), Infinity), there.reduce((a, b) => Math.max(a, b), -Infinity)];
      const [right, top] = [edges(x.different), edges(y.different)];
      const ends = (values) => [values[0], values[values.length - 1]];
      replace(key, h('span', { class: 'entry' }, `${z.label}: `, number(low), shades(), number(high)));
      const paint = (u) => {
        const at = (edge, scale) => Math.round(u.valToPos(edge, scale, true));
        cells.forEach((v, i) => {
          if (v === null) return;
          const [column, row] = [i % x.different.length, Math.floor(i / x.different.length)];
          const [a, b, c, d] = [at(right[column], 'x'), at(right[column + 1], 'x'), at(top[row + 1], 'y'), at(top[row], 'y')];
          u.ctx.fillStyle = shade(high > low ? (v - low) / (high - low) : 0.5);
          u.ctx.fillRect(a, c, b - a, d - c);
        });
      };
      const find = (values, v) => values.findIndex((edge, i) => i + 1 < values.length && v >= edge && v < values[i + 1]);
      const read = (u) => {
        const [i, j] = u && u.cursor.left >= 0 ? [find(right, u.posToVal(u.cursor.left, 'x')), find(top, u.posToVal(u.cursor.top, 'y'))] : [-1, -1];
        const v = i < 0 || j < 0 ? null : cells[j * x.different.length + i];
        words.textContent = v === null ? `Means of all cases with the same ${x.label} and ${y.label}.${some(sweep)}${omitted(sweep)}`
          : `${x.label} ${sweep.written(x, x.different[i])}, ${y.label} ${sweep.written(y, y.different[j])}: ${z.label} ${number(v, 5)}`;
      };
      const height = Math.min(440, Math.max(220, (host.clientWidth || 560) * 0.6));
      plot = new uPlot({ width: Math.max(200, host.clientWidth || 560), height, padding: [12, 14, 0, 0], legend: { show: false },
        scales: { x: { time: false, range: () => ends(right) }, y: { range: () => ends(top) } }, axes: [plainAxis(x.label, 'bottom'), plainAxis(y.label, 'left')].map((of) => ({ ...of, grid: { show: false } })),
        series: [{}, { show: false }], cursor: { points: { show: false }, drag: { x: false, y: false } }, hooks: { drawClear: [paint], setCursor: [read] } }, [ends(right), ends(top)], host);
      read(null);
    };
    new ResizeObserver(() => plot && plot.width !== host.clientWidth && draw()).observe(host);
    onTheme(() => plot?.redraw(false));
    onPrint(draw);
    const which = list('quantity', options(sweep.results), z.name, (name) => {
      z = sweep.named(name);
      draw();
    });
    requestAnimationFrame(draw);
    const picture = tool('PNG', 'save the figure as a PNG picture', () => savePicture(plot.ctx.canvas, `${z.label} over ${x.label} and ${y.label}`, [], fileName(context.title, `grid-${sweep.number}`)));
    return { tools: [which, picture], body: [figure, words] };
  },
};

export const spread = {
  id: 'spread',
  title: () => 'How results are spread',
  shows: (sweep) => sweep.results.length > 0 && sweep.inputs.some(({ drawn }) => drawn),
  build(sweep, context) {
    const spec = (column) => {
      const values = column.values.filter((v) => v !== null);
      const [low, high] = [column.different[0], column.different[column.different.length - 1]];
      const counts = new Array(BINS).fill(0);
      for (const v of values) counts[Math.min(BINS - 1, Math.floor(BINS * (v / (high - low) - low / (high - low)))) || 0] += 1;
      const { edges: times, heights } = steps(counts, low, high);
      return { log: false, zero: true, label: 'density', across: column.label, lines: [{ name: column.label, colour: () => colour('run-1'), stepped: true, times, lows: heights, highs: heights }] };
    };
    const chart = new TimeChart({ name: `spread-${sweep.number}`, title: 'How results are spread', ...spec(sweep.results[0]) }, context.apart());
    const which = list('quantity', options(sweep.results), sweep.results[0].name, (name) => chart.draw(spec(sweep.named(name))));
    return { tools: [which, chart.tools], body: [chart.figure, h('p', { class: 'note' }, `Of ${whole(sweep.failed.filter((failed) => !failed).length)} cases.${some(sweep)}${omitted(sweep)}`)] };
  },
};
