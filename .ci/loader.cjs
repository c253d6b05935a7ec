/**
 * Loads the program's modules out of the few files that the build packed them into. Where the build left the code that
 * this very Node compiled, that is taken instead of compiling again; V8 refuses it by itself when version or flags differ.
 * Any other Node keeps what it compiles itself, where it can.
 */
"use strict";
const { closeSync, existsSync, fstatSync, openSync, readSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

/** Module → the file it is packed in; filled in by the build. */
const packOf = {};

/** Where the code that this Node compiled stands. */
const compiled = join(__dirname, "compiled", `${process.version}-${process.platform}-${process.arch}`);
/** The packs that are loaded, by file. */
const scripts = new Map();

const url = pathToFileURL(__filename).href;
const factories = new Map();
const modules = new Map();

function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  if (!factories.has(name)) open(packOf[name]);
  const module = { exports: {} };
  modules.set(name, module);
  factories.get(name)(module, module.exports, requireAny, importAny, url);
  module.exports = settled(module.exports);
  return module.exports;
}

/**
 * What a module exports, once it has run. Each export is a getter of a getter, which every use across modules would go through;
 * nothing that is exported changes later, so that it may stand there itself. What is not there yet is looked up.
 */
function settled(live) {
  const exports = Object.defineProperty({}, "__esModule", { value: true });
  for (const name of Object.keys(live)) {
    const value = live[name];
    if (value !== undefined) exports[name] = value;
    else Object.defineProperty(exports, name, { get: () => live[name], enumerable: true });
  }
  return exports;
}

/** Whether Node itself is to load the packs, since only what it loads is in its cache. */
let isNodes;

function open(file) {
  const path = join(__dirname, file);
  isNodes ??=
    enableCompileCache !== undefined && !existsSync(compiled) && require("./cache.cjs").enableCache();
  const pack = isNodes ? require(path) : scriptOf(file, path).runInThisContext();
  for (const [name, factory] of Object.entries(pack)) factories.set(name, factory);
}

function scriptOf(file, path) {
  const cachedData = compiledCode(file);
  const source = bytesOf(path).latin1Slice();
  const script = new Script(source, { filename: path, ...(cachedData ? { cachedData } : {}) });
  scripts.set(file, script);
  return script;
}

function compiledCode(file) {
  try {
    return bytesOf(join(compiled, file));
  } catch {
    return undefined;
  }
}

/**
 * A file's bytes, in pages of their own. A large piece that is given back to the C library makes it keep as much for each
 * thread from then on, which would be five megabytes for V8's compilers; a buffer that could be resized is not from there.
 */
function bytesOf(path) {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.from(new ArrayBuffer(size, { maxByteLength: size }), 0, size);
    for (let at = 0; at < size; ) {
      const read = readSync(file, bytes, at, size - at, at);
      if (read === 0) throw new Error(`${path} ends before its size`);
      at += read;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

function requireAny(id) {
  return id.startsWith("./") ? load(id.slice(2)) : require(id);
}

async function importAny(id) {
  return id.startsWith("./") ? load(id.slice(2)) : import(id);
}

module.exports = { load, scripts, compiled };
