// The motion without WebGL: the same things drawn flat on a canvas. Where a browser has no WebGL, or is forbidden to use it.
import { h } from './dom.js';
import { Places, locate, traceable } from './places.js';
import { Signal } from './signal.js';
import { coil, guideIn, railEnds, railsOf, shadeOf } from './things.js';
import { number, short } from './format.js';
import { colour, faded, onPrint, onTheme, runColour } from './theme.js';

const TAIL = 60;

class PlainFigure {
  constructor(run, frame, shade, several) {
    Object.assign(this, { run, frame, shade, several });
    this.motion = run.motion;
    this.count = this.motion.particles;
    this.now = new Float32Array(3 * this.count);
    const some = traceable(this.motion);
    this.traced = some.length <= 3 ? some : some.slice(-1);
    const { middle, half } = frame;
    this.anchors = this.motion.anchors.map((place) => place.map((v, d) => (v - middle[d]) / half[d]));
  }
  load(clip) {
    this.places = new Places(this.motion, clip, this.frame);
    this.rails = railsOf(this.motion, this.places);
  }
  trace(particles) {
    this.traced = particles;
  }
  end(which) {
    return which < 0 ? this.anchors[-1 - which] : this.now.subarray(3 * which, 3 * which + 3);
  }
  draw(pen, project, time) {
    const shade = this.shade();
    const line = (points) => {
      pen.beginPath();
      points.forEach((point, i) => pen[i ? 'lineTo' : 'moveTo'](...project(point)));
      pen.stroke();
    };
    this.places.fill(time, this.now);
    const [index, part] = locate(this.places.clip.time, time);
    const at = (f, i) => [0, 1, 2].map((d) => this.places.at(f, i, d));
    for (const i of this.traced) {
      const path = Array.from({ length: this.places.clip.count }, (none, f) => at(f, i)).filter((point) => point.every(Number.isFinite));
      pen.strokeStyle = pen.fillStyle = faded(shade, 0.35);
      pen.lineWidth = 1;
      if (this.places.smooth) {
        line(path);
        pen.strokeStyle = shade;
        pen.lineWidth = 2;
        line([...path.slice(Math.max(0, index - TAIL), index + 1), [...this.end(i)]]);
      } else for (const point of path) pen.fillRect(...project(point), 2, 2);
    }
    if (this.motion.things) {
      this.motion.things.forEach((thing, i) => this.drawThing(thing, { pen, project, line, index, part, rail: this.rails[i] }));
      return;
    }
    pen.strokeStyle = colour('rod');
    pen.lineWidth = this.count > 60 ? 1 : 3;
    const { rods } = this.motion;
    for (let r = 0; rods && r < rods.length; r += 2) line([this.end(rods[r]), this.end(rods[r + 1])]);
    pen.fillStyle = shade;
    const radius = this.count > 60 ? 1.5 : 7;
    for (let i = 0; i < this.count; i++) {
      pen.beginPath();
      pen.arc(...project(this.end(i)), radius, 0, 2 * Math.PI);
      pen.fill();
    }
    this.motion.bodies.forEach((body, b) => this.drawBox(line, pen, index, part, body, b));
  }
  drawThing(thing, { pen, project, line, index, part, rail }) {
    const [from, to] = [this.end(thing.at), this.end(thing.at + 1)];
    const size = thing.size.map((v, d) => v / this.frame.half[d]);
    pen.strokeStyle = pen.fillStyle = shadeOf(thing, this.shade(), this.several);
    pen.lineWidth = ['spring', 'rail', 'guide'].includes(thing.kind) ? 1.5 : thing.kind === 'cylinder' ? 8 : 3;
    if (thing.kind === 'rail') return rail ? line(railEnds([from, to], rail)) : undefined;
    if (thing.kind === 'guide') return rail ? line(guideIn(rail, from, this.places.turned(thing.axes, index, part), this.frame.half)) : undefined;
    if (thing.kind === 'box') return this.drawEdges(line, from, this.places.turned(thing.axes, index, part), size.map((v) => v / 2));
    if (['link', 'cylinder', 'damper'].includes(thing.kind)) return line([from, to]);
    if (thing.kind === 'spring') {
      const [x, y] = [to[0] - from[0], to[1] - from[1]];
      const width = 0.04 / (Math.hypot(x, y) || 1);
      return line(coil(true).map(([a, b]) => [from[0] + b * x - a * width * y, from[1] + b * y + a * width * x, from[2] + b * (to[2] - from[2])]));
    }
    const middle = project(from);
    const radius = size[0] ? Math.abs(project([from[0] + size[0], from[1], from[2]])[0] - middle[0]) : thing.kind === 'mark' ? 4 : 7;
    pen.beginPath();
    pen.arc(...middle, Math.max(radius, 2), 0, 2 * Math.PI);
    return thing.kind === 'sphere' ? pen.stroke() : pen.fill();
  }
  // The edges of a turned box.
  drawBox(line, pen, index, part, body, b) {
    const axes = this.places.axes(index, part, b);
    const seat = this.places.seat(index, part, b);
    const size = this.count ? 0.2 : 0.78;
    pen.strokeStyle = this.shade();
    pen.lineWidth = 2;
    this.drawEdges(line, seat, axes, body.half.map((v) => size * Math.max(v, 0.04)));
  }
  drawEdges(line, seat, axes, half) {
    const corner = (signs) => [0, 1, 2].map((d) => seat[d] + signs.reduce((sum, sign, j) => sum + sign * half[j] * axes[j][d], 0));
    for (let j = 0; j < 3; j++) {
      for (const [p, q] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) {
        const [low, high] = [-1, 1].map((sign) => [...[p, q].slice(0, j), sign, ...[p, q].slice(j)]);
        line([corner(low), corner(high)]);
      }
    }
  }
}

export class PlainStage {
  constructor(host, runs, frame, player) {
    Object.assign(this, { host, runs, frame, player, drawn: new Signal(null) });
    this.flat = runs.every((run) => run.motion.dimension === 2);
    this.canvas = host.appendChild(h('canvas', { 'aria-hidden': 'true' }));
    this.makeFigures();
    this.reset();
    new ResizeObserver(() => this.invalidate()).observe(host);
    onTheme(() => this.invalidate());
    onPrint(() => this.render());
    player.time.on(() => this.invalidate());
    player.clip.on(() => this.load());
    this.load();
  }
  makeFigures() {
    const { runs, frame } = this;
    this.figures = runs.map((run, i) => new PlainFigure(run, frame, () => runColour(runs.length > 1 ? run.number : i), runs.length > 1));
  }
  // As those of Stage.
  replace(runs, frame) {
    Object.assign(this, { runs, frame });
    this.makeFigures();
    this.load();
  }
  frameIn(place) {
    return place.map((v, d) => (v - this.frame.middle[d]) / this.frame.half[d]);
  }
  frameOut(place) {
    return place.map((v, d) => this.frame.middle[d] + v * this.frame.half[d]);
  }
  pixel(place) {
    return this.projection(this.host.clientWidth, this.host.clientHeight).to(place);
  }
  under(x, y, near) {
    return this.projection(this.host.clientWidth, this.host.clientHeight).from(x, y, near);
  }
  load() {
    for (const figure of this.figures) figure.load(this.player.clipOf(figure.run));
    this.invalidate();
  }
  reset() {
    Object.assign(this, { zoom: 1, longitude: -0.97, latitude: 0.37 });
    this.invalidate();
  }
  zoomBy(factor) {
    this.zoom *= factor;
    this.invalidate();
  }
  turn(right, up) {
    this.longitude += right;
    this.latitude = Math.min(Math.max(this.latitude + up, -1.5), 1.5);
    this.invalidate();
  }
  invalidate() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (!this.host.hidden) this.render();
    });
  }
  // Places of the scene to pixels, seen from far away.
  projection(width, height) {
    const unit = (this.zoom * Math.min(width, height)) / (this.flat ? 2.4 : 3.6);
    const [s, c] = [Math.sin(this.longitude), Math.cos(this.longitude)];
    const [sin, cos] = [Math.sin(this.latitude), Math.cos(this.latitude)];
    // to the right, up, and away in the scene
    const [right, up] = this.flat ? [[1, 0, 0], [0, 1, 0]] : [[-s, c, 0], [-sin * c, -sin * s, cos]];
    const along = (axis, place) => axis.reduce((sum, v, d) => sum + v * place[d], 0);
    const to = (place) => [width / 2 + unit * along(right, place), height / 2 - unit * along(up, place)];
    const from = (x, y, near) => {
      const [px, py] = to(near);
      return near.map((v, d) => v + ((x - px) * right[d] - (y - py) * up[d]) / unit);
    };
    return { to, from };
  }
  render() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.max(this.host.clientWidth, 50), Math.max(this.host.clientHeight, 50)];
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    const pen = this.canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.fillStyle = colour('stage');
    pen.fillRect(0, 0, width, height);
    const project = this.projection(width, height).to;
    pen.fillStyle = colour('faint-ink');
    pen.font = '12px system-ui, sans-serif';
    const { low, high } = this.frame;
    const axes = this.frame.bare ? [] : this.runs[0].motion.axes.slice(0, this.flat ? 2 : 3);
    axes.forEach((name, d) => name && pen.fillText(`${short(name)} ${number(low[d])} to ${number(high[d])}`, 8, height - 10 - 16 * (axes.length - 1 - d)));
    for (const figure of this.figures) figure.draw(pen, project, this.player.time.value ?? this.player.extent[0]);
    this.drawn.set(this.player.time.value);
  }
}
