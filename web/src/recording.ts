// A recording as it stands in a page: one deflated block, base 64. apps/viewer/replay.cpp writes
// it; docs/viewer.md has the table. Whole numbers are differences from the row before, zigzag, seven
// bits to a byte.
import { bytesOf, CONTACT, Frame, Scene } from "./protocol";
import { Report } from "./source";

interface Header {
  title: string;
  sentence: string;
  scene: Scene;
  solver: string;
  tolerance: number;
  frames: number;
  moving: number[]; // bodies whose poses vary
  positions: number; // nq
  units: { length: number; turn: number; position: number; force: number };
}

export interface Recording {
  header: Header;
  times: Float64Array;
  report: Report;
  frame: (index: number, share: number) => Frame; // `share` of the way to the next one
}

// Columns of the report, as 32-bit floats.
const REPORT = ["residual", "penetration", "energy", "solveSeconds", "stepSeconds", "iterations", "missed"] as const;

const CONTACT_FIELDS = 13; // point, normal, force, mu, geom 1, geom 2, state

class Reader {
  private at = 0;
  constructor(private bytes: Uint8Array) {}

  text(): string {
    const length = this.u32();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  u32(): number {
    this.at += 4;
    return new DataView(this.bytes.buffer).getUint32(this.at - 4, true);
  }

  raw(bytes: number): ArrayBuffer {
    this.at += bytes;
    return this.bytes.buffer.slice(this.at - bytes, this.at) as ArrayBuffer;
  }

  integer(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) break;
      factor *= 128;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  // A column of numbers over time.
  series(count: number, unit: number): Float32Array {
    const out = new Float32Array(count);
    let value = 0;
    for (let k = 0; k < count; ++k) out[k] = (value += this.integer()) * unit;
    return out;
  }
}

async function inflate(data: ArrayBuffer): Promise<Uint8Array> {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function readRecording(base64: string): Promise<Recording> {
  const reader = new Reader(await inflate(bytesOf(base64)));
  const header = JSON.parse(reader.text()) as Header;
  const { frames, units } = header;
  const times = new Float64Array(reader.raw(8 * frames));
  const report = Object.fromEntries(REPORT.map((name) => [name, new Float32Array(reader.raw(4 * frames))])) as
    Record<(typeof REPORT)[number], Float32Array>;
  const rest = new Float32Array(reader.raw(4 * 7 * header.scene.bodies.length)); // poses of the first frame
  const poses = header.moving.map(() =>
    Array.from({ length: 7 }, (_, k) => reader.series(frames, k < 3 ? units.length : units.turn)));
  const qpos = Array.from({ length: header.positions }, () => reader.series(frames, units.position));
  const contacts = readContacts(reader, header);
  const frame = (index: number, share: number): Frame => {
    const next = Math.min(index + 1, frames - 1);
    const list = contacts[index];
    return {
      missedBy: report.missed[index],
      time: times[index] + share * (times[next] - times[index]),
      step: index,
      residual: report.residual[index],
      penetration: report.penetration[index],
      energy: report.energy[index],
      kinetic: NaN,
      solveSeconds: report.solveSeconds[index],
      stepSeconds: report.stepSeconds[index],
      realTimeFactor: NaN,
      tolerance: header.tolerance,
      iterations: report.iterations[index],
      status: -1,
      constraints: NaN,
      contactCount: list.length / CONTACT.words,
      poses: posesAt(rest, header.moving, poses, index, next, share),
      contacts: list,
      contactInts: new Uint32Array(list.buffer),
      qpos: Float32Array.from(qpos, (series) => series[index] + share * (series[next] - series[index])),
      worst: "",
    };
  };
  return { header, times, report: { times, ...report }, frame };
}

function posesAt(
  rest: Float32Array, moving: number[], poses: Float32Array[][], index: number, next: number, share: number,
): Float32Array {
  const out = rest.slice();
  moving.forEach((body, m) => {
    let dot = 0;
    for (let k = 3; k < 7; ++k) dot += poses[m][k][index] * poses[m][k][next];
    let norm = 0;
    for (let k = 0; k < 7; ++k) {
      const from = poses[m][k][index];
      const to = k >= 3 && dot < 0 ? -poses[m][k][next] : poses[m][k][next];
      const value = from + share * (to - from);
      out[7 * body + k] = value;
      if (k >= 3) norm += value * value;
    }
    for (let k = 3; k < 7; ++k) out[7 * body + k] /= Math.sqrt(norm) || 1;
  });
  return out;
}

// Per frame: how many; per contact: which one of the frame before it continues (0: none), as the
// difference from the one after the last; then its fields as differences from that one.
function readContacts(reader: Reader, header: Header): Float32Array[] {
  const { units, scene, frames } = header;
  const result: Float32Array[] = [];
  let before: Int32Array = new Int32Array(0);
  for (let f = 0; f < frames; ++f) {
    const count = reader.integer();
    const now = new Int32Array(count * CONTACT_FIELDS);
    const list = new Float32Array(count * CONTACT.words);
    const ints = new Uint32Array(list.buffer);
    let expected = 1;
    for (let c = 0; c < count; ++c) {
      const source = expected + reader.integer();
      expected = source + 1;
      for (let k = 0; k < CONTACT_FIELDS; ++k) {
        const old = source > 0 ? before[(source - 1) * CONTACT_FIELDS + k] : 0;
        now[c * CONTACT_FIELDS + k] = old + reader.integer();
      }
      const field = now.subarray(c * CONTACT_FIELDS, (c + 1) * CONTACT_FIELDS);
      const at = c * CONTACT.words;
      for (let k = 0; k < 3; ++k) {
        list[at + CONTACT.point + k] = field[k] * units.length;
        list[at + CONTACT.normal + k] = field[3 + k] * units.turn;
        list[at + CONTACT.force + k] = field[6 + k] * units.force;
      }
      list[at + CONTACT.mu] = field[9] / 1000;
      ints[at + CONTACT.body1] = scene.geoms[field[10]]?.body ?? 0;
      ints[at + CONTACT.body2] = scene.geoms[field[11]]?.body ?? 0;
      ints[at + CONTACT.state] = field[12];
    }
    before = now;
    result.push(list);
  }
  return result;
}
