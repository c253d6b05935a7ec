/** All language servers of one proxy: routes files to them, starts, shares, updates and stops them. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { ExecuteCommandParams } from "vscode-languageserver-protocol";
import type { Plan, ServerPlan } from "../abi/plan.js";
import { canonicalText } from "../base/json.js";
import { sortBy } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import type { Instance } from "./instance.js";
import { narrowedPool, type SessionRoots, type WholePool } from "./narrowed-pool.js";
import { Guardian } from "./process/guardian.js";
import { isTrustedStart } from "./process/trusted.js";
import { FileRoutes, isMarker, ServerRoots } from "./route.js";
import { ServerHandle } from "./server-handle.js";
import { blankStatus, rethrowWithoutServerTexts, unstartedStatus } from "./server-status.js";
import { Slot, type SlotContext } from "./slot.js";
import type {
  FileCheck,
  KnownNames,
  LanguageServer,
  PoolContext,
  ServerPool,
  ServerStatus,
} from "./types.js";
import { SourceChanges } from "./watch/workspace-changes.js";
import { WorkspaceWatch } from "./watch/workspace-watch.js";

/**
 * A pool for a plan; no server is started before it is asked for. It takes over the servers of an earlier pool that its
 * plan has unchanged; the workspace must be the same. Closing the earlier pool ends the other ones.
 */
export function createPool(plan: Plan, context: PoolContext, earlier?: ServerPool): ServerPool {
  return new Pool(plan, context, earlier instanceof Pool ? earlier : undefined);
}

class Pool implements WholePool {
  readonly #slots = new Map<string, Slot>();
  readonly #routes: FileRoutes;
  readonly #roots: ServerRoots;
  readonly #guardian: Guardian;
  readonly #watch: WorkspaceWatch;
  readonly #sourceChanges: SourceChanges;
  #closed = false;
  #takenOver: ReadonlySet<Slot> | undefined; // By a later pool, with the watch.

  constructor(
    private readonly plan: Plan,
    private readonly context: PoolContext,
    earlier?: Pool,
  ) {
    this.#routes = new FileRoutes(plan.servers, context.roots, context.base);
    const { roots, env, log, watchOptions, onActivity, platform } = context;
    if (earlier === undefined) {
      this.#guardian = new Guardian(
        (reason) => log("warn", "servers are not watched over if this process is killed", { reason }),
        platform,
      );
      this.#watch = new WorkspaceWatch(
        { roots, deny: plan.workspace.deny, env, log, onActivity },
        watchOptions,
      );
    } else {
      this.#guardian = earlier.#guardian;
      this.#watch = earlier.#watch;
      this.#takeOver(earlier);
    }
    this.#roots = new ServerRoots(this.#watch, roots, context.base);
    const marksProject = (path: string) =>
      plan.servers.some(({ rootMarkers }) => isMarker(basename(path), rootMarkers));
    this.#sourceChanges = new SourceChanges(
      this.#watch,
      roots,
      (path) => marksProject(path) || this.route(path).length > 0,
    );
  }

  route(path: string): ServerPlan[] {
    return this.#routes.of(path);
  }

  async get(
    serverId: string,
    path: string | undefined,
    signal: AbortSignal,
    roots?: SessionRoots,
  ): Promise<LanguageServer> {
    const server = this.#serverOf(serverId);
    const root = this.#roots.of(server, path);
    // Without waiting, where no server can join: another call would see the slot empty, and start a second server.
    const slot = this.#slotServing(server, root) ?? (await this.#joinOrAddSlot(server, root, signal));
    return this.#handle(slot, await this.#instanceIn(slot, signal, roots), roots);
  }

  running(roots?: SessionRoots): LanguageServer[] {
    return this.#sorted().flatMap((slot) => {
      const { instance } = slot;
      return instance ? [this.#handle(slot, instance, roots)] : [];
    });
  }

  async checkFiles(): Promise<FileCheck> {
    const startedAt = performance.now();
    await this.#watch.check();
    await Promise.all(this.#sorted().map((slot) => slot.instance?.refresh(startedAt)));
    return { startedAt, ...this.#sourceChanges.latest() };
  }

  async changeCursor(): Promise<number> {
    await this.#watch.check();
    return this.#watch.cursor;
  }

  async changedSince(cursor: number): Promise<ReadonlySet<string>> {
    await this.#watch.check();
    const changes = this.#watch.since(cursor, this.context.roots).filter(({ ignored }) => !ignored);
    return new Set(changes.map(({ path }) => path));
  }

  names(): KnownNames {
    return this.#watch.names();
  }

  status(): ServerStatus[] {
    const used = this.plan.servers.flatMap((server) => {
      const slots = this.#chosen(server.id);
      return slots.length > 0
        ? slots.map((slot) => slot.status())
        : [unstartedStatus(this.plan, server, this.context)];
    });
    const disabled = this.plan.disabledServers.map((id) => blankStatus(id, "disabled"));
    return sortBy([...used, ...disabled], ({ id }) => [id]);
  }

  async restart(serverId: string | undefined): Promise<string[]> {
    const chosen = this.#chosen(serverId);
    const ids = await this.stop(serverId);
    await Promise.all(chosen.map((slot) => this.#instanceIn(slot, new AbortController().signal)));
    return ids;
  }

  async stop(serverId: string | undefined): Promise<string[]> {
    const chosen = this.#chosen(serverId);
    await Promise.all(chosen.map((slot) => slot.stop()));
    return chosen.map((slot) => slot.plan.id);
  }

  within(roots: readonly string[]): ServerPool {
    return narrowedPool(this, roots);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const taken = this.#takenOver;
    if (taken === undefined) this.#watch.close();
    const own = [...this.#slots.values()].filter((slot) => taken?.has(slot) !== true);
    await Promise.all(own.map((slot) => slot.stop()));
    if (taken === undefined) this.#guardian.close();
  }

  /** Takes the slots of servers that are the same in both plans. Running calls still find them in the earlier pool. */
  #takeOver(earlier: Pool): void {
    // The instance does not depend on the declared methods: each handle has those of its own plan.
    const identityOf = (server: ServerPlan) => canonicalText({ ...server, customMethods: {} });
    const servers = new Map(this.plan.servers.map((server) => [identityOf(server), server]));
    for (const [key, slot] of earlier.#slots) {
      const server = servers.get(identityOf(slot.plan));
      if (server === undefined) continue;
      slot.switchTo(this.#slotContext(server, slot.root));
      this.#slots.set(key, slot);
    }
    earlier.#takenOver = new Set(this.#slots.values());
  }

  #handle(slot: Slot, instance: Instance, roots: SessionRoots): ServerHandle {
    return new ServerHandle(instance, {
      plan: this.#serverOf(slot.plan.id),
      renew: (signal) => this.#instanceIn(slot, signal, roots),
      crashSince: (generation) => slot.crashSince(generation),
      roots,
    });
  }

  /** The slot that serves a root, or a new one; undefined when a running server may be able to take the root in. */
  #slotServing(server: ServerPlan, root: string): Slot | undefined {
    const serving = this.#sorted().filter((slot) => slot.plan.id === server.id && slot.serves(root));
    const running = serving.find((slot) => slot.isOccupied);
    // A slot whose own root was deleted cannot start again; its other roots go to another slot.
    const found = running ?? serving.find((slot) => slot.root === root || existsSync(slot.root));
    if (found) return found;
    return server.shareRoots && this.#slotsToJoin(server, root).length > 0
      ? undefined
      : this.#slot(server, root);
  }

  /** The slot of a running server that takes the root in, or a new slot. */
  async #joinOrAddSlot(server: ServerPlan, root: string, signal: AbortSignal): Promise<Slot> {
    for (const slot of this.#slotsToJoin(server, root)) {
      // Only a server that has started can say whether it takes folders.
      await slot.started(signal);
      if (slot.addRoot(root)) return slot;
    }
    return this.#slot(server, root);
  }

  /** Slots whose server may take the root in. A server that was started for a trusted root takes in no untrusted one. */
  #slotsToJoin(server: ServerPlan, root: string): Slot[] {
    const isTrusted = (folder: string) => isTrustedStart(server, folder, this.context);
    return this.#sorted().filter(
      (slot) => slot.plan.id === server.id && slot.isOccupied && isTrusted(slot.root) === isTrusted(root),
    );
  }

  #slot(server: ServerPlan, root: string): Slot {
    const key = `${server.id}\n${root}`;
    const known = this.#slots.get(key);
    if (known) return known;
    const slot = new Slot(this.#slotContext(server, root));
    this.#slots.set(key, slot);
    return slot;
  }

  #slotContext(server: ServerPlan, root: string): SlotContext {
    const { roots, log } = this.context;
    return {
      plan: server,
      root,
      roots,
      log,
      start: (slot, generation, signal) => this.#start(server, slot, generation, signal),
      command: (id, command, args) => this.#command(id, root, command, args),
    };
  }

  /** The slot's instance. When the limit of running servers is reached, the idlest is stopped first. */
  async #instanceIn(slot: Slot, signal: AbortSignal, roots?: SessionRoots): Promise<Instance> {
    if (this.#closed) throw new Refusal("lsp/exited", "the proxy is closing");
    if (!slot.isOccupied) this.#makeRoom();
    return roots === undefined
      ? slot.get(signal)
      : slot.get(signal).catch(rethrowWithoutServerTexts(slot.plan.id));
  }

  #makeRoom(): void {
    const occupied = [...this.#slots.values()].filter((slot) => slot.isOccupied);
    const max = this.plan.limits.maxServers;
    if (occupied.length < max) return;
    const idlest = sortBy(
      occupied.filter((slot) => !slot.isBusy),
      (slot) => [slot.lastUsed],
    )[0];
    if (!idlest) throw new Refusal("lsp/too-many", `${max} language servers run already, and all are busy`);
    this.context.log("info", "server stopped", { server: idlest.plan.id, why: "limits.max_servers" });
    void idlest.stop();
  }

  async #start(server: ServerPlan, slot: Slot, generation: number, signal: AbortSignal): Promise<Instance> {
    const { plan, context } = this;
    // Begins before the server reads its first file: it is notified of what changes from here on.
    // A check that fails fails again at the next question, which then reports it.
    this.#watch.check().catch(() => undefined);
    const { startServer } = await import("./start-server.js");
    return startServer({
      plan,
      server,
      root: slot.root,
      context,
      guardian: this.#guardian,
      signal,
      slot,
      generation,
      watch: this.#watch,
    });
  }

  /** Runs a command in the server that a `forward` rule names, for the same root. */
  async #command(serverId: string, root: string, command: string, args: unknown[]): Promise<unknown> {
    const { signal } = new AbortController();
    const instance = await this.#instanceIn(this.#slot(this.#serverOf(serverId), root), signal);
    const params: ExecuteCommandParams = { command, arguments: args };
    return (await instance.request("workspace/executeCommand", params, { signal })).value;
  }

  #serverOf(serverId: string): ServerPlan {
    const server = this.plan.servers.find((candidate) => candidate.id === serverId);
    if (!server) throw new Refusal("route/no-server", `no server is called "${serverId}"`);
    return server;
  }

  #chosen(serverId: string | undefined): Slot[] {
    return this.#sorted().filter((slot) => serverId === undefined || slot.plan.id === serverId);
  }

  #sorted(): Slot[] {
    return sortBy([...this.#slots.values()], (slot) => [slot.plan.id, slot.root]);
  }
}
