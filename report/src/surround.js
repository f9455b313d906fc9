// What stands around the motion: in the plane a grid with numbers at its edges, in space a box with the names of the axes.
import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Vector3 } from 'three';
import { h } from './dom.js';
import { number, short, tick } from './format.js';
import { round } from './player.js';
import { colour } from './theme.js';

function lines(scene) {
  const object = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
  scene.add(object);
  return object;
}

function setPoints(object, numbers) {
  object.geometry.setAttribute('position', new BufferAttribute(new Float32Array(numbers), 3));
  object.geometry.computeBoundingSphere();
}

export class Surround {
  constructor(scene, labels, frame, flat, axes) {
    Object.assign(this, { labels, frame, flat, axes });
    this.lines = lines(scene);
    this.lines.renderOrder = -1;
    if (flat) this.lines.position.z = -1;
    else this.makeBox();
    this.pool = [];
  }
  refit(frame, axes) {
    Object.assign(this, { frame, axes });
    if (!this.flat) this.makeBox();
  }
  paint() {
    this.lines.material.color = new Color(colour(this.flat ? 'grid' : 'box'));
  }

  // --- labels, made once and moved ---
  begin() {
    this.used = 0;
  }
  label(text, x, y, kind) {
    const element = (this.pool[this.used] ??= this.labels.appendChild(h('span')));
    this.used++;
    element.className = kind;
    if (element.textContent !== text) {
      element.textContent = text;
      element.wide = 0;
    }
    element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    element.hidden = false;
    return element;
  }
  end() {
    for (let i = this.used; i < this.pool.length; i++) this.pool[i].hidden = true;
  }

  // --- the plane ---
  // Ticks of axis d between two places in the scene.
  ticks(d, from, to, room) {
    const { middle, half } = this.frame;
    const [low, high] = [middle[d] + from * half[d], middle[d] + to * half[d]];
    const step = round(((high - low) * 70) / room);
    const values = [];
    for (let k = Math.ceil(low / step); k * step <= high && values.length < 60; k++) values.push(k * step);
    return { step, most: Math.max(...values.map(Math.abs)), values: values.map((v) => [v, (v - middle[d]) / half[d]]) };
  }
  placeGrid(camera, width, height) {
    const corner = (x, y) => new Vector3(x, y, 0).unproject(camera);
    const [low, high] = [corner(-1, -1), corner(1, 1)];
    const across = (x) => ((x - low.x) / (high.x - low.x)) * width;
    const down = (y) => ((high.y - y) / (high.y - low.y)) * height;
    const columns = this.ticks(0, low.x, high.x, width);
    const rows = this.ticks(1, low.y, high.y, height);
    const points = [];
    for (const [, x] of columns.values) points.push(x, low.y, 0, x, high.y, 0);
    for (const [, y] of rows.values) points.push(low.x, y, 0, high.x, y, 0);
    setPoints(this.lines, points);
    this.lines.geometry.boundingSphere = null;
    this.lines.frustumCulled = false;
    for (const [value, x] of columns.values) {
      if (across(x) > 44 && across(x) < width - 16 - 8 * short(this.axes[0]).length) this.label(tick(value, columns.step, columns.most), across(x), height - 8, 'below');
    }
    for (const [value, y] of rows.values) {
      if (down(y) > 26 && down(y) < height - 24) this.label(tick(value, rows.step, rows.most), 6, down(y), 'left');
    }
    this.label(short(this.axes[0]), width - 8, height - 8, 'name end');
    this.label(short(this.axes[1]), 6, 4, 'name top');
  }

  // --- space ---
  makeBox() {
    const { middle, half, low, high } = this.frame;
    this.corner = [0, 1, 2].map((d) => [(low[d] - middle[d]) / half[d], (high[d] - middle[d]) / half[d]].map((v, i) =>
      (Math.abs(high[d] - low[d]) < 0.05 * 2 * half[d] ? v + (i ? 0.05 : -0.05) : v)));
    const [x, y, z] = this.corner;
    const points = [];
    const edge = (...six) => points.push(...six);
    for (const i of [0, 1]) {
      for (const j of [0, 1]) {
        edge(x[0], y[i], z[j], x[1], y[i], z[j]);
        edge(x[i], y[0], z[j], x[i], y[1], z[j]);
        edge(x[i], y[j], z[0], x[i], y[j], z[1]);
      }
    }
    setPoints(this.lines, points);
  }
  placeBox(camera, width, height) {
    const { low, high } = this.frame;
    const z = this.corner[2];
    // the edges that end at the corner of the floor nearest to the eye, and the upright at its left
    const near = [camera.position.x > 0 ? 1 : 0, camera.position.y > 0 ? 1 : 0];
    const put = (text, place, kind) => {
      const at = new Vector3(...place).project(camera);
      if (Math.abs(at.x) >= 1 || Math.abs(at.y) >= 1) return;
      const [x, y] = [((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height];
      const element = this.label(text, x, y, kind);
      const half = (element.wide ||= element.offsetWidth) / 2 + 2;
      if (x < half || x > width - half) element.style.transform = `translate(${Math.min(Math.max(x, half), width - half).toFixed(1)}px, ${y.toFixed(1)}px)`;
    };
    const side = near[0] === near[1] ? [near[0], 1 - near[1]] : [1 - near[0], near[1]];
    const centre = (d) => (this.corner[d][0] + this.corner[d][1]) / 2;
    const out = (d, which) => this.corner[d][which] * 1 + (which ? 0.12 : -0.12);
    put(short(this.axes[0]), [centre(0), out(1, near[1]), z[0]], 'name centre');
    put(short(this.axes[1]), [out(0, near[0]), centre(1), z[0]], 'name centre');
    put(short(this.axes[2]), [out(0, side[0]), out(1, side[1]), centre(2)], 'name centre');
    if (this.frame.bare) return;
    const pixels = (d) => {
      const [from, to] = [0, 1].map((i) => new Vector3(...[0, 1, 2].map((e) => this.corner[e][e === d ? i : 0])).project(camera));
      return Math.hypot(((to.x - from.x) * width) / 2, ((to.y - from.y) * height) / 2);
    };
    const long = [0, 1, 2].map((d) => pixels(d) > 70);
    [0, 1].forEach((i) => {
      // away from the corners, where two of them would meet
      const value = (d) => number(Math.abs([low, high][i][d]) < 1e-9 * (high[d] - low[d]) ? 0 : [low, high][i][d]);
      const at = (d) => this.corner[d][i] * 0.86 + this.corner[d][1 - i] * 0.14;
      if (long[0]) put(value(0), [at(0), out(1, near[1]), z[0]], 'centre');
      if (long[1]) put(value(1), [out(0, near[0]), at(1), z[0]], 'centre');
      if (long[2]) put(value(2), [out(0, side[0]), out(1, side[1]), at(2)], 'centre');
    });
  }

  place(camera, width, height) {
    this.begin();
    if (this.flat) this.placeGrid(camera, width, height);
    else this.placeBox(camera, width, height);
    this.end();
  }
}
