/** Writes down every module that a process loads: `node --import` this with MODULE_TRACE naming a file. */
import { appendFileSync } from "node:fs";
import { createRequire, register } from "node:module";

const hooks = `
import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(process.env.MODULE_TRACE)}, url + "\\n");
  return next(url, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
const require = createRequire(import.meta.url);
process.on("exit", () => {
  for (const file of Object.keys(require.cache)) appendFileSync(process.env.MODULE_TRACE, `${file}\n`);
});
