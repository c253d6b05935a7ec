/**
 * Checks bearer tokens. Every request is compared with the digests of all tokens in constant time, so that the response
 * time reveals nothing. A token source that cannot be used has no tokens, and no request is let in.
 */
import { timingSafeEqual } from "node:crypto";
import { type Code, codes } from "../../base/codes.js";
import { sha256 } from "../../base/hash.js";
import { ConfigError } from "../../base/problem.js";
import type { Log } from "../../lsp/types.js";
import { type Authenticate, bearerToken } from "./checks.js";

export interface TokenSource {
  /** The source in words, without its path (it is logged). */
  readonly name: string;
  /** The file that has them. */
  readonly file?: string;
  /** SHA-256 digests of the valid tokens. Throws a ConfigError when the source cannot be used. */
  digests(): Buffer[];
}

/** How many tokens can be valid at once. */
export const MAX_TOKENS = 32;
/** Said because people expect generated tokens to be valid as well. */
export const NOT_OURS = "those of `lsp-proxy token` are not valid here";
const TOKEN_PATTERN = /^[A-Za-z0-9\-._~+/=]{16,512}$/;

/** The digest that a token is stored and compared as. */
export function digestOf(token: string): Buffer {
  return Buffer.from(sha256(token), "hex");
}

/** The digests of the tokens in a text, separated by white space; `#` starts a comment. */
export function readTokens(text: string, source: string): Buffer[] {
  const tokens = text
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, ""))
    .flatMap((line) => line.split(/\s+/))
    .filter((token) => token !== "");
  if (tokens.length === 0) throw tokenProblem("http/no-token", `${source} has no token`);
  if (tokens.length > MAX_TOKENS)
    throw tokenProblem("http/bad-tokens", `${source} has more than ${MAX_TOKENS} tokens`);
  if (!tokens.every((token) => TOKEN_PATTERN.test(token)))
    throw tokenProblem(
      "http/bad-tokens",
      `${source} has a token that is too short, too long or has invalid characters`,
    );
  return tokens.map(digestOf);
}

export function environmentTokens(variable: string, text: string): TokenSource {
  const digests = readTokens(text, `\`${variable}\``);
  return { name: `the variable ${variable}, as it was at the start; ${NOT_OURS}`, digests: () => digests };
}

/** The requirement for clients, in a sentence for the person who runs the gateway. */
export function needsToken({ name }: TokenSource): string {
  return `Clients need a token of ${name}.`;
}

/** Checks requests, and whether the tokens of earlier requests are still valid. */
export interface Authenticator {
  /** Which tokens are valid, in a sentence. */
  needs: string;
  /** The check of every request. The holder of a token is named by the token's digest. */
  authenticate: Authenticate;
  /** The holders among these whose token is no longer valid. */
  withoutToken(holders: Iterable<string>): string[];
}

/** An authenticator for the tokens that a source has at the time of each check. */
export function authenticator(source: TokenSource, log: Log): Authenticator {
  let lastError = "";
  const current = (): Buffer[] => {
    try {
      const digests = source.digests();
      lastError = "";
      return digests;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const code = error.problems[0]?.code ?? "http/bad-tokens";
      // Log once, not for every rejected request.
      if (code !== lastError) log("error", "the tokens cannot be used; all requests are rejected", { code });
      lastError = code;
      return [];
    }
  };
  return {
    needs: needsToken(source),
    authenticate(authorization) {
      const token = bearerToken(authorization) ?? "";
      const digest = digestOf(token);
      let isKnown = false;
      for (const known of current()) isKnown = timingSafeEqual(known, digest) || isKnown;
      return isKnown ? digest.toString("hex") : undefined;
    },
    withoutToken(holders) {
      const known = new Set(current().map((digest) => digest.toString("hex")));
      return [...holders].filter((holder) => !known.has(holder));
    },
  };
}

/** A problem with the gateway's tokens or address, as an error of the config. */
export function tokenProblem(code: Code, message: string): ConfigError {
  return new ConfigError([{ code, severity: "error", message, pointer: "/http", fix: codes[code].fix }]);
}
