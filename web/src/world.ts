// The bodies of a scene, drawn with one call per kind of shape, however many there are.
import * as THREE from "three";
import { drawableOf } from "./geometry";
import { Frame, Scene, SceneGeom } from "./protocol";
import { Theme } from "./theme";

export interface Look {
  collision: boolean; // collision shapes in place of what stands before them
  transparent: boolean;
  wireframe: boolean;
}

// Lightness by which loose bodies of one colour differ, so that a tower is not one pillar.
const SHADE = 0.1;

const LOST = 3; // times their size

// Geoms that share geometry and material.
interface Batch {
  mesh: THREE.InstancedMesh;
  geoms: SceneGeom[];
  local: THREE.Matrix4[]; // geom in body, scaled
  role: Role;
  opacity: number;
}

// Seen always; seen unless collision shapes are asked for; seen only then.
type Role = "plain" | "visual" | "collision";

export interface Hit {
  body: number;
  point: THREE.Vector3; // world
}

export class World {
  readonly group = new THREE.Group();
  readonly planes: SceneGeom[];
  private batches: Batch[] = [];
  private bodies: THREE.Matrix4[];
  private selected = -1;

  constructor(
    readonly scene: Scene,
    private theme: Theme,
  ) {
    this.bodies = scene.bodies.map(() => new THREE.Matrix4());
    this.planes = scene.geoms.filter((geom) => geom.shape === "plane");
    const covered = new Set(scene.geoms.filter((geom) => geom.hidden).map((geom) => geom.body));
    const kinds = new Map<string, { geoms: SceneGeom[]; role: Role }>();
    for (const geom of scene.geoms) {
      const drawable = drawableOf(geom, scene);
      if (!drawable) continue;
      const role: Role = geom.hidden
        ? "collision"
        : !geom.collides && covered.has(geom.body)
          ? "visual"
          : "plain";
      const key = `${drawable.key}|${role}|${geom.rgba[3]}|${geom.shininess ?? ""}`;
      const kind = kinds.get(key) ?? { geoms: [], role };
      kind.geoms.push(geom);
      kinds.set(key, kind);
    }
    const geometries = new Map<string, THREE.BufferGeometry>();
    for (const { geoms, role } of kinds.values()) this.addBatch(geoms, role, geometries);
    this.paint();
  }

  private addBatch(geoms: SceneGeom[], role: Role, geometries: Map<string, THREE.BufferGeometry>) {
    const first = drawableOf(geoms[0], this.scene)!;
    const geometry = geometries.get(first.key) ?? first.make(geoms.length);
    geometries.set(first.key, geometry);
    const opacity = role === "collision" ? 0.45 : geoms[0].rgba[3];
    const material = new THREE.MeshStandardMaterial({
      roughness: 0.75 - 0.45 * (geoms[0].shininess ?? 0.35),
      metalness: 0.0,
    });
    const mesh = new THREE.InstancedMesh(geometry, material, geoms.length);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = opacity > 0.5;
    mesh.receiveShadow = true;
    const local = geoms.map((geom) => {
      const scale = drawableOf(geom, this.scene)!.scale;
      return poseMatrix(geom.pose, 0, new THREE.Matrix4()).scale(scale);
    });
    this.batches.push({ mesh, geoms, local, role, opacity });
    this.group.add(mesh);
  }

  // Poses of the frame into the matrices of every instance.
  update(frame: Frame) {
    for (let b = 0; b < this.bodies.length; ++b) poseMatrix(frame.poses, 7 * b, this.bodies[b]);
    const product = new THREE.Matrix4();
    for (const { mesh, geoms, local } of this.batches) {
      for (let k = 0; k < geoms.length; ++k) {
        product.multiplyMatrices(this.bodies[geoms[k].body], local[k]);
        product.toArray(mesh.instanceMatrix.array as Float32Array, 16 * k);
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  bodyMatrix(body: number): THREE.Matrix4 {
    return this.bodies[body];
  }

  moves(body: number): boolean {
    return this.scene.bodies[body].moves;
  }

  // Not a part of a robot.
  private loose(body: number): boolean {
    return this.moves(body) && this.scene.bodies[body].parent === 0;
  }

  // Name of a body, or what to call it.
  name(body: number): string {
    return body === 0 ? "world" : this.scene.bodies[body].name || `body ${body}`;
  }

  select(body: number) {
    this.selected = body;
    this.paint();
  }

  setTheme(theme: Theme) {
    this.theme = theme;
    this.paint();
  }

  setLook(look: Look) {
    for (const { mesh, role, opacity } of this.batches) {
      mesh.visible = role === "plain" || (role === "collision") === look.collision;
      const material = mesh.material as THREE.MeshStandardMaterial;
      material.wireframe = look.wireframe;
      material.opacity = look.transparent ? Math.min(opacity, 0.3) : opacity;
      material.transparent = material.opacity < 1;
      material.depthWrite = material.opacity >= 1;
      material.needsUpdate = true;
    }
  }

  private paint() {
    const colour = new THREE.Color();
    const mark = new THREE.Color(this.theme.select);
    for (const { mesh, geoms } of this.batches) {
      geoms.forEach((geom, k) => {
        colour.setRGB(geom.rgba[0], geom.rgba[1], geom.rgba[2], THREE.SRGBColorSpace);
        if (this.loose(geom.body)) colour.offsetHSL(0, 0, SHADE * (((0.618 * geom.body) % 1) - 0.5));
        if (geom.body === this.selected && this.selected > 0) colour.lerp(mark, 0.55);
        mesh.setColorAt(k, colour);
      });
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  pick(ray: THREE.Raycaster): Hit | null {
    const visible = this.batches.filter((batch) => batch.mesh.visible);
    for (const { mesh } of visible) mesh.computeBoundingSphere();
    const hits = ray.intersectObjects(visible.map((batch) => batch.mesh), false);
    if (hits.length === 0) return null;
    const batch = visible.find((candidate) => candidate.mesh === hits[0].object)!;
    return { body: batch.geoms[hits[0].instanceId!].body, point: hits[0].point };
  }

  // Around all that is drawn, planes aside; around the moving bodies alone where they would be lost in it.
  bounds(): THREE.Box3 {
    const box = new THREE.Box3();
    const everything = new THREE.Box3();
    const one = new THREE.Box3();
    const matrix = new THREE.Matrix4();
    for (const { mesh, geoms } of this.batches) {
      mesh.geometry.computeBoundingBox();
      geoms.forEach((geom, k) => {
        mesh.getMatrixAt(k, matrix);
        one.copy(mesh.geometry.boundingBox!).applyMatrix4(matrix);
        everything.union(one);
        if (this.moves(geom.body)) box.union(one);
      });
    }
    const lost = everything.getSize(P).length() > LOST * box.getSize(P).length();
    const chosen = box.isEmpty() || !lost ? everything : box;
    if (chosen.isEmpty()) chosen.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1));
    return chosen;
  }
}

const P = new THREE.Vector3();
const Q = new THREE.Quaternion();
const ONE = new THREE.Vector3(1, 1, 1);

// x y z, w x y z, from `at` on.
export function poseMatrix(pose: ArrayLike<number>, at: number, out: THREE.Matrix4): THREE.Matrix4 {
  return out.compose(
    P.set(pose[at], pose[at + 1], pose[at + 2]),
    Q.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]),
    ONE,
  );
}
