// Bundles src/ into one HTML document, script, style and fonts inside, and writes it as a C++ file:
//   node build.mjs page.cpp          for the program
//   node build.mjs page.html         to look at
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs OUTPUT.cpp|OUTPUT.html");

const { outputFiles } = await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  write: false,
  outdir: "out",
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  loader: { ".woff2": "dataurl", ".woff": "empty" },
});
const text = (ending) => outputFiles.find((file) => file.path.endsWith(ending)).text;

// A function, so that `$` in the script means itself; `</script` must not end it.
const html = (await readFile(join(here, "src/page.html"), "utf8"))
  .replace("/* style */", () => text(".css"))
  .replace("/* script */", () => text(".js").replaceAll("</script", "<\\/script"));

// Compilers need not take string literals beyond 65536 bytes; a raw one ends at )page" only.
function cpp(document) {
  const bytes = Buffer.from(document);
  const pieces = [];
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(at + 32000, bytes.length);
    while (end < bytes.length && (bytes[end] & 0xc0) === 0x80) --end;
    pieces.push(`    R"page(${bytes.toString("utf8", at, end)})page",`);
    at = end;
  }
  return `#include "viewer/page.h"

namespace stiction::viewer {
namespace {

const char* const kPieces[] = {
${pieces.join("\n")}
};

}  // namespace

const std::string& page() {
  static const std::string document = [] {
    std::string whole;
    for (const char* piece : kPieces) whole += piece;
    return whole;
  }();
  return document;
}

}  // namespace stiction::viewer
`;
}

await writeFile(output, output.endsWith(".cpp") ? cpp(html) : html);
