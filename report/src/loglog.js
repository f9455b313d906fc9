// Lines with points on two logarithmic axes: errors against steps, against work, against time.
import uPlot from 'uplot';
import { h, tool } from './dom.js';
import { logAxis, logRange } from './axes.js';
import { PAPER, onPrint, onTheme, printing } from './theme.js';
import { fileName, savePicture } from './image.js';

const HEIGHT = 400;

// Marks tell lines apart where colours do not.
function mark(ctx, kind, x, y, r) {
  ctx.beginPath();
  if (kind === 0) ctx.arc(x, y, r, 0, 2 * Math.PI);
  if (kind === 1) ctx.rect(x - r * 0.9, y - r * 0.9, 1.8 * r, 1.8 * r);
  if (kind > 1) {
    const [corners, turn] = kind === 2 ? [3, -Math.PI / 2] : kind === 3 ? [4, 0] : [3, Math.PI / 2];
    for (let i = 0; i < corners; i++) {
      const angle = turn + (2 * Math.PI * i) / corners;
      ctx[i ? 'lineTo' : 'moveTo'](x + 1.25 * r * Math.cos(angle), y + 1.25 * r * Math.sin(angle));
    }
    ctx.closePath();
  }
}

// set: { name, colour, xs, ys, used: [bool] or null, lines: [[x0, y0, x1, y1], ...] of fits }
const drawing = (set, which) => (u) => {
  const ratio = devicePixelRatio || 1;
  const { ctx, bbox } = u;
  const across = (v) => u.valToPos(v, 'x', true);
  const down = (v) => u.valToPos(v, 'y', true);
  const known = set.xs.map((x, i) => x > 0 && set.ys[i] > 0);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = ctx.fillStyle = set.colour();
  ctx.lineWidth = 1.3 * ratio;
  ctx.beginPath();
  set.xs.forEach((x, i) => known[i] && ctx[i > 0 && known[i - 1] ? 'lineTo' : 'moveTo'](across(x), down(set.ys[i])));
  ctx.stroke();
  ctx.setLineDash([6 * ratio, 4 * ratio]);
  for (const [x0, y0, x1, y1] of set.lines ?? []) {
    ctx.beginPath();
    ctx.moveTo(across(x0), down(y0));
    ctx.lineTo(across(x1), down(y1));
    ctx.stroke();
  }
  ctx.setLineDash([]);
  const few = set.xs.length <= 80;
  set.xs.forEach((x, i) => {
    if (!known[i] || !few) return;
    mark(ctx, which % 5, across(x), down(set.ys[i]), 3.6 * ratio);
    if (!set.used || set.used[i]) ctx.fill();
    else ctx.stroke();
  });
  ctx.restore();
  return null;
};

export class LogLog {
  constructor(spec, context) {
    Object.assign(this, { context, name: spec.name });
    this.legend = h('div', { class: 'legend' });
    this.host = h('div', { class: 'plot' });
    this.figure = h('figure', { class: 'chart', tabindex: 0, role: 'group', 'aria-label': spec.title }, this.legend, this.host);
    this.figure.addEventListener('keydown', (event) => this.key(event));
    this.draw(spec);
    new ResizeObserver(() => this.fit()).observe(this.host);
    onPrint(() => this.fit());
    onTheme(() => {
      this.plot.redraw(false);
      this.fillLegend();
    });
  }
  fit() {
    if (this.plot.width !== this.width()) this.plot.setSize({ width: this.width(), height: HEIGHT });
  }
  width() {
    return printing ? 2 * PAPER : Math.max(200, Math.floor(this.host.clientWidth || 560));
  }
  draw(spec) {
    this.spec = spec;
    this.title = spec.title;
    this.plot?.destroy();
    const span = (axis) => {
      const values = spec.sets.flatMap((set) => set[axis].filter((v, i) => v > 0 && set.xs[i] > 0 && set.ys[i] > 0));
      if (values.length === 0) return [1e-3, 1];
      const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
      return axis === 'xs' ? [low / 1.25, high * 1.25] : logRange(null, low, high);
    };
    this.whole = { x: span('xs'), y: span('ys') };
    this.plot = new uPlot({
      mode: 2, width: this.width(), height: HEIGHT, padding: [12, 16, 0, 0], legend: { show: false },
      scales: { x: { time: false, distr: 3, log: 10, range: (u, low, high) => (low > 0 ? [low, high] : this.whole.x) }, y: { distr: 3, log: 10, range: (u, low, high) => (low > 0 ? [low, high] : this.whole.y) } },
      axes: [logAxis(spec.x, null, 'bottom'), logAxis(spec.y, null)],
      series: [null, ...spec.sets.map((set, i) => ({ facets: [{ scale: 'x' }, { scale: 'y' }], stroke: () => set.colour(), paths: drawing(set, i) }))],
      cursor: { points: { show: false }, drag: { x: true, y: true, setScale: false, dist: 6 } },
      hooks: { setSelect: [(u) => this.select(u)], ready: [(u) => u.over.addEventListener('dblclick', () => this.zoomTo(this.whole))] },
    }, [null, ...spec.sets.map((set) => [set.xs, set.ys])], this.host);
    this.zoomTo(this.whole);
    this.fillLegend();
  }
  fillLegend() {
    this.legend.textContent = '';
    this.legend.append(...this.spec.sets.map((set, i) => {
      const size = 16;
      const ratio = devicePixelRatio || 1;
      const canvas = h('canvas', { width: size * ratio, height: size * ratio, class: 'mark-of' });
      const ctx = canvas.getContext('2d');
      ctx.fillStyle = set.colour();
      mark(ctx, i % 5, (size * ratio) / 2, (size * ratio) / 2, 4.5 * ratio);
      ctx.fill();
      return h('span', { class: 'entry' }, canvas, set.name);
    }));
  }
  zoomTo({ x, y }) {
    this.plot.batch(() => {
      this.plot.setScale('x', { min: x[0], max: x[1] });
      this.plot.setScale('y', { min: y[0], max: y[1] });
    });
  }
  zoomBy(factor) {
    const scaled = (axis) => {
      const [low, high] = [this.plot.scales[axis].min, this.plot.scales[axis].max].map(Math.log);
      return [((low + high - (high - low) * factor) / 2), ((low + high + (high - low) * factor) / 2)].map(Math.exp);
    };
    this.zoomTo({ x: scaled('x'), y: scaled('y') });
  }
  select(u) {
    const { left, top, width, height } = u.select;
    if (width < 6 || height < 6) return;
    this.zoomTo({ x: [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')], y: [u.posToVal(top + height, 'y'), u.posToVal(top, 'y')] });
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }
  key(event) {
    const actions = { '+': () => this.zoomBy(0.6), '=': () => this.zoomBy(0.6), '-': () => this.zoomBy(1 / 0.6), 0: () => this.zoomTo(this.whole) };
    if (event.target !== this.figure || !actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  }
  get tools() {
    return h('span', { class: 'tools' }, tool('−', 'zoom out', () => this.zoomBy(1 / 0.6)), tool('+', 'zoom in', () => this.zoomBy(0.6)),
      tool('↺', 'show all', () => this.zoomTo(this.whole)),
      tool('PNG', `save “${this.title}” as a PNG picture`, () => savePicture(this.plot.ctx.canvas, this.title,
        this.spec.sets.map((set) => [set.name, set.colour()]), fileName(this.context.title, this.name))));
  }
}
