// What the program sends: the scene once, then frames. docs/viewer.md has the tables; the C++ side
// is apps/viewer/messages.cpp and src/io/scene_json.cpp.

export interface SceneBody {
  name: string;
  parent: number;
  mass: number; // kg
  com: number[]; // in the body's frame, m
  moves: boolean;
}

export interface SceneJoint {
  name: string;
  type: "free" | "ball" | "slide" | "hinge";
  body: number;
  qpos: number; // first position
}

export interface SceneGeom {
  name: string;
  body: number;
  shape: "plane" | "sphere" | "capsule" | "cylinder" | "box" | "ellipsoid" | "mesh";
  size?: number[]; // half sizes, m
  mesh?: number;
  pose: number[]; // x y z, w x y z
  rgba: number[];
  collides: boolean;
  hidden: boolean; // a collision shape behind something nicer
  shininess?: number;
}

export interface SceneMesh {
  name: string;
  vertices: string; // base 64 of floats
  triangles: string; // base 64 of 32-bit integers
}

export interface SceneCamera {
  name: string;
  body: number;
  pose: number[];
  fovy: number; // degrees
}

export interface Scene {
  name: string;
  timestep: number;
  gravity?: number[]; // m/s²; older recordings have none
  bodies: SceneBody[];
  joints: SceneJoint[];
  geoms: SceneGeom[];
  meshes: SceneMesh[];
  cameras: SceneCamera[];
}

export interface ControlState {
  paused: boolean;
  speed: number; // 0: as fast as possible
  solver: string;
  iterations: number; // 0: the solver's own limit
  tolerance: number; // m/s
  error: string;
}

export interface Curve {
  solver: string;
  status: string;
  iterations: number;
  seconds: number;
  residual: number;
  points: [iteration: number, seconds: number, residual: number][];
}

export interface Frozen {
  step: number;
  time: number;
  contacts: number;
  constraints: number;
  tolerance: number;
}

export type Message =
  | { type: "scene"; title: string; sentence: string; hint: string; solvers: string[]; scene: Scene }
  | ({ type: "state" } & ControlState)
  | ({ type: "freeze" } & Frozen)
  | ({ type: "curve" } & Curve);

// A contact is this many words of a frame.
export const CONTACT = {
  words: 14,
  point: 0,
  normal: 3,
  force: 6, // on body 2, N
  mu: 9,
  gap: 10,
  body1: 11,
  body2: 12,
  state: 13,
} as const;
export const OPEN = 0;
export const STICK = 1;
export const SLIP = 2;

export const STATUSES = ["solved", "iteration limit", "time limit", "stalled", "regularized", "failed"];

// Why steps are missed, a bit each, as to_string(Miss) has it.
export const MISSES = [
  "residual above the tolerance",
  "contacts and limits that come up within the step do not settle",
  "force limits of actuators do not settle",
  "energy is not finite",
  "equalities come open",
];

export interface Frame {
  missedBy: number; // bits, by MISSES; 0: within the tolerance; others: not known
  time: number; // s
  step: number;
  residual: number; // worst since the last frame, m/s
  penetration: number; // m
  energy: number; // J
  kinetic: number; // J; NaN: not recorded
  solveSeconds: number;
  stepSeconds: number;
  realTimeFactor: number;
  tolerance: number;
  iterations: number;
  status: number; // of STATUSES; -1: not recorded
  constraints: number; // NaN: not recorded
  contactCount: number;
  poses: Float32Array; // per body: x y z, w x y z
  contacts: Float32Array; // CONTACT.words each
  contactInts: Uint32Array; // the same memory
  qpos: Float32Array;
  worst: string;
}

const MARK = 0x31465453;
const HEADER = 84; // bytes

export function decodeFrame(data: ArrayBuffer): Frame {
  const view = new DataView(data);
  if (view.getUint32(0, true) !== MARK) throw new Error("not a frame");
  const real = (k: number) => view.getFloat32(24 + 4 * k, true);
  const count = (k: number) => view.getUint32(56 + 4 * k, true);
  const [bodies, contacts, positions, letters] = [count(3), count(4), count(5), count(6)];
  const posesAt = HEADER;
  const contactsAt = posesAt + 28 * bodies;
  const qposAt = contactsAt + 4 * CONTACT.words * contacts;
  const worstAt = qposAt + 4 * positions;
  return {
    missedBy: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    step: view.getFloat64(16, true),
    residual: real(0),
    penetration: real(1),
    energy: real(2),
    kinetic: real(3),
    solveSeconds: real(4),
    stepSeconds: real(5),
    realTimeFactor: real(6),
    tolerance: real(7),
    iterations: count(0),
    status: count(1),
    constraints: count(2),
    contactCount: contacts,
    poses: new Float32Array(data, posesAt, 7 * bodies),
    contacts: new Float32Array(data, contactsAt, CONTACT.words * contacts),
    contactInts: new Uint32Array(data, contactsAt, CONTACT.words * contacts),
    qpos: new Float32Array(data, qposAt, positions),
    worst: new TextDecoder().decode(new Uint8Array(data, worstAt, letters)),
  };
}

export function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; ++k) bytes[k] = text.charCodeAt(k);
  return bytes.buffer;
}
