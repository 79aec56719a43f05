// An unbounded plane: a grid that fades out, and the shadows that fall on it.
import * as THREE from "three";
import { Theme } from "./theme";

const VERTEX = `
varying vec2 at;
void main() {
  at = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lines of one pixel, every fifth one stronger; finer ones vanish before they alias.
const FRAGMENT = `
varying vec2 at;
uniform float cell;
uniform float reach;
uniform vec3 colour;
float lines(float spacing, float weight) {
  vec2 p = at / spacing;
  vec2 width = fwidth(p);
  vec2 near = abs(fract(p - 0.5) - 0.5) / width;
  float line = 1.0 - min(min(near.x, near.y), 1.0);
  return weight * line * (1.0 - smoothstep(0.1, 0.5, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.15 * reach, reach, length(at));
  float line = max(lines(cell, 0.3), lines(5.0 * cell, 0.7));
  gl_FragColor = vec4(colour, line * fade);
  #include <colorspace_fragment>
}`;

// `size`: radius of what stands on it, m.
export function makeFloor(theme: Theme, size: number): THREE.Object3D {
  const reach = 9 * size;
  const wanted = 0.4 * size;
  const power = Math.pow(10, Math.floor(Math.log10(wanted)));
  const cell = [5, 2, 1].map((m) => m * power).find((c) => c <= wanted)!;
  const floor = new THREE.Group();
  const grid = new THREE.Mesh(
    new THREE.PlaneGeometry(2 * reach, 2 * reach),
    new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        cell: { value: cell },
        reach: { value: reach },
        colour: { value: new THREE.Color(theme.grid) },
      },
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
    }),
  );
  grid.renderOrder = -2;
  const shadow = new THREE.Mesh(
    new THREE.PlaneGeometry(2 * reach, 2 * reach),
    new THREE.ShadowMaterial({ opacity: theme.shadow, depthWrite: false }),
  );
  shadow.receiveShadow = true;
  shadow.renderOrder = -1;
  floor.add(grid, shadow);
  return floor;
}
