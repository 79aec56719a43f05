// What the tests of the page share: the program, headless Chromium, eyes for the page, a list of cases.
//   node page_test.mjs PROGRAM WEB_FOLDER
// Ends with 77, ctest's "skipped", where there is no Chromium.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const [program, web] = process.argv.slice(2);
const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!chromiumPath) {
  console.log("skipped: there is no Chromium (Debian: apt-get install chromium)");
  process.exit(77);
}
const { chromium } = createRequire(join(web, "package.json"))("playwright-core");
export const scratch = mkdtempSync(join(tmpdir(), `stiction_viewer_${process.pid}_`));
const servers = [];
export const PATIENCE = 60000; // ms: software rendering on a busy machine is slow, but it gets there

// Starts the program and waits for the address that it prints.
export function serve(...args) {
  const child = spawn(program, [...args, "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
  servers.push(child);
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve({ url: found[0], child });
    });
    child.on("exit", () => reject(new Error(`the program ended: ${text}`)));
  });
}

export const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const faults = [];
export async function open(url, viewport = { width: 760, height: 460 }) {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url, { timeout: PATIENCE });
  return page;
}

export const text = (page, id) => page.locator(id).textContent();
export const seconds = async (page) => parseFloat(await text(page, ".time"));
export const until = (page, what, argument) => page.waitForFunction(what, argument, { timeout: PATIENCE });
export const advanced = (page, time) =>
  until(page, (t) => parseFloat(document.querySelector(".time").textContent) > t, time);
export const state = (page, value) => until(page, (v) => document.querySelector("#run").dataset.state === v, value);

// Centre and number of canvas pixels whose colour passes.
export function pixels(page, kind) {
  return page.evaluate((wanted) => {
    const canvas = document.getElementById("canvas");
    const copy = document.createElement("canvas");
    copy.width = canvas.clientWidth;
    copy.height = canvas.clientHeight;
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0, copy.width, copy.height);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const passes = {
      orange: (r, g, b) => r > 120 && r > 1.35 * g && g > 1.1 * b,
      blue: (r, g, b) => b > 80 && b > 1.3 * r && b > g,
    }[wanted];
    let [count, x, y] = [0, 0, 0];
    for (let k = 0; k < data.length; k += 4) {
      if (!passes(data[k], data[k + 1], data[k + 2])) continue;
      count += 1;
      x += (k / 4) % copy.width;
      y += Math.floor(k / 4 / copy.width);
    }
    return { count, x: x / count, y: y / count };
  }, kind);
}

// Position of a body as the details show it.
export async function position(page, name) {
  await page.getByRole("tab", { name: "Bodies" }).click();
  await page.fill("#search", name);
  await page.locator(".list [data-body]").first().click();
  await page.waitForSelector("#details dd");
  const shown = await page.locator("#details dd").first().textContent();
  return shown.replaceAll("−", "-").trim().split(/\s+/).map(Number);
}

// Runs the program to its end, which must be a good one.
export function command(...args) {
  const done = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

const cases = [];
export const test = (name, run) => cases.push([name, run]);

// One case after the other; `page` is photographed where one fails.
export async function runAll(page) {
  let failed = 0;
  const expected = /WebSocket connection|ERR_CONNECTION_REFUSED|Failed to load resource/;
  for (const [name, run] of cases) {
    const begin = Date.now();
    try {
      await run();
      const bad = faults.splice(0).filter((fault) => !expected.test(fault));
      assert.deepEqual(bad, [], "errors on the page");
      console.log(`ok      ${name}  (${Date.now() - begin} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}`);
      await page.screenshot({ path: join(tmpdir(), `stiction_viewer_failed_${failed}.png`) }).catch(() => {});
    }
  }
  await browser.close();
  for (const child of servers) child.kill();
  rmSync(scratch, { recursive: true, force: true });
  console.log(failed === 0 ? `all ${cases.length} passed` : `${failed} of ${cases.length} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
