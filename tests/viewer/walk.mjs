// Cases for page_test.mjs: a newcomer's walk through the tower, and what many bodies and a slow tab cost.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { advanced, open, position, program, scratch, serve, test, text, until } from "./harness.mjs";

let page;
const height = async () => (await position(page, "cube9"))[2];

test("the demo says what to try", async () => {
  page = await open((await serve("demo", "tower", "--speed", "2")).url);
  await advanced(page, 0.1);
  assert.match(await text(page, "#title"), /Try: .*pgs.*grip/);
});

test("with pgs and the sweeps of a game engine the tower falls", async () => {
  await page.getByText("switch", { exact: true }).click();
  await page.selectOption("#solver-name", "pgs");
  await until(page, () => document.querySelector("#value-solver").textContent === "pgs");
  assert.equal(await page.inputValue("#solver-iterations"), "50");
  await position(page, "cube9");
  await until(page, () => parseFloat(document.querySelector("#details dd").textContent.trim().split(/\s+/)[2]) < 1.5);
});

test("with grip again and after a reset it stands", async () => {
  await page.getByRole("tab", { name: "Solver" }).click();
  await page.selectOption("#solver-name", "grip");
  await until(page, () => document.querySelector("#value-solver").textContent === "grip");
  assert.equal(await page.inputValue("#solver-iterations"), "0");
  await page.keyboard.press("Backspace"); // the choice has given the keys back
  await until(page, () => parseFloat(document.querySelector(".time").textContent) < 1);
  await advanced(page, 6);
  assert.ok(Math.abs((await height()) - 1.9) < 1e-4);
  await page.getByRole("tab", { name: "Monitor" }).click();
  assert.match(await text(page, "#verdict"), /within/);
});

// `count` bodies of four shapes and as many sizes as bodies, at rest on the floor.
function writeCrowd(count) {
  const shapes = [(s) => `type="box" size="${s} ${s} ${s}"`, (s) => `type="sphere" size="${s}"`,
    (s) => `type="cylinder" size="${s} ${s}"`, (s) => `type="ellipsoid" size="${s} ${s} ${s}"`];
  const bodies = Array.from({ length: count }, (_, k) => {
    const size = 0.1 + 0.0001 * k;
    const [x, y] = [k % 40, Math.floor(k / 40)].map((n) => (0.5 * n).toFixed(3));
    const red = (k % 10) / 10;
    return `<body pos="${x} ${y} ${size}"><freejoint/><geom ${shapes[k % 4](size.toFixed(4))} rgba="${red} .5 .6 1"/></body>`;
  });
  const path = join(scratch, `crowd${count}.xml`);
  writeFileSync(path, `<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="50 50 1"/>${bodies.join("")}</worldbody></mujoco>`);
  return path;
}

const SMALL = { width: 320, height: 240 }; // pixels: drawing in software is slow, and not what is measured

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// Draw calls, and the median milliseconds of script per picture.
async function cost(watched) {
  await until(watched, () => document.querySelector(".time").textContent !== "");
  await watched.evaluate(() => stiction.cost());
  await until(watched, () => stiction.pictures() > 8);
  const { draws, milliseconds } = await watched.evaluate(() => stiction.cost());
  return { draws, script: median(milliseconds) };
}

// A picture of 1000 bodies must leave the 16 ms of a frame to the graphics card.
test("a thousand bodies take few draw calls, and less script than in proportion", async () => {
  const few = await cost(page);
  const { url, child } = await serve("view", writeCrowd(1000), "--speed", "0.2");
  const crowd = await open(url, SMALL);
  const many = await cost(crowd);
  await crowd.close();
  child.kill("SIGINT");
  console.log(`        ${many.draws} draw calls, ${many.script.toFixed(2)} ms of script a picture (tower: ${few.draws}, ${few.script.toFixed(2)} ms)`);
  assert.ok(many.draws < 20, `${many.draws} draw calls`);
  assert.ok(many.script < 50 * Math.max(few.script, 0.1), JSON.stringify({ few, many }));
});

// Somebody who opens the stream; a deaf one reads nothing of it. `time`: of the last frame, in s.
function watch(url, deaf) {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), "127.0.0.1", () => {
      socket.write(`GET /stream HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
      resolve(socket);
    });
    socket.time = 0;
    socket.on("error", () => {});
    if (deaf) return;
    socket.on("data", (data) => {
      const frame = data.lastIndexOf("STF1");
      if (frame >= 0 && frame + 16 <= data.length) socket.time = data.readDoubleLE(frame + 8);
    });
  });
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A frame of this scene is 0.2 MB: what the kernel keeps for a deaf tab is full within two seconds.
test("a tab that does not read holds up neither the simulation nor another tab", async () => {
  const { url, child } = await serve("view", writeCrowd(1000));
  const deaf = await watch(url, true);
  const listening = await watch(url, false);
  while (listening.bytesRead < 50e6) await wait(50);
  const { time } = listening;
  while (listening.time < time + 0.2) await wait(50);
  assert.ok(deaf.bytesRead < 1e6);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  child.kill("SIGINT");
  assert.equal(await ended, 0, "Ctrl-C does not wait for it either");
  deaf.destroy();
  listening.destroy();
});

// Seconds of processor time of the simulation's thread, to its end.
function thread(args, watched) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    let [used, said] = [0, ""];
    const clock = setInterval(() => {
      try {
        used = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, "utf8").split(" ")[0]) / 1e9 || used;
      } catch { /* it has ended */ }
    }, 5);
    child.stdout.on("data", (data) => {
      said += data;
      const url = /http:\/\/\S+/.exec(said);
      if (watched && url) watch(url[0], false);
      watched &&= !url;
    });
    child.on("exit", () => {
      clearInterval(clock);
      resolve(used);
    });
  });
}

// Processor time does not depend on who else uses the machine, but for caches: the limit leaves room for
// those. docs/viewer.md has what was measured.
test("being watched costs the simulation little", async () => {
  const view = ["view", "tower", "--duration", "20", "--speed", "0", "--no-browser"];
  const used = { run: [], alone: [], watched: [] };
  for (let round = 0; round < 3; ++round) {
    used.run.push(await thread(["run", "tower", "--duration", "20"], false));
    used.alone.push(await thread([...view, "--no-wait"], false));
    used.watched.push(await thread(view, true));
  }
  const [run, alone, watched] = Object.values(used).map(median);
  console.log(`        ${run.toFixed(2)} s; with no tab × ${(alone / run).toFixed(3)}, with one × ${(watched / run).toFixed(3)}`);
  assert.ok(alone < 1.25 * run && watched < 1.3 * run, JSON.stringify(used));
});
