/**
 * The tokens that lsp-proxy made itself, in the user's state folder. A token's own text stands there only until it has
 * been printed once; after that its digest is all that is kept.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { canonicalPretty, isTable } from "../../base/json.js";
import { fileTokens, readPrivate } from "./token-file.js";
import { digestOf, mostTokens, type TokenSource, tokenProblem } from "./tokens.js";

/** One token as it is kept. */
export interface StoredToken {
  /** The first letters of its digest. */
  name: string;
  created: string;
  sha256: string;
  /** The token itself, until it was printed. */
  secret?: string;
}

/** The tokens of a store as a source for the gateway. */
export function storedTokens(path: string): TokenSource {
  return fileTokens(path, (text) => {
    const tokens = parse(text, path);
    if (tokens.length === 0) throw tokenProblem("http/no-token", `\`${path}\` has no token`);
    return tokens.map(({ sha256 }) => Buffer.from(sha256, "hex"));
  });
}

/** The tokens in a store; none when there is no store. */
export function listTokens(path: string): StoredToken[] {
  return existsSync(path) ? parse(readPrivate(path), path) : [];
}

/** Makes a token and keeps it beside the others, to be printed later. */
export function addToken(path: string): StoredToken {
  const tokens = listTokens(path);
  if (tokens.length >= mostTokens)
    throw tokenProblem("http/bad-tokens", `there are ${mostTokens} tokens already`);
  const secret = randomBytes(32).toString("base64url");
  const sha256 = digestOf(secret).toString("hex");
  const token = { name: sha256.slice(0, 8), created: new Date().toISOString(), sha256, secret };
  write(path, [...tokens, token]);
  return token;
}

/** A token that was not printed yet, of that name or the first; from now on it counts as printed. */
export function revealToken(path: string, name?: string): string | undefined {
  const tokens = listTokens(path);
  const hidden = tokens.find((token) => token.secret !== undefined && (name ?? token.name) === token.name);
  if (hidden === undefined) return undefined;
  write(
    path,
    tokens.map((token) => (token === hidden ? { ...token, secret: undefined } : token)),
  );
  return hidden.secret;
}

/** Removes a token; says whether it was there. */
export function removeToken(path: string, name: string): boolean {
  const tokens = listTokens(path);
  const rest = tokens.filter((token) => token.name !== name);
  if (rest.length === tokens.length) return false;
  write(path, rest);
  return true;
}

function write(
  path: string,
  tokens: readonly (Omit<StoredToken, "secret"> & { secret?: string | undefined })[],
): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const staged = `${path}.${process.pid}.new`;
  const kept = tokens.map(({ secret, ...rest }) => (secret === undefined ? rest : { ...rest, secret }));
  try {
    writeFileSync(staged, canonicalPretty({ version: 1, tokens: kept }), { mode: 0o600, flag: "wx" });
    // A strict umask may have taken the owner's own bits away.
    chmodSync(staged, 0o600);
    renameSync(staged, path);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
}

function parse(text: string, path: string): StoredToken[] {
  const damaged = () => tokenProblem("http/bad-tokens", `\`${path}\` is damaged; nobody gets in with it`);
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    throw damaged();
  }
  if (!isTable(tree) || tree.version !== 1 || !Array.isArray(tree.tokens)) throw damaged();
  if (tree.tokens.length > mostTokens || !tree.tokens.every(isStored)) throw damaged();
  return tree.tokens;
}

function isStored(entry: unknown): entry is StoredToken {
  if (!isTable(entry)) return false;
  const { name, created, sha256, secret } = entry;
  return (
    typeof name === "string" &&
    typeof created === "string" &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    (secret === undefined || typeof secret === "string")
  );
}
