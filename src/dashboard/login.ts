/**
 * Who may see the page: a link with a code that counts once and for a short time becomes a cookie. Codes and cookies
 * are kept as digests, in memory, so they end with the process.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "../base/hash.js";

const CODE_MS = 120_000;
const VISIT_MS = 12 * 3_600_000;
const MAX_CODES = 16;
const MAX_VISITS = 32;

/** A browser that came with a valid link. */
export interface Visit {
  /** The CSRF token: a request that does something must repeat it. */
  csrf: string;
  expiresAt: number;
}

export class Login {
  /** By digest; the oldest first. */
  readonly #codes = new Map<string, number>();
  readonly #visits = new Map<string, Visit>();
  /** Browsers send the cookies of all ports of a host: the name keeps those of several processes apart. */
  readonly #cookie = `lsp-proxy-${randomBytes(6).toString("hex")}`;

  constructor(private readonly now: () => number = Date.now) {}

  /** A new code for a link. */
  issue(): string {
    const code = randomBytes(24).toString("base64url");
    this.#codes.set(sha256(code), this.now() + CODE_MS);
    keepLast(this.#codes, MAX_CODES);
    return code;
  }

  /** The `Set-Cookie` for a code; undefined where it is unknown, used or too old. */
  redeem(code: string, path: string): string | undefined {
    const digest = sha256(code);
    const expiresAt = this.#codes.get(digest);
    this.#codes.delete(digest);
    if (expiresAt === undefined || expiresAt < this.now()) return undefined;
    const secret = randomBytes(32).toString("base64url");
    const csrf = randomBytes(24).toString("base64url");
    this.#visits.set(sha256(secret), { csrf, expiresAt: this.now() + VISIT_MS });
    keepLast(this.#visits, MAX_VISITS);
    return `${this.#cookie}=${secret}; HttpOnly; SameSite=Strict; Path=${path}`;
  }

  /** The visit that the cookies of a request belong to. */
  visit(cookies: string | undefined): Visit | undefined {
    const mine = (cookies ?? "").split(";").flatMap((pair) => {
      const [name = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
      return name === this.#cookie ? [value] : [];
    });
    const [secret] = mine;
    if (secret === undefined || mine.length > 1) return undefined;
    const visit = this.#visits.get(sha256(secret));
    return visit !== undefined && visit.expiresAt >= this.now() ? visit : undefined;
  }
}

/** Compares two texts in constant time. */
export function isSame(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => Buffer.from(sha256(text), "hex");
  return given !== undefined && timingSafeEqual(digest(given), digest(expected));
}

function keepLast<T>(entries: Map<string, T>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(key);
  }
}
