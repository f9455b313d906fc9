// Surfaces and curves where a function on a grid changes its sign: cells are cut into tetrahedra, or triangles, and each is crossed straight.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial } from 'three';
import { runColour } from './theme.js';
import { shadeOf } from './things.js';

// The corners of a cell are numbered by bits x, y, z; six tetrahedra about its diagonal, in the plane two triangles.
const TETRAHEDRA = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];
const TRIANGLES = [[0, 1, 3], [0, 3, 2]];

// The edges of a simplex that the surface crosses: [inside, outside] corners.
function crossed(simplex, sign) {
  const [inside, outside] = [simplex.filter((c) => sign(c)), simplex.filter((c) => !sign(c))];
  if (inside.length === 0 || outside.length === 0) return [];
  const edges = inside.flatMap((a) => outside.map((b) => [a, b]));
  // four points of a quadrilateral go around it
  return edges.length === 4 ? [edges[0], edges[1], edges[3], edges[0], edges[3], edges[2]] : edges;
}

// Points, three numbers each: of triangles, in the plane of segments. In the coordinates of the model.
export function contour({ low, high, counts, values }) {
  const [nx, ny, nz] = counts;
  const flat = nz === 1;
  const step = [0, 1, 2].map((d) => (counts[d] > 1 ? (high[d] - low[d]) / (counts[d] - 1) : 0));
  const points = [];
  for (let k = 0; k < (flat ? 1 : nz - 1); k++) {
    for (let j = 0; j < ny - 1; j++) {
      for (let i = 0; i < nx - 1; i++) {
        const corner = (c) => [i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)];
        const value = (c) => {
          const [a, b, e] = corner(c);
          return values[a + nx * (b + ny * e)];
        };
        for (const simplex of flat ? TRIANGLES : TETRAHEDRA) {
          if (!simplex.every((c) => Number.isFinite(value(c)))) continue;
          for (const [a, b] of crossed(simplex, (c) => value(c) < 0)) {
            const part = value(a) / (value(a) - value(b));
            const [from, to] = [corner(a), corner(b)];
            [0, 1, 2].forEach((d) => points.push(flat && d === 2 ? 0 : low[d] + step[d] * (from[d] + part * (to[d] - from[d]))));
          }
        }
      }
    }
  }
  return points;
}

// The gradient of the grid at points, as normals.
function normals({ low, high, counts, values }, points) {
  const [nx, ny] = counts;
  const value = (i, j, k) => values[i + nx * (j + ny * k)];
  const made = new Float32Array(points.length);
  for (let at = 0; at < points.length; at += 3) {
    const u = [0, 1, 2].map((d) => Math.min(Math.max(((points[at + d] - low[d]) / (high[d] - low[d])) * (counts[d] - 1), 0), counts[d] - 1.001));
    const base = u.map(Math.floor);
    const part = u.map((v, d) => v - base[d]);
    const mix = (d) => {
      let sum = 0;
      for (let c = 0; c < 8; c++) {
        const bit = [c & 1, (c >> 1) & 1, (c >> 2) & 1];
        const weight = bit.reduce((product, b, e) => product * (e === d ? (b ? 1 : -1) : b ? part[e] : 1 - part[e]), 1);
        sum += weight * value(...base.map((v, e) => v + bit[e]));
      }
      return sum / (high[d] - low[d]);
    };
    const g = [0, 1, 2].map(mix);
    const length = Math.hypot(...g) || 1;
    g.forEach((v, d) => (made[at + d] = v / length));
  }
  return made;
}

// Triangles are turned so that their corners go round the normal.
function orient(points, made) {
  for (let at = 0; at < points.length; at += 9) {
    const side = (k) => [0, 1, 2].map((d) => points[at + 3 * k + d] - points[at + d]);
    const [[a, b, c], [x, y, z]] = [side(1), side(2)];
    const across = [b * z - c * y, c * x - a * z, a * y - b * x];
    if (across.reduce((sum, v, d) => sum + v * made[at + d], 0) >= 0) continue;
    for (const list of [points, made]) for (const d of [3, 4, 5]) [list[at + d], list[at + d + 3]] = [list[at + d + 3], list[at + d]];
  }
}

export class Surfaces {
  constructor(group, motion, frame) {
    this.list = (motion.surfaces ?? []).map((given) => this.make(given, frame));
    if (this.list.length) group.add(...this.list.map(({ object }) => object));
  }
  make(given, { middle, half }) {
    const flat = given.counts[2] === 1;
    const points = contour(given);
    const geometry = new BufferGeometry();
    const made = flat ? null : normals(given, points);
    if (made) orient(points, made);
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(points.map((v, at) => (v - middle[at % 3]) / half[at % 3])), 3));
    if (made) geometry.setAttribute('normal', new BufferAttribute(made, 3));
    const material = flat ? new LineBasicMaterial()
      : new MeshStandardMaterial({ roughness: 0.7, side: DoubleSide, transparent: true, opacity: 0.32, depthWrite: false });
    const object = flat ? new LineSegments(geometry, material) : new Mesh(geometry, material);
    object.frustumCulled = false;
    return { given, material, object };
  }
  paint() {
    for (const { given, material } of this.list) material.color = new Color(shadeOf({ kind: 'surface', colour: given.colour }, runColour(7), false));
  }
}
