// Where the bodies stand: renderer, light, floor, background, camera.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { makeFloor } from "./floor";
import { SceneCamera } from "./protocol";
import { Theme } from "./theme";
import { poseMatrix, World } from "./world";

export type View = "home" | "front" | "side" | "top";

const FOV = 35; // degrees
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
  readonly controls: OrbitControls;
  private sun = new THREE.DirectionalLight(0xffffff, 1.75);
  private sky = new THREE.HemisphereLight(0xffffff, 0xb9bdc0, 0.8);
  private floors: THREE.Object3D[] = [];
  private world: World | null = null;
  private size = 1; // radius of what there is to see, m
  private mounted: SceneCamera | null = null;
  private followed = -1;
  private stale = true; // the picture is not what it should be
  private followedAt = new THREE.Vector3();

  constructor(canvas: HTMLCanvasElement, private theme: Theme) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    const light = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = light.fromScene(new RoomEnvironment(), 0.04).texture;
    this.scene.environmentRotation.set(Math.PI / 2, 0, 0);
    light.dispose();
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.addEventListener("start", () => this.dismount());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.scene.add(this.sun, this.sun.target, this.sky);
    this.setTheme(theme);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  show(world: World) {
    if (this.world) this.scene.remove(this.world.group);
    this.world = world;
    this.scene.add(world.group);
    const { radius } = world.bounds();
    this.size = Math.max(radius, 1e-3);
    this.buildFloors();
    this.placeSun();
    this.look("home");
  }

  get radius(): number {
    return this.size;
  }

  setTheme(theme: Theme) {
    this.stale = true;
    this.theme = theme;
    this.scene.background = gradient(theme);
    this.sky.groundColor.set(theme.dark ? 0x30363a : 0xb9bdc0);
    this.scene.environmentIntensity = theme.dark ? 0.4 : 0.55;
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
    const { center } = this.world!.bounds();
    const reach = 2.2 * this.size;
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).add(new THREE.Vector3(-1.1, -1.5, 2.9).multiplyScalar(this.size * 1.6));
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -reach;
    shadow.right = shadow.top = reach;
    shadow.near = 0.1 * this.size;
    shadow.far = 14 * this.size;
    this.sun.shadow.normalBias = 0.004 * this.size;
    this.sun.shadow.bias = -0.0004;
    shadow.updateProjectionMatrix();
  }

  // The whole of the scene, from one of the usual sides.
  look(view: View) {
    this.stale = true;
    this.dismount();
    const { center, radius } = this.world!.bounds();
    const narrow = Math.min(1, this.camera.aspect);
    const half = THREE.MathUtils.degToRad(FOV / 2);
    const distance = (1.22 * radius) / Math.sin(Math.atan(Math.tan(half) * narrow));
    const direction = new THREE.Vector3(...DIRECTIONS[view]).normalize();
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.update();
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
