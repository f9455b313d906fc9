// What the model itself draws: points, links, springs, dampers, cylinders, spheres, boxes and marks at places that move.
import {
  BoxGeometry, CircleGeometry, Color, CylinderGeometry, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshStandardMaterial, Quaternion,
  SphereGeometry, TorusGeometry, Vector3,
} from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { colour, runColour } from './theme.js';

const UP = new Vector3(0, 1, 0);
const NAMES = ['blue', 'orange', 'green', 'pink', 'yellow', 'sky', 'purple', 'grey'];
// In the scene, where the model gives none: radius, thickness, width.
const SIZES = { point: 0.035, link: 0.022, spring: 0.09, damper: 0.07, mark: 0.026, rail: 0.01 };
const TURNS = 7;

const GUIDING = ['rail', 'guide'];
const BETWEEN = ['link', 'cylinder', 'damper', 'spring', 'rail'];
// How far something goes on a rail in a clip, and a little beyond; null: it stays where it is.
function railOf(thing, places) {
  let [low, high] = [Infinity, -Infinity];
  for (let frame = 0; frame < places.clip.count; frame++) {
    const at = places.number(frame, thing.axes[0]);
    if (at < low) low = at;
    if (at > high) high = at;
  }
  return high > low ? [low - 0.04 * (high - low), high + 0.04 * (high - low)] : null;
}
// Of each thing, if it is a rail or a guide, as far as it is used.
export function railsOf({ things }, places) {
  return (things ?? []).map((thing) => (thing.kind === 'rail' ? railOf(thing, places) : thing.kind === 'guide' ? guideOf(thing, places) : null));
}
// Its ends, from its two places.
export function railEnds([from, to], [low, high]) {
  return [low, high].map((at) => from.map((x, d) => x + at * (to[d] - x)));
}

// Where a point of a body goes in a clip, as the body sees it and in the unit of the model; null: it stays.
function guideOf(thing, places) {
  const codes = [0, 1, 2].map((d) => places.motion.place[3 * (thing.at + 1) + d]);
  const points = [];
  let far = 0;
  for (let frame = 0; frame < places.clip.count; frame++) {
    const point = codes.map((code) => (code === -1 ? 0 : places.number(frame, code)));
    if (!point.every(Number.isFinite)) continue;
    points.push(point);
    far = Math.max(far, ...point.map((x, d) => Math.abs(x - points[0][d])));
  }
  return far > 1e-6 * Math.max(...places.frame.half) ? points : null;
}
// The same in the scene: of a body at a place there, turned by columns.
export function guideIn(points, [x, y, z], axes, half) {
  return points.map((p) => [x, y, z].map((at, d) => at + (axes[0][d] * p[0] + axes[1][d] * p[1] + axes[2][d] * p[2]) / half[d]));
}

// The colour of a thing: its own, unless colours tell runs apart.
export function shadeOf(thing, own, several) {
  if (thing.kind === 'mark') return colour('ink');
  if (['rail', 'guide'].includes(thing.kind) && !thing.colour) return colour('faint-ink');
  if (several) return own;
  if (!thing.colour) return ['link', 'spring', 'damper'].includes(thing.kind) ? colour('rod') : own;
  return thing.colour[0] === '#' ? thing.colour : runColour(NAMES.indexOf(thing.colour));
}

// A zigzag or a coil from 0 to 1 along y with straight ends, of radius 1 about it.
export function coil(flat) {
  const points = [[0, 0, 0], [0, 0.1, 0]];
  const each = flat ? 2 : 16;
  for (let k = flat ? 0.5 : 0; k <= TURNS * each; k++) {
    const [at, turn] = [0.1 + (0.8 * k) / (TURNS * each), (2 * Math.PI * k) / each];
    points.push(flat ? [Math.round(k + 0.5) % 2 ? 1 : -1, at, 0] : [Math.sin(turn), at, Math.cos(turn)]);
  }
  return [...points, [0, 0.9, 0], [0, 1, 0]];
}

const solid = (options) => new MeshStandardMaterial({ roughness: 0.55, ...options });
const scaleOf = (thing, frame) => (d = 0) => (thing.size[d] ? thing.size[d] / frame.half[d] : SIZES[thing.kind] ?? 0);

class Ball {
  constructor(thing, frame, { flat, fixed }) {
    const size = scaleOf(thing, frame)();
    const mark = thing.kind === 'mark';
    const geometry = mark && fixed ? new BoxGeometry(1.7 * size, 1.7 * size, 1.7 * size)
      : mark && flat ? new TorusGeometry(size * 0.8, size * 0.28, 10, 28)
        : thing.kind === 'sphere' && flat ? new CircleGeometry(size, 64) : new SphereGeometry(size, 28, 20);
    this.disc = thing.kind === 'sphere' && flat;
    this.material = solid(this.disc ? { transparent: true, opacity: 0.85 } : {});
    this.object = new Mesh(geometry, this.material);
  }
  paint(shade) {
    this.material.color = new Color(shade);
  }
  show([at]) {
    this.object.position.set(at[0], at[1], at[2] - (this.disc ? 0.05 : 0));
  }
}

class Between {
  constructor(thing, frame) {
    const size = scaleOf(thing, frame)();
    const radius = thing.kind === 'cylinder' ? size : size / 2;
    this.material = solid();
    this.object = new Group();
    const bar = (r, from, to) => {
      const mesh = new Mesh(new CylinderGeometry(r, r, to - from, 24), this.material);
      mesh.position.y = (from + to) / 2;
      this.object.add(mesh);
    };
    if (thing.kind !== 'damper') bar(radius, 0, 1);
    else [bar(radius * 0.2, 0, 1), bar(radius, 0.3, 0.62)];
  }
  paint(shade) {
    this.material.color = new Color(shade);
  }
  show([from, to]) {
    const along = new Vector3(...to).sub(new Vector3(...from));
    const length = along.length();
    this.object.position.set(...from);
    this.object.scale.set(1, length || 1e-9, 1);
    if (length > 0) this.object.quaternion.setFromUnitVectors(UP, along.divideScalar(length));
  }
}

class Spring {
  constructor(thing, frame, { flat }) {
    this.radius = scaleOf(thing, frame)() / 2;
    this.coil = coil(flat);
    this.material = new LineMaterial({ linewidth: 2 });
    this.object = new Line2(new LineGeometry(), this.material);
    this.object.frustumCulled = false;
  }
  paint(shade) {
    this.material.color = new Color(shade);
  }
  show([from, to]) {
    const along = new Vector3(...to).sub(new Vector3(...from));
    const [length, turn] = [along.length(), new Quaternion()];
    if (length > 0) turn.setFromUnitVectors(UP, along.divideScalar(length));
    const points = this.coil.flatMap(([x, y, z]) => {
      const p = new Vector3(x * this.radius, y * length, z * this.radius).applyQuaternion(turn);
      return [from[0] + p.x, from[1] + p.y, from[2] + p.z];
    });
    this.object.geometry.setPositions(points);
  }
}

class Guide {
  constructor(thing, frame) {
    this.half = frame.half;
    this.material = new LineMaterial({ linewidth: 2 });
    this.object = new Line2(new LineGeometry(), this.material);
    this.object.frustumCulled = false;
  }
  paint(shade) {
    this.material.color = new Color(shade);
  }
  show([at], axes, points) {
    this.object.geometry.setPositions(guideIn(points, at, axes, this.half).flat());
  }
}

class Box {
  constructor(thing, frame, { flat }) {
    const size = scaleOf(thing, frame);
    const geometry = new BoxGeometry(size(0), size(1), flat ? 0.004 : size(2));
    this.skin = solid({ transparent: true, opacity: 0.85 });
    this.ink = new LineBasicMaterial();
    this.depth = flat ? -0.04 : 0;
    this.object = new Group();
    this.object.add(new Mesh(geometry, this.skin), new LineSegments(new EdgesGeometry(geometry), this.ink));
    this.object.matrixAutoUpdate = false;
  }
  paint(shade) {
    this.skin.color = new Color(shade);
    this.ink.color = new Color(colour('ink'));
  }
  show([at], axes) {
    const [x, y, z] = axes.map((axis) => new Vector3(...axis));
    this.object.matrix = new Matrix4().makeBasis(x, y, z).setPosition(at[0], at[1], at[2] + this.depth);
  }
}

const makers = { point: Ball, sphere: Ball, mark: Ball, link: Between, cylinder: Between, damper: Between, rail: Between, spring: Spring, box: Box, guide: Guide };

export class Things {
  constructor(group, motion, frame, several) {
    const flat = motion.dimension === 2;
    Object.assign(this, { motion, several, flat });
    this.made = motion.things.map((thing) => new makers[thing.kind](thing, frame, { flat, fixed: this.isFixed(thing) }));
    group.add(...this.made.map(({ object }) => object));
  }
  isFixed(thing) {
    return [0, 1, 2].every((d) => this.motion.place[3 * thing.at + d] < 0);
  }
  paint(own) {
    this.made.forEach((made, i) => made.paint(shadeOf(this.motion.things[i], own, this.several)));
  }
  // now: all places in the scene
  show(places, now, index, part) {
    if (this.places !== places) {
      this.places = places;
      this.rails = railsOf(this.motion, places);
    }
    this.made.forEach((made, i) => {
      const thing = this.motion.things[i];
      if (GUIDING.includes(thing.kind) && !this.rails[i]) return void (made.object.visible = false);
      let ends = [thing.at, thing.at + 1].map((k) => [...now.subarray(3 * k, 3 * k + 3)]);
      if (thing.kind === 'rail') ends = railEnds(ends, this.rails[i]);
      // a rail behind all else, a guide on the bar that has it and under what runs in it
      if (GUIDING.includes(thing.kind) && this.flat) ends = ends.map(([x, y, z]) => [x, y, z + (thing.kind === 'rail' ? -0.08 : 0.013)]);
      const axes = ['box', 'guide'].includes(thing.kind) ? places.turned(thing.axes, index, part) : [];
      const used = BETWEEN.includes(thing.kind) ? ends.flat() : [...ends[0], ...axes.flat()];
      made.object.visible = used.every(Number.isFinite);
      if (made.object.visible) made.show(ends, axes, this.rails[i]);
    });
  }
}
