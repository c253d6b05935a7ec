/** Runs the built program for command lines that its parent sends, one after the other, and sends back what each gave. */
import { readdirSync } from "node:fs";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";

const folder = new URL("../../dist/cli/", import.meta.url);
const name = readdirSync(folder).find((file) => /^main-\w+\.js$/.test(file));
const { main } = await import(new URL(name, folder).href);

process.on("message", async ({ args, cwd, env }) => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const [code, ...texts] = await Promise.all([
    main(args, { stdin, stdout, stderr, cwd, env }).finally(() => {
      stdout.end();
      stderr.end();
    }),
    text(stdout),
    text(stderr),
  ]);
  process.send({ code, stdout: texts[0], stderr: texts[1] });
});
