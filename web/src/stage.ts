// Where the bodies stand: renderer, light, floor, background, camera.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { makeFloor } from "./floor";
import { SceneCamera } from "./protocol";
import { Theme } from "./theme";
import { poseMatrix, World } from "./world";

export type View = "home" | "front" | "side" | "top";

const FOV = 35; // degrees
const FILL = 0.74; // share of the picture that the scene may take, each way
const NARROW = 0.62; // on a phone, where title and legend take more of it
const LOOK_EVERY = 8; // pictures
const FARTHEST = 6; // times its first size: a body beyond that has flown away, and is let go
const UP = new THREE.Vector3(0, 0, 1);
// From the scene to the camera, where gravity points along -z.
const DIRECTIONS: Record<View, [number, number, number]> = {
  home: [0.85, -1.25, 0.55],
  front: [0, -1, 0.06],
  side: [1, 0, 0.06],
  top: [0, -0.001, 1],
};

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FOV, 1, 0.01, 1000);
  controls: OrbitControls;
  // A sun with shadows, a faint lamp from the other side, and the sky. A picture of surroundings to
  // reflect would be nicer still, but where there is no graphics card it takes seconds to prepare.
  private sun = new THREE.DirectionalLight(0xffffff, 2.5);
  private lamp = new THREE.DirectionalLight(0xffffff, 0.7);
  private sky = new THREE.HemisphereLight(0xffffff, 0xb9bdc0, 2.5);
  private floors: THREE.Object3D[] = [];
  private world: World | null = null;
  private size = 1; // radius of what there was to see at first, m
  private framed = new THREE.Box3(); // what the camera shows
  private bounds = new THREE.Box3(); // of the bodies, a few pictures ago
  private looks = 0;
  private free = false; // somebody has moved the camera: it is theirs
  private upright = new THREE.Quaternion(); // turns +z to where up is
  private mounted: SceneCamera | null = null;
  private followed = -1;
  private stale = true; // the picture is not what it should be
  private followedAt = new THREE.Vector3();

  constructor(canvas: HTMLCanvasElement, private theme: Theme) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.info.autoReset = false; // counts the shadows' draws as well
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.controls = this.makeControls();
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.scene.add(this.sun, this.sun.target, this.lamp, this.lamp.target, this.sky);
    this.setTheme(theme);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  // The controls read the camera's up when they are made.
  private makeControls(): OrbitControls {
    this.camera.up.copy(UP).applyQuaternion(this.upright);
    const controls = new OrbitControls(this.camera, this.renderer.domElement);
    controls.enableDamping = true;
    controls.dampingFactor = 0.18;
    controls.addEventListener("start", () => {
      this.dismount();
      this.free = true;
    });
    return controls;
  }

  // `seen`: what to have in the picture, from the first moment to the last that is known.
  show(world: World, seen: THREE.Box3) {
    if (this.world) this.scene.remove(this.world.group);
    this.world = world;
    this.scene.add(world.group);
    const gravity = new THREE.Vector3(...(world.scene.gravity ?? []));
    this.upright.identity();
    if (gravity.length() > 0) this.upright.setFromUnitVectors(UP, gravity.normalize().negate());
    this.controls.dispose();
    this.controls = this.makeControls();
    this.size = Math.max(radiusOf(world.bounds()), 1e-3);
    this.framed.copy(seen);
    this.buildFloors();
    this.look("home", seen);
  }

  get radius(): number {
    return this.size;
  }

  setTheme(theme: Theme) {
    this.stale = true;
    this.theme = theme;
    this.scene.background = gradient(theme);
    this.sky.groundColor.set(theme.dark ? 0x30363a : 0xb9bdc0);
    this.sky.intensity = theme.dark ? 2.0 : 2.5;
    this.buildFloors();
  }

  private buildFloors() {
    this.scene.remove(...this.floors);
    this.floors = (this.world?.planes ?? []).map((plane) => {
      const floor = makeFloor(this.theme, this.size);
      floor.applyMatrix4(poseMatrix(plane.pose, 0, new THREE.Matrix4()));
      return floor;
    });
    if (this.floors.length > 0) this.scene.add(...this.floors);
  }

  private placeSun() {
    const center = this.framed.getCenter(new THREE.Vector3());
    const size = radiusOf(this.framed);
    const reach = 2.2 * size;
    const away = new THREE.Vector3(-1.1, -1.5, 2.9).applyQuaternion(this.upright);
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(away, 1.6 * size);
    this.lamp.target.position.copy(center);
    this.lamp.position.copy(center).add(new THREE.Vector3(1.6, -1.2, 0.5).applyQuaternion(this.upright).multiplyScalar(size));
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -reach;
    shadow.right = shadow.top = reach;
    shadow.near = 0.1 * size;
    shadow.far = 14 * size;
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.shadow.bias = -0.0004;
    shadow.updateProjectionMatrix();
  }

  // All of `box`, by default of what there is now, from one of the usual sides.
  look(view: View, box = this.world!.bounds()) {
    this.dismount();
    this.free = false;
    this.framed.copy(box);
    const direction = new THREE.Vector3(...DIRECTIONS[view]).applyQuaternion(this.upright).normalize();
    this.place(direction, this.distance(direction), this.framed.getCenter(new THREE.Vector3()));
  }

  private place(direction: THREE.Vector3, distance: number, target: THREE.Vector3) {
    this.stale = true;
    this.placeSun();
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  // From which all corners of what is framed are in the picture, seen along `direction`.
  private distance(direction: THREE.Vector3): number {
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const up = new THREE.Vector3().crossVectors(direction, right);
    const high = (this.camera.aspect < 1 ? NARROW : FILL) * Math.tan(THREE.MathUtils.degToRad(FOV / 2));
    const wide = high * this.camera.aspect;
    const half = this.framed.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    let distance = 2 * half.length();
    for (let k = 0; k < 8; ++k) {
      const corner = half.clone().multiply(new THREE.Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
      const depth = corner.dot(direction);
      distance = Math.max(distance, Math.abs(corner.dot(right)) / wide + depth, Math.abs(corner.dot(up)) / high + depth);
    }
    return distance;
  }

  // Steps back from a live scene that spreads, until somebody takes the camera. The bounds of many bodies
  // take a while, so they are not looked at in every picture.
  keepInView() {
    if (!this.world || this.free || this.mounted || this.followed >= 0) return;
    if (this.looks++ % LOOK_EVERY === 0) this.bounds = this.world.bounds();
    const now = this.bounds;
    if (!this.framed.containsBox(now)) {
      const wider = this.framed.clone().union(now);
      if (radiusOf(wider) < FARTHEST * this.size) this.framed.copy(wider);
    }
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    const wanted = this.distance(direction);
    const distance = this.controls.getDistance();
    if (wanted < 1.02 * distance) return;
    const center = this.framed.getCenter(new THREE.Vector3());
    this.place(direction, distance + 0.12 * (wanted - distance), this.controls.target.clone().lerp(center, 0.12));
  }

  // Looks through a camera of the model until the mouse takes over.
  mount(camera: SceneCamera) {
    this.stale = true;
    this.mounted = camera;
    this.camera.fov = camera.fovy;
    this.camera.updateProjectionMatrix();
  }

  private dismount() {
    if (!this.mounted) return;
    this.mounted = null;
    this.camera.fov = FOV;
    this.camera.updateProjectionMatrix();
  }

  // -1: nobody.
  follow(body: number) {
    this.followed = body;
    if (body >= 0) this.followedAt.setFromMatrixPosition(this.world!.bodyMatrix(body));
  }

  get following(): number {
    return this.followed;
  }

  // Something to be seen has changed.
  invalidate() {
    this.stale = true;
  }

  // Draws if there is anything new to draw.
  render() {
    if (this.world && this.followed >= 0) {
      const now = new THREE.Vector3().setFromMatrixPosition(this.world.bodyMatrix(this.followed));
      const shift = now.clone().sub(this.followedAt);
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.sun.position.add(shift);
      this.sun.target.position.add(shift);
      this.followedAt.copy(now);
    }
    if (this.world && this.mounted) {
      const pose = poseMatrix(this.mounted.pose, 0, new THREE.Matrix4());
      pose.premultiply(this.world.bodyMatrix(this.mounted.body));
      pose.decompose(this.camera.position, this.camera.quaternion, new THREE.Vector3());
    } else if (this.controls.update()) {
      this.stale = true;
    }
    if (!this.stale) return;
    this.stale = false;
    this.renderer.info.reset();
    this.renderer.render(this.scene, this.camera);
  }

  private resize() {
    const box = this.renderer.domElement.parentElement!.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(box.width, box.height, false);
    this.stale = true;
    this.camera.aspect = box.width / box.height;
    this.camera.updateProjectionMatrix();
  }
}

function gradient(theme: Theme): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = 2;
  canvas.height = 256;
  const context = canvas.getContext("2d")!;
  const fill = context.createLinearGradient(0, 0, 0, 256);
  fill.addColorStop(0, theme.background);
  fill.addColorStop(0.55, theme.horizon);
  fill.addColorStop(1, theme.background);
  context.fillStyle = fill;
  context.fillRect(0, 0, 2, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

function radiusOf(box: THREE.Box3): number {
  return 0.5 * box.getSize(new THREE.Vector3()).length();
}
