// What forces look like: contact points, arrows, friction cones, frames, centres of mass. One draw
// call each; drawn over the bodies, since contacts are inside them.
import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { CONTACT, Frame, OPEN, SLIP } from "./protocol";
import { BLUE, GREEN, PURPLE, Theme, VERMILLION } from "./theme";
import { World } from "./world";

export interface Shown {
  points: boolean;
  arrows: boolean;
  cones: boolean;
  frames: boolean;
  centres: boolean;
}

const UP = new THREE.Vector3(0, 0, 1);
const FEW = 60; // contacts that are drawn at full size; more of them are drawn smaller
const UPRIGHT = new THREE.Quaternion();

// An instanced mesh that grows with what it has to show.
class Marks {
  mesh: THREE.InstancedMesh;
  private count = 0;
  private readonly matrix = new THREE.Matrix4();

  constructor(
    private group: THREE.Group,
    geometry: THREE.BufferGeometry,
    material: THREE.Material,
    order: number,
  ) {
    this.mesh = this.make(geometry, material, 64, order);
  }

  private make(geometry: THREE.BufferGeometry, material: THREE.Material, room: number, order: number) {
    const mesh = new THREE.InstancedMesh(geometry, material, room);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    mesh.setColorAt(0, new THREE.Color());
    this.group.add(mesh);
    return mesh;
  }

  begin() {
    this.count = 0;
  }

  add(p: THREE.Vector3, q: THREE.Quaternion, scale: THREE.Vector3, colour: THREE.Color) {
    if (this.count === this.mesh.instanceMatrix.count) {
      const old = this.mesh;
      this.mesh = this.make(old.geometry, old.material as THREE.Material, 2 * this.count, old.renderOrder);
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      this.mesh.instanceColor!.array.set(old.instanceColor!.array);
      this.group.remove(old);
      old.dispose();
    }
    this.mesh.setMatrixAt(this.count, this.matrix.compose(p, q, scale));
    this.mesh.setColorAt(this.count, colour);
    ++this.count;
  }

  end() {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }
}

function flat(opacity = 1): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({
    depthTest: false,
    depthWrite: false,
    transparent: true,
    opacity,
    toneMapped: false,
  });
}

// Along +z, length 1, at unit thickness.
function arrowParts(): [THREE.BufferGeometry, THREE.BufferGeometry] {
  const shaft = new THREE.CylinderGeometry(0.5, 0.5, 1, 7, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  const head = new THREE.ConeGeometry(1.6, 4, 9).rotateX(Math.PI / 2).translate(0, 0, 2);
  return [shaft, head];
}

function axes(): THREE.BufferGeometry {
  const axis = (colour: string, turn: (g: THREE.BufferGeometry) => THREE.BufferGeometry) => {
    const bar = turn(new THREE.CylinderGeometry(0.025, 0.025, 1, 8).translate(0, 0.5, 0));
    const rgb = new THREE.Color(colour);
    const values = Array.from({ length: bar.attributes.position.count }, () => rgb.toArray()).flat();
    bar.setAttribute("color", new THREE.Float32BufferAttribute(values, 3));
    return bar;
  };
  return mergeGeometries([
    axis(VERMILLION, (g) => g.rotateZ(-Math.PI / 2)),
    axis(GREEN, (g) => g),
    axis(BLUE, (g) => g.rotateX(Math.PI / 2)),
  ]);
}

export class Overlay {
  readonly group = new THREE.Group();
  forceScale = 1; // chosen by the user, on top of the automatic one
  longest = 0; // N, the force of the longest arrow, slowly following
  private sticking: Marks;
  private slipping: Marks;
  private shafts: Marks;
  private heads: Marks;
  private cones: Marks;
  private frames: Marks;
  private centres: Marks;
  private unit = 0.01; // m: radius of a contact point
  private thin = 1; // the more contacts, the thinner
  private colours: THREE.Color[] = []; // by a contact's state

  constructor(
    private world: World,
    radius: number,
    theme: Theme,
  ) {
    this.setTheme(theme);
    this.unit = 0.011 * radius;
    const [shaft, head] = arrowParts();
    this.cones = new Marks(
      this.group,
      new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5),
      Object.assign(flat(0.16), { side: THREE.DoubleSide }),
      10,
    );
    this.shafts = new Marks(this.group, shaft, flat(), 12);
    this.heads = new Marks(this.group, head, flat(), 12);
    this.sticking = new Marks(this.group, new THREE.IcosahedronGeometry(1, 1), flat(0.95), 13);
    this.slipping = new Marks(this.group, new THREE.OctahedronGeometry(1.45), flat(0.95), 13);
    this.frames = new Marks(this.group, axes(), Object.assign(flat(), { vertexColors: true }), 14);
    this.centres = new Marks(this.group, new THREE.IcosahedronGeometry(1, 2), flat(0.9), 15);
  }

  setTheme(theme: Theme) {
    this.colours = [theme.open, theme.stick, theme.slip].map((colour) => new THREE.Color(colour));
  }

  update(frame: Frame, shown: Shown) {
    const contactMarks = [this.sticking, this.slipping, this.shafts, this.heads, this.cones];
    for (const marks of contactMarks) marks.begin();
    this.followLongest(frame);
    this.thin = Math.max(0.45, Math.min(1, Math.pow(FEW / Math.max(frame.contactCount, 1), 0.25)));
    for (let k = 0; k < frame.contactCount; ++k) this.addContact(frame, k, shown);
    for (const marks of contactMarks) marks.end();
    this.addBodies(frame, shown);
  }

  // Rises at once, falls slowly, so that arrows do not breathe.
  private followLongest(frame: Frame) {
    let largest = 0;
    for (let k = 0; k < frame.contactCount; ++k) {
      const at = CONTACT.words * k + CONTACT.force;
      largest = Math.max(largest, Math.hypot(frame.contacts[at], frame.contacts[at + 1], frame.contacts[at + 2]));
    }
    if (Number.isFinite(largest)) this.longest = Math.max(largest, 0.97 * this.longest);
  }

  private addContact(frame: Frame, k: number, shown: Shown) {
    const at = CONTACT.words * k;
    const value = frame.contacts;
    const p = new THREE.Vector3().fromArray(value, at + CONTACT.point);
    const normal = new THREE.Vector3().fromArray(value, at + CONTACT.normal);
    const force = new THREE.Vector3().fromArray(value, at + CONTACT.force);
    const state = frame.contactInts[at + CONTACT.state];
    const colour = this.colours[state] ?? this.colours[OPEN];
    if (shown.points) {
      const size = this.thin * (state === OPEN ? 0.55 : 1) * this.unit;
      const marks = state === SLIP ? this.slipping : this.sticking;
      marks.add(p, UPRIGHT, new THREE.Vector3(size, size, size), colour);
    }
    if (shown.cones && state !== OPEN) {
      const height = 7 * this.unit;
      const mu = value[at + CONTACT.mu];
      const turn = new THREE.Quaternion().setFromUnitVectors(UP, normal);
      this.cones.add(p, turn, new THREE.Vector3(mu * height, mu * height, height), colour);
    }
    const size = force.length();
    if (shown.arrows && size > 0 && this.longest > 0) this.addArrow(p, force.divideScalar(size), size, colour);
  }

  private addArrow(p: THREE.Vector3, direction: THREE.Vector3, newtons: number, colour: THREE.Color) {
    const length = (newtons / this.longest) * 34 * this.unit * this.forceScale;
    if (length < 0.4 * this.unit) return;
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, direction);
    const thick = Math.min(0.62 * this.thin * this.unit, 0.16 * length);
    const head = Math.min(4 * thick, 0.5 * length);
    this.shafts.add(p, turn, new THREE.Vector3(thick, thick, length - head), colour);
    const tip = p.clone().addScaledVector(direction, length - head);
    this.heads.add(tip, turn, new THREE.Vector3(thick, thick, head / 4), colour);
  }

  private addBodies(frame: Frame, shown: Shown) {
    this.frames.begin();
    this.centres.begin();
    const white = new THREE.Color(0xffffff);
    const purple = new THREE.Color(PURPLE);
    const p = new THREE.Vector3();
    const q = new THREE.Quaternion();
    this.world.scene.bodies.forEach((body, b) => {
      if (b > 0 && !shown.frames && !shown.centres) return;
      p.fromArray(frame.poses, 7 * b);
      q.set(frame.poses[7 * b + 4], frame.poses[7 * b + 5], frame.poses[7 * b + 6], frame.poses[7 * b + 3]);
      const length = 12 * this.unit;
      if (shown.frames) this.frames.add(p, q, new THREE.Vector3(length, length, length), white);
      if (!shown.centres || body.mass === 0) return;
      const centre = new THREE.Vector3().fromArray(body.com).applyQuaternion(q).add(p);
      const size = 1.1 * this.unit;
      this.centres.add(centre, q, new THREE.Vector3(size, size, size), purple);
    });
    this.frames.end();
    this.centres.end();
  }
}
