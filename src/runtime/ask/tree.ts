/** Asks about an item, then about the items of the answers, level by level: a tree, each item before its children. */
import type { EachOptions } from "../../abi/handler.js";
import { getAt, type Json, type JsonObject } from "../../base/json.js";
import type { Refusal } from "../../base/problem.js";
import { Turns } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import type { Entry } from "../shapes/shape.js";
import { listOf, type ReplyData, type ReplyPart } from "./candidates.js";
import { askAll, entriesIn, identityOf, inOrder, limitOf, warnOfFailures } from "./each.js";

/** No agent reads a larger tree. */
const MAX_NODES = 20_000;

interface TreeNode {
  entry: Entry;
  depth: number;
  children: TreeNode[];
  /** Shown again: its children are where it was asked about. */
  isRepeated: boolean;
}

/** The tree below the items of a reply. Each item is asked about once, so a cycle ends. */
export async function askTree(
  call: CallState,
  method: string,
  items: ReplyData,
  options: EachOptions & { depth: number },
  params: (item: Json, server: LanguageServer) => JsonObject,
): Promise<ReplyData> {
  const turns = new Turns(call.signal);
  const seen = new Set<string>();
  const failures: Refusal[] = [];
  const node = (entry: Entry, depth: number): TreeNode => {
    const isRepeated = seen.size === seen.add(identityOf(entry)).size;
    return { entry, depth, children: [], isRepeated };
  };
  const first = await inOrder(entriesIn(items, options, listOf), turns);
  if (first.length > MAX_NODES)
    call.evidence.truncated(`${first.length - MAX_NODES} items of the tree are left out.`);
  const roots = first.slice(0, MAX_NODES).map((entry) => node(entry, 0));
  let level = roots;
  let left = limitOf(options);
  let count = roots.length;
  let asked = 0;
  for (let depth = 1; depth <= options.depth && level.length > 0; depth++) {
    const open = level.filter(({ isRepeated }) => !isRepeated);
    const nodes = open.slice(0, count < MAX_NODES ? left : 0);
    if (nodes.length < open.length)
      call.evidence.truncated(`${open.length - nodes.length} items of the tree were not asked about.`);
    left -= nodes.length;
    asked += nodes.length;
    const found = await askAll(
      call,
      method,
      nodes.map(({ entry }) => entry),
      options,
      params,
    );
    failures.push(...found.failures);
    level = [];
    for (const [index, parent] of nodes.entries()) {
      const { server } = parent.entry;
      const below = listOf(found.parts[index]?.value).map((entry) => ({
        server,
        item: getAt(entry, options.next ?? []),
      }));
      const kept = (await inOrder(below, turns)).slice(0, MAX_NODES - count);
      if (kept.length < below.length)
        call.evidence.truncated(`${below.length - kept.length} items of the tree are left out.`);
      for (const entry of kept) {
        const child = node(entry, depth);
        parent.children.push(child);
        level.push(child);
        if (turns.isDue) await turns.yield();
      }
      count += kept.length;
    }
  }
  const [failure] = failures;
  if (failure !== undefined && failures.length === asked) throw failure;
  if (failure !== undefined) call.evidence.isCut = true;
  warnOfFailures(call, failures, asked);
  return { parts: await preorder(roots, turns), perItem: true };
}

async function preorder(roots: TreeNode[], turns: Turns): Promise<ReplyPart[]> {
  const parts: ReplyPart[] = [];
  const waiting = [...roots].reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { entry, depth, children, isRepeated } = next;
    const value = { item: entry.item, depth, ...(isRepeated ? { repeated: true } : {}) };
    parts.push({ server: entry.server, item: entry.item, value });
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child !== undefined) waiting.push(child);
    }
    if (turns.isDue) await turns.yield();
  }
  return parts;
}
