// One run in the scene: particles as balls or dots, rods between them, bodies as boxes, and the trails of a few.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, MeshStandardMaterial, Points, PointsMaterial, Quaternion, Sphere, SphereGeometry, Vector3,
} from 'three';
import { colour } from './theme.js';
import { Places, locate, traceable } from './places.js';
import { Surfaces } from './surface.js';
import { Things } from './things.js';
import { Bodies } from './bodies.js';
import { Trail } from './trail.js';

const MOST_BALLS = 600;
const UP = new Vector3(0, 1, 0);

export class Figure {
  constructor(scene, run, frame, shade, several) {
    Object.assign(this, { run, frame, shade });
    this.motion = run.motion;
    this.count = this.motion.particles;
    this.now = new Float32Array(3 * this.count);
    this.group = new Group();
    scene.add(this.group);
    this.surfaces = new Surfaces(this.group, this.motion, frame);
    if (this.motion.things) this.things = new Things(this.group, this.motion, frame, several);
    else this.makeFound();
    this.trails = [];
    const some = traceable(this.motion);
    this.traced = some.length <= 3 ? some : some.slice(-1);
  }
  drop(scene) {
    scene.remove(this.group);
    this.group.traverse(({ geometry, material }) => {
      geometry?.dispose();
      material?.dispose();
    });
  }
  // What was found in the names of coordinates and in the constraints.
  makeFound() {
    this.ends = this.findEnds();
    this.radius = this.chooseRadius();
    this.makeParticles();
    this.makeRods();
    this.makePivots();
    this.bodies = this.motion.bodies.length > 0 ? new Bodies(this.group, this.motion, this.count > 0) : null;
  }

  // Rods as pairs of particles; an end that is -1 - k is anchor k, a fixed point.
  findEnds() {
    const { rods, anchors } = this.motion;
    const { middle, half } = this.frame;
    this.anchors = (anchors ?? []).map((place) => place.map((v, d) => (v - middle[d]) / half[d]));
    const pairs = [];
    for (let i = 0; rods && i + 1 < rods.length; i += 2) pairs.push([rods[i], rods[i + 1]]);
    return pairs;
  }
  // Balls that do not hide the rods, nor each other where they are many.
  chooseRadius() {
    const crowd = 0.25 / Math.max(1, this.count) ** (1 / this.motion.dimension);
    const places = new Places(this.motion, this.motion.clips[0], this.frame);
    places.fill(this.motion.clips[0].time[0], this.now);
    const lengths = this.ends.map(([a, b]) => Math.hypot(...[0, 1, 2].map((d) => this.end(a)[d] - this.end(b)[d])))
      .filter((length) => length > 0).sort((a, b) => a - b);
    const link = lengths.length ? 0.32 * lengths[Math.floor(lengths.length / 2)] : Infinity;
    return Math.max(Math.min(0.05, Math.max(crowd, 0.012), link), 0.003);
  }

  makeParticles() {
    this.isBalls = this.count <= MOST_BALLS;
    if (this.isBalls) {
      this.material = new MeshStandardMaterial({ roughness: 0.45, metalness: 0.05 });
      this.balls = new InstancedMesh(new SphereGeometry(this.radius, 24, 16), this.material, this.count);
    } else {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(this.now, 3).setUsage(DynamicDrawUsage));
      geometry.boundingSphere = new Sphere(new Vector3(), 10); // not measured: some may not be finite
      this.material = new PointsMaterial({ size: this.count > 20000 ? 2 : 3, sizeAttenuation: false });
      this.balls = new Points(geometry, this.material);
    }
    this.balls.frustumCulled = false;
    this.balls.renderOrder = 1; // over the rods
    this.group.add(this.balls);
  }
  makeRods() {
    if (this.ends.length === 0) return;
    if (this.ends.length <= MOST_BALLS) {
      this.rodMaterial = new MeshStandardMaterial({ roughness: 0.6 });
      const thickness = this.radius * (this.count > 30 ? 0.4 : 0.28);
      this.rods = new InstancedMesh(new CylinderGeometry(thickness, thickness, 1, 12), this.rodMaterial, this.ends.length);
    } else {
      this.rodMaterial = new LineBasicMaterial();
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * this.ends.length), 3).setUsage(DynamicDrawUsage));
      geometry.boundingSphere = new Sphere(new Vector3(), 10);
      this.rods = new LineSegments(geometry, this.rodMaterial);
    }
    this.rods.frustumCulled = false;
    this.group.add(this.rods);
  }
  makePivots() {
    if (this.anchors.length === 0) return;
    const side = Math.max(this.radius * 0.9, 0.02);
    this.pivotMaterial = new MeshStandardMaterial({ roughness: 0.8 });
    this.pivots = new InstancedMesh(new BoxGeometry(side, side, side), this.pivotMaterial, this.anchors.length);
    this.anchors.forEach(([x, y, z], i) => this.pivots.setMatrixAt(i, new Matrix4().makeTranslation(x, y, z)));
    this.pivots.frustumCulled = false;
    this.group.add(this.pivots);
  }

  load(clip) {
    this.places = new Places(this.motion, clip, this.frame);
    this.makeTrails();
  }
  trace(particles) {
    this.traced = particles;
    if (this.places) this.makeTrails();
  }
  makeTrails() {
    for (const trail of this.trails) trail.drop(this.group);
    const places = this.places;
    const paths = this.traced.map((i) => (f, part) => [0, 1, 2].map((d) => places.blend(f, part, i, d)));
    if (this.bodies) paths.push((f, part) => this.bodies.tip(places, f, part));
    this.trails = paths.map((at) => new Trail(this.group, places, at));
    this.paint();
  }

  paint() {
    const own = new Color(this.shade());
    this.surfaces.paint();
    this.things?.paint(this.shade());
    if (this.material) this.material.color = own;
    if (this.rodMaterial) this.rodMaterial.color = new Color(colour('rod'));
    this.bodies?.paint(own);
    if (this.pivotMaterial) this.pivotMaterial.color = new Color(colour('ink'));
    for (const trail of this.trails) trail.paint(own);
  }

  // A state that is not finite is not drawn: its matrix has no extent.
  setBall(i, matrix) {
    const [x, y, z] = this.now.subarray(3 * i, 3 * i + 3);
    if (Number.isFinite(x + y + z)) matrix.makeTranslation(x, y, z);
    else matrix.makeScale(0, 0, 0);
    this.balls.setMatrixAt(i, matrix);
  }
  end(which) {
    return which < 0 ? this.anchors[-1 - which] : this.now.subarray(3 * which, 3 * which + 3);
  }
  showRods() {
    if (!this.rods) return;
    const isLines = this.rods instanceof LineSegments;
    const [from, to, along, turn, matrix] = [new Vector3(), new Vector3(), new Vector3(), new Quaternion(), new Matrix4()];
    this.ends.forEach(([a, b], i) => {
      const [p, q] = [this.end(a), this.end(b)];
      if (isLines) {
        this.rods.geometry.attributes.position.array.set([...p, ...q], 6 * i);
        return;
      }
      from.set(...p);
      to.set(...q);
      along.subVectors(to, from);
      const length = along.length();
      if (Number.isFinite(length) && length > 0) {
        turn.setFromUnitVectors(UP, along.divideScalar(length));
        matrix.compose(from.add(to).multiplyScalar(0.5), turn, along.set(1, length, 1));
      } else matrix.makeScale(0, 0, 0);
      this.rods.setMatrixAt(i, matrix);
    });
    if (isLines) this.rods.geometry.attributes.position.needsUpdate = true;
    else this.rods.instanceMatrix.needsUpdate = true;
  }

  show(time) {
    if (!this.places) return;
    this.places.fill(time, this.now);
    if (this.things) {
      this.things.show(this.places, this.now, ...locate(this.places.clip.time, time));
    } else if (this.isBalls) {
      const matrix = new Matrix4();
      for (let i = 0; i < this.count; i++) this.setBall(i, matrix);
      this.balls.instanceMatrix.needsUpdate = true;
    } else this.balls.geometry.attributes.position.needsUpdate = true;
    this.showRods();
    const [index, part] = locate(this.places.clip.time, time);
    this.bodies?.show(this.places, index, part);
    for (const trail of this.trails) trail.show(index, part);
  }
}
