// Builds ../cli/page: one HTML file with script and style in it, and the licences of all that the script holds.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const OUT = "../cli/page";

const { outputFiles, metafile } = await build({
  entryPoints: ["src/main.ts", "src/page.css"],
  outdir: "out",
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "iife",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none", // LICENSES.txt has them whole
});
const text = (ending) => outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
const hash = (content) => `'sha256-${createHash("sha256").update(content, "utf8").digest("base64")}'`;

const script = text(".js");
const style = text(".css");
for (const [content, end] of [[script, "</script"], [style, "</style"], [script, "<!--"], [script, "{{"]]) {
  if (content.toLowerCase().includes(end)) throw new Error(`the bundle holds ${end}, which would end or change the page`);
}
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
const parts = { policy, style, script };
const page = (await readFile("src/page.html", "utf8")).replace(/\{\{(policy|style|script)\}\}/g, (_, name) => parts[name]);

async function licence(name) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const file = (await readdir(folder)).find((found) => /^licen[cs]e(\.|$)/i.test(found));
  if (!file) throw new Error(`${name} comes without its licence`);
  return `${name} ${version} (${license})\n\n${(await readFile(`${folder}/${file}`, "utf8")).trim()}\n`;
}

const bundled = Object.keys(metafile.inputs)
  .map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
  .filter(Boolean);
const licences = await Promise.all([...new Set(bundled)].sort().map(licence));

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
await writeFile(`${OUT}/graph.html`, page);
await writeFile(`${OUT}/LICENSES.txt`, `What graph.html holds of others:\n\n${licences.join("\n---\n\n")}`);
console.log(`${OUT}: graph.html, ${Math.round(page.length / 1024)} KiB, with ${licences.length} packages in it`);
