/** The data of `docs/clients.md`: the stanza templates of all clients, filled with example paths. */
import type { Plan } from "../../src/abi/plan.js";
import { syntaxOf } from "../../src/cli/clients/client-entry.js";
import type { ClientFacts, ClientFileFacts } from "../../src/config/catalogue/clients.js";
import { type ClientView, clientText } from "../../src/emit/clients.js";
import type { Templates } from "../../src/emit/render.js";
import type { ClientsView } from "./docs.js";

/** The entry for every project, or for one where the client does not say which. */
function startedFor({ workspace }: ClientFacts): ClientView["connection"] {
  const told = workspace?.user ?? workspace?.project;
  if (told === undefined)
    return {
      command: "/usr/bin/node",
      args: ["/path/to/lsp-proxy/dist/cli/bin.js", "serve", "--shared", "--workspace", "/path/to/project"],
      cwd: "/path/to/project",
      env: {},
      isFetched: false,
    };
  const args = ["serve", "--shared", ...(["cwd", "roots"].includes(told) ? [] : ["--workspace", told])];
  return { command: "lsp-proxy", args, cwd: null, env: {}, isFetched: false };
}

const gateway: ClientView["connection"] = { url: "http://127.0.0.1:3939/mcp", tokenEnv: "LSP_PROXY_TOKEN" };

/** `plan` is that of a new project, `all` that of one which allows everything. */
export function clientsView(
  clients: readonly ClientFacts[],
  plan: Plan,
  all: Plan,
  templates: Templates,
): ClientsView {
  // Two tools of a kind are enough for an example.
  const ofKind = (reads: boolean) =>
    all.tools.filter(({ effect }) => (effect === "read") === reads).slice(0, 2);
  const brief = [...ofKind(true), ...ofKind(false)];
  const texts = (
    client: ClientFacts,
    files: readonly ClientFileFacts[],
    connection: ClientView["connection"],
  ) =>
    files.map(({ template }) => ({
      language: template.endsWith(".toml") ? "toml" : "json",
      text: clientText(
        template,
        { name: plan.mcp.name, connection },
        syntaxOf(client),
        plan,
        templates,
        brief,
      ),
    }));
  return {
    clients: clients.map((client) => ({
      ...{ id: client.id, title: client.title, notes: client.notes, context: client.context },
      files: client.files.map(whereabouts),
      started: texts(client, client.files, startedFor(client)),
      // The other files are the same for both.
      gateway: client.no_http === undefined ? texts(client, client.files.slice(0, 1), gateway) : [],
      noHttp: client.no_http ?? "",
      isPinned: client.workspace === undefined,
    })),
  };
}

function whereabouts({ user, project }: ClientFileFacts): string {
  const own =
    user === undefined
      ? []
      : [...new Set(Array.isArray(user) ? user : Object.values(user).flat())].filter(isPlain);
  const shared =
    project === undefined
      ? []
      : (Array.isArray(project) ? project : []).map((path) => `\`${path}\` (project)`);
  return [...own.map((path) => `\`${path}\``), ...shared].join(", ");
}

/** Paths with a variable are alternatives of others, except for those in APPDATA. */
function isPlain(path: string): boolean {
  return !path.startsWith("$") || path.startsWith("$APPDATA");
}
