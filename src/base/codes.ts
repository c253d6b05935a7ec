/**
 * All codes of problems, refusals, warnings and faults: title, cause and fix. `docs/problems.md` is printed from it.
 */

export interface CodeFacts {
  kind: "problem" | "refusal" | "warning" | "fault";
  title: string;
  cause: string;
  fix: string;
}

type Texts = readonly [title: string, cause: string, fix: string];

function ofKind<C extends string>(kind: CodeFacts["kind"], table: { readonly [code in C]: Texts }) {
  const entries = Object.entries<Texts>(table).map(([code, [title, cause, fix]]) => [
    code,
    { kind, title, cause, fix },
  ]);
  return Object.fromEntries(entries) as { readonly [code in C]: CodeFacts };
}

/** Errors in a config or a bundle, reported before anything starts. */
const problems = ofKind("problem", {
  "config/not-found": [
    "No such config",
    "The named config does not exist or cannot be read.",
    "Check the path, or leave `--config` out to use the discovered config or the embedded default.",
  ],
  "config/syntax": [
    "The file does not parse",
    "The file is not valid TOML or JSON.",
    "Correct the syntax at the position shown.",
  ],
  "config/duplicate-key": [
    "Duplicate key",
    "The same key occurs twice in one table, and it is unclear which one is meant.",
    "Remove one of the two.",
  ],
  "config/unknown-key": [
    "Unknown key",
    "The config has a key that does not exist. It is an error, so that a misspelt key is noticed.",
    "Correct the name, or remove the key. `lsp-proxy schema` prints what exists.",
  ],
  "config/wrong-type": [
    "Wrong type",
    "The value does not have the type of the key.",
    "Give a value of the type shown.",
  ],
  "config/bad-value": [
    "Value not allowed",
    "The value has the right type, but it is not one of the allowed values, or a number is out of its bounds.",
    "Use a value that the message allows.",
  ],
  "config/missing-key": ["A key is missing", "A required key is absent.", "Add the key."],
  "config/unsupported-value": [
    "A value that JSON cannot represent",
    "Dates, NaN, infinities and the key `__proto__` are not allowed in a config.",
    "Write a text or a finite number; rename the key.",
  ],
  "config/relative-variable": [
    "A relative path in a variable",
    "`LSPI_CONFIG_PATH` is a relative path. A named config is trusted, so a relative path would trust a file in every workspace.",
    "Write the absolute path, or name the file with `--config`.",
  ],
  "config/bad-extends": [
    "A layer cannot be used",
    "An entry of `extends` (a layer of the config) is not a shipped config, is outside the folders that may be read, is a URL, or extends itself.",
    "Name a config that `lsp-proxy schema --layers` lists, or a path that begins with `./` or `../`.",
  ],
  "config/unknown-preset": [
    "No such preset",
    "`kind`, `adapter` or `mcp.context` names something that `configs/` does not have.",
    'Correct the name, or use `kind = "generic"` with a `command`.',
  ],
  "config/duplicate-id": [
    "Two entries with one name",
    "Two servers have the same `id`, or two tools the same `name`, in one file.",
    "Rename or remove one.",
  ],
  "config/untrusted": [
    "This workspace's config is not trusted",
    "A config found in a workspace may start programs only after a person has trusted it.",
    "Read it, then run `lsp-proxy trust`, or name it with `--config`.",
  ],
  "config/unusable": [
    "The config that was found has problems",
    "A config that was found, in the workspace or as the user's own, has problems. The session goes on, and every call is refused until they are corrected.",
    "Run `lsp-proxy validate`, which shows each problem with its fix. A corrected config is used without a restart.",
  ],
  "config/strayed": [
    "A config outside the workspace",
    "The config found in the workspace is a symbolic link to a file outside it. Trust applies to files in the workspace only.",
    "Put the config itself into the workspace, or name it with `--config`.",
  ],
  "config/trust-store": [
    "The record of trusted configs cannot be used",
    "The file that lists the trusted workspace configs cannot be read or parsed, or another user could have written it.",
    "Delete the file, then run `lsp-proxy trust` again in each workspace.",
  ],
  "config/sealed": [
    "The profile may only be narrowed",
    "The profile is sealed: a config may restrict its values, never extend them.",
    "Remove or lower the value, or choose another `mcp.context`.",
  ],
  "plan/unknown-method": [
    "Unknown method",
    "The method is not in the LSP specification and not declared in `[[methods]]`.",
    "Correct the name, or declare it under `[[methods]]`.",
  ],
  "plan/unknown-base": [
    "Unknown parameter base",
    "`params` names a base that does not exist.",
    "Use one of the bases in the message.",
  ],
  "plan/base-needs-anchor": [
    "The input cannot fill the parameters",
    "The parameter base needs a document, a position or a range, and the tool's `input` has none.",
    "Add what the base needs to `input`, or use another base.",
  ],
  "plan/unknown-anchor": [
    "Unknown input",
    "`input` names something that a call cannot point at.",
    "Use `workspace`, `document`, `position`, `range`, `symbol`, `text` or `query`.",
  ],
  "plan/unknown-shape": [
    "Unknown output shape",
    "`output` names a shape that does not exist.",
    "Use one of the shapes in the message.",
  ],
  "plan/unknown-feature": [
    "Unknown feature",
    "`features` names a feature that does not exist.",
    "Correct the name; features are named after the methods: `hover`, `diagnostics`, `call_hierarchy`.",
  ],
  "plan/unknown-action": [
    "Unknown runtime action",
    "A runtime step names an action that does not exist.",
    "Use one of the actions in the message.",
  ],
  "plan/unknown-server": [
    "Unknown server",
    "A tool, method or rule names a server id that is not configured.",
    "Correct the id, or add the server.",
  ],
  "plan/unknown-tool": [
    "Unknown tool",
    "A step or a list names a tool that does not exist.",
    "Correct the name, or declare the tool.",
  ],
  "plan/tool-cycle": [
    "A tool calls itself",
    "A tool calls another tool, which calls the first one again.",
    "Remove one of these calls.",
  ],
  "plan/bad-reference": [
    "Reference out of scope",
    "A `from` names an argument, a step or an item that does not exist at that point.",
    "Refer to an argument of this tool, an earlier step, `each` inside an `each` step, or the document.",
  ],
  "plan/bad-step": [
    "Inconsistent step",
    "A step has a key of another kind of step, or lacks a required key.",
    "Follow the table of step kinds in the mapping language.",
  ],
  "plan/unchecked-uri": [
    "URI from a text",
    "A parameter is a URI, or may be one, and would be filled with a text that the client sends. Such a text is not checked against the roots.",
    'Declare the argument with `type = "path"` or `type = "uri"`, or use `document.uri`. For a command or a method of one server say in `uris` which parameters are URIs.',
  ],
  "plan/bad-tool": [
    "Inconsistent tool",
    "Keys of a tool or of its arguments contradict each other or lack something. For example, the tool has both `request` and `steps`, or neither.",
    "Give exactly one of `request` and `steps`; rename the argument.",
  ],
  "plan/bad-prompt": [
    "A prompt is incomplete",
    "A prompt has no messages, or a template that does not fit its arguments.",
    "Correct the prompt as the message says.",
  ],
  "plan/bad-resource": [
    "A resource cannot be read",
    "A resource has no URI, a tool that does more than read, arguments that its tool does not take, or lacks some that it needs.",
    "Correct the resource as the message says.",
  ],
  "plan/bad-schema": [
    "Unusable result schema",
    "`result` of a custom method is not a self-contained JSON Schema (2020-12).",
    "Correct the schema. References to other documents and unknown keywords are not supported.",
  ],
  "plan/bad-text": [
    "Unusable text template",
    "`text` names no shipped template, does not parse, or uses something that is not supported. Supported are paths with `this` and `..`, literals, `#each`, `#if`, `#unless`, `else`, `@index`, `@first`, `@last`, `json` and `one_line`.",
    "Use one of the templates in `templates/text/`, or only those elements.",
  ],
  "plan/bad-dialect": [
    "Unknown code or form in a dialect",
    "A key of `dialect.errors` or `dialect.warnings` is not a code, a prefix of codes, or `*`. Or a form of items, answers or replies has something other than JSON Pointers, `at`, `as`, `each` and `when`.",
    "Use the codes in the list of problems, and the forms of the mapping language.",
  ],
  "plan/no-command": [
    "A server without a command",
    "A server has no preset and no `command`.",
    "Set `command`, or a `kind` from the list of presets.",
  ],
  "plan/host-not-allowed": [
    "Host not allowed",
    "A language server must run on this machine, unless `allow.hosts` contains its host. A server that lsp-proxy starts is always local.",
    "Add the host to `allow.hosts`, or use 127.0.0.1.",
  ],
  "plan/no-process": [
    "No process to limit",
    "`limits` and `sandbox` apply to a process that lsp-proxy starts. This server is already running, or the sandbox would block its connection.",
    "Remove the key and limit the server where it is started, or let lsp-proxy start it (`mode`).",
  ],
  "plan/command-not-allowed": [
    "Command not allowed",
    "`allow.commands` does not contain the program of this server. In a config without `allow.commands`, programs of presets may be started, and those of servers without a preset, except interpreters.",
    "Add the program to `allow.commands`.",
  ],
  "plan/bad-command": [
    "Bad command",
    "A command is neither a bare name nor an absolute path, or contains a glob or shell syntax.",
    "Write a bare name on PATH or an absolute path. Put arguments into `args`.",
  ],
  "plan/bad-forward": [
    "An incomplete forward rule",
    "A rule of `forward` names a server without a command, or a command without a server.",
    "Give it both `to` and `request`, or neither: the answer is then null.",
  ],
  "plan/no-route": [
    "A server without files",
    "A server has no extensions, file names or globs, so no file is routed to it.",
    "Give it `extensions`, `filenames` or `globs`.",
  ],
  "plan/route-conflict": [
    "Two servers for one file",
    "Two servers have the same files, and neither `priority`, `features` nor `root_dir` determines which one is asked.",
    "Give them different `priority` or `root_dir`, or split their `features`.",
  ],
  "bundle/missing": [
    "No bundle here",
    "The folder has no manifest, or a file that the manifest names is missing.",
    "Run `lsp-proxy generate`.",
  ],
  "bundle/corrupt": [
    "The bundle was changed",
    "A file does not have the hash that the manifest names.",
    "Find out who changed the file, then run `lsp-proxy generate`.",
  ],
  "bundle/foreign": [
    "A foreign file",
    "The bundle's folder contains a file that is not in the manifest.",
    "Remove the file, or use another folder.",
  ],
  "bundle/abi": [
    "A bundle of another version",
    "The bundle was generated for another version of the runtime.",
    "Run `lsp-proxy generate` with this version.",
  ],
  "bundle/pin": [
    "Not the pinned bundle",
    "The bundle's hash is not the one given with `--expect`.",
    "Use the pinned bundle, or pin the new one after reading it.",
  ],
  "bundle/stale": [
    "The bundle is stale",
    "Generating it again gives different bytes.",
    "Run `lsp-proxy generate` and commit the result.",
  ],
  "bundle/unwritable": [
    "The bundle cannot be written",
    "The folder cannot be created, or contains files that are not a bundle.",
    "Choose an empty folder or an older bundle's folder.",
  ],
  "http/remote-bind": [
    "An address that other machines can reach",
    "`http.bind` is not a loopback address, and `--allow-remote` is not set.",
    "Remove `http.bind`, or start with `--allow-remote` and your own token.",
  ],
  "http/disabled": [
    "The gateway is switched off",
    "The config has `http.enabled = false`.",
    "Remove it, or serve over stdio without `--http`.",
  ],
  "http/no-workspace": [
    "No workspace of the gateway",
    "The gateway serves several workspaces. The client's roots are in none of them, or the client sends no roots.",
    "Connect to the path of one workspace: `/mcp/NAME`. The message names them.",
  ],
  "http/no-token": [
    "No token",
    "The gateway needs a token, and there is none.",
    "Set the variable in `http.token_env`, set `http.token_file`, or run `lsp-proxy token --new`.",
  ],
  "http/bad-tokens": [
    "Unusable tokens",
    "A source of tokens is empty or damaged, has more than 32 tokens, or has a token that is too short.",
    "Each token has 16 to 512 letters, digits or `-._~+/=`. `lsp-proxy token --new` creates one.",
  ],
  "http/loose-file": [
    "Other users can read the tokens",
    "The token file must be a regular file that belongs to this user and that nobody else can read.",
    "Run `chmod 600` on it. If others could read it, change the tokens too.",
  ],
  "http/listen-failed": [
    "The address is taken",
    "The gateway cannot listen on `http.bind` and `http.port`.",
    "Stop the program that listens there, or choose another port; `port = 0` picks a free one.",
  ],
  "client/no-place": [
    "No place for the entry",
    "A client's file has something else, or an unusual syntax, where the entry belongs.",
    "Edit it by hand: `lsp-proxy client NAME` prints the entry.",
  ],
  "client/taken": [
    "The name is taken",
    "A client's file has an entry with that name that does not start lsp-proxy.",
    "Choose another name with `--name`, or replace the entry with `--force`.",
  ],
  "client/edited": [
    "Edited by hand",
    "A skill or a section that lsp-proxy wrote was changed afterwards.",
    "Put your own text outside of it. `--force` replaces or removes it.",
  ],
  "cli/not-writable": [
    "A file cannot be written",
    "Its folder does not exist, the file is read-only or belongs to another user, a link leads out of the workspace, or the system refused for another reason.",
    "Create the folder, make the file writable, or name another file. `--help` of the command says how to print instead of writing.",
  ],
  "cli/not-readable": [
    "A file cannot be read",
    "The path is a folder, not a regular file, or not readable by this user.",
    "Name a readable file, or change its permissions.",
  ],
});

/** Reasons why a call was not answered. */
const refusals = ofKind("refusal", {
  "guard/unknown-tool": ["Unknown tool", "No listed tool has that name.", "Call a tool from `tools/list`."],
  "guard/effect-not-allowed": [
    "The tool may not be called",
    "The tool edits files or runs commands, and the config allows less: `allow.effects`, or `mcp.read_only`.",
    "Add the tool's effect to `allow.effects`, and leave `mcp.read_only` out.",
  ],
  "guard/invalid-arguments": [
    "Invalid arguments",
    "The arguments do not fit the tool's input schema.",
    "Correct the arguments that the message names.",
  ],
  "guard/outside-root": [
    "Outside the workspace",
    "The real path is outside every root.",
    "Name a file inside the workspace, or add its folder to `workspace.extra_roots`.",
  ],
  "guard/denied": [
    "Denied path",
    "The path matches `workspace.deny`, or matching it takes too long.",
    "Name another file.",
  ],
  "guard/bad-uri": [
    "Unusable file name",
    "Only paths and `file:` URIs without a host are accepted.",
    "Give a path relative to the workspace.",
  ],
  "guard/not-a-file": [
    "Not a readable file",
    "The path does not exist, or is a folder, a device, too large, binary or not UTF-8.",
    "Name a text file in UTF-8; check the spelling.",
  ],
  "guard/too-large": [
    "Answer too large",
    "The answer is larger than the hard limit, even after it was cut.",
    "Ask for less: a narrower query or one file.",
  ],
  "route/no-server": [
    "No server to ask",
    "No configured language server handles this kind of file, or none has a file in the workspace.",
    "Install or add a server for these files, as the message says.",
  ],
  "point/incomplete": [
    "Incomplete position",
    "The call has neither a complete position nor a symbol.",
    "Give `line` and `character`, or `symbol_name`.",
  ],
  "point/out-of-range": [
    "Position outside the file",
    "The line does not exist in the file.",
    "Count lines and characters as the tool's description says.",
  ],
  "point/no-symbol": [
    "No such symbol",
    "No symbol of the file or the workspace has that name.",
    "List the file's symbols, or point by position.",
  ],
  "point/no-line": [
    "No such line",
    "No line of the file has the given text.",
    "Read the file again, or point by a position or a name.",
  ],
  "lsp/not-supported": [
    "The server cannot do this",
    "The language server does not offer the method.",
    "Use another tool. The server status lists the supported features.",
  ],
  "lsp/no-answer": [
    "No result",
    "A step of the tool needs a result, and the server returned none.",
    "Point at a symbol.",
  ],
  "lsp/not-installed": [
    "The server is not installed",
    "The program of the language server was not found.",
    "Install it, or correct `command` of the server in the config.",
  ],
  "lsp/not-allowed": [
    "The server may not be started",
    "The program is not in `allow.commands`, or it is in an untrusted workspace, or it would run code of an untrusted workspace (build scripts, packages, plugins).",
    "Add the program to `allow.commands`, or trust the workspace with `lsp-proxy trust`.",
  ],
  "lsp/not-locked": [
    "The program differs from the locked one",
    "The programs of this folder were locked with `lsp-proxy lock`. The program of this server has changed, moved or is new, or the lock record cannot be read.",
    "Find out why it changed, then run `lsp-proxy lock` again.",
  ],
  "lsp/no-sandbox": [
    "The sandbox is not available",
    "`sandbox` needs Linux and bubblewrap (for `no_network`, util-linux is enough). One of them is missing, the system forbids it, or the server runs elsewhere.",
    "Install bubblewrap (`bwrap`) and allow it, or remove `sandbox` from the server's config.",
  ],
  "lsp/too-many": [
    "Too many servers are busy",
    "`limits.max_servers` language servers are running, and none of them is idle.",
    "Call again later, or raise `limits.max_servers`.",
  ],
  "lsp/busy": [
    "The server is overloaded",
    "Too many requests are waiting for the language server.",
    "Call again when the other calls are done, or restart the server.",
  ],
  "lsp/start-failed": [
    "The server did not start",
    "The language server exited or failed before it was initialized.",
    "See the last lines of its stderr in the server status.",
  ],
  "lsp/exited": [
    "The server exited",
    "The language server exited during the call.",
    "Call again; the server is restarted.",
  ],
  "lsp/timeout": [
    "No answer in time",
    "The language server did not answer within the time limit.",
    "Call again, or raise `request_timeout_ms`.",
  ],
  "lsp/failed": [
    "The server reported an error",
    "The language server answered with an error.",
    "Read the server's message: it says what the server cannot do here.",
  ],
  "lsp/garbled": [
    "The server violates the protocol",
    "The language server sent an invalid message, or one that is larger than the limit.",
    "See its stderr, and report it to the authors of the server.",
  ],
  "lsp/invalid-reply": [
    "A reply is malformed",
    "The language server's reply is neither a result nor an error, it is not what the method returns, or it does not match the `result` schema that the config declares for the method.",
    "Correct `result` of the method in `[[methods]]`, or report the reply to the server's makers.",
  ],
  "call/cancelled": ["Cancelled", "The client cancelled the call.", "Call again."],
  "edit/refused": [
    "The edit was refused",
    "At least one part of the edit cannot be applied, so nothing was changed; `reasons` lists every such part.",
    "Fix the causes in `reasons`, preview again, and apply that preview.",
  ],
  "edit/changed": [
    "A file changed since the preview",
    "The content of the file is not the one that the edit was made for; another program wrote it.",
    "Preview again to get an edit for the current content.",
  ],
  "edit/unexpected": [
    "Unexpected files",
    "The expected hashes lack a file of the edit, or contain a file that the edit does not change.",
    "Give the hash of every file in the preview, or none.",
  ],
  "edit/overlap": [
    "Overlapping edits",
    "Two changes of one file touch the same characters.",
    "Give changes that do not overlap.",
  ],
  "edit/out-of-range": [
    "Outside the text",
    "A change begins or ends outside the text or inside a character, or it ends before it begins.",
    "Read the file again and repeat the call.",
  ],
  "edit/read-only": [
    "Not writable",
    "The file is in a folder of `workspace.extra_roots`, which are read-only, or it is write-protected.",
    "Edit a file in `workspace.roots`, or make it writable.",
  ],
  "edit/own-config": [
    "A file that controls the proxy",
    "The edit would change a file that controls the proxy: the config, a file it extends, the state folder (trust, locks, tokens, journal), the served bundle, or a file with the name of a config. An agent that edits these could give itself any permission.",
    "Change it by hand. A changed config is used without a restart; one that was found, not named, must be trusted again with `lsp-proxy trust`.",
  ],
  "edit/exists": [
    "The target exists",
    "A file would be created, or renamed to a path, where a file or folder already exists.",
    "Choose another name, or allow overwriting.",
  ],
  "edit/missing": [
    "The file does not exist",
    "A file or folder that would be edited, renamed or deleted does not exist.",
    "Check the path; another program may have removed the file.",
  ],
  "edit/not-empty": [
    "The folder is not empty",
    "A folder that is not empty is deleted only if the call asks for it.",
    "Ask for a recursive delete.",
  ],
  "edit/bad-target": [
    "Impossible target",
    "The target is a root, is inside the moved folder itself, or is a file where a folder is needed or the reverse.",
    "Choose another path.",
  ],
  "edit/too-large": [
    "The edit is too large",
    "The edit changes more files or bytes than the undo journal can hold.",
    "Make several smaller edits.",
  ],
  "edit/unknown-token": [
    "No such preview",
    "The token is unknown, or its preview has expired.",
    "Preview again.",
  ],
  "edit/unknown-undo": [
    "Nothing to undo",
    "The token is unknown, already used or expired. The undo journal is limited in size and age.",
    "Use version control.",
  ],
  "edit/undo-conflict": [
    "Changed since the edit",
    "A file was changed after the edit, and undoing the edit would lose that change.",
    "Check the files in the reasons and decide by hand.",
  ],
  "edit/busy": [
    "Another edit is running",
    "Another process of the same user is editing files and did not finish in time.",
    "Call again in a moment.",
  ],
  "edit/failed": [
    "The edit failed and was rolled back",
    "The system refused a step (disk full, permission, existing file). All files are as before.",
    "Fix the cause that the message names, and apply again.",
  ],
  "edit/left-behind": [
    "The rollback is incomplete",
    "An edit failed after some files were written, and a file could not be restored or was changed by another program.",
    "Check the files in the reasons, which name every version that was kept. A restore that failed is tried again before the next edit.",
  ],
  "edit/not-ready": [
    "The server is still indexing",
    "The edit was computed while the language server was still indexing, so it may miss files and is not applied.",
    "Wait until get_server_status says ready, then preview again.",
  ],
  "edit/not-seen": [
    "Preview required",
    "The edit may be incomplete: the server asks for a confirmation, does not report whether it has indexed, failed for a part of the edit, or was just notified of changed files.",
    "Call with dry_run true, check the preview, and apply it by its edit_token.",
  ],
  "edit/not-alone": [
    "The declaration shares its lines",
    "Other code is on the same lines as the declaration, or the declaration is part of a list, and the edit would break that code.",
    "Follow the message, or edit those lines with apply_workspace_edit.",
  ],
  "edit/snippet": [
    "A snippet that only an editor can fill in",
    "The server returned a snippet with variables or transformations instead of a text.",
    "Choose another action, or edit the text by hand.",
  ],
  "edit/no-action": [
    "No such action",
    "No available action has that id, or the action is disabled.",
    "Use an id from `actions` in the data, or list the actions of the same file and range again.",
  ],
  "edit/command-not-allowed": [
    "The action runs a command that is not allowed",
    "The action runs a command of the server that the config does not allow.",
    "Allow the effect `command` and name the command in the server's `execute_commands`, or choose another action.",
  ],
  "edit/no-journal": [
    "The journal is not available",
    "The state folder cannot be written, and without a journal an edit is not safe.",
    "Make the folder writable, or set XDG_STATE_HOME to another folder.",
  ],
  "dashboard/foreign-request": [
    "Not from the dashboard's page",
    "A request that changes something lacks the CSRF token that only the dashboard's own page has.",
    "Use the page that `lsp-proxy dashboard` opens; reload it if it is old.",
  ],
  "call/too-many": [
    "Too many calls at once",
    "As many calls or reads of resources are running as `http.max_calls` or `http.max_calls_per_session` allows.",
    "Call again when one of the running calls is answered.",
  ],
  "call/interrupted": [
    "The process that ran the call ended",
    "The hub of `serve --shared` ended before it had answered this call, which does more than read. An edit was made as a whole or not at all.",
    "Look at the files, then call again if it was not made.",
  ],
  "call/not-begun": [
    "Not started",
    "Earlier steps of the same call used up its time.",
    "Call this tool alone, or raise `timeout_ms` of the calling tool.",
  ],
  "call/must-be-empty": [
    "Something was found that must not be there",
    "A step of the tool must find nothing before the tool goes on, for example no uses of a symbol that is deleted.",
    "Change the places that the error names, then call again.",
  ],
  "call/steps-failed": [
    "Every step failed",
    "All tools that this tool calls failed, for different reasons.",
    "See the code of each step, or call the tools one by one.",
  ],
  "page/cursor-invalid": [
    "Invalid cursor",
    "The cursor does not decode, or belongs to another tool or other arguments.",
    "Call without a cursor.",
  ],
  "page/cursor-stale": [
    "The files changed",
    "Files that the list depends on changed after the first page.",
    "Call without a cursor.",
  ],
  "page/cursor-expired": [
    "The list has expired",
    "The list is no longer stored: it expired, or newer lists replaced it.",
    "Call without a cursor.",
  ],
  "page/snapshot-too-large": [
    "Too much to page through",
    "The whole list is larger than the memory for paging.",
    "Ask for less: one file, one folder, or a longer name.",
  ],
});

/** Remarks about a config that works, or in an answer. */
const warnings = ofKind("warning", {
  "config/shrunk": [
    "A workspace asked for more than the user allows",
    "A config found in a workspace may only restrict the defaults; once it is trusted, it may only restrict the user's own config.",
    "Allow it in the user's config, trust the config with `lsp-proxy trust`, or name the file with `--config`.",
  ],
  "config/two-configs": [
    "Two configs in one workspace",
    "The workspace has several config files. Only the first of `.lspi/config.toml`, `.lspi/config.json`, `lspi.toml` and `lspi.json` is used.",
    "Move what you need into the file that is used, and delete the other.",
  ],
  "plan/absent-tool": [
    "A named tool is not in this profile",
    "`mcp.tools` names a tool that exists, but not in the active profile.",
    "Choose a profile that has it, or remove the name.",
  ],
  "plan/cap-above-limit": [
    "A cap above its limit",
    "A cap, a wait or a timeout is above its limit, or an argument may set it above the limit. The larger number has no effect.",
    "Lower the cap, or raise the limit.",
  ],
  "plan/unused-argument": [
    "An argument that nothing uses",
    "Nothing refers to an argument of a tool or of a prompt, or to a variable part in the URI of a resource.",
    'Refer to it with `{ from = "input.NAME" }`, remove it, or set `no_effect = true` if clients send it anyway.',
  ],
  "plan/lost-value": [
    "A step whose value is lost",
    "The answer is the value of the last step, and no later step refers to this one.",
    'Refer to it with `{ from = "step.ID" }`, show it with the shape `members`, check it with `expect`, or remove the step.',
  ],
  "plan/no-description": [
    "No description",
    "People and agents choose tools, prompts and resources by their descriptions.",
    "Add a `description` that says what it is for.",
  ],
  "plan/literal-template": [
    "A template that is not filled in",
    "Values of steps have no templates: `{{…}}` is sent to the server as it is.",
    'Write `{ from = "input.NAME" }` instead of the text.',
  ],
  "plan/dead-mapping": [
    "A mapping that never applies",
    "The dialect has an entry for errors or warnings that no answer ever shows, or for codes that no listed tool can have.",
    "Remove the entry, or change what the message names.",
  ],
  "plan/name-too-long": [
    "A long tool name",
    "Some clients cut or drop tools whose names are longer than 40 characters.",
    "Shorten the name.",
  ],
  "plan/outside-workspace": [
    "A server's folder is outside the workspace",
    "`root_dir` or `workspace_folders` of a server names a folder that no root contains. Every file in it is refused.",
    "Add the folder to `workspace.roots`, or to `workspace.extra_roots` if it is only read.",
  ],
  "answer/not-ready": [
    "The server was not ready",
    "It was still starting or indexing, so the answer may be incomplete or empty.",
    "Call again later.",
  ],
  "answer/files-changed": [
    "Files changed just now",
    "Files changed shortly before a search or an edit of the workspace, and the server may not have processed them yet.",
    "Call again if something that you expect is missing.",
  ],
  "answer/not-supported": [
    "The server cannot do this",
    "The language server does not offer the method; the answer is empty for that reason.",
    "Use another tool.",
  ],
  "answer/truncated": [
    "The answer was cut",
    "There are more results than the limits allow.",
    "Get the next page, or narrow the call.",
  ],
  "answer/clamped": [
    "A number was clamped",
    "An argument was over its maximum or under its minimum; the nearest allowed number was used.",
    "Ask for a number within the bounds.",
  ],
  "answer/snippets-dropped": [
    "Source lines were left out",
    "With a source line for each location, fewer locations would fit in the answer.",
    "Ask for fewer locations or a larger answer, or read the files.",
  ],
  "answer/snippet-cut": [
    "A source line was cut",
    "The line and its context are longer than the limit for a snippet.",
    "Ask for longer snippets if the tool has such an argument, or read the file.",
  ],
  "answer/answers-dropped": [
    "Answers of a batch were left out",
    "All answers together are larger than the limit; the largest were left out.",
    "Call those tools one by one, or in a smaller batch.",
  ],
  "answer/step-failed": [
    "A step failed",
    "One of the tools that this tool calls failed; the others did not.",
    "See the step's own answer.",
  ],
  "answer/or-else": [
    "Another step gave the answer",
    "A step of the tool found nothing, failed or is not offered. Another step took its place.",
    "Read the answer as the result of the step that the warning names.",
  ],
  "answer/dropped": [
    "Results outside the workspace",
    "Some results are outside the roots and are not shown.",
    "Add the folder to `workspace.extra_roots`.",
  ],
  "answer/library": [
    "Files of dependencies or a standard library",
    "Some places lie in folders that the server's preset names in `library_roots`. They are shown by absolute paths.",
    "Read them with the read tools; they cannot be edited.",
  ],
  "answer/several-matches": [
    "Several symbols have that name",
    "The name is not unique.",
    "Point by position, or give the kind or a name path.",
  ],
  "answer/partial-servers": [
    "A server failed",
    "One of several servers did not answer; the others did.",
    "Ask `get_server_status` why.",
  ],
  "answer/fuzzed-position": [
    "Another position was used",
    "Nothing was found at the exact position, but next to it.",
    "Check that it is the symbol you meant.",
  ],
  "answer/found-elsewhere": [
    "The symbol is in another file",
    "The named file does not declare the symbol, but one other file of the workspace does.",
    "Check that it is the symbol you meant.",
  ],
  "answer/without-diagnostics": [
    "Actions without diagnostics",
    "The diagnostics of the file were not available in time, so actions that fix them may be missing.",
    "Call again later.",
  ],
  "answer/snippet-stripped": [
    "A snippet was used as plain text",
    "The server returned a snippet with tab stops; the stops were replaced by their default texts.",
    "Check the preview.",
  ],
  "answer/needs-confirmation": [
    "A part of the edit needs confirmation",
    "The server marked some changes for review.",
    "Check the edits with that note, then apply the preview by its edit_token.",
  ],
  "answer/command-unseen": [
    "A command may change more",
    "The action runs a command of the server; its changes are known only afterwards.",
    "Check the result; undo_edit reverts it.",
  ],
  "answer/command-skipped": [
    "A command of an action is not allowed",
    "The action runs a command of the server, and the config does not allow it. Only its edit is applied; an action without an edit is not listed.",
    "Nothing, if the edit is enough. Otherwise allow the effect `command` and add the command to `execute_commands`.",
  ],
  "answer/references-kept": [
    "References to the file are not updated",
    "No language server offers to update imports and other references to the file.",
    "Search for the old name after the change.",
  ],
  "answer/not-shared": [
    "The language servers are not shared",
    "`serve --shared` found no hub and could not start one, so this session has language servers of its own.",
    "Do what the message says; sessions that start afterwards share their servers. `docs/sharing.md` has more.",
  ],
  "answer/path-withheld": [
    "The server was started without some paths",
    "The workspace is not trusted, so nothing is run or loaded from it. But an environment variable (PATH, PYTHONPATH, VIRTUAL_ENV or another) contains a path in it, or it has a Python environment (`.venv`, `venv`). The server does not use what is in that path, so answers and diagnostics may be incomplete.",
    "Run `lsp-proxy trust` if you trust the workspace, and restart. Or set the variable in `env` of the server.",
  ],
  "answer/no-server": [
    "No language server",
    "No language server is configured or was found for the workspace, so no question about code can be answered.",
    "Run `lsp-proxy setup`, or add a server to the config.",
  ],
  "answer/no-project": [
    "The server does not know the whole project",
    "No parent folder has a project file of this server, so the server knows only open files.",
    "Create the project file in the message, or search for missing places with a text search.",
  ],
  "answer/files-not-searched": [
    "Not all files were searched",
    "The server knows only open files and their projects. Too many files that belong to no project contain the name, or there are too many such files to look for it.",
    "Include the files in a project, such as a `tsconfig.json` in their folder. Or search for missing places with a text search.",
  ],
  "answer/name-elsewhere": [
    "The old name also occurs in other files",
    "The edit of a rename leaves files as they are that contain the old name. Not every server finds every use.",
    "Search for the name in the files of the message, and rename what means the same symbol.",
  ],
  "answer/attributes-lost": [
    "Extended attributes were lost",
    "An edit replaces the file, and the system did not allow copying all extended attributes or access control lists.",
    "Set them again, or undo the edit and make it by hand.",
  ],
  "answer/old-file-kept": [
    "An old file was kept",
    "The edit is done, but the old version of a file still exists, under the hidden name in the message: another program had it open and wrote to it during the edit, or it cannot be removed.",
    "Compare the kept file with the edited one, copy what is missing into the edited one, and delete the kept file.",
  ],
  "answer/save-unguarded": [
    "A save by another program may be lost",
    "The file system has no hard links, so a save by another program at the same moment may have been overwritten.",
    "Check the files if another program saves them at the same time.",
  ],
  "answer/owner-lost": [
    "The owner of files changed",
    "An edit replaces the file, and only root can keep another owner.",
    "Change the owner back, or run the proxy as the owner.",
  ],
  "answer/edit-incomplete": [
    "A step after the edit failed",
    "The files are changed, but a language server failed afterwards.",
    "Nothing needs to be repeated; see the message.",
  ],
  "answer/not-undone": [
    "An edit of an atomic batch was not undone",
    "One operation of the batch failed, so the edits before it had to be undone. At least one of them was not undone: another program changed a file meanwhile, or the journal failed.",
    "Look at the files, and undo the edit with its undo_token, or by hand.",
  ],
  "answer/other-symbol": [
    "A different symbol",
    "The symbol at the position, or the one that the server resolved, has a different name than the one in the call.",
    "Check that it is the symbol you meant: it may be an alias, a re-export or a constructor.",
  ],
  "answer/reserved-name": [
    "The new name is a reserved word",
    "The language reserves the new name of a rename for itself: only members of objects can be called so.",
    "Check that a property or a method is renamed, or choose another name.",
  ],
  "answer/config-not-used": [
    "A changed config is not used",
    "The config was changed while it is served, and it has problems or is not trusted. The old one is still used.",
    "Run `lsp-proxy validate`; for a config that was found run `lsp-proxy trust`. It is read again when it changes.",
  ],
  "answer/changed-meanwhile": [
    "A file changed during the call",
    "A program keeps writing a file of the answer, so positions in it may be wrong.",
    "Call again when the file no longer changes; `document` identifies the text of this answer.",
  ],
  "answer/not-watched": [
    "Not all files are watched",
    "Changes of some files are noticed late or not at all. There are four possible reasons. The workspace has more than 100,000 files that git does not ignore. Or the system has no file watches left, or the workspace is on a network file system: it is then scanned every few seconds. Or a folder that git ignores is too large: only packages that are added or removed at its top level are noticed. Or a folder cannot be read: the log has the reason. In all cases, open documents and the files of the last answers are still checked before every call.",
    "Leave folders out with `workspace.deny` or `.gitignore`, raise `fs.inotify.max_user_watches`, or restart the server after large changes.",
  ],
  "answer/server-restarted": [
    "The server was restarted",
    "The language server had exited and was restarted for this call.",
    "Nothing, unless it happens again.",
  ],
});

/** Bugs of lsp-proxy. */
const faults = ofKind("fault", {
  "runtime/fault": ["Internal error", "A bug in lsp-proxy.", "Report it with the log."],
});

export const codes = { ...problems, ...refusals, ...warnings, ...faults };

export type Code = keyof typeof codes;
