/**
 * Login to the page: a link with a code that works once and for a short time becomes a cookie. Codes and cookies
 * are kept as digests, in memory, so they end with the process.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { sha256 } from "../base/hash.js";

const CODE_MS = 120_000;
const SESSION_MS = 12 * 3_600_000;
const MAX_CODES = 16;
const MAX_SESSIONS = 32;

/** A browser that came with a valid link. */
export interface LoginSession {
  /** The CSRF token: a request that does something must repeat it. */
  csrf: string;
}

export class Login {
  /** By digest. */
  readonly #codes: LRUCache<string, true>;
  readonly #sessions: LRUCache<string, LoginSession>;
  /** Browsers send the cookies of all ports of a host: the name keeps those of several processes apart. */
  readonly #cookie = `lsp-proxy-${randomBytes(6).toString("hex")}`;

  constructor(now: () => number = Date.now) {
    const clock = { perf: { now }, ttlResolution: 0 };
    this.#codes = new LRUCache({ max: MAX_CODES, ttl: CODE_MS, ...clock });
    this.#sessions = new LRUCache({ max: MAX_SESSIONS, ttl: SESSION_MS, ...clock });
  }

  /** A new code for a link. */
  issue(): string {
    const code = randomBytes(24).toString("base64url");
    this.#codes.set(sha256(code), true);
    return code;
  }

  /** The `Set-Cookie` for a code; undefined where it is unknown, used or too old. */
  redeem(code: string, path: string): string | undefined {
    const digest = sha256(code);
    const isKnown = this.#codes.has(digest);
    this.#codes.delete(digest);
    if (!isKnown) return undefined;
    const secret = randomBytes(32).toString("base64url");
    const csrf = randomBytes(24).toString("base64url");
    this.#sessions.set(sha256(secret), { csrf });
    return `${this.#cookie}=${secret}; HttpOnly; SameSite=Strict; Path=${path}`;
  }

  /** The session that the cookies of a request belong to. */
  session(cookies: string | undefined): LoginSession | undefined {
    const mine = (cookies ?? "").split(";").flatMap((pair) => {
      const [name = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
      return name === this.#cookie ? [value] : [];
    });
    const [secret] = mine;
    if (secret === undefined || mine.length > 1) return undefined;
    // `peek` leaves the order as it is: the oldest session makes room.
    return this.#sessions.peek(sha256(secret));
  }
}

/** Compares two texts in constant time. */
export function isSame(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => Buffer.from(sha256(text), "hex");
  return given !== undefined && timingSafeEqual(digest(given), digest(expected));
}
