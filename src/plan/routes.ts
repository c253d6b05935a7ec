/** Checks the routes from files to servers: each server needs files, and two servers for one file need a rule. */
import type { ServerPlan } from "../abi/plan.js";
import { featureNames } from "../protocol/methods.js";
import type { Report } from "./report.js";
import type { PlacedServer } from "./servers.js";

export function checkRoutes(servers: readonly PlacedServer[], report: Report): void {
  const forwarded = new Set(servers.flatMap(({ plan }) => plan.forward.map((rule) => rule.to)));
  for (const { plan, pointer } of servers) {
    if (claims(plan).length === 0 && !forwarded.has(plan.id))
      report.add("plan/no-route", pointer, `No file is routed to the server \`${plan.id}\`.`);
  }
  servers.forEach((server, index) => {
    for (const other of servers.slice(index + 1)) checkPair(server, other, report);
  });
}

function checkPair(one: PlacedServer, other: PlacedServer, report: Report): void {
  if (one.plan.priority !== other.plan.priority) return;
  const taken = new Set(claims(one.plan));
  const shared = claims(other.plan).filter((claim) => taken.has(claim));
  if (shared.length === 0) return;
  const theirs = new Set(features(other.plan));
  if (!features(one.plan).some((feature) => theirs.has(feature))) return;
  const some = shared.slice(0, 5).join(", ");
  report.add(
    "plan/route-conflict",
    (one.index > other.index ? one : other).pointer,
    `The servers \`${one.plan.id}\` and \`${other.plan.id}\` both claim ${some}${shared.length > 5 ? ", …" : ""}.`,
  );
}

function claims(plan: ServerPlan): string[] {
  return [
    ...plan.extensions.map((extension) => `*.${extension}`),
    ...plan.filenames,
    ...plan.globs.map((glob) => `glob ${glob}`),
  ];
}

function features(plan: ServerPlan): string[] {
  const { only, except } = plan.features;
  return only ?? featureNames.filter((feature) => !except.includes(feature));
}
