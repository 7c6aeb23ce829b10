// Writes a brotli twin beside every compressible file of a folder and prints what the first visit costs.
// Node's own brotli, at the highest quality: seconds here, where a debug build of a Rust one takes a minute.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const COMPRESSIBLE = new Set([".html", ".js", ".css", ".wasm", ".svg", ".json", ".txt", ".webmanifest"]);
const folder = process.argv[2];
const kib = (bytes) => `${(bytes / 1024).toFixed(1).padStart(8)} KiB`;
let total = 0;

for (const name of readdirSync(folder, { recursive: true }).map(String).sort()) {
  const file = join(folder, name);
  if (extname(name) === ".br") {
    rmSync(file);
    continue;
  }
  if (!COMPRESSIBLE.has(extname(name))) continue;
  const raw = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  const small = brotliCompressSync(raw, { params });
  writeFileSync(`${file}.br`, small);
  total += small.length;
  console.log(`${kib(raw.length)} ${kib(small.length)} br  ${name}`);
}
console.log(`${" ".repeat(12)} ${kib(total)} br  in all (budget 300 KiB)`);
