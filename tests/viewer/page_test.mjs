// The viewer as a person meets it: every control of the page, downloads, strangers, files.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { advanced, command, open, PATIENCE, pixels, position, program, runAll, scratch, seconds, serve, state, test, text, until } from "./harness.mjs";

const tower = await serve("view", "tower");
const page = await open(tower.url);

test("the page loads and the simulation runs", async () => {
  await advanced(page, 0.2);
  assert.equal(await text(page, "#title h1"), "tower");
  assert.match(await text(page, "#value-residual"), /×10|^0$/);
  assert.match(await text(page, "#value-contacts"), /^40 /);
  assert.match(await text(page, "#verdict"), /within/);
});

test("the canvas shows the tower: nine blue cubes under an orange one", async () => {
  await page.keyboard.press("c");
  await page.keyboard.press("f");
  await page.waitForTimeout(300);
  const blue = await pixels(page, "blue");
  const orange = await pixels(page, "orange");
  assert.ok(blue.count > 4 * orange.count && orange.count > 200, JSON.stringify({ blue, orange }));
  assert.ok(orange.y < blue.y, "the orange one is on top");
});

test("a click selects a body, which can be followed; from above, it hides the others", async () => {
  const { x, y } = await pixels(page, "orange");
  await page.mouse.click(x, y);
  await until(page, () => document.querySelector("#tag").textContent === "cube9");
  await page.getByRole("tab", { name: "Bodies" }).click();
  await page.keyboard.press("l");
  await page.getByText("Stop following").waitFor();
  await page.keyboard.press("l");
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "View" }).click();
  await page.getByRole("button", { name: "Look from Top" }).click();
  await page.waitForTimeout(300);
  const [blue, orange] = [await pixels(page, "blue"), await pixels(page, "orange")];
  assert.ok(orange.count > 4 * blue.count, JSON.stringify({ blue, orange }));
  await page.keyboard.press("h");
  await page.keyboard.press("c");
  await page.keyboard.press("f");
});

test("space pauses, right arrow steps, backspace resets", async () => {
  await page.keyboard.press("Space");
  await state(page, "paused");
  await page.waitForTimeout(200);
  const time = await seconds(page);
  await page.waitForTimeout(300);
  assert.equal(await seconds(page), time);
  await page.keyboard.press("ArrowRight");
  await advanced(page, time);
  assert.ok(Math.abs((await seconds(page)) - time - 1 / 240) < 2e-3);
  await page.keyboard.press("Backspace");
  await until(page, () => parseFloat(document.querySelector(".time").textContent) === 0);
  await page.keyboard.press("Space");
  await state(page, "running");
});

test("plots move", async () => {
  await page.getByRole("tab", { name: "Monitor" }).click();
  const picture = () => page.evaluate(() => document.getElementById("plot-energy").toDataURL());
  const before = await picture();
  await advanced(page, (await seconds(page)) + 0.3);
  assert.notEqual(await picture(), before);
});

test("the solver can be switched while it runs", async () => {
  await page.getByRole("tab", { name: "Solver" }).click();
  await page.selectOption("#solver-name", "pgs");
  await until(page, () => document.querySelector("#value-solver").textContent === "pgs");
  await page.fill("#solver-iterations", "3");
  await page.locator("#solver-iterations").blur();
  await page.getByRole("tab", { name: "Monitor" }).click();
  await until(page, () => document.querySelector("#verdict").textContent.startsWith("misses"));
  await page.getByRole("tab", { name: "Solver" }).click();
  await page.fill("#solver-iterations", "0");
  await page.selectOption("#solver-name", "grip");
  await until(page, () => document.querySelector("#value-solver").textContent === "grip");
});

test("a drag moves a body", async () => {
  await page.keyboard.press("Escape");
  await page.locator("#reset").click();
  await state(page, "running");
  const before = await position(page, "cube9");
  await page.locator("#details h2").click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await page.keyboard.press("f");
  await page.waitForTimeout(300);
  const at = await pixels(page, "orange");
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 40, at.y - 10);
  await page.mouse.move(at.x + 140, at.y - 40);
  await advanced(page, (await seconds(page)) + 1);
  await page.mouse.up();
  const after = await position(page, "cube9");
  const moved = Math.hypot(...after.map((value, k) => value - before[k]));
  assert.ok(moved > 0.05, `cube9 moved by ${moved} m`);
  await page.getByRole("tab", { name: "Monitor" }).click();
  await page.locator("#reset").click();
  await page.keyboard.press("c");
  await page.keyboard.press("f");
});

test("freeze solves the step with every solver and draws the curves", async () => {
  await page.getByRole("tab", { name: "Solver" }).click();
  const solvers = await page.locator("#solver-name option").count();
  await page.locator("#freeze").click();
  await until(page, (n) => document.querySelectorAll("#frozen tbody tr").length === n, solvers);
  const inked = await page.evaluate(() => {
    const canvas = document.getElementById("curves");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((_, k) => k % 4 === 3).filter((alpha) => alpha > 0).length;
  });
  assert.ok(inked > 1000, `${inked} pixels`);
  await state(page, "paused");
});

test("this step's problem downloads, and stiction solve reads it", async () => {
  await page.getByRole("tab", { name: "View" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"), page.getByText("This step's problem").click()]);
  const path = join(scratch, "problem.hdf5");
  await download.saveAs(path);
  assert.equal(readFileSync(path).subarray(1, 4).toString(), "HDF");
  command("solve", path);
});

test("so does the recording, and stiction replay reads it", async () => {
  const [download] = await Promise.all([
    page.waitForEvent("download"), page.getByText("The recording").click()]);
  const path = join(scratch, "live.h5");
  await download.saveAs(path);
  command("replay", path, "--html", join(scratch, "live.html"));
});

test("help, theme and tabs answer to keys", async () => {
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#help").isVisible()));
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await page.keyboard.press("d");
  assert.notEqual(await theme(), before);
  await page.keyboard.press("d");
  await page.keyboard.press("1");
  assert.ok(await page.locator("#monitor").isVisible());
});

test("two tabs watch the same; one may go", async () => {
  const second = await open(tower.url);
  await until(second, () => document.querySelector(".time").textContent !== "");
  await second.keyboard.press("Space");
  await state(page, "running");
  await second.close();
  await advanced(page, (await seconds(page)) + 0.1);
});

test("malformed messages are closed with a reason, and nobody else notices", async () => {
  const answers = await page.evaluate(async () => {
    const say = (data) => new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/stream`);
      socket.onopen = () => socket.send(data);
      socket.onclose = ({ code, reason }) => resolve({ code, reason });
    });
    return [await say("nonsense"), await say('{"type":"speed","speed":-1}'), await say('{"type":"drag","body":99}'),
      await say(new Uint8Array([1, 2, 3])), await say("x".repeat(10000))];
  });
  assert.deepEqual(answers.map(({ code }) => code), [1008, 1008, 1008, 1003, 1009]);
  assert.equal(answers[0].reason, "not a JSON object");
  assert.match(answers[1].reason, /speed is -1/);
  await advanced(page, (await seconds(page)) + 0.1);
});

function status(path, headers) {
  const { port } = new URL(tower.url);
  return new Promise((resolve) => {
    http.get({ host: "127.0.0.1", port, path, headers }, (answer) => resolve(answer.statusCode)).on("upgrade",
      (answer, socket) => { socket.destroy(); resolve(answer.statusCode); });
  });
}

test("strangers are refused", async () => {
  const { port } = new URL(tower.url);
  const upgrade = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==" };
  assert.equal(await status("/", { Host: "evil.example" }), 403);
  assert.equal(await status("/", { Host: `localhost:${port}`, Origin: "http://evil.example" }), 403);
  assert.equal(await status("/stream", { ...upgrade, Host: `localhost:${port}`, Origin: "http://evil.example" }), 403);
  assert.equal(await status("/stream", { ...upgrade, Host: `localhost:${port}` }), 101);
  assert.equal(await status("/../../etc/passwd", { Host: `localhost:${port}` }), 404);
  assert.equal(await status("/download/../page", { Host: `localhost:${port}` }), 404);
});

test("Ctrl-C ends it cleanly, and the page says so", async () => {
  const ended = new Promise((resolve) => tower.child.on("exit", resolve));
  tower.child.kill("SIGINT");
  assert.equal(await ended, 0);
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await text(page, "#notice"), /ended|gone/);
  await page.close();
});

const recording = join(scratch, "tower.h5");
const html = join(scratch, "tower.html");

test("replay.html plays from disk", async () => {
  command("run", "tower", "--duration", "1", "--record", recording);
  command("replay", recording, "--html", html);
  assert.ok(statSync(html).size < 2e6);
  const replay = await open(`file://${html}`);
  await advanced(replay, 0.05);
  await replay.keyboard.press("Space");
  await state(replay, "paused");
  await replay.locator(".scrubber").fill("500");
  await until(replay, () => Math.abs(parseFloat(document.querySelector(".time").textContent) - 0.5) < 0.01);
  assert.equal(await text(replay, "#value-contacts"), "40");
  const blue = await pixels(replay, "blue");
  assert.ok(blue.count > 1000, JSON.stringify(blue));
  const [, , height] = await position(replay, "cube9");
  assert.ok(Math.abs(height - 1.9) < 1e-3, `cube9 at ${height} m`);
  await replay.keyboard.press("ArrowRight");
  await advanced(replay, 0.5);
  await replay.keyboard.press("Backspace");
  await until(replay, () => parseFloat(document.querySelector(".time").textContent) === 0);
  await replay.close();
});

test("stiction view shows a recording, and has no stream for it", async () => {
  const { url, child } = await serve("view", recording);
  const shown = await open(url);
  await advanced(shown, 0.05);
  assert.equal(await shown.getByRole("tab", { name: "Solver" }).count(), 0);
  await shown.close();
  child.kill("SIGINT");
});

test("stiction render draws a moment", async () => {
  const png = join(scratch, "tower.png");
  command("render", recording, "--png", png, "--time", "0.5", "--size", "640x400");
  const bytes = readFileSync(png);
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [640, 400]);
  assert.ok(bytes.length > 10000, `${bytes.length} bytes`);
});

test("bad input is one line and exit code 2", async () => {
  const { url, child } = await serve("view", "tower");
  for (const args of [["view", "nothing"], ["view", "tower", "--port", new URL(url).port], ["view", "tower", "--speed", "-1"],
    ["replay", "nothing.h5", "--html", html], ["replay", recording, "--html", "/nowhere/x.html"],
    ["render", recording], ["render", recording, "--png", html, "--time", "99"],
    ["render", recording, "--png", html, "--size", "big"], ["demo", "nothing"]]) {
    const { status, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: PATIENCE });
    assert.equal(status, 2, args.join(" "));
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  }
  child.kill();
});

await import("./walk.mjs");
await runAll(page);
