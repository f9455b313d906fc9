// Bodies: boxes with the proportions of their second moments, turned by rotation matrices, each axis with a stick of its own colour.
import { BoxGeometry, Color, CylinderGeometry, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshStandardMaterial, Vector3 } from 'three';
import { colour, runColour } from './theme.js';

const axisColour = (j) => runColour([1, 2, 4][j]);

export class Bodies {
  // seated: the bodies stand at particles, which need room
  constructor(group, motion, seated) {
    this.size = seated ? 0.2 : 0.78;
    this.half = motion.bodies.map((body) => body.half.map((v) => Math.max(v, 0.04) * this.size));
    this.boxes = this.half.map((half) => this.make(half));
    group.add(...this.boxes.map((box) => box.group));
    this.longest = this.half.map((half) => half.indexOf(Math.max(...half)));
  }
  make(half) {
    const group = new Group();
    const geometry = new BoxGeometry(...half.map((v) => 2 * v));
    const skin = new MeshStandardMaterial({ roughness: 0.55, transparent: true, opacity: 0.88 });
    const ink = new LineBasicMaterial();
    group.add(new Mesh(geometry, skin), new LineSegments(new EdgesGeometry(geometry), ink));
    const sticks = half.map((v, j) => {
      const stick = new Mesh(new CylinderGeometry(0.011, 0.011, v + 0.22 * this.size, 10), new MeshStandardMaterial({ roughness: 0.6 }));
      const along = new Vector3().setComponent(j, 1);
      stick.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along);
      stick.position.copy(along.multiplyScalar((v + 0.22 * this.size) / 2));
      group.add(stick);
      return stick;
    });
    group.matrixAutoUpdate = false;
    return { group, skin, ink, sticks };
  }
  paint(own) {
    for (const { skin, ink, sticks } of this.boxes) {
      skin.color = own;
      ink.color = new Color(colour('ink'));
      sticks.forEach((stick, j) => (stick.material.color = new Color(axisColour(j))));
    }
  }
  show(places, index, part) {
    this.boxes.forEach(({ group }, b) => {
      const [x, y, z] = places.axes(index, part, b).map((axis) => new Vector3(...axis));
      const known = Number.isFinite(x.x + y.x + z.x);
      group.visible = known;
      if (known) group.matrix = new Matrix4().makeBasis(x, y, z).setPosition(...places.seat(index, part, b));
    });
  }
  // The end of the first body's longest axis, whose path is drawn.
  tip(places, frame, part) {
    const j = this.longest[0];
    const axis = places.axes(frame, part, 0)[j];
    const seat = places.seat(frame, part, 0);
    const reach = this.half[0][j] + 0.22 * this.size;
    return seat.map((v, d) => v + reach * axis[d]);
  }
}
