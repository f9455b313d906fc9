// Rings at the places where points start, to be dragged: over the picture, by mouse, touch and arrow keys.
import { h } from '../dom.js';

const MOST = 24;
const NUDGE = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

// The particles whose places are coordinates of the model: { particle, names: [x, y, z] }, names null where there is none.
export function draggable(run) {
  const { motion } = run;
  if (!motion || motion.things || !motion.space || motion.particles > MOST) return [];
  return [...Array(motion.particles).keys()].map((particle) => ({ particle,
    names: [0, 1, 2].map((d) => (motion.place[3 * particle + d] < 0 ? null : run.coordinates[run.columns[motion.place[3 * particle + d]]])) }));
}

export class Handles {
  // moved(starts): the coordinates of the start that a drag gives; released(): at its end
  constructor(stage, host, moved, released) {
    Object.assign(this, { stage, moved, released });
    this.layer = host.appendChild(h('div', { class: 'handles' }));
    stage.drawn.on(() => this.place());
  }
  show(run, start) {
    const points = draggable(run);
    if (this.rings?.length !== points.length) {
      this.rings = points.map((point, i) => this.ring(i));
      this.layer.replaceChildren(...this.rings);
    }
    this.points = points;
    this.at = points.map(({ names }) => names.map((name) => (name ? start[name] : 0)));
    this.place();
  }
  ring(i) {
    const ring = h('button', { type: 'button', class: 'handle', title: 'drag: where this point starts', 'aria-label': `start of point ${i + 1}, arrow keys move it` });
    ring.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      ring.setPointerCapture(event.pointerId);
      ring.focus({ preventScroll: true });
    });
    ring.addEventListener('pointermove', (event) => ring.hasPointerCapture(event.pointerId) && this.drag(i, event));
    ring.addEventListener('pointerup', () => this.released());
    ring.addEventListener('keydown', (event) => this.key(i, event));
    return ring;
  }
  give(i, place) {
    this.at[i] = place;
    this.place();
    this.moved(Object.fromEntries(this.points[i].names.flatMap((name, d) => (name ? [[name, place[d]]] : []))));
  }
  drag(i, event) {
    const box = this.layer.getBoundingClientRect();
    this.give(i, this.stage.frameOut(this.stage.under(event.clientX - box.left, event.clientY - box.top, this.stage.frameIn(this.at[i]))));
  }
  key(i, event) {
    const move = NUDGE[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = this.stage.pixel(this.stage.frameIn(this.at[i]));
    this.give(i, this.stage.frameOut(this.stage.under(x + 6 * move[0], y - 6 * move[1], this.stage.frameIn(this.at[i]))));
  }
  place() {
    this.rings?.forEach((ring, i) => {
      const [x, y] = this.stage.pixel(this.stage.frameIn(this.at[i]));
      ring.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      ring.hidden = !Number.isFinite(x + y);
    });
  }
}
