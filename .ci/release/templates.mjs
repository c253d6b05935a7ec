/** Renders the release's own templates with the program's renderer and the facts of `package.json`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { inFolder, mustRun } from "./tools.mjs";

/** The facts of the release, and a function that writes the files of one folder of templates. */
export async function openTemplates(root) {
  const { readTemplates, render } = await renderer(root);
  const templates = readTemplates(join(root, ".ci", "release", "templates"));
  const facts = await factsOf(root);
  const write = (name, folder) => {
    for (const template of Object.keys(templates).filter((path) => path.startsWith(`${name}/`))) {
      const file = join(folder, template.slice(name.length + 1));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, render(templates, template, facts));
    }
  };
  return { facts, write };
}

/** `src/emit/render.ts`, which is not a module of the built program by itself. */
async function renderer(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/emit/render.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///");' },
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

async function factsOf(root) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { name, version, description, license, author, homepage, keywords, mcpName, engines, bin } = manifest;
  const program = join(root, bin[name]);
  const listed = await inFolder((home) => {
    const env = { PATH: process.env.PATH, HOME: home };
    return mustRun(process.execPath, [program, "tools", "--json"], { cwd: home, env });
  });
  return {
    ...{ name, version, description, license, author, homepage, keywords, mcpName, program },
    repository: manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, ""),
    node: engines.node,
    entry: bin[name],
    tools: JSON.parse(listed).tools,
  };
}
