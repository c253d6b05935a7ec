/** The hooks of the views: the state of the page, its address, the answer of a request, and the time. */
import { useEffect, useState } from "preact/hooks";
import { get } from "./requests.js";
import { current, type State, subscribe } from "./store.js";

export function useStore(): State {
  const [state, setState] = useState(current);
  useEffect(() => {
    setState(current());
    return subscribe(setState);
  }, []);
  return state;
}

/** The address inside the page: `#/calls/12?tool=get_hover` is the words `calls`, `12` and the query. */
export interface Address {
  words: string[];
  query: URLSearchParams;
}

export function useAddress(): Address {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { words: path.split("/"), query: new URLSearchParams(query) };
}

interface Got<Answer> {
  answer?: Answer;
  failure?: string;
  path?: string;
}

/** An answer is not lost because it could not be fetched again. */
function failed<Answer>(before: Got<Answer>, path: string, failure: string): Got<Answer> {
  return before.path === path ? { ...before, failure } : { failure, path };
}

/**
 * The answer to a `GET`; requested again when the path, the query or the version changes. The last answer stays
 * meanwhile.
 */
export function useAnswer<Answer>(
  path: string,
  query: { [name: string]: string },
  version: number | string,
): { answer: Answer | undefined; failure: string | undefined } {
  const [got, setGot] = useState<Got<Answer>>({});
  const words = JSON.stringify(query);
  useEffect(() => {
    let stale = false;
    get<Answer>(path, JSON.parse(words)).then(
      (answer) => !stale && setGot({ answer, path: `${path} ${words}` }),
      ({ message }: Error) => !stale && setGot((before) => failed(before, `${path} ${words}`, message)),
    );
    return () => {
      stale = true;
    };
  }, [path, words, version]);
  const isOfThis = got.path === `${path} ${words}`;
  return { answer: isOfThis ? got.answer : undefined, failure: isOfThis ? got.failure : undefined };
}

/** How often a person has come back to the page, such as from an editor. */
export function useReturns(): number {
  const [returns, setReturns] = useState(0);
  useEffect(() => {
    const came = () => setReturns((before) => before + 1);
    addEventListener("focus", came);
    return () => removeEventListener("focus", came);
  }, []);
  return returns;
}

/** The time, anew every second while the page is connected: without a connection, shown ages stay as they are. */
export function useNow({ connection }: State): number {
  const [now, setNow] = useState(Date.now);
  const isLive = connection === "live";
  useEffect(() => {
    if (!isLive) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isLive]);
  return now;
}
