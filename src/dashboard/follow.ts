/** Follows a dashboard from another process: uses its link like a browser, and reads its state and its events. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { parseJson } from "../base/json.js";
import type { DashboardEventName, DashboardEvents, DashboardState } from "./api.js";

type Followed =
  | { name: "state"; data: DashboardState }
  | { [Name in DashboardEventName]: { name: Name; data: DashboardEvents[Name] } }[DashboardEventName];

/** The state, then all events, until the dashboard ends or the signal aborts. */
export async function* followDashboard(link: string, signal: AbortSignal): AsyncGenerator<Followed> {
  const opened = await fetch(link, { signal });
  const cookie = opened.headers.getSetCookie()[0]?.split(";", 1)[0];
  await opened.body?.cancel();
  if (cookie === undefined) throw new Error(`the link was answered with ${opened.status}`);
  const get = async (path: string) => {
    const response = await fetch(new URL(path, link), { headers: { cookie }, signal });
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}`);
    return response;
  };
  // Opened first, so that nothing is missed between the state and the events.
  const events = await get("events");
  const state = (await (await get("api/state")).json()) as DashboardState;
  yield { name: "state", data: state };
  const messages = events.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  if (messages === undefined) return;
  for await (const { event, data } of messages) yield { name: event, data: parseJson(data) } as Followed;
}
