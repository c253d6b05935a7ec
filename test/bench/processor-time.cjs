/** For `node -r`: writes the milliseconds of processor time that the process has used, at its end, into `CPU_FILE`. */
"use strict";
const { writeFileSync } = require("node:fs");

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.CPU_FILE, JSON.stringify((user + system) / 1000));
});
