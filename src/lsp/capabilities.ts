/**
 * What a server can do now: what it said in `initialize`, what it registered since, and what the plan's `features`
 * leave of it. A registration's document selector counts.
 */

import { basename, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import picomatch from "picomatch";
import type { ServerPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { getAt } from "../base/pointer.js";
import { methods } from "../protocol/methods.js";

/** The document that a method is asked about. */
export interface Subject {
  path: string;
  languageId: string;
}

/** What is known of a method, until anything is offered or taken back. */
interface Known {
  isSupported: boolean;
  tellsProgress: boolean;
  /** Whether some provider is for some documents only. */
  isSelective: boolean;
}

export class Capabilities {
  readonly #plan: Pick<ServerPlan, "features" | "customMethods" | "ready">;
  readonly #registrations = new Map<string, { method: string; options: unknown }>();
  readonly #listeners = new Set<() => void>();
  #offered: Record<string, unknown> = {};
  readonly #known = new Map<string, Known>();
  /** Methods that were waited for in vain. */
  readonly #vain = new Set<string>();

  constructor(plan: Pick<ServerPlan, "features" | "customMethods" | "ready">) {
    this.#plan = plan;
  }

  /** What `initialize` answered. */
  set offered(capabilities: unknown) {
    this.#offered = isTable(capabilities) ? capabilities : {};
    this.#known.clear();
  }

  /** A part of what `initialize` answered. */
  at(...path: string[]): unknown {
    return getAt(this.#offered, path);
  }

  /** Calls back whenever a registration comes or goes, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  register(params: unknown): void {
    for (const entry of entries(params, "registrations")) {
      const { id, method, registerOptions } = entry;
      if (typeof method !== "string") continue;
      this.#registrations.set(`${String(id)}\n${method}`, { method, options: registerOptions });
    }
    this.#changed();
  }

  /** The protocol's own spelling is `unregisterations`; some servers write it right. */
  unregister(params: unknown): void {
    const list = [...entries(params, "unregisterations"), ...entries(params, "unregistrations")];
    for (const { id, method } of list) this.#registrations.delete(`${String(id)}\n${String(method)}`);
    this.#changed();
  }

  #changed(): void {
    this.#known.clear();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Whether the plan lets this server be asked for a feature. */
  allows(feature: string): boolean {
    const { only, except } = this.#plan.features;
    return (only === null || only.includes(feature)) && !except.includes(feature);
  }

  /** Whether a method may be sent; for one outside the specification the plan's word counts. */
  supports(method: string, subject?: Subject): boolean {
    const { isSupported, isSelective } = this.#of(method);
    return isSupported && (subject === undefined || !isSelective || this.#supports(method, subject));
  }

  /** What is known of a method, of whichever document. */
  #of(method: string): Known {
    const before = this.#known.get(method);
    if (before !== undefined) return before;
    const tables = this.options(method).filter(isTable);
    const known = {
      isSupported: this.#supports(method),
      tellsProgress: tables.some(({ workDoneProgress }) => workDoneProgress === true),
      isSelective: tables.some(({ documentSelector }) => Array.isArray(documentSelector)),
    };
    this.#known.set(method, known);
    return known;
  }

  #supports(method: string, subject?: Subject): boolean {
    if (method === "textDocument/publishDiagnostics") return this.allows("diagnostics");
    const facts = methods[method];
    if (!facts) return this.#supportsCustom(method);
    return this.allows(facts.feature) && this.options(method, subject).length > 0;
  }

  /**
   * Whether a method may be sent now or soon: a server that is known to say when it has loaded, and that offered nothing
   * at all in its handshake, registers what it can do only then. It is waited for once.
   */
  offers(
    method: string,
    subject: Subject | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): boolean | Promise<boolean> {
    if (this.supports(method, subject)) return true;
    const feature = methods[method]?.feature;
    const isLate =
      feature !== undefined && this.allows(feature) && !this.#vain.has(method) && this.#isBlank();
    return isLate && this.#willOffer(method, subject, timeoutMs, signal);
  }

  async #willOffer(
    method: string,
    subject: Subject | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const isOffered = await new Promise<boolean>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        stop();
        signal.removeEventListener("abort", finish);
        resolve(this.supports(method, subject));
      };
      const timer = setTimeout(finish, timeoutMs);
      const stop = this.onChange(() => {
        if (this.supports(method, subject)) finish();
      });
      signal.addEventListener("abort", finish, { once: true });
    });
    if (!isOffered && !signal.aborted) this.#vain.add(method);
    return isOffered;
  }

  /** Whether the handshake offered no method of the specification, and the server will tell when it has loaded. */
  #isBlank(): boolean {
    if (this.#plan.ready.notification === null) return false;
    return !Object.values(methods).some(({ capability }) =>
      isOffered(getAt(this.#offered, capability.split(".")), []),
    );
  }

  #supportsCustom(method: string): boolean {
    const { customMethods } = this.#plan;
    if (!Object.hasOwn(customMethods, method)) return false;
    const capability = customMethods[method]?.capability;
    return typeof capability !== "string" || isOffered(getAt(this.#offered, capability.split(".")), []);
  }

  /** Whether a provider of a method says that it reports on its requests while it works on them. */
  tellsProgress(method: string): boolean {
    return this.#of(method).tellsProgress;
  }

  /** The options of every provider of a method: the static one first, then the registered ones. */
  options(method: string, subject?: Subject): unknown[] {
    const facts = methods[method];
    if (!facts) return [];
    const { way, inside } = wayTo(facts.capability);
    const found: unknown[] = [];
    const provider = getAt(this.#offered, way);
    if (isOffered(provider, inside) && selects(provider, subject)) found.push(provider);
    for (const { method: registeredMethod, options } of this.#registrations.values()) {
      if (registeredMethod !== facts.registration || !selects(options, subject)) continue;
      if (inside.length === 0 || isOffered(options, inside)) found.push(options ?? true);
    }
    return found;
  }

  /** The options of every registration of a method, whatever the specification says of it. */
  registered(method: string): unknown[] {
    return [...this.#registrations.values()]
      .filter((registration) => registration.method === method)
      .map((registration) => registration.options);
  }

  /** The features offered now, sorted. */
  features(): string[] {
    const offered = Object.keys(methods).filter((method) => this.supports(method));
    return sortedSet(offered.map((method) => methods[method]?.feature ?? method));
  }
}

function isOffered(provider: unknown, inside: string[]): boolean {
  const value = inside.length === 0 ? provider : getAt(provider, inside);
  return value === true || (typeof value === "object" && value !== null);
}

function entries(params: unknown, key: string): Record<string, unknown>[] {
  const list = isTable(params) ? params[key] : undefined;
  return Array.isArray(list) ? list.filter(isTable) : [];
}

const ways = new Map<string, { way: string[]; inside: string[] }>();

/** Where the specification has a capability: the way to its provider, and the way on within that. Each is taken apart once. */
function wayTo(capability: string): { way: string[]; inside: string[] } {
  const known = ways.get(capability);
  if (known !== undefined) return known;
  const [head = "", ...leaf] = capability.split(".");
  const found = head === "workspace" ? { way: [head, ...leaf], inside: [] } : { way: [head], inside: leaf };
  ways.set(capability, found);
  return found;
}

/** Whether options with a document selector are meant for the document; without either, they are. */
function selects(options: unknown, subject: Subject | undefined): boolean {
  const selector = isTable(options) ? options.documentSelector : undefined;
  if (!subject || !Array.isArray(selector)) return true;
  return selector.some((filter) => matchesFilter(filter, subject));
}

function matchesFilter(filter: unknown, subject: Subject): boolean {
  if (typeof filter === "string") return filter === subject.languageId || filter === "*";
  if (!isTable(filter)) return false;
  if (typeof filter.notebook === "string" || isTable(filter.notebook)) return false;
  const { language, scheme, pattern } = filter;
  if (typeof language === "string" && language !== "*" && language !== subject.languageId) return false;
  if (typeof scheme === "string" && scheme !== "file") return false;
  return pattern === undefined || pattern === null || matchesGlob(pattern, subject.path);
}

/** Whether a glob of LSP (a text, or a pattern relative to a folder) matches a file. */
export function matchesGlob(pattern: unknown, path: string): boolean {
  if (typeof pattern === "string") return globTest(pattern, path);
  if (!isTable(pattern) || typeof pattern.pattern !== "string") return false;
  const base = isTable(pattern.baseUri) ? pattern.baseUri.uri : pattern.baseUri;
  if (typeof base !== "string" || !base.startsWith("file:")) return false;
  const inside = relative(fileURLToPath(base), path);
  return !inside.startsWith("..") && globTest(pattern.pattern, inside);
}

const compiled = new Map<string, (path: string) => boolean>();

function globTest(glob: string, path: string): boolean {
  let test = compiled.get(glob);
  if (!test) {
    test = picomatch(glob, { dot: true });
    if (compiled.size > 1_000) compiled.clear();
    compiled.set(glob, test);
  }
  const slashed = path.split(sep).join("/");
  return test(slashed) || (!glob.includes("/") && test(basename(path)));
}
