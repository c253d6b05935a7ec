/** Bearer tokens: their sources, their comparison in constant time, and the store. */
import { timingSafeEqual } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ConfigError } from "../../../src/base/problem.js";
import {
  authenticator,
  digestOf,
  environmentTokens,
  type TokenSource,
} from "../../../src/mcp/http/bearer-tokens.js";
import { fileTokens } from "../../../src/mcp/http/token-file.js";
import {
  addToken,
  listTokens,
  removeToken,
  revealToken,
  storedTokens,
} from "../../../src/mcp/http/token-store.js";
import { closeAll, initialize, openGateway, otherToken, send, token } from "./support.js";

vi.mock(import("node:crypto"), async (original) => {
  const crypto = await original();
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) };
});

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-tokens-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(closeAll);

const quiet = () => undefined;

function write(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  rmSync(path, { force: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** The code of the problem that a source has. */
function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems[0]?.code;
  }
}

/** Whether a source accepts a token. */
function lets(source: TokenSource, bearer: string): boolean {
  return authenticator(source, quiet).authenticate(`Bearer ${bearer}`) !== undefined;
}

describe("tokens of the environment", () => {
  it("are all valid", () => {
    const source = environmentTokens("T", ` ${token}\n${otherToken} `);
    expect([lets(source, token), lets(source, otherToken), lets(source, `${token}x`)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    ["none", "  \n", "http/no-token"],
    ["one that is too short", "short", "http/bad-tokens"],
    ["one that is too long", "x".repeat(513), "http/bad-tokens"],
    ["one with a character that no header carries", "0123456789abcdef\u00e4", "http/bad-tokens"],
    [
      "more than 32",
      Array.from({ length: 33 }, (_, index) => `0123456789abcdef${index}`).join(" "),
      "http/bad-tokens",
    ],
  ])("are refused as a whole when there is %s", (_name, text, code) => {
    expect(problemOf(() => environmentTokens("T", text))).toBe(code);
  });

  it("may be 32", () => {
    const tokens = Array.from({ length: 32 }, (_, index) => `0123456789abcdef${index}`);
    const source = environmentTokens("T", tokens.join(" "));
    expect(tokens.every((one) => lets(source, one))).toBe(true);
  });

  it.each([
    ["the first", 0],
    ["one in the middle", 7],
    ["the last", 31],
    ["none", -1],
  ])("are all compared, as digests and in constant time, when %s is shown", (_which, at) => {
    const tokens = Array.from({ length: 32 }, (_, index) => `0123456789abcdef${index}`);
    const compared = vi.mocked(timingSafeEqual);
    const { authenticate: check } = authenticator(environmentTokens("T", tokens.join(" ")), quiet);
    const shown = tokens[at] ?? "a-token-of-nobody-at-all";
    compared.mockClear();
    expect(check(`Bearer ${shown}`) !== undefined).toBe(at >= 0);
    const digests = tokens.map((one) => digestOf(one).toString("hex"));
    const sides = compared.mock.calls.map((pair) => pair.map((side) => Buffer.from(side as Buffer)));
    expect(sides.map(([known]) => known?.toString("hex"))).toEqual(digests);
    expect(new Set(sides.map(([, asked]) => asked?.toString("hex")))).toEqual(
      new Set([digestOf(shown).toString("hex")]),
    );
    for (const side of sides.flat()) expect(side).toHaveLength(32);
    // A header without a token is compared as well, so that it takes the same time.
    compared.mockClear();
    for (const header of [undefined, "", "Basic x", "Bearer"]) expect(check(header)).toBeUndefined();
    expect(compared).toHaveBeenCalledTimes(4 * tokens.length);
  });

  it("are compared nowhere else", () => {
    const source = readFileSync(
      fileURLToPath(new URL("../../../src/mcp/http/bearer-tokens.ts", import.meta.url)),
      "utf8",
    );
    const check = source.slice(source.indexOf("    authenticate("), source.indexOf("    withoutToken("));
    expect(check.match(/===|!==|\.equals\(|\.compare\(|includes\(|\.has\(|indexOf\(|&&|\breturn\b/g)).toEqual(
      ["return"],
    );
    const folder = fileURLToPath(new URL("../../../src/", import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const readers = files.filter((name) => /authorization/.test(readFileSync(join(folder, name), "utf8")));
    // The command line sends its key; the dashboard and the metrics compare theirs in `isSame`, by digests.
    const ofPages = ["cli/dashboard/find-dashboard.ts", "dashboard/metrics.ts", "dashboard/pages.ts"];
    expect(readers.sort()).toEqual([...ofPages, "mcp/http/bearer-tokens.ts", "mcp/http/checks.ts"]);
    for (const name of ofPages.slice(1)) expect(readFileSync(join(folder, name), "utf8")).toMatch(/isSame\(/);
  });

  it("give their holder one name that does not show the token", () => {
    const { authenticate: check } = authenticator(environmentTokens("T", `${token} ${otherToken}`), quiet);
    expect(check(`Bearer ${token}`)).toBe(check(`bearer  ${token}`));
    expect(check(`Bearer ${token}`)).not.toBe(check(`Bearer ${otherToken}`));
    expect(check(`Bearer ${token}`)).not.toContain(token);
  });
});

describe("tokens of a file", () => {
  it("are read one per line, with comments", () => {
    const source = fileTokens(write("good", `# the team's\n${token} # of ours\n\n${otherToken}\n`));
    expect([lets(source, token), lets(source, otherToken)]).toEqual([true, true]);
  });

  it.each([0o640, 0o604, 0o620, 0o660])("are refused when others have access to the file (%o)", (mode) => {
    expect(problemOf(() => fileTokens(write("loose", token, mode)).digests())).toBe("http/loose-file");
  });

  it.runIf(process.getuid)("are refused when the file is another user's", () => {
    const path = write("theirs", token);
    const someoneElse = vi.spyOn(process, "getuid").mockReturnValue(statSync(path).uid + 4711);
    try {
      expect(problemOf(() => fileTokens(path).digests())).toBe("http/loose-file");
    } finally {
      someoneElse.mockRestore();
    }
    expect(problemOf(() => fileTokens(path).digests())).toBeUndefined();
  });

  it.runIf(process.getuid?.() === 0)(
    "are refused for the superuser too when the file is another user's",
    () => {
      const path = write("nobodys", token);
      chownSync(path, 65_534, 65_534);
      expect(problemOf(() => fileTokens(path).digests())).toBe("http/loose-file");
    },
  );

  it("are refused when the file is a folder, missing, empty or too large", () => {
    expect(problemOf(() => fileTokens(folder).digests())).toBe("http/loose-file");
    expect(problemOf(() => fileTokens(join(folder, "absent")).digests())).toBe("http/no-token");
    expect(problemOf(() => fileTokens(write("empty", "\n")).digests())).toBe("http/no-token");
    expect(problemOf(() => fileTokens(write("large", `#${"x".repeat(70_000)}`)).digests())).toBe(
      "http/bad-tokens",
    );
  });

  it("are refused by the permissions of the file that a link points to", () => {
    const path = join(folder, "link");
    symlinkSync(write("linked", token, 0o644), path);
    expect(problemOf(() => fileTokens(path).digests())).toBe("http/loose-file");
  });

  it("change without a restart, and are invalid while others can read the file", async () => {
    const path = write("rotated", token);
    const { url, logged } = await openGateway({ tokens: fileTokens(path) });
    const status = async (bearer: string) =>
      (await send(url, { headers: { authorization: `Bearer ${bearer}` }, body: initialize() })).status;
    expect([await status(token), await status(otherToken)]).toEqual([200, 401]);
    writeFileSync(path, `${otherToken}\n${token}`);
    expect([await status(token), await status(otherToken)]).toEqual([200, 200]);
    writeFileSync(path, otherToken);
    expect([await status(token), await status(otherToken)]).toEqual([401, 200]);
    chmodSync(path, 0o644);
    expect([await status(token), await status(otherToken)]).toEqual([401, 401]);
    expect(logged.filter((line) => line.includes("the tokens cannot be used"))).toEqual([
      'error the tokens cannot be used; all requests are rejected {"code":"http/loose-file"}',
    ]);
    chmodSync(path, 0o600);
    expect(await status(otherToken)).toBe(200);
  });
});

describe("generated tokens", () => {
  const store = () => join(folder, "state", "tokens.json");
  afterEach(() => rmSync(join(folder, "state"), { recursive: true, force: true }));

  it("are long and random, in a file that only its owner can read", () => {
    const made = [addToken(store()), addToken(store())];
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(2);
    for (const { secret } of made) expect(Buffer.from(secret ?? "", "base64url")).toHaveLength(32);
    expect(statSync(store()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "state")).mode & 0o777).toBe(0o700);
  });

  it("are printed once, and then stored as a digest", () => {
    const { secret = "" } = addToken(store());
    expect(readFileSync(store(), "utf8")).toContain(secret);
    expect(revealToken(store())).toBe(secret);
    expect(revealToken(store())).toBeUndefined();
    expect(readFileSync(store(), "utf8")).not.toContain(secret);
    expect(lets(storedTokens(store()), secret)).toBe(true);
  });

  it("are valid from their creation to their removal", () => {
    const first = addToken(store());
    const source = storedTokens(store());
    const { authenticate: check } = authenticator(source, quiet);
    const isIn = (secret = "") => check(`Bearer ${secret}`) !== undefined;
    expect(isIn(first.secret)).toBe(true);
    const second = addToken(store());
    expect([isIn(first.secret), isIn(second.secret)]).toEqual([true, true]);
    expect(removeToken(store(), first.name)).toBe(true);
    expect(removeToken(store(), first.name)).toBe(false);
    expect([isIn(first.secret), isIn(second.secret)]).toEqual([false, true]);
    removeToken(store(), second.name);
    expect(isIn(second.secret)).toBe(false);
  });

  it("are at most 32", () => {
    for (let count = 0; count < 32; count++) addToken(store());
    expect(problemOf(() => addToken(store()))).toBe("http/bad-tokens");
    expect(listTokens(store())).toHaveLength(32);
  });

  it.each(["", "{", "[]", '{"version":2,"tokens":[]}', '{"version":1,"tokens":[{"name":"x"}]}'])(
    "are invalid when the store is damaged: %s",
    (text) => {
      const path = write("damaged.json", text);
      expect(problemOf(() => storedTokens(path).digests())).toBe("http/bad-tokens");
      expect(problemOf(() => addToken(path))).toBe("http/bad-tokens");
    },
  );
});
