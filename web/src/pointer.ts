// Mouse and fingers on the canvas: a click selects, a drag on a moving body pulls it by a spring,
// any other drag is the camera's.
import * as THREE from "three";
import { Stage } from "./stage";
import { Theme } from "./theme";
import { World } from "./world";

export interface PointerActions {
  select: (body: number) => void; // -1: nothing
  drag: ((body: number, point: number[], target: number[]) => void) | null; // null: a recording
  release: () => void;
}

interface Grip {
  pointer: number;
  body: number;
  point: THREE.Vector3; // in the body's frame
  plane: THREE.Plane; // through the grip, facing the camera
  target: THREE.Vector3;
}

const CLICK = 5; // pixels that still count as none

export class Pointer {
  private grip: Grip | null = null;
  private pressed: { x: number; y: number } | null = null;
  private band: THREE.Line;
  private world: World | null = null;

  constructor(
    private stage: Stage,
    private actions: PointerActions,
    theme: Theme,
  ) {
    const geometry = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]);
    const material = new THREE.LineBasicMaterial({ color: theme.select, depthTest: false, transparent: true });
    this.band = new THREE.Line(geometry, material);
    this.band.frustumCulled = false;
    this.band.renderOrder = 20;
    this.band.visible = false;
    stage.scene.add(this.band);
    const canvas = stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.up(event));
  }

  show(world: World) {
    this.world = world;
    this.letGo();
  }

  private ray(event: PointerEvent): THREE.Raycaster {
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.stage.camera);
    return ray;
  }

  private down(event: PointerEvent) {
    this.pressed = { x: event.clientX, y: event.clientY };
    const pulls = event.button === 0 && !event.altKey && !event.shiftKey && !event.ctrlKey && !event.metaKey;
    if (!this.world || !this.actions.drag || !pulls || this.grip) return;
    const hit = this.world.pick(this.ray(event));
    if (!hit || !this.world.moves(hit.body)) return;
    const toBody = this.world.bodyMatrix(hit.body).clone().invert();
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.grip = {
      pointer: event.pointerId,
      body: hit.body,
      point: hit.point.clone().applyMatrix4(toBody),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
      target: hit.point.clone(),
    };
    this.stage.controls.enabled = false;
    this.stage.renderer.domElement.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent) {
    const grip = this.grip;
    if (!grip || grip.pointer !== event.pointerId || !this.travelled(event)) return;
    if (!this.ray(event).ray.intersectPlane(grip.plane, grip.target)) return;
    this.actions.drag!(grip.body, grip.point.toArray(), grip.target.toArray());
    this.band.visible = true;
  }

  private up(event: PointerEvent) {
    if (this.pressed && !this.travelled(event) && event.button === 0 && this.world) {
      const hit = this.world.pick(this.ray(event));
      this.actions.select(hit && hit.body > 0 ? hit.body : -1);
    }
    if (this.band.visible) this.pressed = null;
    this.letGo();
  }

  private travelled(event: PointerEvent): boolean {
    if (this.band.visible) return true;
    const from = this.pressed;
    return from !== null && Math.hypot(event.clientX - from.x, event.clientY - from.y) > CLICK;
  }

  private letGo() {
    if (!this.grip) return;
    if (this.band.visible) this.actions.release();
    this.grip = null;
    this.band.visible = false;
    this.stage.controls.enabled = true;
  }

  // The band follows the body, not only the mouse.
  update() {
    if (!this.grip || !this.world) return;
    const from = this.grip.point.clone().applyMatrix4(this.world.bodyMatrix(this.grip.body));
    this.band.geometry.setFromPoints([from, this.grip.target]);
    this.stage.invalidate();
  }
}
