/** What deploys the gateways: goldens, the tools' own checks where they are installed, and hostile names. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** What TypeScript finds wrong with documents by the types that are made of Kubernetes' own API; nothing is right. */
function againstApi(documents: readonly { apiVersion: string; kind: string }[]): string {
  const lines = documents.flatMap((document, index) => {
    const [version = "", group = "core"] = document.apiVersion.split("/").reverse();
    const module = `kubernetes-types/${group.replace(/\..*/, "")}/${version}`;
    return [
      `import type { ${document.kind} as Type${index} } from "${module}";`,
      `export const document${index}: Type${index} = ${JSON.stringify(document, null, 1)};`,
    ];
  });
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-deploy-"));
  try {
    symlinkSync(modules, join(folder, "node_modules"));
    writeFileSync(join(folder, "documents.ts"), lines.join("\n"));
    const compilerOptions = { strict: true, noEmit: true, types: [], module: "nodenext", target: "es2022" };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["documents.ts"] }),
    );
    execFileSync(join(modules, ".bin", "tsc"), ["-p", folder], { stdio: "pipe", timeout: 120_000 });
    return "";
  } catch (error) {
    return String((error as { stdout?: Buffer }).stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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

  it.for([
    ["reading", server],
    ["editing", editing],
  ] as const)(
    "kubernetes has only fields of its API, of their types, %s",
    { timeout: 120_000 },
    ([, config]) => {
      const { text } = deployFile("kubernetes", planText(config), place, templates);
      const read = (yaml: string) => parseAllDocuments(yaml).map((document) => document.toJS());
      expect(againstApi(read(text))).toBe("");
      const misspelt = read(text.replace("podManagementPolicy:", "podManagmentPolicy:"));
      expect(againstApi(misspelt)).toContain("podManagmentPolicy");
      expect(againstApi(read(text.replace("replicas: 1", "replicas: one")))).toContain("'string'");
    },
  );

  it("kubernetes' parts find each other", () => {
    const { text } = deployFile("kubernetes", planText(server), place, templates);
    const documents = parseAllDocuments(text).map((document) => document.toJS());
    const specs = documents.filter(({ spec }) => spec?.template).map(({ spec }) => spec);
    const labels = specs.map(({ template }) => template.metadata.labels);
    expect(specs.map(({ selector }) => selector.matchLabels)).toEqual(labels);
    const services = documents.filter(({ kind }) => kind === "Service");
    expect(services.map(({ spec }) => spec.selector)).toEqual(labels);
    expect(services.map(({ metadata }) => metadata.name)).toContain(specs[0].serviceName);
    const policy = documents.find(({ kind }) => kind === "NetworkPolicy").spec;
    expect([policy.podSelector, policy.ingress[0].from[0].podSelector].map((one) => one.matchLabels)).toEqual(
      labels,
    );
    for (const { template } of specs) {
      const { containers, volumes } = template.spec;
      const names = (list: { name: string }[]) => list.map(({ name }) => name).sort();
      expect(names(containers[0].volumeMounts)).toEqual(names(volumes));
      const { readinessProbe, ports } = containers[0];
      expect(names(ports)).toContain((readinessProbe.httpGet ?? readinessProbe.tcpSocket).port);
    }
    const config = documents.find(({ kind }) => kind === "ConfigMap");
    expect(specs[1].template.spec.volumes[0].configMap.name).toBe(config.metadata.name);
    for (let gateway = 0; gateway < specs[0].replicas; gateway++)
      expect(config.data["haproxy.cfg"]).toContain(
        `lsp-proxy-${gateway}.lsp-proxy:${services[0].spec.ports[0].port}`,
      );
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
    const kubernetes = parseAllDocuments(deployFile("kubernetes", planText(server), place, templates).text);
    const mapped = String(kubernetes[0]?.getIn(["data", "haproxy.cfg"]));
    for (const named of [content.replaceAll(/^ {6}/gm, ""), mapped])
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
