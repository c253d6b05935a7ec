/** As little as a relay can be: starts a program and copies bytes. `node copier.mjs PROGRAM WORD…` */
import { spawn } from "node:child_process";

const [program, ...words] = process.argv.slice(2);
const child = spawn(process.execPath, [program, ...words], { stdio: ["pipe", "pipe", "ignore"] });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
