/** All codes of problems, refusals, warnings and faults, with title, cause and fix. `docs/problems.md` is printed from it. */

export interface CodeFacts {
  kind: "problem" | "refusal" | "warning" | "fault";
  title: string;
  cause: string;
  fix: string;
}

export const codes = {
  "config/not-found": {
    kind: "problem",
    title: "No such config",
    cause: "The named config does not exist or cannot be read.",
    fix: "Check the path, or leave `--config` out to use the discovered config or the embedded default.",
  },
  "config/syntax": {
    kind: "problem",
    title: "The file does not parse",
    cause: "The file is not valid TOML or JSON.",
    fix: "Correct the syntax at the position shown.",
  },
  "config/duplicate-key": {
    kind: "problem",
    title: "Duplicate key",
    cause: "The same key occurs twice in one table, and it is unclear which one is meant.",
    fix: "Remove one of the two.",
  },
  "config/unknown-key": {
    kind: "problem",
    title: "Unknown key",
    cause: "The schema is closed: an unknown key is an error, not ignored.",
    fix: "Correct the name, or remove the key. `lsp-proxy schema` prints what exists.",
  },
  "config/wrong-type": {
    kind: "problem",
    title: "Wrong type",
    cause: "The value does not have the type of the key.",
    fix: "Give a value of the type shown.",
  },
  "config/bad-value": {
    kind: "problem",
    title: "Value out of range",
    cause: "The value has the right type but is not allowed.",
    fix: "Use one of the values, or a number within the bounds, in the message.",
  },
  "config/missing-key": {
    kind: "problem",
    title: "A key is missing",
    cause: "A required key is absent.",
    fix: "Add the key.",
  },
  "config/unsupported-value": {
    kind: "problem",
    title: "A value that JSON cannot represent",
    cause: "Dates, NaN, infinities and the key `__proto__` are not allowed in a config.",
    fix: "Write a text or a finite number; rename the key.",
  },
  "config/relative-variable": {
    kind: "problem",
    title: "A relative path in a variable",
    cause:
      "`LSPI_CONFIG_PATH` is a relative path. A named config is trusted, so a relative path would trust a file in every workspace.",
    fix: "Write the absolute path, or name the file with `--config`.",
  },
  "config/bad-extends": {
    kind: "problem",
    title: "A layer cannot be used",
    cause:
      "An entry of `extends` is not a shipped config, is outside the folders that may be read, is a URL, or extends itself.",
    fix: "Name a config that `lsp-proxy schema --layers` lists, or a path that begins with `./` or `../`.",
  },
  "config/unknown-preset": {
    kind: "problem",
    title: "No such preset",
    cause: "`kind`, `adapter` or `mcp.context` names something that `configs/` does not have.",
    fix: 'Correct the name, or use `kind = "generic"` with a `command`.',
  },
  "config/duplicate-id": {
    kind: "problem",
    title: "Two entries with one name",
    cause: "Two servers have the same `id`, or two tools the same `name`, in one file.",
    fix: "Rename or remove one.",
  },
  "config/untrusted": {
    kind: "problem",
    title: "This workspace's config is not trusted",
    cause: "A config found in a workspace may start programs only after a person has trusted it.",
    fix: "Read it, then run `lsp-proxy trust`, or name it with `--config`.",
  },
  "config/strayed": {
    kind: "problem",
    title: "A config outside the workspace",
    cause:
      "The config found in the workspace is a symbolic link to a file outside it. Trust applies to files in the workspace only.",
    fix: "Put the config itself into the workspace, or name it with `--config`.",
  },
  "config/trust-store": {
    kind: "problem",
    title: "The record of trusted configs is damaged",
    cause: "The file that lists the trusted workspace configs cannot be read or parsed.",
    fix: "Delete the file, then run `lsp-proxy trust` again in each workspace.",
  },
  "config/sealed": {
    kind: "problem",
    title: "The profile may only be narrowed",
    cause: "The profile is sealed: a config may restrict its values, never extend them.",
    fix: "Remove or lower the value, or choose another `mcp.context`.",
  },
  "config/shrunk": {
    kind: "warning",
    title: "A workspace asked for more than the user allows",
    cause:
      "A config found in a workspace may only restrict the defaults; once it is trusted, it may only restrict the user's own config.",
    fix: "Allow it in the user's config, trust the config with `lsp-proxy trust`, or name the file with `--config`.",
  },
  "config/no-effect": {
    kind: "warning",
    title: "A key has no effect",
    cause: "An older version used the key; this one accepts and ignores it.",
    fix: "Remove the key.",
  },
  "plan/unknown-method": {
    kind: "problem",
    title: "Unknown method",
    cause: "The method is not in the LSP specification and not declared in `[[methods]]`.",
    fix: "Correct the name, or declare it under `[[methods]]`.",
  },
  "plan/unknown-base": {
    kind: "problem",
    title: "Unknown parameter base",
    cause: "`params` names a base that does not exist.",
    fix: "Use one of the bases in the message.",
  },
  "plan/base-needs-anchor": {
    kind: "problem",
    title: "The input cannot fill the parameters",
    cause: "The parameter base needs a document, position or range that the tool's `input` does not have.",
    fix: "Add the anchor to `input`, or use another base.",
  },
  "plan/unknown-anchor": {
    kind: "problem",
    title: "Unknown input",
    cause: "`input` names something that a call cannot point at.",
    fix: "Use `workspace`, `document`, `position`, `range`, `symbol`, `text` or `query`.",
  },
  "plan/unknown-shape": {
    kind: "problem",
    title: "Unknown output shape",
    cause: "`output` names a shape that does not exist.",
    fix: "Use one of the shapes in the message.",
  },
  "plan/unknown-feature": {
    kind: "problem",
    title: "Unknown feature",
    cause: "`features` names something that no LSP method belongs to.",
    fix: "Correct the name; features are named after the methods: `hover`, `diagnostics`, `call_hierarchy`.",
  },
  "plan/unknown-action": {
    kind: "problem",
    title: "Unknown runtime action",
    cause: "A runtime step names an action that does not exist.",
    fix: "Use one of the actions in the message.",
  },
  "plan/unknown-server": {
    kind: "problem",
    title: "Unknown server",
    cause: "A tool, method or rule names a server id that is not configured.",
    fix: "Correct the id, or add the server.",
  },
  "plan/unknown-tool": {
    kind: "problem",
    title: "Unknown tool",
    cause: "A step or a list names a tool that does not exist.",
    fix: "Correct the name, or declare the tool.",
  },
  "plan/absent-tool": {
    kind: "warning",
    title: "A named tool is not in this profile",
    cause: "`mcp.tools` names a tool that exists, but not in the active profile.",
    fix: "Choose a profile that has it, or remove the name.",
  },
  "plan/tool-cycle": {
    kind: "problem",
    title: "A tool calls itself",
    cause: "Tool steps form a cycle.",
    fix: "Break the cycle.",
  },
  "plan/bad-reference": {
    kind: "problem",
    title: "Reference out of scope",
    cause: "A `from` names an argument, a step or an item that does not exist at that point.",
    fix: "Refer to an argument of this tool, an earlier step, `each` inside an `each` step, or the document.",
  },
  "plan/bad-step": {
    kind: "problem",
    title: "Inconsistent step",
    cause: "A step has a key of another kind of step, or lacks a required key.",
    fix: "Follow the table of step kinds in the mapping language.",
  },
  "plan/bad-tool": {
    kind: "problem",
    title: "Inconsistent tool",
    cause:
      "A tool has neither `request` nor `steps`, or both, or an argument with the name of a pointing argument.",
    fix: "Give exactly one of `request` and `steps`; rename the argument.",
  },
  "plan/bad-schema": {
    kind: "problem",
    title: "Unusable result schema",
    cause: "`result` of a custom method is not a self-contained JSON Schema (2020-12).",
    fix: "Correct the schema. References to other documents and unknown keywords are not supported.",
  },
  "plan/bad-text": {
    kind: "problem",
    title: "Unusable text template",
    cause:
      "`text` names no shipped template, does not parse, or uses more than paths, literals, `#each`, `#if`, `#unless`, `else`, `@index` and `json`.",
    fix: "Use one of the templates in `templates/text/`, or only those elements.",
  },
  "plan/bad-dialect": {
    kind: "problem",
    title: "Unknown code in a dialect",
    cause: "A key of `dialect.errors` or `dialect.warnings` is not a code, a prefix of codes, or `*`.",
    fix: "Use the codes in the list of problems.",
  },
  "plan/no-command": {
    kind: "problem",
    title: "A server without a command",
    cause: "A server has no preset and no `command`.",
    fix: "Set `command`, or a `kind` from the list of presets.",
  },
  "plan/host-not-allowed": {
    kind: "problem",
    title: "Host not allowed",
    cause:
      "A language server must run on this machine, unless `allow.hosts` contains its host. A server that lsp-proxy starts is always local.",
    fix: "Add the host to `allow.hosts`, or use 127.0.0.1.",
  },
  "plan/no-process": {
    kind: "problem",
    title: "No process to limit",
    cause:
      "`limits` and `sandbox` apply to a process that lsp-proxy starts. This server is already running, or the sandbox would block its connection.",
    fix: "Remove the key and limit the server where it is started, or let lsp-proxy start it (`mode`).",
  },
  "plan/command-not-allowed": {
    kind: "problem",
    title: "Command not allowed",
    cause:
      "`allow.commands` does not contain the program of this server. Without `[allow]` only programs of presets may be started.",
    fix: "Add the program to `allow.commands`.",
  },
  "plan/bad-command": {
    kind: "problem",
    title: "Bad command",
    cause: "A command is neither a bare name nor an absolute path, or contains a glob or shell syntax.",
    fix: "Write a bare name on PATH or an absolute path. Put arguments into `args`.",
  },
  "plan/no-route": {
    kind: "problem",
    title: "A server without files",
    cause: "A server has no extensions, file names or globs, so no file is routed to it.",
    fix: "Give it `extensions`, `filenames` or `globs`.",
  },
  "plan/route-conflict": {
    kind: "problem",
    title: "Two servers for one file",
    cause:
      "Two servers have the same files, and neither `priority` nor `features` determines which one is asked.",
    fix: "Give them different `priority`, or split their `features`.",
  },
  "plan/name-too-long": {
    kind: "warning",
    title: "A long tool name",
    cause: "Some clients cut or drop tools whose names are longer than 40 characters.",
    fix: "Shorten the name.",
  },
  "bundle/missing": {
    kind: "problem",
    title: "No bundle here",
    cause: "The folder has no manifest, or a file that the manifest names is missing.",
    fix: "Run `lsp-proxy generate`.",
  },
  "bundle/corrupt": {
    kind: "problem",
    title: "The bundle was changed",
    cause: "A file's hash differs from the manifest's.",
    fix: "Find out who changed the file, then run `lsp-proxy generate`.",
  },
  "bundle/foreign": {
    kind: "problem",
    title: "A foreign file",
    cause: "The bundle's folder contains a file that is not in the manifest.",
    fix: "Remove the file, or use another folder.",
  },
  "bundle/abi": {
    kind: "problem",
    title: "Another ABI",
    cause: "The bundle was generated for another version of the runtime.",
    fix: "Run `lsp-proxy generate` with this version.",
  },
  "bundle/pin": {
    kind: "problem",
    title: "Not the pinned bundle",
    cause: "The bundle's hash is not the one given with `--expect`.",
    fix: "Use the pinned bundle, or pin the new one after reading it.",
  },
  "bundle/stale": {
    kind: "problem",
    title: "The bundle is stale",
    cause: "Generating it again gives different bytes.",
    fix: "Run `lsp-proxy generate` and commit the result.",
  },
  "bundle/unwritable": {
    kind: "problem",
    title: "The bundle cannot be written",
    cause: "The folder cannot be created, or contains files that are not a bundle.",
    fix: "Choose an empty folder or an older bundle's folder.",
  },
  "http/remote-bind": {
    kind: "problem",
    title: "An address that other machines can reach",
    cause: "`http.bind` is not a loopback address, and `--allow-remote` is not set.",
    fix: "Remove `http.bind`, or start with `--allow-remote` and your own token.",
  },
  "http/no-token": {
    kind: "problem",
    title: "No token",
    cause: "The gateway needs a token, and there is none.",
    fix: "Set the variable in `http.token_env`, set `http.token_file`, or run `lsp-proxy token --new`.",
  },
  "http/bad-tokens": {
    kind: "problem",
    title: "Unusable tokens",
    cause:
      "A source of tokens is empty or damaged, has more than 32 tokens, or has a token that is too short.",
    fix: "Each token has 16 to 512 letters, digits or `-._~+/=`. `lsp-proxy token --new` creates one.",
  },
  "http/loose-file": {
    kind: "problem",
    title: "Other users can read the tokens",
    cause: "The token file must be a regular file that belongs to this user and that nobody else can read.",
    fix: "Run `chmod 600` on it. If others could read it, change the tokens too.",
  },
  "http/listen-failed": {
    kind: "problem",
    title: "The address is taken",
    cause: "The gateway cannot listen on `http.bind` and `http.port`.",
    fix: "Stop the program that listens there, or choose another port; `port = 0` picks a free one.",
  },
  "client/no-place": {
    kind: "problem",
    title: "No place for the entry",
    cause: "A client's file has something else, or an unusual syntax, where the entry belongs.",
    fix: "Edit it by hand: `lsp-proxy client NAME` prints the entry.",
  },
  "client/taken": {
    kind: "problem",
    title: "The name is taken",
    cause: "A client's file has an entry with that name that does not start lsp-proxy.",
    fix: "Choose another name with `--name`, or replace the entry with `--force`.",
  },
  "client/edited": {
    kind: "problem",
    title: "Edited by hand",
    cause: "A skill or a section that lsp-proxy wrote was changed afterwards.",
    fix: "Put your own text outside of it. `--force` replaces or removes it.",
  },
  "cli/usage": {
    kind: "problem",
    title: "Wrong usage",
    cause: "An unknown command or flag, or a missing argument.",
    fix: "See `lsp-proxy --help`.",
  },
  "cli/not-writable": {
    kind: "problem",
    title: "A file cannot be written",
    cause:
      "Its folder does not exist, the file is read-only or belongs to another user, or the system refused for another reason.",
    fix: "Create the folder, make the file writable, or name another file. `--help` of the command says how to print instead of writing.",
  },
  "cli/not-readable": {
    kind: "problem",
    title: "A file cannot be read",
    cause: "The path is a folder, not a regular file, or not readable by this user.",
    fix: "Name a readable file, or change its permissions.",
  },
  "guard/unknown-tool": {
    kind: "refusal",
    title: "Unknown tool",
    cause: "No listed tool has that name.",
    fix: "Call a tool from `tools/list`.",
  },
  "guard/invalid-arguments": {
    kind: "refusal",
    title: "Invalid arguments",
    cause: "The arguments do not fit the tool's input schema.",
    fix: "Correct the arguments that the issues name.",
  },
  "guard/outside-root": {
    kind: "refusal",
    title: "Outside the workspace",
    cause: "The real path is outside every root.",
    fix: "Name a file inside the workspace, or add its folder to `workspace.extra_roots`.",
  },
  "guard/denied": {
    kind: "refusal",
    title: "Denied path",
    cause: "The path matches `workspace.deny`.",
    fix: "Name another file.",
  },
  "guard/bad-uri": {
    kind: "refusal",
    title: "Unusable file name",
    cause: "Only paths and `file:` URIs without a host are accepted.",
    fix: "Give a path relative to the workspace.",
  },
  "guard/not-a-file": {
    kind: "refusal",
    title: "Not a readable file",
    cause: "The path does not exist, or is a folder, a device, too large, binary or not UTF-8.",
    fix: "Name a text file; check the spelling.",
  },
  "guard/too-large": {
    kind: "refusal",
    title: "Answer too large",
    cause: "Even after cutting, the answer is larger than the hard limit.",
    fix: "Ask for less: a narrower query or one file.",
  },
  "route/no-server": {
    kind: "refusal",
    title: "No server for this file",
    cause: "No configured language server handles this kind of file.",
    fix: "Add a server for its extension to the config.",
  },
  "point/incomplete": {
    kind: "refusal",
    title: "Incomplete position",
    cause: "The call has neither a complete position nor a symbol.",
    fix: "Give `line` and `character`, or `symbol_name`.",
  },
  "point/out-of-range": {
    kind: "refusal",
    title: "Position outside the file",
    cause: "The line does not exist in the file.",
    fix: "Count lines and characters as the tool's description says.",
  },
  "point/no-symbol": {
    kind: "refusal",
    title: "No such symbol",
    cause: "No symbol of the file or the workspace has that name.",
    fix: "List the file's symbols, or point by position.",
  },
  "point/no-line": {
    kind: "refusal",
    title: "No such line",
    cause: "No line of the file has the given text.",
    fix: "Read the file again, or point by a position or a name.",
  },
  "lsp/not-supported": {
    kind: "refusal",
    title: "The server cannot do this",
    cause: "The language server does not offer the method.",
    fix: "Use another tool. The server status lists the supported features.",
  },
  "lsp/no-answer": {
    kind: "refusal",
    title: "No result",
    cause: "A step of the tool needs a result, and the server returned none.",
    fix: "Point at a symbol.",
  },
  "lsp/not-installed": {
    kind: "refusal",
    title: "The server is not installed",
    cause: "The program of the language server was not found.",
    fix: "Install it as the message says.",
  },
  "lsp/not-allowed": {
    kind: "refusal",
    title: "The server may not be started",
    cause:
      "The program is not in `allow.commands`, or it is in an untrusted workspace, or it would run code of an untrusted workspace (build scripts, packages, plugins).",
    fix: "Add the program to `allow.commands`, or trust the workspace with `lsp-proxy trust`.",
  },
  "lsp/not-locked": {
    kind: "refusal",
    title: "The program differs from the locked one",
    cause:
      "The programs of this folder were locked with `lsp-proxy lock`. The program of this server has changed, moved or is new, or the lock record cannot be read.",
    fix: "Find out why it changed, then run `lsp-proxy lock` again.",
  },
  "lsp/no-sandbox": {
    kind: "refusal",
    title: "The sandbox is not available",
    cause:
      "`sandbox` needs Linux and bubblewrap (for `no_network`, util-linux is enough). One of them is missing, the system forbids it, or the server runs elsewhere.",
    fix: "Install bubblewrap (`bwrap`) and allow it, or remove `sandbox` from the server's config.",
  },
  "lsp/too-many": {
    kind: "refusal",
    title: "Too many servers are busy",
    cause: "`limits.max_servers` language servers are running, and none of them is idle.",
    fix: "Call again later, or raise `limits.max_servers`.",
  },
  "lsp/busy": {
    kind: "refusal",
    title: "The server is overloaded",
    cause: "Too many requests are waiting for the language server.",
    fix: "Call again when the other calls are done, or restart the server.",
  },
  "lsp/start-failed": {
    kind: "refusal",
    title: "The server did not start",
    cause: "The language server exited or failed before it was initialized.",
    fix: "See the last lines of its stderr in the server status.",
  },
  "lsp/exited": {
    kind: "refusal",
    title: "The server exited",
    cause: "The language server exited during the call.",
    fix: "Call again; the server is restarted.",
  },
  "lsp/timeout": {
    kind: "refusal",
    title: "No answer in time",
    cause: "The language server did not answer within the time limit.",
    fix: "Call again, or raise `request_timeout_ms`.",
  },
  "lsp/failed": {
    kind: "refusal",
    title: "The server reported an error",
    cause: "The language server answered with an error.",
    fix: "See its message.",
  },
  "lsp/garbled": {
    kind: "refusal",
    title: "The server violates the protocol",
    cause: "The language server sent an invalid message, or one that is larger than the limit.",
    fix: "See its stderr, and report it to the authors of the server.",
  },
  "lsp/invalid-reply": {
    kind: "refusal",
    title: "A reply violates its declared schema",
    cause:
      "The language server's reply does not match the `result` schema that the config declares for the method.",
    fix: "Correct `result` of the method in `[[methods]]`, or report the reply to the server's makers.",
  },
  "call/cancelled": {
    kind: "refusal",
    title: "Cancelled",
    cause: "The client cancelled the call.",
    fix: "Call again.",
  },
  "edit/refused": {
    kind: "refusal",
    title: "The edit was refused",
    cause:
      "At least one part of the edit cannot be applied, so nothing was changed; `reasons` lists every such part.",
    fix: "Fix the reasons, preview again, and apply that preview.",
  },
  "edit/changed": {
    kind: "refusal",
    title: "A file changed since the preview",
    cause: "The content of the file is not the one that the edit was made for; another program wrote it.",
    fix: "Preview again to get an edit for the current content.",
  },
  "edit/unexpected": {
    kind: "refusal",
    title: "Unexpected files",
    cause: "The expected hashes lack a file of the edit, or contain a file that the edit does not change.",
    fix: "Give the hash of every file in the preview, or none.",
  },
  "edit/overlap": {
    kind: "refusal",
    title: "Overlapping edits",
    cause: "Two changes of one file touch the same characters.",
    fix: "Give changes that do not overlap.",
  },
  "edit/out-of-range": {
    kind: "refusal",
    title: "Outside the text",
    cause: "A change begins or ends outside the text or inside a character, or it ends before it begins.",
    fix: "Read the file again and repeat the call.",
  },
  "edit/read-only": {
    kind: "refusal",
    title: "Not writable",
    cause:
      "The file is in a folder of `workspace.extra_roots`, which are read-only, or it is write-protected.",
    fix: "Edit a file in `workspace.roots`, or make it writable.",
  },
  "edit/own-config": {
    kind: "refusal",
    title: "A file that controls the proxy",
    cause:
      "The config, a file it extends, the state folder (trust, locks, tokens, journal), the served bundle, or a file with the name of a config. An agent that edits these could give itself any permission.",
    fix: "Change it by hand, and restart the proxy.",
  },
  "edit/exists": {
    kind: "refusal",
    title: "The target exists",
    cause: "A file would be created, or renamed to a path, where a file or folder already exists.",
    fix: "Choose another name, or allow overwriting.",
  },
  "edit/missing": {
    kind: "refusal",
    title: "The file does not exist",
    cause: "A file or folder that would be edited, renamed or deleted does not exist.",
    fix: "Check the path.",
  },
  "edit/not-empty": {
    kind: "refusal",
    title: "The folder is not empty",
    cause: "A folder that is not empty is deleted only if the call asks for it.",
    fix: "Ask for a recursive delete.",
  },
  "edit/bad-target": {
    kind: "refusal",
    title: "Impossible target",
    cause:
      "The target is a root, is inside the moved folder itself, or is a file where a folder is needed or the reverse.",
    fix: "Name another target.",
  },
  "edit/too-large": {
    kind: "refusal",
    title: "The edit is too large",
    cause: "The edit changes more files or bytes than the undo journal can hold.",
    fix: "Split the edit.",
  },
  "edit/unknown-token": {
    kind: "refusal",
    title: "No such preview",
    cause: "The token is unknown, or its preview has expired.",
    fix: "Preview again.",
  },
  "edit/unknown-undo": {
    kind: "refusal",
    title: "Nothing to undo",
    cause: "The token is unknown, already used or expired. The undo journal is limited in size and age.",
    fix: "Use version control.",
  },
  "edit/undo-conflict": {
    kind: "refusal",
    title: "Changed since the edit",
    cause: "A file was changed after the edit, and undoing the edit would lose that change.",
    fix: "Check the files in the reasons and decide by hand.",
  },
  "edit/busy": {
    kind: "refusal",
    title: "Another edit is running",
    cause: "Another process of the same user is editing files and did not finish in time.",
    fix: "Try again in a moment.",
  },
  "edit/failed": {
    kind: "refusal",
    title: "The edit failed and was rolled back",
    cause: "The system refused a step (disk full, permission, existing file). All files are as before.",
    fix: "Fix the cause in the reason, and apply again.",
  },
  "edit/left-behind": {
    kind: "refusal",
    title: "The rollback is incomplete",
    cause: "An edit failed half way, and a file could not be restored or was changed by another program.",
    fix: "Check the files in the reasons. The restore is tried again before the next edit.",
  },
  "edit/not-ready": {
    kind: "refusal",
    title: "The server is still indexing",
    cause:
      "The edit was computed while the language server was still indexing, so it may miss files and is not applied.",
    fix: "Wait until get_server_status says ready, then preview again.",
  },
  "edit/not-seen": {
    kind: "refusal",
    title: "Preview required",
    cause:
      "The edit may be incomplete: the server asks for a confirmation, does not report indexing, failed in a part, or was just notified of changed files.",
    fix: "Call with dry_run true, check the preview, and apply it by its edit_token.",
  },
  "edit/not-alone": {
    kind: "refusal",
    title: "The declaration shares its lines",
    cause:
      "Other code is on the same lines as the declaration, or the declaration is part of a list, and the text would break it.",
    fix: "Follow the message, or edit those lines with apply_workspace_edit.",
  },
  "edit/snippet": {
    kind: "refusal",
    title: "A snippet that only an editor can fill in",
    cause: "The server returned a snippet with variables or transformations instead of a text.",
    fix: "Choose another action, or edit the text by hand.",
  },
  "edit/no-action": {
    kind: "refusal",
    title: "No such action",
    cause: "No available action has that id, or the action is disabled.",
    fix: "Use an id from `actions` in the data, or list the actions of the same file and range again.",
  },
  "edit/command-not-allowed": {
    kind: "refusal",
    title: "The action runs a command that is not allowed",
    cause: "The action runs a command of the server that the config does not allow.",
    fix: "Allow the effect `command` and name the command in the server's `execute_commands`, or choose another action.",
  },
  "edit/no-journal": {
    kind: "refusal",
    title: "The journal is not available",
    cause: "The state folder cannot be written, and without a journal an edit is not safe.",
    fix: "Make the folder writable, or set XDG_STATE_HOME to another folder.",
  },
  "call/not-begun": {
    kind: "refusal",
    title: "Not started",
    cause: "Earlier steps of the same call used up its time.",
    fix: "Call this tool alone, or raise `timeout_ms` of the calling tool.",
  },
  "call/steps-failed": {
    kind: "refusal",
    title: "Every step failed",
    cause: "All tools that this tool calls failed, for different reasons.",
    fix: "See the code of each step, or call the tools one by one.",
  },
  "page/cursor-invalid": {
    kind: "refusal",
    title: "Invalid cursor",
    cause: "The cursor does not decode, or belongs to another tool or other arguments.",
    fix: "Call without a cursor.",
  },
  "page/cursor-stale": {
    kind: "refusal",
    title: "The files changed",
    cause: "Files that the list depends on changed after the first page.",
    fix: "Call without a cursor.",
  },
  "page/cursor-expired": {
    kind: "refusal",
    title: "The list has expired",
    cause: "The stored list was evicted or has expired.",
    fix: "Call without a cursor.",
  },
  "page/snapshot-too-large": {
    kind: "refusal",
    title: "Too much to page through",
    cause: "The whole list is larger than the memory for paging.",
    fix: "Narrow the call.",
  },
  "answer/not-ready": {
    kind: "warning",
    title: "The server was not ready",
    cause: "It was still starting or indexing, so the answer may be incomplete or empty.",
    fix: "Call again later.",
  },
  "answer/files-changed": {
    kind: "warning",
    title: "Files changed just now",
    cause:
      "Files changed shortly before a search or an edit of the workspace, and the server may not have processed them yet.",
    fix: "Call again if something that you expect is missing.",
  },
  "answer/not-supported": {
    kind: "warning",
    title: "The server cannot do this",
    cause: "The language server does not offer the method; the answer is empty for that reason.",
    fix: "Use another tool.",
  },
  "answer/truncated": {
    kind: "warning",
    title: "The answer was cut",
    cause: "There are more results than the limits allow.",
    fix: "Get the next page, or narrow the call.",
  },
  "answer/clamped": {
    kind: "warning",
    title: "A number was clamped",
    cause: "An argument was over its maximum or under its minimum; the nearest allowed number was used.",
    fix: "Ask for a number within the bounds.",
  },
  "answer/snippets-dropped": {
    kind: "warning",
    title: "Source lines were left out",
    cause: "With a source line for each location, fewer locations would fit in the answer.",
    fix: "Ask for fewer locations or a larger answer, or read the files.",
  },
  "answer/snippet-cut": {
    kind: "warning",
    title: "A source line was cut",
    cause: "The line and its context are longer than the limit for a snippet.",
    fix: "Ask for longer snippets if the tool has such an argument, or read the file.",
  },
  "answer/answers-dropped": {
    kind: "warning",
    title: "Answers of a batch were left out",
    cause: "All answers together are larger than the limit; the largest were left out.",
    fix: "Call those tools one by one, or in a smaller batch.",
  },
  "answer/step-failed": {
    kind: "warning",
    title: "A step failed",
    cause: "One of the tools that this tool calls failed; the others did not.",
    fix: "See the step's own answer.",
  },
  "answer/dropped": {
    kind: "warning",
    title: "Results outside the workspace",
    cause: "Some results are outside the roots and are not shown.",
    fix: "Add the folder to `workspace.extra_roots`.",
  },
  "answer/several-matches": {
    kind: "warning",
    title: "Several symbols have that name",
    cause: "The name is not unique.",
    fix: "Point by position, or give the kind or a name path.",
  },
  "answer/partial-servers": {
    kind: "warning",
    title: "A server failed",
    cause: "One of several servers did not answer; the others did.",
    fix: "See the server status.",
  },
  "answer/fuzzed-position": {
    kind: "warning",
    title: "Another position was used",
    cause: "Nothing was found at the exact position, but next to it.",
    fix: "Check that it is the symbol you meant.",
  },
  "answer/found-elsewhere": {
    kind: "warning",
    title: "The symbol is in another file",
    cause: "The named file does not declare the symbol, but one other file of the workspace does.",
    fix: "Check that it is the symbol you meant.",
  },
  "answer/without-diagnostics": {
    kind: "warning",
    title: "Actions without diagnostics",
    cause: "The diagnostics of the file were not available in time, so actions that fix them may be missing.",
    fix: "Call again later.",
  },
  "answer/snippet-stripped": {
    kind: "warning",
    title: "A snippet was used as plain text",
    cause: "The server returned a snippet with tab stops; the stops were replaced by their default texts.",
    fix: "Check the preview.",
  },
  "answer/needs-confirmation": {
    kind: "warning",
    title: "A part of the edit needs confirmation",
    cause: "The server marked some changes for review.",
    fix: "Check the edits with that note, then apply the preview by its edit_token.",
  },
  "answer/command-unseen": {
    kind: "warning",
    title: "A command may change more",
    cause: "The action runs a command of the server; its changes are known only afterwards.",
    fix: "Check the result; undo_edit reverts it.",
  },
  "answer/command-skipped": {
    kind: "warning",
    title: "Only the edit of an action is applied",
    cause: "The action also runs a command of the server, and the config does not allow it.",
    fix: "Nothing, if the edit is enough. Otherwise allow the effect `command` and add the command to `execute_commands`.",
  },
  "answer/references-kept": {
    kind: "warning",
    title: "References to the file are not updated",
    cause: "No language server offers to update imports and other references to the file.",
    fix: "Search for the old name after the change.",
  },
  "answer/path-withheld": {
    kind: "warning",
    title: "The server was started without some paths",
    cause:
      "An environment variable (PATH, PYTHONPATH, VIRTUAL_ENV or another) contains a path in an untrusted workspace, and nothing is run or loaded from there. Answers and diagnostics lack what the server would find there.",
    fix: "Run `lsp-proxy trust` if you trust the workspace, and restart. Or set the variable in `env` of the server.",
  },
  "answer/no-project": {
    kind: "warning",
    title: "The server does not know the whole project",
    cause: "No parent folder has a project file of this server, so the server knows only open files.",
    fix: "Create the project file in the message, or search for missing places (find_references, text search) before applying the edit.",
  },
  "answer/attributes-lost": {
    kind: "warning",
    title: "Extended attributes were lost",
    cause:
      "An edit replaces the file, and the system did not allow copying all extended attributes or access control lists.",
    fix: "Set them again, or undo the edit and make it by hand.",
  },
  "answer/owner-lost": {
    kind: "warning",
    title: "The owner of files changed",
    cause: "An edit replaces the file, and only root can keep another owner.",
    fix: "Change the owner back, or run the proxy as the owner.",
  },
  "answer/edit-incomplete": {
    kind: "warning",
    title: "A step after the edit failed",
    cause: "The files are changed, but a language server failed afterwards.",
    fix: "Nothing needs to be repeated; see the message.",
  },
  "answer/other-symbol": {
    kind: "warning",
    title: "A different symbol",
    cause:
      "The symbol at the position, or the one that the server resolved, has a different name than the one in the call.",
    fix: "Check that it is the symbol you meant: it may be an alias, a re-export or a constructor.",
  },
  "answer/changed-meanwhile": {
    kind: "warning",
    title: "A file changed during the call",
    cause: "A program keeps writing a file of the answer, so positions in it may be wrong.",
    fix: "Call again when the file no longer changes; `document` identifies the text of this answer.",
  },
  "answer/not-watched": {
    kind: "warning",
    title: "Not all files are watched",
    cause:
      "The workspace has more files than are watched (100,000 that git does not ignore), or its folders have no change events because the system's watches are used up or it is on a network file system; it is then scanned in the background every few seconds. Or the named folder, which git ignores, is too large: only packages that come or go at its top level are seen. Files that answers showed last are checked before every call in all of these cases.",
    fix: "Leave folders out with `workspace.deny` or `.gitignore`, raise `fs.inotify.max_user_watches`, or restart the server after large changes.",
  },
  "answer/server-restarted": {
    kind: "warning",
    title: "The server was restarted",
    cause: "The language server had exited and was restarted for this call.",
    fix: "Nothing, unless it happens again.",
  },
  "runtime/fault": {
    kind: "fault",
    title: "Internal error",
    cause: "A bug in lsp-proxy.",
    fix: "Report it with the log.",
  },
} as const satisfies { [code: string]: CodeFacts };

export type Code = keyof typeof codes;
