/** The language server itself, driven with vscode-jsonrpc: what an answer costs without anything between. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { environment } from "./proxy.mjs";

const capabilities = {
  workspace: { workspaceFolders: true, configuration: true, didChangeWatchedFiles: {}, symbol: {} },
  window: { workDoneProgress: true },
  textDocument: {
    synchronization: { didSave: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    definition: { linkSupport: true },
    hover: { contentFormat: ["markdown", "plaintext"] },
    publishDiagnostics: { versionSupport: true },
  },
};

/** A server that was started and shook hands. */
export class RawServer {
  #versions = new Map();
  #published = new Map();

  constructor({ command, args, options, readyText }, folder) {
    this.folder = folder;
    this.options = options;
    this.child = spawn(command, args, { cwd: folder, env: environment(), stdio: ["pipe", "pipe", "ignore"] });
    this.child.stdin.on("error", () => undefined);
    this.connection = createMessageConnection(
      new StreamMessageReader(this.child.stdout),
      new StreamMessageWriter(this.child.stdin),
    );
    this.connection.onRequest("workspace/configuration", ({ items }) => items.map(() => ({})));
    this.connection.onRequest("window/workDoneProgress/create", () => null);
    this.connection.onRequest("client/registerCapability", () => null);
    this.connection.onNotification("textDocument/publishDiagnostics", (params) => {
      for (const resolve of this.#published.get(params.uri) ?? []) resolve(params);
      this.#published.delete(params.uri);
    });
    /** Resolves when the server has said that it is ready; at once where it says nothing of the kind. */
    this.ready = new Promise((resolve) => {
      if (readyText === undefined) resolve();
      this.connection.onNotification("window/logMessage", ({ message }) => {
        if (message.includes(readyText)) resolve();
      });
    });
    this.connection.listen();
  }

  async open() {
    const uri = pathToFileURL(this.folder).href;
    const { capabilities: offered } = await this.connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: uri,
      rootPath: this.folder,
      workspaceFolders: [{ uri, name: "bench" }],
      capabilities,
      initializationOptions: this.options,
    });
    this.offered = offered;
    await this.connection.sendNotification("initialized", {});
    return this;
  }

  async didOpen(path, languageId) {
    const uri = pathToFileURL(path).href;
    if (this.#versions.has(uri)) return uri;
    this.#versions.set(uri, 1);
    const text = readFileSync(path, "utf8");
    await this.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId, version: 1, text },
    });
    return uri;
  }

  async didChange(path, text) {
    const uri = pathToFileURL(path).href;
    const version = (this.#versions.get(uri) ?? 0) + 1;
    this.#versions.set(uri, version);
    await this.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
  }

  /** The next diagnostics that the server tells of a file. */
  nextDiagnostics(path) {
    const uri = pathToFileURL(path).href;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(reject, 30_000, new Error(`the server says nothing of ${path}`));
      const hear = (params) => {
        clearTimeout(timer);
        resolve(params);
      };
      this.#published.set(uri, [...(this.#published.get(uri) ?? []), hear]);
    });
  }

  request(method, params) {
    return this.connection.sendRequest(method, params);
  }

  async close() {
    const gone = new Promise((resolve) => this.child.once("close", resolve));
    await this.connection.sendRequest("shutdown").catch(() => undefined);
    await this.connection.sendNotification("exit").catch(() => undefined);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
    await gone;
    clearTimeout(timer);
    this.connection.dispose();
  }
}
