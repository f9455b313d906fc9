// One quantity against another.
import uPlot from 'uplot';
import { h, tool } from './dom.js';
import { logAxis, logRange, plainAxis, plainRange } from './axes.js';
import { PAPER, onPrint, onTheme, printing } from './theme.js';
import { fileName, savePicture } from './image.js';
import { locate } from './places.js';

const HEIGHT = 440;

// Draws [xs, ys] as a line where samples follow each other, as dots where not; few points of a line are marked too, where that is asked for.
const pathOf = ({ joined, marked }) => (u, seriesIndex) => {
  uPlot.orient(u, seriesIndex, (series, xs, ys, scaleX, scaleY, toX, toY, left, top, wide, high) => {
    const { ctx } = u;
    const ratio = devicePixelRatio || 1;
    const across = (v) => toX(v, scaleX, wide, left);
    const down = (v) => toY(v, scaleY, high, top);
    const known = (i) => xs[i] !== null && ys[i] !== null;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, wide, high);
    ctx.clip();
    ctx.beginPath();
    if (joined) {
      for (let i = 0; i < xs.length; i++) if (known(i)) ctx[i > 0 && known(i - 1) ? 'lineTo' : 'moveTo'](across(xs[i]), down(ys[i]));
      ctx.strokeStyle = series.stroke(u, seriesIndex);
      ctx.lineWidth = 1.3 * ratio;
      ctx.lineJoin = 'round';
      ctx.stroke();
      ctx.beginPath();
    }
    if (!joined || (marked && xs.length <= 100)) {
      const size = (xs.length > 800 ? 1.8 : joined ? 4.5 : 2.6) * ratio;
      for (let i = 0; i < xs.length; i++) if (known(i)) ctx.rect(across(xs[i]) - size / 2, down(ys[i]) - size / 2, size, size);
      ctx.fillStyle = series.stroke(u, seriesIndex);
      ctx.fill();
    }
    ctx.restore();
  });
  return null;
};

// Ranges of both axes with one unit of length, where that is asked for.
function equalRanges(u, xs, ys) {
  const [width, height] = [u.bbox.width || 1, u.bbox.height || 1];
  const unit = Math.max((xs[1] - xs[0]) / width, (ys[1] - ys[0]) / height);
  const widen = ([low, high], size) => [(low + high - unit * size) / 2, (low + high + unit * size) / 2];
  return [widen(xs, width), widen(ys, height)];
}

const bounds = (columns) => {
  let [low, high] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const v of column) {
      if (v === null) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  return low <= high ? [low, high] : [null, null];
};

// spec: { name, title, x, y (labels), sets: [{ name, colour, times, xs, ys, joined, marked }], equal, log (upwards), height }
export class Scatter {
  constructor(spec, context) {
    Object.assign(this, { context, name: spec.name, title: spec.title });
    this.host = h('div', { class: 'plot tall' });
    this.figure = h('figure', { class: 'chart', tabindex: 0, role: 'group', 'aria-label': spec.title }, this.host);
    this.figure.addEventListener('keydown', (event) => this.key(event));
    this.draw(spec);
    new ResizeObserver(() => this.fit()).observe(this.host);
    onTheme(() => this.plot?.redraw(false));
    onPrint(() => this.fit());
    context.time.on(() => this.moveDots());
  }
  draw(spec) {
    this.spec = spec;
    this.plot?.destroy();
    const whole = { x: plainRange(null, ...bounds(spec.sets.map((set) => set.xs))), y: (spec.log ? logRange : plainRange)(null, ...bounds(spec.sets.map((set) => set.ys))) };
    this.whole = whole;
    const options = {
      mode: 2,
      width: this.width(),
      height: this.height(),
      padding: [12, 14, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, range: () => this.range('x') }, y: { ...(spec.log ? { distr: 3, log: 10 } : {}), range: () => this.range('y') } },
      axes: [plainAxis(spec.x, 'bottom'), spec.log ? logAxis(spec.y, null) : plainAxis(spec.y, 'left')],
      series: [null, ...spec.sets.map((set) => ({
        facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }], stroke: () => set.colour(), paths: pathOf(set),
      }))],
      cursor: { points: { show: false }, drag: { x: true, y: true, setScale: false, dist: 6 } },
      hooks: {
        setSelect: [(u) => this.select(u)],
        draw: [() => this.moveDots()],
        ready: [(u) => u.over.addEventListener('dblclick', () => this.zoomTo(null))],
      },
    };
    this.shown = null;
    this.plot = new uPlot(options, [null, ...spec.sets.map((set) => [set.xs, set.ys])], this.host);
    this.dots = spec.sets.map(() => this.plot.over.appendChild(h('div', { class: 'dot' })));
    this.zoomTo(null);
  }
  height() {
    return printing ? PAPER : this.spec.height ?? HEIGHT;
  }
  width() {
    return printing ? PAPER : Math.max(200, Math.floor(this.host.clientWidth || 560));
  }
  fit() {
    const width = this.width();
    if (this.plot.width === width) return;
    this.plot.setSize({ width, height: this.height() });
    this.zoomTo(this.shown);
  }
  range(axis) {
    const { x, y } = this.shown ?? this.whole;
    if (this.shown || !this.spec.equal || !this.plot) return axis === 'x' ? x : y;
    return equalRanges(this.plot, x, y)[axis === 'x' ? 0 : 1];
  }
  // null: all of it
  zoomTo(shown) {
    this.shown = shown;
    this.plot.batch(() => {
      for (const axis of ['x', 'y']) {
        const [min, max] = this.range(axis);
        this.plot.setScale(axis, { min, max });
      }
    });
  }
  select(u) {
    const { left, top, width, height } = u.select;
    if (width < 6 || height < 6) return;
    this.zoomTo({ x: [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')], y: [u.posToVal(top + height, 'y'), u.posToVal(top, 'y')] });
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }
  zoomBy(factor) {
    const scaled = (axis) => {
      const [to, from] = axis === 'y' && this.spec.log ? [Math.log, Math.exp] : [Number, Number];
      const [min, max] = [to(this.plot.scales[axis].min), to(this.plot.scales[axis].max)];
      return [(min + max - (max - min) * factor) / 2, (min + max + (max - min) * factor) / 2].map(from);
    };
    this.zoomTo({ x: scaled('x'), y: scaled('y') });
  }
  key(event) {
    const actions = { '+': () => this.zoomBy(0.6), '=': () => this.zoomBy(0.6), '-': () => this.zoomBy(1 / 0.6), 0: () => this.zoomTo(null) };
    if (event.target !== this.figure || !actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  }
  // Where each run is at the time that the motion shows.
  moveDots() {
    const time = this.context.time.value;
    this.spec.sets.forEach((set, i) => {
      const dot = this.dots?.[i];
      if (!dot || time === null) return;
      if (!set.times) return;
      const [at] = locate(set.times, time);
      const [x, y] = [set.xs[at], set.ys[at]];
      const known = set.joined && x !== null && y !== null;
      dot.classList.toggle('shown', known);
      if (!known) return;
      dot.style.background = set.colour();
      dot.style.transform = `translate(${this.plot.valToPos(x, 'x')}px, ${this.plot.valToPos(y, 'y')}px)`;
    });
  }
  get tools() {
    return h('span', { class: 'tools' }, tool('−', 'zoom out', () => this.zoomBy(1 / 0.6)), tool('+', 'zoom in', () => this.zoomBy(0.6)),
      tool('↺', 'show all', () => this.zoomTo(null)), tool('PNG', `save “${this.title}” as a PNG picture`, () => this.picture()));
  }
  picture() {
    const entries = this.spec.sets.filter((set) => set.name).map((set) => [set.name, set.colour()]);
    savePicture(this.plot.ctx.canvas, this.title, entries, fileName(this.context.title, this.name));
  }
}
