// Where things are: positions out of the frames of a clip, at any time, in the coordinates of the scene (about -1 to 1).

const WORD = 65534;

// The frame at or before a time, and how far on to the next one.
export function locate(times, time) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, times.length - 1);
  return [low, next > low ? Math.min(Math.max((time - times[low]) / (times[next] - times[low]), 0), 1) : 0];
}

// The range of a place's number: a column, a constant, or nothing.
function range(motion, code) {
  if (code >= 0) return [motion.low[code], motion.high[code]];
  return code < -1 ? [motion.constants[-2 - code], motion.constants[-2 - code]] : null;
}

// How far a thing that the model draws reaches beyond its place.
function reach({ kind, size }) {
  return kind === 'box' ? Math.hypot(...size) / 2 : kind === 'sphere' || kind === 'cylinder' ? size[0] : 0;
}

// The places that can leave a trail: all particles; of what the model draws its points, else what moves.
export function traceable(motion) {
  if (!motion.things) return [...Array(motion.particles).keys()];
  const moving = motion.things.filter(({ at }) => [0, 1, 2].some((d) => motion.place[3 * at + d] >= 0));
  const last = motion.things.filter(({ kind }) => kind === 'link').map(({ at }) => at + 1);
  const of = (...kinds) => moving.filter(({ kind }) => kinds.includes(kind)).map(({ at }) => at);
  return [of('point'), of('sphere', 'box'), last, of('mark')].find((list) => list.length > 0) ?? [];
}

// What maps coordinates to the scene: one scale for all axes where they are axes of space, else one for each.
export function fit(runs) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const { motion } of runs) {
    // a damper may reach far away from all that moves, and so may the two places of a rail; the second one of a guide is none of space
    const dampers = (motion.things ?? []).filter(({ kind }) => ['damper', 'rail', 'guide'].includes(kind)).flatMap(({ at }) => [at, at + 1]);
    const left = new Set(dampers.length < 2 * (motion.things ?? []).length ? dampers : []);
    for (let i = 0; i < motion.place.length; i++) {
      if (left.has(Math.floor(i / 3))) continue;
      const found = range(motion, motion.place[i]);
      if (!found) continue;
      low[i % 3] = Math.min(low[i % 3], found[0]);
      high[i % 3] = Math.max(high[i % 3], found[1]);
    }
    for (const thing of motion.things ?? []) {
      for (const k of thing.kind === 'cylinder' ? [thing.at, thing.at + 1] : [thing.at]) {
        for (let d = 0; d < motion.dimension; d++) {
          const found = range(motion, motion.place[3 * k + d]) ?? [0, 0];
          low[d] = Math.min(low[d], found[0] - reach(thing));
          high[d] = Math.max(high[d], found[1] + reach(thing));
        }
      }
    }
    for (const [x, y, z] of motion.anchors ?? []) {
      [x, y, z].forEach((v, d) => {
        low[d] = Math.min(low[d], v);
        high[d] = Math.max(high[d], v);
      });
    }
  }
  // bodies that stand nowhere: their axes have length 1
  const bare = low[0] === Infinity && runs.some(({ motion }) => motion.bodies.length > 0);
  if (bare) [0, 1, 2].forEach((d) => ([low[d], high[d]] = [-1, 1]));
  const used = low.map((v) => v !== Infinity);
  const middle = low.map((v, d) => (used[d] ? (v + high[d]) / 2 : 0));
  let half = low.map((v, d) => (used[d] ? (high[d] - v) / 2 : 0));
  const most = Math.max(...half) || 1;
  const isSpace = runs.every(({ motion }) => motion.space);
  half = half.map((v) => (isSpace ? most : v || 1));
  return { middle, half, low: low.map((v, d) => (used[d] ? v : 0)), high: high.map((v, d) => (used[d] ? v : 0)), isSpace, bare };
}

// The positions of one run's particles in one clip.
export class Places {
  constructor(motion, clip, frame) {
    Object.assign(this, { motion, clip, frame });
    this.count = motion.particles;
    this.columns = motion.columns;
    this.low = Float64Array.from(motion.low);
    this.part = Float64Array.from(motion.high, (high, c) => (high - motion.low[c]) / WORD);
    this.smooth = this.isSmooth();
  }
  number(frame, column) {
    if (column < -1) return this.motion.constants[-2 - column];
    const word = this.clip.values[frame * this.columns + column];
    return word > WORD ? NaN : this.low[column] + this.part[column] * word;
  }
  // Coordinate d of particle i in a frame, in the scene.
  at(frame, i, d) {
    const column = this.motion.place[3 * i + d];
    const { middle, half } = this.frame;
    return column === -1 ? 0 : (this.number(frame, column) - middle[d]) / half[d];
  }
  // Between frames: a cubic through four of them, where frames follow each other closely. value(frame) is any number.
  between(index, part, value) {
    const b = value(index);
    if (part === 0 || !this.smooth) return b;
    const last = this.clip.count - 1;
    const [a, c, e] = [value(Math.max(index - 1, 0)), value(Math.min(index + 1, last)), value(Math.min(index + 2, last))];
    return b + 0.5 * part * (c - a + part * (2 * a - 5 * b + 4 * c - e + part * (3 * (b - c) + e - a)));
  }
  blend(index, part, i, d) {
    return this.between(index, part, (frame) => this.at(frame, i, d));
  }
  // The axes of body b: nine numbers, row by row, made orthonormal again.
  axes(index, part, b) {
    return this.turned(this.motion.bodies[b].matrix, index, part);
  }
  turned(matrix, index, part) {
    if (!matrix) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const r = matrix.map((column) => this.between(index, part, (frame) => this.number(frame, column)));
    const column = (j) => [r[j], r[3 + j], r[6 + j]];
    const dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    const made = [];
    for (const j of [0, 1, 2]) {
      const v = column(j);
      for (const u of made) {
        const along = dot(u, v);
        u.forEach((x, d) => (v[d] -= along * x));
      }
      const length = Math.sqrt(dot(v, v));
      made.push(v.map((x) => x / length));
    }
    return made;
  }
  // Where body b stands: at the particle of its number, or in the middle.
  seat(index, part, b) {
    return this.count === this.motion.bodies.length ? [0, 1, 2].map((d) => this.blend(index, part, b, d)) : [0, 0, 0];
  }
  // Into out[3*count].
  fill(time, out) {
    const [index, part] = locate(this.clip.time, time);
    for (let i = 0; i < this.count; i++) for (let d = 0; d < 3; d++) out[3 * i + d] = this.blend(index, part, i, d);
    return out;
  }
  // Whether frames are close enough to be joined: the two before and the two after foretell each to a tenth of the scene; the
  // cubic between frames is then some ten times better.
  isSmooth() {
    const { count } = this.clip;
    if (count < 6) return false;
    const stride = Math.max(1, Math.floor(count / 150));
    const particles = Math.max(1, Math.floor(this.count / 8));
    const tracks = this.motion.bodies.flatMap((body) => body.matrix.map((column) => (frame) => this.number(frame, column)));
    for (let i = 0; i < this.count; i += particles) for (const d of [0, 1, 2]) tracks.push((frame) => this.at(frame, i, d));
    let [sum, seen] = [0, 0];
    for (let f = 2; f < count - 2; f += stride) {
      for (const track of tracks) {
        const [a, b, c, e, g] = [-2, -1, 0, 1, 2].map((k) => track(f + k));
        const miss = (4 * (b + e) - (a + g)) / 6 - c;
        if (Number.isFinite(miss)) [sum, seen] = [sum + miss * miss, seen + 1];
      }
    }
    return seen > 0 && Math.sqrt(sum / seen) < 0.1;
  }
}
