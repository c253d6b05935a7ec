/** The language servers, see `serverFields`. */
import { closed } from "../spelling.js";
import { none, required, type ShapeFacts, text } from "./facts.js";

/** What is told of one server; `null` where nothing is known. */
const serverFields = required({
  id: text,
  root: { type: ["string", "null"] },
  other_roots: { type: "array", items: text },
  state: {
    enum: ["idle", "starting", "running", "backoff", "broken", "stopped", "unavailable"],
  },
  readiness: { enum: ["ready", "indexing", "starting", "unknown"] },
  extensions: { type: "array", items: text },
  filenames: { type: "array", items: text },
  languages: { type: "array", items: text },
  features: { type: "array", items: text },
  version: { type: ["string", "null"] },
  encoding: { type: ["string", "null"] },
  pid: { type: ["integer", "null"] },
  uptime_ms: { type: ["integer", "null"] },
  last_used_ms: { type: ["integer", "null"] },
  restarts: { type: "integer" },
  open_documents: { type: "integer" },
  pending_requests: { type: "integer" },
  memory_mb: { type: ["number", "null"] },
  locked: { type: ["boolean", "null"] },
  progress: { type: ["string", "null"] },
  not_watched: { type: "array", items: text },
  last_error: { type: ["string", "null"] },
  stderr: { type: "array", items: text },
  install: { type: ["string", "null"] },
});

/** The facts of `server_status`. */
export const serverStatusFacts: ShapeFacts = {
  description: "The language servers: state, readiness, features, last error.",
  list: "servers",
  counted: true,
  order: ["id", "root"],
  item: () => closed(serverFields),
  beside: () => none,
};
