/** A Kubernetes API server with etcd, for one run, to which documents are applied as a dry run. */
import { spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Skipped } from "./report.mjs";
import { freePort, isInstalled } from "./tools.mjs";

const START_MS = 180_000;

/** Applies the documents on the server's side, strictly. Throws what the server says about those that it refuses. */
export async function applyDry(documents) {
  const missing = ["etcd", "kube-apiserver"].filter((name) => !isInstalled(name));
  if (missing.length > 0)
    throw new Skipped(`${missing.join(" and ")} not installed; .ci/install-api-server.sh installs them`);
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-api-server-"));
  const started = [];
  try {
    const ask = await startServer(folder, started);
    const { major, minor } = await ask("GET", "/version");
    for (const document of documents) {
      const { apiVersion, kind, metadata } = document;
      const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const { resources } = await ask("GET", group);
      const plural = resources.find(
        (resource) => resource.kind === kind && !resource.name.includes("/"),
      )?.name;
      const place = `${group}/namespaces/${metadata.namespace ?? "default"}/${plural}/${metadata.name}`;
      await ask("PATCH", `${place}?dryRun=All&fieldManager=release&fieldValidation=Strict`, document);
    }
    return `${documents.length} documents, Kubernetes ${major}.${minor}`;
  } finally {
    for (const child of started.reverse()) {
      const ended = child.exitCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts both programs on free ports. Resolves to a function that asks the API server. */
async function startServer(folder, started) {
  const [store, peer, port] = [await freePort(), await freePort(), await freePort()];
  const token = randomBytes(24).toString("hex");
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const file = (name, text) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const start = (program, flags) => {
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    started.push(spawn(program, words, { cwd: folder, stdio: "ignore" }));
  };
  const address = `http://127.0.0.1:${store}`;
  start("etcd", {
    ...{ "data-dir": join(folder, "etcd"), "listen-client-urls": address, "advertise-client-urls": address },
    "listen-peer-urls": `http://127.0.0.1:${peer}`,
  });
  start("kube-apiserver", {
    ...{ "etcd-servers": address, "cert-dir": join(folder, "certificates"), "secure-port": port },
    ...{ "bind-address": "127.0.0.1", "advertise-address": "127.0.0.1", "authorization-mode": "AlwaysAllow" },
    "token-auth-file": file("tokens.csv", `${token},release,release\n`),
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-signing-key-file": file("account.key", privateKey),
    "service-account-key-file": file("account.pub", publicKey),
    "disable-admission-plugins": "ServiceAccount",
  });
  const ask = (method, path, body) => exchange({ folder, port, token }, method, path, body);
  const end = Date.now() + START_MS;
  for (;;) {
    try {
      await ask("GET", "/readyz");
      return ask;
    } catch (error) {
      const dead = started.find(({ exitCode }) => exitCode !== null);
      if (dead !== undefined) throw new Error(`${dead.spawnfile} ended with ${dead.exitCode}`);
      if (Date.now() > end) throw new Error(`the API server is not ready: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** One request. The server's certificate is the one that it wrote for itself. */
async function exchange({ folder, port, token }, method, path, body) {
  const ca = readFileSync(join(folder, "certificates", "apiserver.crt"));
  const type = body === undefined ? {} : { "content-type": "application/apply-patch+yaml" };
  const headers = { authorization: `Bearer ${token}`, ...type };
  const options = { host: "127.0.0.1", port, path, method, headers, ca };
  const [status, text] = await new Promise((resolve, reject) => {
    const sent = request(options, async (answer) => {
      const parts = await answer.setEncoding("utf8").toArray();
      resolve([answer.statusCode, parts.join("")]);
    });
    sent.once("error", reject);
    // JSON is YAML.
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const answer = text.startsWith("{") ? JSON.parse(text) : text;
  if (status >= 300) throw new Error(`${method} ${path}: ${answer.message ?? text}`);
  return answer;
}
