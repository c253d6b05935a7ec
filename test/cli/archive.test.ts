/** Servers that come as downloads: compared with their SHA-256, unpacked, and nothing left where they do not match. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installArchive } from "../../src/cli/install/archive.js";
import { installManaged } from "../../src/cli/install/install-server.js";
import { managedServer } from "../../src/cli/install/managed.js";
import { InstallFailure, Steps } from "../../src/cli/install/step.js";
import { Output } from "../../src/cli/terminal/output.js";
import { installSchema } from "../../src/config/schema/install.js";

const script = "#!/bin/sh\necho here\n";
let top = "";
let http: Server;
let origin = "";
/** What the server of the test serves, by name. */
const served = new Map<string, Buffer>();

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), "lsp-proxy-archive-"));
  mkdirSync(join(top, "pack/deep"), { recursive: true });
  writeFileSync(join(top, "pack/deep/zls"), script, { mode: 0o755 });
  execFileSync("tar", ["-czf", join(top, "pack.tar.gz"), "-C", join(top, "pack"), "."]);
  served.set("zls.tar.gz", readFileSync(join(top, "pack.tar.gz")));
  served.set("zls.gz", gzipSync(script));
  served.set("zls", Buffer.from(script));
  http = createServer((request, response) => {
    const body = served.get(request.url?.slice(1) ?? "");
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await new Promise((resolve) => http.close(resolve));
  rmSync(top, { recursive: true, force: true });
});

const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex");

/** Installs zls from an address, as if the catalogue said so. */
function install(url: string, { bin = "zls", hash }: { bin?: string; hash: string }) {
  const os = process.platform === "darwin" ? ("macos" as const) : ("linux" as const);
  const cpu = process.arch === "arm64" ? ("arm64" as const) : ("x64" as const);
  const archive = [{ os, cpu, version: "0.15.0", url, sha256: hash, bin }];
  const output = () => new Output(new PassThrough(), {});
  const streams = { stdin: new PassThrough(), stdout: output(), stderr: output() };
  const steps = new Steps({ ...streams, env: process.env, cwd: top }, [], "zls");
  const preset = { id: "zls", command: "zls", install: { archive } };
  return installManaged(preset, "archive", join(top, "servers"), steps);
}

describe("a download", () => {
  it.each([
    ["zls.tar.gz", "deep/zls"],
    ["zls.gz", "zls"],
    ["zls", "zls"],
  ])("%s is unpacked, and its program is started", async (name, bin) => {
    const hash = sha256(served.get(name) ?? Buffer.alloc(0));
    const { path } = await install(`${origin}/${name}`, { bin, hash });
    expect(execFileSync(join(path, "bin/zls"), { encoding: "utf8" })).toBe("here\n");
    expect(managedServer(join(top, "servers"), "zls")).toMatchObject({ version: "0.15.0", by: "archive" });
    expect(existsSync(join(path, "download"))).toBe(false);
  });

  it("comes from a file, too", async () => {
    const url = pathToFileURL(join(top, "pack.tar.gz")).href;
    const hash = sha256(readFileSync(join(top, "pack.tar.gz")));
    expect((await install(url, { bin: "deep/zls", hash })).version).toBe("0.15.0");
  });

  it.each([
    ["another content", "zls", "zls", sha256(Buffer.from("other")), /has the SHA-256/],
    ["no such file", "gone", "zls", "0".repeat(64), /answered 404/],
    ["no such program in it", "zls.tar.gz", "deep/other", undefined, /does not contain deep\/other/],
  ])("is refused and leaves nothing: %s", async (_, name, bin, wanted, message) => {
    const hash = wanted ?? sha256(served.get(name) ?? Buffer.alloc(0));
    const failure = await install(`${origin}/${name}`, { bin, hash }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InstallFailure);
    expect((failure as Error).message).toMatch(message);
    expect(readdirSync(join(top, "servers"))).toEqual([]);
  });
});

describe("a server that stops answering", () => {
  const stepsWith = (stderr: Output) =>
    new Steps(
      {
        stdin: new PassThrough(),
        stdout: new Output(new PassThrough(), {}),
        stderr,
        env: process.env,
        cwd: top,
      },
      [],
      "zls",
    );
  const listen = async (answer: RequestListener) => {
    http.removeAllListeners("request").on("request", answer);
  };
  const asked = (steps: Steps, idleMs: number, hash = "0".repeat(64)) =>
    installArchive({ url: `${origin}/zls`, sha256: hash, bin: "zls" }, top, steps, idleMs);

  it.each([
    ["before its answer", () => undefined],
    ["in the middle", (_: unknown, response: ServerResponse) => void response.write("#!/bin/sh\n")],
  ])("%s ends the installation with a reason", async (_, answer) => {
    await listen(answer as RequestListener);
    const steps = stepsWith(new Output(new PassThrough(), {}));
    const failure = await asked(steps, 300).catch((error: unknown) => error);
    http.closeAllConnections();
    expect(failure).toBeInstanceOf(InstallFailure);
    expect((failure as Error).message).toBe(`${origin}/zls cannot be downloaded: nothing came for 0.3 s`);
  });

  it("but answers slowly is waited for, and a terminal shows how much has arrived", async () => {
    // All together they take longer than the silence that is allowed.
    const parts = ["#!/", "bin", "/sh", "\n", "echo", " ", "here", "\n"];
    await listen((_, response) => {
      const next = () => {
        const part = parts.shift();
        if (part === undefined) response.end();
        else response.write(part, () => setTimeout(next, 600));
      };
      next();
    });
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const program = await asked(stepsWith(new Output(stream, {})), 4_000, sha256(Buffer.from(script)));
    expect(readFileSync(program, "utf8")).toBe(script);
    expect(String(stream.read())).toMatch(/zls: downloading zls: 0\.0 MB/);
  });
});

describe("the catalogue's words", () => {
  const entry = {
    os: "linux",
    cpu: "x64",
    version: "1",
    url: "https://x/y.zip",
    sha256: "0".repeat(64),
    bin: "y",
  };

  it.each([
    ["a package manager's option", { npm: ["--registry=https://evil"] }],
    ["an option of pip", { pip: ["--index-url"] }],
    ["a path", { npm: ["../here"] }],
    ["an address", { npm: ["git+https://x/y"] }],
    ["shell syntax", { line: "curl x | sh" }],
    ["a substitution", { line: 'opam install "$(x)"' }],
    ["an unknown way", { conda: ["x"] }],
    ["an unknown manager", { system: { yum: ["x"] } }],
    ["an option of apt", { system: { apt: ["-o"] } }],
    ["no hash", { archive: [{ ...entry, sha256: "abc" }] }],
    ["plain http", { archive: [{ ...entry, url: "http://x/y.zip" }] }],
    ["a program outside of its archive", { archive: [{ ...entry, bin: "../y" }] }],
  ])("cannot say %s", (_, install) => {
    expect(installSchema.safeParse(install).success).toBe(false);
  });

  it("can say what the managers need", () => {
    const install = {
      rustup: "rust-analyzer",
      archive: [entry],
      npm: ["@vue/language-server", "typescript@5"],
      pip: ["robotcode[languageserver]", "fortls>=3"],
      dotnet: "roslyn-language-server@*-*",
      go: "golang.org/x/tools/gopls@v0.20.0",
      cargo: { crates: ["taplo-cli@0.9.3"], features: ["lsp"], git: "https://x/y" },
      system: { apt: ["clangd"], brew: ["--cask", "codeql"], nix: ["nixpkgs#nil"] },
      line: "R -e 'install.packages(\"languageserver\")'",
      see: "https://x/y",
    };
    expect(installSchema.safeParse(install).error).toBeUndefined();
  });
});
