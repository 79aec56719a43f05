// Shapes of the scene as triangles. Shapes that differ by scaling only share one geometry of unit
// size, so that all of them are drawn in one call.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { bytesOf, Scene, SceneGeom } from "./protocol";

export interface Drawable {
  key: string; // equal keys share the geometry
  scale: THREE.Vector3;
  make: (count: number) => THREE.BufferGeometry; // for so many
}

const MANY = 150; // of one kind: each is small on the screen, and fewer triangles do

const CREASE = Math.PI / 5; // edges sharper than this stay sharp

// Null for planes, which the stage draws as its floor.
export function drawableOf(geom: SceneGeom, scene: Scene): Drawable | null {
  const size = geom.size ?? [];
  switch (geom.shape) {
    case "plane":
      return null;
    case "sphere":
      return { key: "ball", scale: vec(size[0], size[0], size[0]), make: ball };
    case "ellipsoid":
      return { key: "ball", scale: vec(size[0], size[1], size[2]), make: ball };
    case "box":
      return {
        key: "box",
        scale: vec(2 * size[0], 2 * size[1], 2 * size[2]),
        make: (count) => (count > MANY ? new THREE.BoxGeometry() : new RoundedBoxGeometry(1, 1, 1, 2, 0.02)),
      };
    case "cylinder":
      return {
        key: "cylinder",
        scale: vec(size[0], size[0], 2 * size[1]),
        make: (count) => new THREE.CylinderGeometry(1, 1, 1, count > MANY ? 24 : 48).rotateX(Math.PI / 2),
      };
    case "capsule": {
      const ratio = Number((size[1] / size[0]).toPrecision(4));
      return {
        key: `capsule ${ratio}`,
        scale: vec(size[0], size[0], size[0]),
        make: () => new THREE.CapsuleGeometry(1, 2 * ratio, 12, 32).rotateX(Math.PI / 2),
      };
    }
    case "mesh":
      return { key: `mesh ${geom.mesh}`, scale: vec(1, 1, 1), make: () => mesh(scene, geom.mesh!) };
  }
}

function vec(x: number, y: number, z: number): THREE.Vector3 {
  return new THREE.Vector3(x, y, z);
}

function ball(count: number): THREE.BufferGeometry {
  return new THREE.IcosahedronGeometry(1, count > MANY ? 3 : 6);
}

function mesh(scene: Scene, index: number): THREE.BufferGeometry {
  const source = scene.meshes[index];
  const geometry = new THREE.BufferGeometry();
  const vertices = new Float32Array(bytesOf(source.vertices));
  geometry.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(bytesOf(source.triangles)), 1));
  return toCreasedNormals(geometry, CREASE);
}
