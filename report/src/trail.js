// Where a particle has been: its whole path in a faint line, and the last stretch of it in a strong one. Where frames are too far
// apart to be joined, dots.
import { BufferAttribute, BufferGeometry, Color, Points, PointsMaterial, Sphere, Vector3 } from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { colour } from './theme.js';

const MOST_POINTS = 6000;
const [LEAST_TAIL, MOST_TAIL] = [160, 600]; // points of the strong stretch: a tenth of the path

// Points of the path: between frames some more where they are far apart. at(frame, part) is [x, y, z].
function pathOf(places, at) {
  const { count } = places.clip;
  const parts = places.smooth ? Math.max(1, Math.min(6, Math.floor(MOST_POINTS / count))) : 1;
  const points = [];
  for (let f = 0; f < count; f++) {
    for (let k = 0; k < (f + 1 < count ? parts : 1); k++) {
      points.push(...at(f, k / parts));
    }
  }
  return { points, parts };
}

function line(points, width, colours) {
  const geometry = new LineGeometry();
  geometry.setPositions(points);
  if (colours) geometry.setColors(colours);
  const material = new LineMaterial({ linewidth: width, vertexColors: Boolean(colours) });
  const object = new Line2(geometry, material);
  object.frustumCulled = false;
  return object;
}

export class Trail {
  constructor(group, places, at) {
    const { points, parts } = pathOf(places, at);
    this.finite = points.every(Number.isFinite);
    this.points = this.finite ? points : points.map((v) => (Number.isFinite(v) ? v : 0));
    this.parts = parts;
    this.isLine = places.smooth && this.finite && points.length >= 6;
    this.objects = this.isLine ? this.makeLines() : this.makeDots(points);
    group.add(...this.objects);
  }
  makeLines() {
    this.faint = line(this.points, 1.25);
    this.length = Math.min(Math.max(LEAST_TAIL, Math.round(this.points.length / 30)), MOST_TAIL);
    const room = 3 * (this.length + 1);
    this.tail = line(new Array(room).fill(0), 2.5, new Array(room).fill(1));
    return [this.faint, this.tail];
  }
  makeDots(points) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    geometry.boundingSphere = new Sphere(new Vector3(), 10); // not measured: some may not be finite
    this.dots = new Points(geometry, new PointsMaterial({ size: 2, sizeAttenuation: false }));
    this.dots.frustumCulled = false;
    return [this.dots];
  }
  paint(own) {
    const back = new Color(colour('stage'));
    this.own = own;
    this.back = back;
    const pale = own.clone().lerp(back, 0.5);
    if (this.dots) this.dots.material.color = pale;
    if (this.faint) this.faint.material.color = pale;
  }
  // The stretch that ends at frame `index` and a part of the way to the next one.
  show(index, part) {
    if (!this.tail) return;
    const last = Math.min(Math.floor((index + part) * this.parts), this.points.length / 3 - 1);
    const first = Math.max(0, last - this.length);
    const place = this.tail.geometry.attributes.instanceStart.data;
    const shade = this.tail.geometry.attributes.instanceColorStart.data;
    const mix = new Color();
    for (let k = first; k < last; k++) {
      place.array.set(this.points.slice(3 * k, 3 * k + 6), 6 * (k - first));
      [k, k + 1].forEach((at, side) => {
        mix.copy(this.back).lerp(this.own, 0.5 + 0.5 * ((at - first) / (last - first)));
        shade.array.set([mix.r, mix.g, mix.b], 6 * (k - first) + 3 * side);
      });
    }
    this.tail.geometry.instanceCount = last - first;
    this.tail.visible = last > first;
    place.needsUpdate = shade.needsUpdate = true;
  }
  drop(group) {
    for (const object of this.objects) {
      group.remove(object);
      object.geometry.dispose();
      object.material.dispose();
    }
  }
}
