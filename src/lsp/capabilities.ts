/** The capabilities of a server: offered in `initialize` or registered since, limited by the plan's `features`. */
import type {
  Registration,
  RegistrationParams,
  TextDocumentFilter,
  TextDocumentRegistrationOptions,
  Unregistration,
  UnregistrationParams,
  WorkDoneProgressOptions,
} from "vscode-languageserver-protocol";
import type { ServerPlan } from "../abi/plan.js";
import { BATCH_STEPS, GlobBudget, GlobError } from "../base/glob.js";
import { fieldsOf, getAt, isTable, itemsOf } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { Listeners, waitUntil } from "../base/timing.js";
import { methods } from "../protocol/methods.js";
import { matchesGlob, registrationProblem } from "./server-globs.js";

const UNUSABLE = "a registered glob is not used";
const TOO_SLOW = "registered globs are too much work; some are not used";

/** The document that a method is about. */
interface Subject {
  path: string;
  languageId: string;
}

/** Limits of registrations. Servers register some hundred at most, with up to a few hundred thousand characters. */
const MAX_REGISTRATIONS = 1_000;
const MAX_REGISTERED_CHARACTERS = 4 * 1024 * 1024;

export class Capabilities {
  readonly #registrations = new Map<string, { method: string; options: unknown; size: number }>();
  /** Characters of all registrations together. */
  #size = 0;
  readonly #listeners = new Listeners();
  #offered: Record<string, unknown> = {};
  readonly #neverOffered = new Set<string>();
  /** Warnings that were given already. */
  readonly #warned = new Set<string>();

  /** `warn` is called once for registered patterns that cannot be used, and once for those that take too long. */
  constructor(
    private readonly plan: Pick<ServerPlan, "features" | "projectQuery" | "ready">,
    private readonly warn: (message: string, data: { method: string; problem: string }) => void = () =>
      undefined,
  ) {}

  /** The capabilities in the result of `initialize`. */
  set offered(capabilities: unknown) {
    this.#offered = isTable(capabilities) ? capabilities : {};
  }

  /** A part of these capabilities. */
  at(...path: string[]): unknown {
    return getAt(this.#offered, path);
  }

  /** Called on every registration and unregistration. */
  readonly onChange = this.#listeners.subscribe;

  /** Returns whether everything was registered: registrations are bounded in number and size. */
  register(params: unknown): boolean {
    let isWhole = true;
    const budget = new GlobBudget(BATCH_STEPS);
    for (const item of itemsOf(fieldsOf<RegistrationParams>(params).registrations)) {
      const { id, method, registerOptions: options } = fieldsOf<Registration>(item);
      if (typeof method !== "string") continue;
      const key = registrationKey(id, method);
      const size = JSON.stringify(item).length;
      this.#remove(key);
      const hasRoom =
        this.#registrations.size < MAX_REGISTRATIONS && this.#size + size <= MAX_REGISTERED_CHARACTERS;
      isWhole &&= hasRoom;
      if (!hasRoom) continue;
      this.#registrations.set(key, { method, options, size });
      this.#size += size;
      this.#warnOfProblem(method, options, budget);
    }
    this.#listeners.notify();
    return isWhole;
  }

  #remove(key: string): void {
    this.#size -= this.#registrations.get(key)?.size ?? 0;
    this.#registrations.delete(key);
  }

  /** Patterns past the budget are not checked; a warning tells if matching them takes too long too. */
  #warnOfProblem(method: string, options: unknown, budget: GlobBudget): void {
    if (this.#warned.has(UNUSABLE) || budget.isSpent) return;
    try {
      const problem = registrationProblem(options, budget);
      if (problem !== undefined) this.#warnOnce(UNUSABLE, method, problem);
    } catch (error) {
      if (!(error instanceof GlobError)) throw error;
      this.#warnOnce(TOO_SLOW, method, error.message);
    }
  }

  #warnOnce(message: string, method: string, problem: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.warn(message, { method, problem });
  }

  /** The protocol spells it `unregisterations`; some servers send `unregistrations`. */
  unregister(params: unknown): void {
    const lists = fieldsOf<UnregistrationParams & { unregistrations: unknown }>(params);
    for (const item of [...itemsOf(lists.unregisterations), ...itemsOf(lists.unregistrations)]) {
      const { id, method } = fieldsOf<Unregistration>(item);
      this.#remove(registrationKey(id, method));
    }
    this.#listeners.notify();
  }

  allows(feature: string): boolean {
    const { only, except } = this.plan.features;
    return (only === null || only.includes(feature)) && !except.includes(feature);
  }

  /** Whether a method may be sent. `declared` has the methods outside the specification, from the plan of the call. */
  supports(method: string, subject?: Subject, declared: ServerPlan["customMethods"] = {}): boolean {
    if (method === "textDocument/publishDiagnostics") return this.allows("diagnostics");
    const facts = methods[method];
    if (!facts) return this.#supportsCustom(method, declared);
    return this.allows(facts.feature) && this.options(method, subject).length > 0;
  }

  /** A server that registers its capabilities when it has loaded is waited for once for each method. */
  async offers(
    method: string,
    subject: Subject | undefined,
    timeoutMs: number,
    signal: AbortSignal,
    declared?: ServerPlan["customMethods"],
  ): Promise<boolean> {
    const isOffered = (): boolean => this.supports(method, subject, declared);
    if (isOffered()) return true;
    const feature = methods[method]?.feature;
    const mayFollow = feature !== undefined && this.allows(feature) && !this.#neverOffered.has(method);
    if (!mayFollow || !this.#registersLater()) return false;
    // A cancelled wait gives what holds now; the call notices the cancellation by itself.
    await waitUntil(isOffered, [this.onChange], timeoutMs, signal).catch(() => false);
    if (!isOffered() && !signal.aborted) this.#neverOffered.add(method);
    return isOffered();
  }

  /** Whether `initialize` offered no method of the specification, and the server announces when it has loaded. */
  #registersLater(): boolean {
    if (this.plan.ready.notification === null) return false;
    return !Object.values(methods).some(({ capability }) =>
      isOffered(getAt(this.#offered, capability.split(".")), []),
    );
  }

  #supportsCustom(method: string, declared: ServerPlan["customMethods"]): boolean {
    if (method === this.plan.projectQuery?.method) return true;
    if (!Object.hasOwn(declared, method)) return false;
    const capability = declared[method]?.capability;
    return typeof capability !== "string" || isOffered(getAt(this.#offered, capability.split(".")), []);
  }

  reportsProgress(method: string): boolean {
    return this.options(method).some(
      (options) => fieldsOf<WorkDoneProgressOptions>(options).workDoneProgress === true,
    );
  }

  /** The options of every provider of a method: those of `initialize` first, then the registered ones. */
  options(method: string, subject?: Subject): unknown[] {
    const facts = methods[method];
    if (!facts) return [];
    const { path, inside } = providerOf(facts.capability);
    const found: unknown[] = [];
    const budget = new GlobBudget();
    const selects = (options: unknown): boolean => {
      try {
        return isSelected(options, subject, budget);
      } catch (error) {
        if (!(error instanceof GlobError)) throw error;
        this.#warnOnce(TOO_SLOW, method, error.message);
        return false;
      }
    };
    const provider = getAt(this.#offered, path);
    if (isOffered(provider, inside) && selects(provider)) found.push(provider);
    for (const { method: registeredMethod, options } of this.#registrations.values()) {
      if (registeredMethod !== facts.registration || !selects(options)) continue;
      if (inside.length === 0 || isOffered(options, inside)) found.push(options ?? true);
    }
    return found;
  }

  registered(method: string): unknown[] {
    return [...this.#registrations.values()]
      .filter((registration) => registration.method === method)
      .map((registration) => registration.options);
  }

  features(): string[] {
    const offered = Object.keys(methods).filter((method) => this.supports(method));
    return sortedSet(offered.map((method) => methods[method]?.feature ?? method));
  }
}

function registrationKey(id: unknown, method: unknown): string {
  return `${String(id)}\n${String(method)}`;
}

function isOffered(provider: unknown, inside: string[]): boolean {
  const value = inside.length === 0 ? provider : getAt(provider, inside);
  return value === true || (typeof value === "object" && value !== null);
}

/** The path of a capability's provider, and the path of the capability inside the provider's options. */
function providerOf(capability: string): { path: string[]; inside: string[] } {
  const [head = "", ...rest] = capability.split(".");
  return head === "workspace" ? { path: [head, ...rest], inside: [] } : { path: [head], inside: rest };
}

function isSelected(options: unknown, subject: Subject | undefined, budget: GlobBudget): boolean {
  const selector = fieldsOf<TextDocumentRegistrationOptions>(options).documentSelector;
  if (!subject || !Array.isArray(selector)) return true;
  return selector.some((filter) => matchesFilter(filter, subject, budget));
}

function matchesFilter(filter: unknown, subject: Subject, budget: GlobBudget): boolean {
  budget.spend(1);
  if (typeof filter === "string") return filter === subject.languageId || filter === "*";
  if (!isTable(filter)) return false;
  const { notebook, language, scheme, pattern } = fieldsOf<TextDocumentFilter & { notebook: unknown }>(
    filter,
  );
  if (typeof notebook === "string" || isTable(notebook)) return false;
  if (typeof language === "string" && language !== "*" && language !== subject.languageId) return false;
  if (typeof scheme === "string" && scheme !== "file") return false;
  return pattern === undefined || pattern === null || matchesGlob(pattern, subject.path, budget);
}
