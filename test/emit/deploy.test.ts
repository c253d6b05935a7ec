/** What deploys the gateways: goldens, the tools' own checks where they are installed, and hostile names. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
// Comes with the YAML language server that the live tests use.
import { parseAllDocuments } from "yaml";
import { type DeployPlace, deployFile, deployTargets } from "../../src/emit/deploy.js";
import { planText } from "../plan/config.js";
import { templates } from "./support.js";

const place: DeployPlace = {
  command: ["/usr/bin/node", "/opt/lsp-proxy/dist/cli/bin.js"],
  serve: ["--config", "/srv/project/lspi.toml"],
  folders: [
    { path: "/srv/project", isOnlyRead: false },
    { path: "/usr/include", isOnlyRead: true },
  ],
  gateways: 3,
  image: "lsp-proxy:0.0.0",
};
const server =
  '[[servers]]\nid = "s"\ncommand = "rust-analyzer"\nextensions = ["rs"]\nlimits = { memory_mb = 3000 }\n';
const editing = `${server}[allow]\neffects = ["read", "edit"]\n[http]\nstrict = true\n`;

/** Why a tool refuses a file, or nothing; undefined where the tool is not installed. */
function verdict(
  tool: string,
  args: (file: string) => string[],
  name: string,
  text: string,
): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-deploy-"));
  try {
    writeFileSync(join(folder, name), text);
    execFileSync(tool, args(join(folder, name)), { stdio: "pipe", timeout: 60_000 });
    return "";
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer };
    return code === "ENOENT" ? undefined : String(stderr);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("deployment", () => {
  const targets = deployTargets(templates);

  it("has these targets", () => {
    expect(targets).toEqual(["compose", "haproxy", "kubernetes", "systemd"]);
  });

  for (const [kind, config] of Object.entries({ reading: server, editing }))
    for (const target of targets)
      it(`${target}, ${kind}`, async () => {
        const { name, text } = deployFile(target, planText(config), place, templates);
        await expect(text).toMatchFileSnapshot(`../golden/deploy/${kind}/${name}`);
        expect(text).not.toMatch(/\n\n\n/);
      });

  it.each(["compose", "kubernetes"])("%s means what a hostile name says, whatever is in it", (target) => {
    const hostile = '/srv/a "b" $HOME $(X) %i #: {}\\n';
    const whole = { ...place, folders: [{ path: hostile, isOnlyRead: false }], serve: ["--config", hostile] };
    const { text } = deployFile(target, planText(server), whole, templates);
    const documents = parseAllDocuments(text, { merge: true });
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const values = JSON.stringify(documents.map((document) => document.toJS()));
    // Each doubles what it would otherwise fill in.
    const said = hostile.replaceAll(target === "compose" ? "$" : "$(", (found) => `$${found}`);
    expect(values).toContain(JSON.stringify(said));
  });

  it("systemd means what a hostile name says", () => {
    const whole = { ...place, serve: ["--config", '/srv/a "b" $HOME %i'] };
    const { text } = deployFile("systemd", planText(server), whole, templates);
    expect(text).toContain(
      'serve "--config" "/srv/a \\"b\\" $$HOME %%i" --http --bind 127.0.0.1 --port %i\n',
    );
  });

  it("HAProxy accepts its configuration, on one machine and with names", ({ skip }) => {
    const { name, text } = deployFile("haproxy", planText(server), place, templates);
    const check = (file: string) => ["-c", "-f", file];
    const told = verdict("haproxy", check, name, text) ?? verdict("/usr/sbin/haproxy", check, name, text);
    if (told === undefined) return skip("haproxy is not installed");
    expect(told).toBe("");
    const [, content = ""] =
      /content: \|\n([\s\S]*)$/.exec(deployFile("compose", planText(server), place, templates).text) ?? [];
    const named = content.replaceAll(/^ {6}/gm, "");
    expect(verdict("haproxy", check, name, named) ?? verdict("/usr/sbin/haproxy", check, name, named)).toBe(
      "",
    );
  });

  it.for([
    ["reading", server],
    ["editing", editing],
  ] as const)("systemd accepts its unit, %s", ([, config], { skip }) => {
    const whole = { ...place, command: [process.execPath, process.execPath] };
    const { name, text } = deployFile("systemd", planText(config), whole, templates);
    const told = verdict("systemd-analyze", (file) => ["verify", "--man=no", file], name, text);
    if (told === undefined) return skip("systemd-analyze is not installed");
    expect(told).toBe("");
  });
});
