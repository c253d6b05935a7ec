/** Writes down every file of code that a process reads, as URLs: `node --import` this with MODULE_TRACE naming a file. */
import fs, { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";

for (const name of ["readFileSync", "openSync"]) {
  const read = fs[name];
  fs[name] = (path, ...rest) => {
    const content = read(path, ...rest);
    if (/\.[cm]?js$/.test(String(path)))
      appendFileSync(
        process.env.MODULE_TRACE,
        `${(path instanceof URL ? path : pathToFileURL(path)).href}\n`,
      );
    return content;
  };
}
syncBuiltinESMExports();
