/** Clients that are not run here: what is written for them has the form that their makers document, and no key beyond it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { syntaxOf } from "../../src/cli/clients/client-entry.js";
import { readClients } from "../../src/config/catalogue/clients.js";
import { diskFiles } from "../../src/config/files.js";
import { type ClientView, clientText } from "../../src/emit/clients.js";
import { templates } from "../emit/support.js";
import { repository } from "../live/session.js";
import { planText } from "../plan/config.js";
import { programs } from "./programs.mjs";

const clients = readClients(join(repository, "configs"), diskFiles);
interface Format {
  source: string;
  schema: object;
  /** The files that go along, by their templates. */
  further?: { [template: string]: Format };
}
const formats: { [id: string]: Format } = JSON.parse(
  readFileSync(join(repository, "test", "clients", "formats.json"), "utf8"),
);

const connections: ClientView["connection"][] = [
  { command: "lsp-proxy", args: ["serve"], cwd: null, env: {}, isFetched: false },
  {
    command: "/usr/bin/node",
    args: ["bin.js", "serve"],
    cwd: "/project",
    env: { GOPATH: "$GOPATH" },
    isFetched: false,
  },
  { url: "http://127.0.0.1:3939/mcp", tokenEnv: "LSP_PROXY_TOKEN" },
];
const plans = [planText(""), planText('[allow]\neffects = ["read", "edit"]')];

it("every client is either run or looked up", () => {
  const seen = new Set([...Object.keys(programs), ...Object.keys(formats)]);
  expect([...seen].toSorted()).toEqual(clients.map(({ id }) => id).toSorted());
});

const files = clients.flatMap((client) =>
  client.files.flatMap(({ template }, at) => {
    const format = formats[client.id];
    const own = at === 0 ? format : format?.further?.[template];
    return format === undefined ? [] : [{ client, template, schema: own?.schema }];
  }),
);

it.each(files)("$template has the form that its client documents", ({ client, template, schema }) => {
  const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema ?? false);
  const words = syntaxOf(client);
  for (const plan of plans)
    for (const connection of client.no_http === undefined ? connections : connections.slice(0, 2)) {
      const text = clientText(template, { name: "lsp-proxy", connection }, words, plan, templates);
      expect({ valid: validate(JSON.parse(text)), errors: validate.errors }).toEqual({
        valid: true,
        errors: null,
      });
      // The check can fail.
      const wrong = text.replace(/"(command|url|serverUrl|httpUrl|mcpAllowlist)":/, '"$1s":');
      expect(validate(JSON.parse(wrong))).toBe(false);
    }
});
