/**
 * The catalogue of every code a person or an agent can meet. A code cannot exist without a title, a cause and a
 * fix; `docs/problems.md` is printed from here.
 */

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
    cause: "A config that was named does not exist or cannot be read.",
    fix: "Check the path, or leave `--config` out to use the discovered config or the embedded default.",
  },
  "config/syntax": {
    kind: "problem",
    title: "The file does not parse",
    cause: "The file is not valid TOML or JSON.",
    fix: "Mend the syntax at the place shown.",
  },
  "config/duplicate-key": {
    kind: "problem",
    title: "A key stands twice",
    cause: "The same key is given twice in one table; which one counts would be a guess.",
    fix: "Remove one of the two.",
  },
  "config/unknown-key": {
    kind: "problem",
    title: "Unknown key",
    cause: "The schema is closed: a key that it does not know is a mistake, never ignored.",
    fix: "Correct the name, or remove the key. `lsp-proxy schema` prints what exists.",
  },
  "config/wrong-type": {
    kind: "problem",
    title: "Wrong type",
    cause: "The value has another type than the key asks for.",
    fix: "Give a value of the type shown.",
  },
  "config/bad-value": {
    kind: "problem",
    title: "Value out of range",
    cause: "The value has the right type but is not allowed.",
    fix: "Use one of the values, or a number within the bounds, that the message names.",
  },
  "config/missing-key": {
    kind: "problem",
    title: "A key is missing",
    cause: "A required key is absent.",
    fix: "Add the key.",
  },
  "config/unsupported-value": {
    kind: "problem",
    title: "A value that JSON does not have",
    cause: "Dates, NaN, infinities and the key `__proto__` have no place in a config.",
    fix: "Write a text or a finite number; rename the key.",
  },
  "config/relative-variable": {
    kind: "problem",
    title: "A variable that names no one file",
    cause:
      "`LSPI_CONFIG_PATH` is a relative path. Naming a config is trusting it, and this would trust a file of every workspace.",
    fix: "Write the absolute path, or name the file with `--config`.",
  },
  "config/bad-extends": {
    kind: "problem",
    title: "A layer cannot be used",
    cause:
      "An entry of `extends` names no shipped config, lies outside what may be read, is a URL, or extends itself.",
    fix: "Name a config that `lsp-proxy schema --layers` lists, or a path that begins with `./` or `../`.",
  },
  "config/unknown-preset": {
    kind: "problem",
    title: "No such preset",
    cause: "`kind`, `adapter` or `mcp.context` names something that `configs/` does not have.",
    fix: 'Correct the name, or `kind = "generic"` with a `command`.',
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
    cause: "A config that was found in a workspace may start programs only after a person has said so.",
    fix: "Read it, then run `lsp-proxy trust`, or name it with `--config`.",
  },
  "config/strayed": {
    kind: "problem",
    title: "A found config lies elsewhere",
    cause:
      "What was found in the workspace is a link to a file outside it. Trust belongs to a config where it stands, and what else a link reaches is nobody's config.",
    fix: "Put the config itself into the workspace, or name it with `--config`.",
  },
  "config/trust-store": {
    kind: "problem",
    title: "The record of trusted configs is damaged",
    cause: "The file that remembers which workspace configs may start programs cannot be read or understood.",
    fix: "Delete the file, then run `lsp-proxy trust` again in each workspace.",
  },
  "config/sealed": {
    kind: "problem",
    title: "The profile may only be narrowed",
    cause: "The profile fails closed: what a config says over it may be less than it says, never more.",
    fix: "Take the value out or lower it, or choose another `mcp.context`.",
  },
  "config/shrunk": {
    kind: "warning",
    title: "A workspace asked for more than the user allows",
    cause:
      "A discovered config may only narrow what holds without it; once it is trusted, what the user's own config allows.",
    fix: "Allow it in the user's config, trust the config with `lsp-proxy trust`, or name the file with `--config`.",
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
    fix: "Use one of the bases that the message names.",
  },
  "plan/base-needs-anchor": {
    kind: "problem",
    title: "The call does not point at enough",
    cause: "The parameter base needs a document, position or range that the tool's `input` does not bring.",
    fix: "Add the anchor to `input`, or use another base.",
  },
  "plan/unknown-anchor": {
    kind: "problem",
    title: "Unknown input",
    cause: "`input` names something that a call cannot point at.",
    fix: "Use `workspace`, `document`, `position`, `range`, `symbol` or `query`.",
  },
  "plan/unknown-shape": {
    kind: "problem",
    title: "Unknown output shape",
    cause: "`output` names a shape that does not exist.",
    fix: "Use one of the shapes that the message names.",
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
    fix: "Use one of the actions that the message names.",
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
    cause: "`mcp.tools` names a tool that exists but that the active profile does not bring.",
    fix: "Choose the profile that has it, or drop the name.",
  },
  "plan/tool-cycle": {
    kind: "problem",
    title: "A tool calls itself",
    cause: "Tool steps form a circle.",
    fix: "Break the circle.",
  },
  "plan/bad-reference": {
    kind: "problem",
    title: "Reference out of scope",
    cause: "A `from` names an argument, a step or an item that does not exist at that point.",
    fix: "Refer to an argument of this tool, an earlier step, `each` inside an `each` step, or the document.",
  },
  "plan/bad-step": {
    kind: "problem",
    title: "A step does not hold together",
    cause: "Keys of a step contradict its kind, or one that the kind needs is missing.",
    fix: "Follow the table of step kinds in the mapping language.",
  },
  "plan/bad-tool": {
    kind: "problem",
    title: "A tool does not hold together",
    cause:
      "A tool has neither `request` nor `steps`, both, or an argument whose name the pointing already uses.",
    fix: "Give exactly one of `request` and `steps`; rename the argument.",
  },
  "plan/bad-schema": {
    kind: "problem",
    title: "A result schema that cannot be used",
    cause: "`result` of a custom method is not a JSON Schema (2020-12) that stands on its own.",
    fix: "Mend the schema; references to other documents and unknown keywords are not taken.",
  },
  "plan/bad-text": {
    kind: "problem",
    title: "A text template that cannot be used",
    cause:
      "`text` names no shipped template, does not parse, or uses more than paths, literals, `#each`, `#if`, `#unless`, `else`, `@index` and `json`.",
    fix: "Use one of the templates in `templates/text/`, or a text with those words only.",
  },
  "plan/bad-dialect": {
    kind: "problem",
    title: "A dialect that does not hold together",
    cause: "A key of `dialect.errors` is neither a code of a refusal, nor a family of them, nor `*`.",
    fix: "Take the codes from the list of problems.",
  },
  "plan/no-command": {
    kind: "problem",
    title: "A server without a command",
    cause: "A server has no preset and no `command`.",
    fix: "Give a `command`, or a `kind` from the catalogue.",
  },
  "plan/host-not-allowed": {
    kind: "problem",
    title: "Host not allowed",
    cause:
      "A language server is reached on this machine only, unless `allow.hosts` has its host; one that is started from here listens, or is listened for, on this machine only.",
    fix: "Add the host to `allow.hosts`, or use 127.0.0.1.",
  },
  "plan/no-process": {
    kind: "problem",
    title: "Nothing to hold",
    cause:
      "`limits` and `sandbox` hold a process that is started from here; this server runs already, or would be cut off from its own connection.",
    fix: "Take the key out and confine the server where it is started, or let it be started from here (`mode`).",
  },
  "plan/command-not-allowed": {
    kind: "problem",
    title: "Command not allowed",
    cause:
      "`allow.commands` does not have the program of this server; without `[allow]` only the catalogue's own programs may be started.",
    fix: "Add the program to `allow.commands`.",
  },
  "plan/bad-command": {
    kind: "problem",
    title: "A command that cannot be allowed",
    cause: "A command is neither a bare name nor an absolute path, or contains a glob or shell syntax.",
    fix: "Write a bare name found on PATH, or an absolute path; put arguments into `args`.",
  },
  "plan/no-route": {
    kind: "problem",
    title: "A server that nobody routes to",
    cause: "A server has no extensions, file names or globs, so no file would ever reach it.",
    fix: "Give it `extensions`, `filenames` or `globs`.",
  },
  "plan/route-conflict": {
    kind: "problem",
    title: "Two servers for one file",
    cause: "Two servers claim the same files, and neither `priority` nor `features` says who is asked.",
    fix: "Give them different `priority`, or divide the work with `features`.",
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
    fix: "Run `lsp-proxy generate` and find out who changed the file.",
  },
  "bundle/foreign": {
    kind: "problem",
    title: "A file that is not ours",
    cause: "The bundle's folder holds a file that the manifest does not name.",
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
    cause: "Generating it again gives other bytes.",
    fix: "Run `lsp-proxy generate` and commit the result.",
  },
  "bundle/unwritable": {
    kind: "problem",
    title: "The bundle cannot be written",
    cause: "The folder cannot be created, or holds files that are not a bundle.",
    fix: "Choose an empty folder or an older bundle's folder.",
  },
  "http/remote-bind": {
    kind: "problem",
    title: "An address that other machines can reach",
    cause:
      "`http.bind` is not this machine's own address, and nobody said on the command line that this is meant.",
    fix: "Leave `http.bind` out, or start with `--allow-remote` and a token of your own.",
  },
  "http/no-token": {
    kind: "problem",
    title: "No token",
    cause: "The gateway answers nobody without a token, and there is none.",
    fix: "Set the variable that `http.token_env` names, name a `http.token_file`, or run `lsp-proxy token --new`.",
  },
  "http/bad-tokens": {
    kind: "problem",
    title: "Tokens that cannot be used",
    cause:
      "A source of tokens is empty, damaged, has more than 32 of them, or one that is too short to be a secret.",
    fix: "Use 16 to 512 letters, digits or `-._~+/=` for each. `lsp-proxy token --new` makes one.",
  },
  "http/loose-file": {
    kind: "problem",
    title: "Others may read the tokens",
    cause: "The file with the tokens is not a regular file of this user that only its owner can read.",
    fix: "`chmod 600` it; if others could read it before, change the tokens too.",
  },
  "http/listen-failed": {
    kind: "problem",
    title: "The address is taken",
    cause: "The gateway cannot listen on `http.bind` and `http.port`.",
    fix: "End what listens there, or choose another port; `port = 0` picks a free one.",
  },
  "client/no-place": {
    kind: "problem",
    title: "No place for the entry",
    cause: "A client's file has something else, or an unusual spelling, where the entry would stand.",
    fix: "Change it by hand: `lsp-proxy client NAME` prints what belongs there.",
  },
  "client/taken": {
    kind: "problem",
    title: "The name is taken",
    cause: "A client's file has an entry of that name that is not about lsp-proxy.",
    fix: "Choose another with `--name`, or replace the entry with `--force`.",
  },
  "client/edited": {
    kind: "problem",
    title: "Edited by hand",
    cause: "A skill or a section that lsp-proxy wrote has been changed since.",
    fix: "Keep your words outside of it, in the file or in a skill of your own; `--force` replaces or removes it.",
  },
  "cli/usage": {
    kind: "problem",
    title: "Wrong use",
    cause: "An unknown command or flag, or a missing argument.",
    fix: "See `lsp-proxy --help`.",
  },
  "cli/not-writable": {
    kind: "problem",
    title: "A file cannot be written",
    cause:
      "Its folder does not exist, the file is read-only or someone else's, or the system refused for another reason.",
    fix: "Make the folder or make the file writable, or name another file; `--help` of the command says how it prints instead of writing.",
  },
  "cli/not-readable": {
    kind: "problem",
    title: "A file cannot be read",
    cause: "What was named is a folder, is no plain file, or is not for this user to read.",
    fix: "Name a file that can be read, or change its permissions.",
  },
  "guard/unknown-tool": {
    kind: "refusal",
    title: "Unknown tool",
    cause: "No tool of that name is listed.",
    fix: "Call a tool that `tools/list` has.",
  },
  "guard/invalid-arguments": {
    kind: "refusal",
    title: "Invalid arguments",
    cause: "The arguments do not fit the tool's input schema.",
    fix: "Mend the arguments that the issues name.",
  },
  "guard/outside-root": {
    kind: "refusal",
    title: "Outside the workspace",
    cause: "The path leads, by its real path, outside every root.",
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
    title: "Not a usable file name",
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
    cause: "Even cut, the answer is larger than a hard limit.",
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
    title: "Pointing at nothing",
    cause: "The call names neither a position nor a symbol, or half of one.",
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
    cause: "Neither the file's symbols nor the workspace's have that name.",
    fix: "List the file's symbols, or point by position.",
  },
  "point/no-line": {
    kind: "refusal",
    title: "No such line",
    cause: "No line of the file has the text that the call gives.",
    fix: "Read the file again, or point by a position or a name.",
  },
  "lsp/not-supported": {
    kind: "refusal",
    title: "The server cannot do this",
    cause: "The language server does not offer the method.",
    fix: "Use another tool; the servers' status says what works.",
  },
  "lsp/no-answer": {
    kind: "refusal",
    title: "Nothing there",
    cause: "A step of the tool needs a result and the server gave none.",
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
      "The program is not in `allow.commands`, or lies in a workspace that is not trusted, or would run code of such a workspace: its build, its packages, what its configuration names.",
    fix: "Add the program to `allow.commands`, or trust the workspace with `lsp-proxy trust`.",
  },
  "lsp/not-locked": {
    kind: "refusal",
    title: "The program is not the one that was locked",
    cause:
      "The folder's programs were locked with `lsp-proxy lock`, and this server's has changed since, lies elsewhere or is new; or the record of them cannot be read.",
    fix: "Find out why it changed; then lock again with `lsp-proxy lock`.",
  },
  "lsp/no-sandbox": {
    kind: "refusal",
    title: "The sandbox cannot be had",
    cause:
      "The server's `sandbox` needs Linux and bubblewrap (for `no_network` util-linux does as well), and one of them is not here or the system forbids it; or the server runs elsewhere.",
    fix: "Install bubblewrap (`bwrap`) and allow it, or take `sandbox` out of the server's config.",
  },
  "lsp/too-many": {
    kind: "refusal",
    title: "Too many servers are busy",
    cause: "As many language servers run as `limits.max_servers` allows, and none of them is idle.",
    fix: "Call again later, or raise `limits.max_servers`.",
  },
  "lsp/busy": {
    kind: "refusal",
    title: "The server does not keep up",
    cause: "So many questions wait for the language server that one more is not accepted.",
    fix: "Call again when the others have been answered, or restart the server.",
  },
  "lsp/start-failed": {
    kind: "refusal",
    title: "The server did not start",
    cause: "The language server ended or failed before it was initialized.",
    fix: "Look at its last lines of stderr in the servers' status.",
  },
  "lsp/exited": {
    kind: "refusal",
    title: "The server ended",
    cause: "The language server died while it was asked.",
    fix: "Call again; it is started anew.",
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
    title: "The server talks nonsense",
    cause: "The language server sent something that is not the protocol, or a message over the limit.",
    fix: "Look at its stderr; report it to the server's makers.",
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
    cause: "At least one part of the edit cannot be done, so nothing was; `reasons` lists every part.",
    fix: "Mend what the reasons name, preview again, and apply that preview.",
  },
  "edit/changed": {
    kind: "refusal",
    title: "A file changed since it was looked at",
    cause: "The file does not have the content that the edit was made for; somebody else wrote it meanwhile.",
    fix: "Preview again: the new preview is about the file as it is now.",
  },
  "edit/unexpected": {
    kind: "refusal",
    title: "Not the files that were expected",
    cause: "The expected hashes leave out a file of the edit, or name one that it does not touch.",
    fix: "Give the hash of every file that the preview lists, or none at all.",
  },
  "edit/overlap": {
    kind: "refusal",
    title: "Overlapping edits",
    cause: "Two changes of one file touch the same characters; which one counts would be a guess.",
    fix: "Give changes that do not overlap.",
  },
  "edit/out-of-range": {
    kind: "refusal",
    title: "Outside the text",
    cause:
      "A change begins or ends outside the file's text, in reverse order, or in the middle of a character.",
    fix: "Look at the file as it is now and ask again.",
  },
  "edit/read-only": {
    kind: "refusal",
    title: "May not be written",
    cause:
      "The file lies in a folder of `workspace.extra_roots`, which are only ever read, or is write-protected.",
    fix: "Edit a file of the workspace's own roots, or make it writable.",
  },
  "edit/own-config": {
    kind: "refusal",
    title: "A file that governs the proxy",
    cause:
      "The config, a file it extends, the state folder (trust, locked programs, tokens, journal), a bundle that is served, or a name that a config may have: whoever edits those could allow itself anything.",
    fix: "Change it outside the proxy, by hand, and start the proxy again.",
  },
  "edit/exists": {
    kind: "refusal",
    title: "Something is already there",
    cause: "A file would be created, or something renamed, where a file or folder already stands.",
    fix: "Choose another name, or allow overwriting.",
  },
  "edit/missing": {
    kind: "refusal",
    title: "Nothing is there",
    cause: "A file or folder that would be edited, renamed or deleted does not exist.",
    fix: "Check the path.",
  },
  "edit/not-empty": {
    kind: "refusal",
    title: "The folder is not empty",
    cause: "A folder with something in it is only deleted when that is asked for.",
    fix: "Ask for a recursive delete.",
  },
  "edit/bad-target": {
    kind: "refusal",
    title: "Not a possible target",
    cause:
      "A root, a folder in its own inside, a file in the way of a folder, or a folder in place of a file.",
    fix: "Name another target.",
  },
  "edit/too-large": {
    kind: "refusal",
    title: "The edit is too large",
    cause: "The edit touches more files or bytes than can be kept for undoing it.",
    fix: "Edit less at once.",
  },
  "edit/unknown-token": {
    kind: "refusal",
    title: "No such preview",
    cause: "The token was never given, or its preview is too old.",
    fix: "Preview again.",
  },
  "edit/unknown-undo": {
    kind: "refusal",
    title: "Nothing to undo",
    cause: "The token was never given, was used already, or is too old: undo is bounded in size and age.",
    fix: "Use version control.",
  },
  "edit/undo-conflict": {
    kind: "refusal",
    title: "Changed since the edit",
    cause: "What the edit left behind was changed meanwhile; undoing it would lose that change.",
    fix: "Look at the files that the reasons name and decide by hand.",
  },
  "edit/busy": {
    kind: "refusal",
    title: "Another edit is under way",
    cause: "Another process of the same user is editing files and did not finish in time.",
    fix: "Try again in a moment.",
  },
  "edit/failed": {
    kind: "refusal",
    title: "The edit failed and was rolled back",
    cause:
      "The system refused a step (disk full, permission, a file in the way); every file is as it was before.",
    fix: "Remove what the reason names, and apply again.",
  },
  "edit/left-behind": {
    kind: "refusal",
    title: "Not everything could be put back",
    cause:
      "An edit stopped half way, and a file could not be put back or was changed by somebody else meanwhile.",
    fix: "Look at the files that the reasons name; what the system refused is tried again before the next edit.",
  },
  "edit/not-ready": {
    kind: "refusal",
    title: "The server has not indexed yet",
    cause:
      "The edit was made while the language server was still indexing, so it may miss files; it is not applied.",
    fix: "Wait until get_server_status says ready, then preview again.",
  },
  "edit/not-seen": {
    kind: "refusal",
    title: "To be seen first",
    cause:
      "The server asks for a confirmation, never says whether it has indexed, failed in a part, or has just been told of changed files; nobody has seen what would be changed.",
    fix: "Call with dry_run true, look at the preview, and apply it by its edit_token.",
  },
  "edit/not-alone": {
    kind: "refusal",
    title: "The declaration shares its lines",
    cause:
      "What stands beside the declaration on its lines, or the list that it is an element of, would be broken by the text.",
    fix: "Do as the message says, or give the edit of those lines to apply_workspace_edit.",
  },
  "edit/snippet": {
    kind: "refusal",
    title: "A snippet that only an editor can fill in",
    cause: "The server gave a snippet with variables or transformations instead of a text.",
    fix: "Choose another action, or edit the text by hand.",
  },
  "edit/no-action": {
    kind: "refusal",
    title: "No such action",
    cause: "No action on offer here has that id, or the action is disabled.",
    fix: "Use an id from `actions` in the data, or list the actions of the same file and range again.",
  },
  "edit/command-not-allowed": {
    kind: "refusal",
    title: "The action runs a command that is not allowed",
    cause: "The action is done by a command of the server, and the config does not allow it.",
    fix: "Allow the effect `command` and name the command in the server's `execute_commands`, or choose another action.",
  },
  "edit/no-journal": {
    kind: "refusal",
    title: "The journal cannot be used",
    cause: "The state folder cannot be written; without a journal no edit would be safe, so none is made.",
    fix: "Make the folder writable, or name another with XDG_STATE_HOME.",
  },
  "call/not-begun": {
    kind: "refusal",
    title: "Not begun",
    cause: "What the same call did before has used up its time.",
    fix: "Call this tool by itself, or give the whole a longer `timeout_ms`.",
  },
  "call/steps-failed": {
    kind: "refusal",
    title: "Every step failed",
    cause: "All tools that this tool is made of failed, for several reasons.",
    fix: "See the code of each step; call the tools by themselves.",
  },
  "page/cursor-invalid": {
    kind: "refusal",
    title: "Not a cursor of this call",
    cause: "The cursor does not decode, or belongs to another tool or other arguments.",
    fix: "Call without a cursor.",
  },
  "page/cursor-stale": {
    kind: "refusal",
    title: "The files changed",
    cause: "Something that the listing depends on changed after its first page.",
    fix: "Call without a cursor.",
  },
  "page/cursor-expired": {
    kind: "refusal",
    title: "The listing is gone",
    cause: "The listing was dropped to make room or after its time.",
    fix: "Call without a cursor.",
  },
  "page/snapshot-too-large": {
    kind: "refusal",
    title: "Too much to page through",
    cause: "The whole listing is larger than what is kept for paging.",
    fix: "Narrow the call.",
  },
  "answer/not-ready": {
    kind: "warning",
    title: "The server was not ready",
    cause: "It was still starting or indexing, so the answer may be incomplete, or there is none yet.",
    fix: "Call again later.",
  },
  "answer/files-changed": {
    kind: "warning",
    title: "Files changed just now",
    cause:
      "The workspace was searched, or an edit made in it, shortly after files changed, which the server may still be taking in.",
    fix: "Call again when something that you expect is missing.",
  },
  "answer/not-supported": {
    kind: "warning",
    title: "The server cannot do this",
    cause: "The language server does not offer the method; the answer is empty for that reason.",
    fix: "Use another tool.",
  },
  "answer/truncated": {
    kind: "warning",
    title: "Cut",
    cause: "More was found than the caps allow.",
    fix: "Page on, or narrow the call.",
  },
  "answer/clamped": {
    kind: "warning",
    title: "A number was brought within its bounds",
    cause: "An argument was over its maximum or under its minimum; the nearest allowed number was used.",
    fix: "Ask for a number within the bounds.",
  },
  "answer/snippets-dropped": {
    kind: "warning",
    title: "Texts were left out",
    cause: "With the text beside each place, fewer places would have fitted into the answer.",
    fix: "Ask for fewer places, or for a larger answer, or read the files.",
  },
  "answer/snippet-cut": {
    kind: "warning",
    title: "A text beside a place was cut",
    cause: "The line, with the lines around it, is longer than a text beside a place may be.",
    fix: "Ask for longer texts where the tool takes that, or read the file.",
  },
  "answer/answers-dropped": {
    kind: "warning",
    title: "Answers of a batch were left out",
    cause: "The answers together are larger than one answer may be; the largest were left out.",
    fix: "Call those tools by themselves, or in a smaller batch.",
  },
  "answer/step-failed": {
    kind: "warning",
    title: "A step failed",
    cause: "One of the tools that this tool is made of failed; the others did not.",
    fix: "See the step's own answer.",
  },
  "answer/dropped": {
    kind: "warning",
    title: "Results outside the workspace",
    cause: "Some results lie outside the roots and are not shown.",
    fix: "Add the folder to `workspace.extra_roots`.",
  },
  "answer/several-matches": {
    kind: "warning",
    title: "Several symbols of that name",
    cause: "The name is not unique.",
    fix: "Point by position, or give the kind or a name path.",
  },
  "answer/partial-servers": {
    kind: "warning",
    title: "A server failed",
    cause: "One of several servers did not answer; the others did.",
    fix: "See the servers' status.",
  },
  "answer/fuzzed-position": {
    kind: "warning",
    title: "Another position was used",
    cause: "Nothing was found at the exact position, but something beside it.",
    fix: "Check that it is the symbol you meant.",
  },
  "answer/found-elsewhere": {
    kind: "warning",
    title: "The symbol stands in another file",
    cause: "The named file does not declare the symbol, but one other file of the workspace does.",
    fix: "Check that it is the symbol you meant.",
  },
  "answer/without-diagnostics": {
    kind: "warning",
    title: "Asked without diagnostics",
    cause: "The file's diagnostics were not known in time, and what is offered for them may be missing.",
    fix: "Call again later.",
  },
  "answer/snippet-stripped": {
    kind: "warning",
    title: "A snippet was taken as plain text",
    cause: "The server gave a snippet with tab stops; the stops were left out and their defaults kept.",
    fix: "Look at the preview.",
  },
  "answer/needs-confirmation": {
    kind: "warning",
    title: "A part of the edit wants to be confirmed",
    cause: "The server marked some changes as ones that a person should look at.",
    fix: "Look at the edits with that note, then apply the preview by its edit_token.",
  },
  "answer/command-unseen": {
    kind: "warning",
    title: "A command changes more than is shown",
    cause: "The action runs a command of the server; what it changes is known only when it runs.",
    fix: "Look at what was done; undo_edit takes it back.",
  },
  "answer/command-skipped": {
    kind: "warning",
    title: "Only the edit of an action is made",
    cause: "The action also runs a command of the server, and the config does not allow it.",
    fix: "Nothing, where the edit is enough; else allow the effect `command` and name the command in `execute_commands`.",
  },
  "answer/references-kept": {
    kind: "warning",
    title: "Nothing that refers to the file is changed",
    cause: "No language server here offers to update imports and other references to the file.",
    fix: "Look for uses of the old name after the change.",
  },
  "answer/path-withheld": {
    kind: "warning",
    title: "The server was started without what a variable names",
    cause:
      "A variable of the environment (PATH, PYTHONPATH, VIRTUAL_ENV or another) names a place in a workspace that is not trusted, and nothing is run or loaded from there: an active virtual environment, the workspace's own programs. What the server learns from there is missing in its answers, also in its diagnostics.",
    fix: "Run `lsp-proxy trust` if you trust the workspace; the variable counts as it is from the next start on. Or write the variable in `env` of the server.",
  },
  "answer/no-project": {
    kind: "warning",
    title: "The server does not know the whole project",
    cause:
      "None of the files from which this server learns what belongs to the project stands above the file; it knows only files that it was shown.",
    fix: "Make the file that the message names, or look for what was left out (find_references, a search) before applying the edit.",
  },
  "answer/attributes-lost": {
    kind: "warning",
    title: "Extended attributes were lost",
    cause:
      "An edited file is a new one in the place of the old; the system did not let all of its extended attributes or access lists be carried over.",
    fix: "Set them again, or undo the edit and make it by hand; the log of the system may say what it refused.",
  },
  "answer/owner-lost": {
    kind: "warning",
    title: "Files of another user",
    cause:
      "An edited file is a new one in the place of the old, and only the superuser can give files to others.",
    fix: "Give the files back to their owner afterwards, or run the proxy as their owner.",
  },
  "answer/edit-incomplete": {
    kind: "warning",
    title: "The edit is done, something after it is not",
    cause: "The files are changed; a language server failed at what comes after.",
    fix: "Nothing needs to be repeated; see the message.",
  },
  "answer/other-symbol": {
    kind: "warning",
    title: "Another symbol than the one named",
    cause: "The position, or the place that the server resolved, has another name than the one asked for.",
    fix: "Check that it is the symbol you meant: it may be an alias, a re-export or a constructor.",
  },
  "answer/changed-meanwhile": {
    kind: "warning",
    title: "A file changed each time while it was asked about",
    cause: "Something goes on writing a file that the answer is about or shows; places in it may be off.",
    fix: "Ask again when the file rests; `document` tells the text that was asked about.",
  },
  "answer/not-watched": {
    kind: "warning",
    title: "Not all files are watched",
    cause:
      "The workspace has more files than are watched (100 000 that git does not ignore), or its folders have no change events because the system's watches are used up or it is on a network file system; it is then scanned in the background every few seconds. Or the named folder, which git ignores, is too large: only packages that come or go at its top level are seen. Files that answers showed last are checked before every call in all of these cases.",
    fix: "Leave folders out with `workspace.deny` or `.gitignore`, raise `fs.inotify.max_user_watches`, or restart the server after large changes.",
  },
  "answer/server-restarted": {
    kind: "warning",
    title: "The server was restarted",
    cause: "The language server had ended and was started anew for this call.",
    fix: "Nothing, unless it happens again.",
  },
  "runtime/fault": {
    kind: "fault",
    title: "Internal error",
    cause: "A bug of lsp-proxy.",
    fix: "Report it with the log.",
  },
} as const satisfies { [code: string]: CodeFacts };

export type Code = keyof typeof codes;
