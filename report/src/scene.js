// The motion, drawn with three.js: particles, rods, trails and bodies of one or more runs, in the plane or in space.
import {
  Color, DirectionalLight, HemisphereLight, Mesh, OrthographicCamera, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { h } from './dom.js';
import { PAPER, colour, onPrint, onTheme, printing, runColour } from './theme.js';
import { withUnit } from './format.js';
import { Figure } from './figure.js';
import { Signal } from './signal.js';
import { Surround } from './surround.js';

// With the unit of length where the axes are those of space.
const axisNames = ({ motion, units }) => motion.axes.map((name) => (name && motion.space ? withUnit(name, units.length) : name));

export class Stage {
  // frame: what places.js fits; figures are one for each run
  constructor(host, runs, frame, player) {
    Object.assign(this, { host, runs, frame, player, drawn: new Signal(null) });
    this.flat = runs.every((run) => run.motion.dimension === 2);
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute('aria-hidden', 'true');
    this.labels = h('div', { class: 'labels', 'aria-hidden': 'true' });
    host.append(this.canvas, this.labels);
    this.scene = new Scene();
    this.light();
    this.aim();
    this.surround = new Surround(this.scene, this.labels, frame, this.flat, axisNames(runs[0]));
    this.makeFigures();
    this.paint();
    new ResizeObserver(() => this.resize()).observe(host);
    onTheme(() => this.paint());
    onPrint(() => {
      this.resize();
      this.render();
    });
    player.time.on(() => this.invalidate());
    player.clip.on(() => this.loadClip());
    this.loadClip();
    this.resize();
  }

  makeFigures() {
    const { runs, frame } = this;
    this.figures = runs.map((run, i) => new Figure(this.scene, run, frame, () => runColour(runs.length > 1 ? run.number : i), runs.length > 1));
    if (this.flat) return;
    for (const { group } of this.figures) group.traverse((part) => (part.castShadow = part instanceof Mesh && part.material.isMeshStandardMaterial && part.material.depthWrite));
  }
  // Other runs in place of those that are shown, seen as before.
  replace(runs, frame) {
    for (const figure of this.figures) figure.drop(this.scene);
    Object.assign(this, { runs, frame });
    this.makeFigures();
    this.loadClip();
    this.surround.refit(frame, axisNames(runs[0]));
    this.paint();
    this.resize();
  }
  // Between coordinates and the scene; and between the scene and pixels of the picture, at the depth of a place of the scene.
  frameIn(place) {
    return place.map((v, d) => (v - this.frame.middle[d]) / this.frame.half[d]);
  }
  frameOut(place) {
    return place.map((v, d) => this.frame.middle[d] + v * this.frame.half[d]);
  }
  pixel(place) {
    const [width, height] = this.size;
    const at = new Vector3(...place).project(this.camera);
    return [((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height];
  }
  under(x, y, near) {
    const [width, height] = this.size;
    const { z } = new Vector3(...near).project(this.camera);
    return new Vector3((2 * x) / width - 1, 1 - (2 * y) / height, z).unproject(this.camera).toArray();
  }

  light() {
    this.sky = new HemisphereLight(0xffffff, 0x8899aa, 1.9);
    this.sun = new DirectionalLight(0xffffff, 1.9);
    this.scene.add(this.sky, this.sun);
    if (this.flat) return;
    // the shadow is that of a lamp above, which stays where it is when the motion is turned
    this.lamp = new DirectionalLight(0xffffff, 0.3);
    this.lamp.position.set(0.5, -0.4, 4);
    this.lamp.castShadow = true;
    this.lamp.shadow.mapSize.set(2048, 2048);
    this.lamp.shadow.radius = 4;
    Object.assign(this.lamp.shadow.camera, { left: -2, right: 2, top: 2, bottom: -2, near: 0.1, far: 8 });
    this.scene.add(this.lamp);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
  }

  aim() {
    this.camera = this.flat ? new OrthographicCamera(-1, 1, 1, -1, -10, 10) : new PerspectiveCamera(32, 1, 0.1, 60);
    if (!this.flat) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableRotate = !this.flat;
    this.controls.enableZoom = false; // the page scrolls over the picture; buttons, keys, pinch and ctrl-wheel zoom
    this.controls.enablePan = this.flat;
    if (this.flat) this.controls.mouseButtons.LEFT = this.controls.mouseButtons.RIGHT;
    this.canvas.style.touchAction = 'pan-y';
    this.controls.addEventListener('change', () => this.invalidate());
    this.canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY / 300));
    }, { passive: false });
    this.reset();
  }
  reset() {
    this.camera.zoom = 1;
    this.controls.target.set(0, 0, 0);
    if (this.flat) this.camera.position.set(0, 0, 5);
    else this.camera.position.copy(new Vector3(0.62, -0.9, 0.42).normalize().multiplyScalar(this.distance ?? 5));
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.invalidate();
  }
  zoomBy(factor) {
    this.camera.zoom = Math.min(Math.max(this.camera.zoom * factor, 0.3), 60);
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }
  turn(right, up) {
    if (this.flat) return;
    const place = this.camera.position;
    const radius = place.length();
    const longitude = Math.atan2(place.y, place.x) + right;
    const latitude = Math.min(Math.max(Math.asin(place.z / radius) + up, -1.5), 1.5);
    place.set(Math.cos(latitude) * Math.cos(longitude), Math.cos(latitude) * Math.sin(longitude), Math.sin(latitude));
    place.multiplyScalar(radius);
    this.controls.update();
    this.invalidate();
  }

  loadClip() {
    for (const figure of this.figures) figure.load(this.player.clipOf(figure.run));
    this.invalidate();
  }
  paint() {
    this.scene.background = new Color(colour('stage'));
    this.surround.paint();
    for (const figure of this.figures) figure.paint();
    this.invalidate();
  }

  get size() {
    return printing ? [PAPER, PAPER] : [Math.max(this.host.clientWidth, 50), Math.max(this.host.clientHeight, 50)];
  }
  resize() {
    const [width, height] = this.size;
    this.renderer.setSize(width, height);
    if (this.flat) {
      const { half } = this.frame;
      const [wide, high] = this.frame.isSpace ? this.extentInScene() : [1, 1].map((v, d) => (half[d] ? v : 0.05));
      // room for the labels of the axes at the left and below
      const unit = Math.max((wide * 2.1) / (width - 60), (high * 2.1) / (height - 44), 1e-3);
      const [w, v] = [(unit * width) / 2, (unit * height) / 2];
      Object.assign(this.camera, { left: -w - 22 * unit, right: w - 22 * unit, top: v - 12 * unit, bottom: -v - 12 * unit });
    } else {
      this.camera.aspect = width / height;
      this.camera.fov = width < height ? 2 * Math.atan(Math.tan(Math.PI / 12) * (height / width)) * (180 / Math.PI) : 30;
      const before = this.distance;
      this.distance = (1.03 * Math.hypot(...this.surround.corner.map(([low, high]) => (high - low) / 2))) / Math.sin(Math.PI / 12);
      if (before !== this.distance) this.reset();
    }
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }
  extentInScene() {
    const { low, high, half } = this.frame;
    return [0, 1].map((d) => Math.max((high[d] - low[d]) / 2 / half[d], 0.12));
  }

  invalidate() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (!this.host.hidden) this.render();
    });
  }
  render() {
    const time = this.player.time.value;
    for (const figure of this.figures) figure.show(time);
    this.sun.position.copy(this.camera.position).add(new Vector3(1.5, 1, 2.5));
    this.camera.updateMatrixWorld();
    this.surround.place(this.camera, ...this.size);
    this.renderer.render(this.scene, this.camera);
    this.drawn.set(time);
  }
}
