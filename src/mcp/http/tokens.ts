/**
 * Bearer tokens. Only their digests are compared, all of them every time, in constant time: how long an answer takes
 * tells nothing. A source that cannot be trusted at the moment has no tokens, and then nobody gets in.
 */
import { timingSafeEqual } from "node:crypto";
import { type Code, codes } from "../../base/codes.js";
import { sha256 } from "../../base/hash.js";
import { ConfigError } from "../../base/problem.js";
import type { Log } from "../../lsp/types.js";
import type { Authenticate } from "./checks.js";

/** Where tokens come from. */
export interface TokenSource {
  /** For people: the kind of source, never what is in it. */
  readonly name: string;
  /** SHA-256 digests of the tokens that count now. Throws a ConfigError when the source cannot be used. */
  digests(): Buffer[];
}

export const mostTokens = 32;
const usable = /^[A-Za-z0-9\-._~+/=]{16,512}$/;

/** The digest that a token is known by. */
export function digestOf(token: string): Buffer {
  return Buffer.from(sha256(token), "hex");
}

/** The digests of the tokens in a text, separated by white space; `#` begins a comment. */
export function readTokens(text: string, source: string): Buffer[] {
  const tokens = text
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, ""))
    .flatMap((line) => line.split(/\s+/))
    .filter((token) => token !== "");
  if (tokens.length === 0) throw tokenProblem("http/no-token", `${source} has no token`);
  if (tokens.length > mostTokens)
    throw tokenProblem("http/bad-tokens", `${source} has more than ${mostTokens} tokens`);
  if (!tokens.every((token) => usable.test(token)))
    throw tokenProblem(
      "http/bad-tokens",
      `${source} has a token that is too short, too long or has other characters`,
    );
  return tokens.map(digestOf);
}

/** The tokens of an environment variable. */
export function environmentTokens(variable: string, text: string): TokenSource {
  const digests = readTokens(text, `\`${variable}\``);
  return { name: `the variable ${variable}`, digests: () => digests };
}

/** Who gets in, and whether they still do. */
export interface Authenticator {
  /** The check of every request. Who holds a token is named by its digest. */
  authenticate: Authenticate;
  /** Those among them whose token counts no more. */
  withoutToken(holders: Iterable<string>): string[];
}

/** Judges by the tokens that a source has at the moment. */
export function authenticator(source: TokenSource, log: Log): Authenticator {
  let complaint = "";
  const current = (): Buffer[] => {
    try {
      const digests = source.digests();
      complaint = "";
      return digests;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const code = error.problems[0]?.code ?? "http/bad-tokens";
      // Once, not for each of the requests that are refused for it.
      if (code !== complaint) log("error", "the tokens cannot be used; nobody gets in", { code });
      complaint = code;
      return [];
    }
  };
  return {
    authenticate(authorization) {
      const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";
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

/** What is wrong with a source of tokens, as a problem of the config's author. */
export function tokenProblem(code: Code, message: string): ConfigError {
  return new ConfigError([{ code, severity: "error", message, pointer: "/http", fix: codes[code].fix }]);
}
