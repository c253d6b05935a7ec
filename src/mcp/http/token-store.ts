/**
 * The tokens that lsp-proxy generates. A token's text is stored until it was printed once; after that only its digest.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writeAtomically } from "../../base/atomic-write.js";
import { canonicalPretty, isTable } from "../../base/json.js";
import { digestOf, MAX_TOKENS, type TokenSource, tokenProblem } from "./bearer-tokens.js";
import { fileTokens, readPrivate } from "./token-file.js";

type StoredToken = {
  /** The first letters of its digest. */
  name: string;
  created: string;
  sha256: string;
  /** The token itself, until it was printed. */
  secret?: string;
};

/** The tokens of a store, for the gateway. */
export function storedTokens(path: string): TokenSource {
  const read = (text: string) => {
    const tokens = parse(text, path);
    if (tokens.length === 0) throw tokenProblem("http/no-token", `\`${path}\` has no token`);
    return tokens.map(({ sha256 }) => Buffer.from(sha256, "hex"));
  };
  return fileTokens(path, read, "`lsp-proxy token`");
}

/** The tokens in a store; none when there is no store. */
export function listTokens(path: string): StoredToken[] {
  return existsSync(path) ? parse(readPrivate(path), path) : [];
}

export function addToken(path: string): StoredToken {
  const tokens = listTokens(path);
  if (tokens.length >= MAX_TOKENS)
    throw tokenProblem("http/bad-tokens", `there are ${MAX_TOKENS} tokens already`);
  const secret = randomBytes(32).toString("base64url");
  const sha256 = digestOf(secret).toString("hex");
  const token = { name: sha256.slice(0, 8), created: new Date().toISOString(), sha256, secret };
  write(path, [...tokens, token]);
  return token;
}

/** The text of a token that was not printed yet: the one with this name, or the first. Removes it from the store. */
export function revealToken(path: string, name?: string): string | undefined {
  const tokens = listTokens(path);
  const hidden = tokens.find((token) => token.secret !== undefined && (name ?? token.name) === token.name);
  if (hidden === undefined) return undefined;
  const { secret, ...rest } = hidden;
  const printed = tokens.map((token) => (token === hidden ? rest : token));
  write(path, printed);
  return secret;
}

/** Removes a token; false when there is none with this name. */
export function removeToken(path: string, name: string): boolean {
  const tokens = listTokens(path);
  const rest = tokens.filter((token) => token.name !== name);
  if (rest.length === tokens.length) return false;
  write(path, rest);
  return true;
}

function write(path: string, tokens: readonly StoredToken[]): void {
  const text = canonicalPretty({ version: 1, tokens: [...tokens] });
  writeAtomically(path, text, { mode: 0o600, folderMode: 0o700 });
}

function parse(text: string, path: string): StoredToken[] {
  const damaged = () => tokenProblem("http/bad-tokens", `\`${path}\` is damaged; all requests are rejected`);
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    throw damaged();
  }
  if (!isTable(tree) || tree.version !== 1 || !Array.isArray(tree.tokens)) throw damaged();
  if (tree.tokens.length > MAX_TOKENS || !tree.tokens.every(isStored)) throw damaged();
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
