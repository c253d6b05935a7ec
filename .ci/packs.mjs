/**
 * Packs the modules of a build into few files of plain functions, each pack the modules that are loaded together. One file
 * costs less to load than thirty, and, unlike a module, its compiled code can be kept.
 */
import { posix } from "node:path";
import { transform } from "esbuild";

/** A file of functions by module name, for `loader.cjs`: a script's value, or a module's exports. Every import goes through the loader. */
export async function packText(modules) {
  const parts = await Promise.all(
    modules.map(async ({ name, text }) => `${JSON.stringify(name)}: ${await asFunction(text)}`),
  );
  const text = `(typeof module === "object" ? module : {}).exports = {\n${parts.join(",\n")}\n};\n`;
  const odd = /.{0,60}[^\0-\x7f].{0,60}/.exec(text)?.[0];
  if (odd !== undefined) throw new Error(`a pack is not ASCII: ${odd}`);
  return text;
}

async function asFunction(text) {
  const { code } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20",
    define: { "import.meta.url": "importMetaUrl" },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
  });
  const body = code.replace(/^#!.*/, "").replaceAll(/\bimport\(/g, "importAny(");
  // In brackets V8 compiles it with the file, as Node's cache keeps only what was; each is run at once anyhow.
  return `(function (module, exports, require, importAny, importMetaUrl) {\n${body}})`;
}

/**
 * Which pack each module of a build belongs to: the one whose roots reach it by static imports. What several reach is in
 * the first, which every start loads, so that no pack brings another along; what none reaches is a file of its own.
 */
export function assign(outputs, packs) {
  const byName = new Map(Object.entries(outputs).map(([path, facts]) => [posix.basename(path), facts]));
  const modules = [...byName.keys()].filter((name) => name.endsWith(".js"));
  const [first] = Object.keys(packs);
  const packOf = {};
  const visit = (name, file, seen) => {
    if (seen.has(name) || !byName.has(name)) return;
    seen.add(name);
    packOf[name] = packOf[name] === undefined ? file : first;
    for (const { path, kind } of byName.get(name).imports)
      if (kind === "import-statement") visit(posix.basename(path), file, seen);
  };
  for (const [file, roots] of Object.entries(packs)) {
    const seen = new Set();
    for (const root of roots) {
      const name = modules.find((candidate) => byName.get(candidate).entryPoint === root);
      if (name === undefined) throw new Error(`the build has no module for ${root}`);
      visit(name, file, seen);
    }
  }
  for (const name of modules) packOf[name] ??= name.replace(/\.js$/, ".cjs");
  return packOf;
}

/** How many calls of `import` in a text name no module of the build. */
export function openImports(text, packOf) {
  const targets = [...text.matchAll(/\bimport\((?:"\.\/([^"]+)"\))?/g)].map(([, name]) => name);
  return targets.filter((name) => packOf[name] === undefined).length;
}
