// What stands around the motion: a grid with numbers at its edges; in space on a floor, which takes the shadow, and on the two walls
// behind the motion.
import {
  BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, PlaneGeometry, ShadowMaterial, Vector3,
} from 'three';
import { h } from './dom.js';
import { short, tick } from './format.js';
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
    else {
      this.mesh = lines(scene);
      this.mesh.renderOrder = -1;
      this.floor = [new MeshBasicMaterial({ depthWrite: false }), new ShadowMaterial({ depthWrite: false })].map((material, i) => {
        const part = new Mesh(new PlaneGeometry(), material); // not seen from below
        part.renderOrder = -3 + i;
        part.receiveShadow = i === 1;
        scene.add(part);
        return part;
      });
      this.makeBox();
    }
    this.pool = [];
  }
  refit(frame, axes) {
    Object.assign(this, { frame, axes });
    if (!this.flat) this.makeBox();
  }
  paint() {
    this.lines.material.color = new Color(colour(this.flat ? 'grid' : 'box'));
    if (this.flat) return;
    this.mesh.material.color = new Color(colour('grid'));
    const [ground, shadow] = this.floor.map(({ material }) => material);
    ground.color = new Color(colour('floor'));
    shadow.opacity = 0.22;
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
    for (const part of this.floor) {
      part.scale.set(x[1] - x[0], y[1] - y[0], 1);
      part.position.set((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, z[0]);
    }
    const widest = Math.max(...this.corner.map(([from, to]) => to - from));
    // some five of the longest axis; of the others as many as have the same distance, where they are axes of space
    this.rounds = this.frame.bare ? [[], [], []] : this.corner.map(([from, to], d) => {
      const step = round((half[d] * (this.frame.isSpace ? widest : to - from)) / 5);
      const first = Math.ceil((middle[d] + from * half[d]) / step - 1e-9);
      const last = Math.floor((middle[d] + to * half[d]) / step + 1e-9);
      const values = Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => (first + k) * step);
      const most = Math.max(0, ...values.map(Math.abs));
      return values.map((v) => [tick(v, step, most), (v - middle[d]) / half[d]]);
    });
    this.behind = null;
  }
  // The walls that do not hide the motion are those far from the eye.
  turnWalls(near) {
    const behind = [...near.map((side) => 1 - side), 0];
    if (this.behind?.join() === behind.join()) return;
    this.behind = behind;
    const { corner } = this;
    const lines = { box: [], grid: [] };
    const edge = (to, d, place) => to.push(...[0, 1].flatMap((i) => place.map((v, e) => (e === d ? corner[d][i] : v))));
    for (const across of [0, 1, 2]) { // the face that this axis crosses
      const [a, b] = [0, 1, 2].filter((d) => d !== across);
      const place = (d, v) => [0, 1, 2].map((e) => (e === d ? v : corner[e][behind[e]]));
      for (const [along, at] of [[a, b], [b, a]]) {
        for (const side of [0, 1]) edge(lines.box, along, place(at, corner[at][side]));
        for (const [, v] of this.rounds[at]) edge(lines.grid, along, place(at, v));
      }
    }
    setPoints(this.lines, lines.box);
    setPoints(this.mesh, lines.grid);
  }
  placeBox(camera, width, height) {
    const { corner } = this;
    const z = corner[2];
    // the edges that end at the corner of the floor nearest to the eye, and the upright at its left
    const near = [camera.position.x > 0 ? 1 : 0, camera.position.y > 0 ? 1 : 0];
    this.turnWalls(near);
    const pixel = (place, isName) => {
      const at = new Vector3(...place).project(camera);
      return (Math.abs(at.x) >= 1 && !isName) || Math.abs(at.y) >= 1 ? null : [((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height];
    };
    const taken = [];
    // a label that would touch another one is left out
    const put = (text, place, kind) => {
      const at = pixel(place, kind.startsWith('name'));
      if (!at) return;
      const element = this.label(text, ...at, kind);
      const half = (element.wide ||= element.offsetWidth) / 2 + 2;
      const x = Math.min(Math.max(at[0], half), width - half);
      if (taken.some(([left, y, reach]) => Math.abs(left - x) < reach + half + 2 && Math.abs(y - at[1]) < 15)) {
        element.hidden = true;
        return;
      }
      taken.push([x, at[1], half]);
      element.style.transform = `translate(${x.toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    };
    const side = near[0] === near[1] ? [near[0], 1 - near[1]] : [1 - near[0], near[1]];
    const out = (d, which, far = 0.09) => corner[d][which] + (which ? far : -far);
    const rows = [(v, far) => [v, out(1, near[1], far), z[0]], (v, far) => [out(0, near[0], far), v, z[0]], (v, far) => [out(0, side[0], far), out(1, side[1], far), v]];
    rows.forEach((row, d) => put(short(this.axes[d]), row((corner[d][0] + corner[d][1]) / 2, this.frame.bare ? 0.1 : 0.3), 'name centre'));
    rows.forEach((row, d) => {
      for (const [text, v] of this.rounds[d]) put(text, row(v), 'centre');
    });
  }

  place(camera, width, height) {
    this.begin();
    if (this.flat) this.placeGrid(camera, width, height);
    else this.placeBox(camera, width, height);
    this.end();
  }
}
