/** A Hive as tests write and read it over HTTP. What a test wants besides, it asks with `call`. */
import { isOid, type Oid } from "../../../src/domain/names.ts";
import type { Call, CallOptions, Reply } from "../storage.ts";

/** What a request has besides what it is about. */
export interface More extends Omit<CallOptions, "body"> {
  /** Parameters, as `dry_run=true`. */
  readonly query?: string;
  /** Members of the body besides. */
  readonly body?: object;
}

export interface HiveApi {
  /** Syncs the source files: what is not among them goes. */
  readonly put: (files: unknown, more?: More) => Promise<Reply>;
  /** Imports source files beside those that are there. */
  readonly post: (files: unknown, more?: More) => Promise<Reply>;
  /** Imports translations over those that are there, if `more` has no other strategy. */
  readonly translate: (locale: string, files: unknown, more?: More) => Promise<Reply>;
  /** Imports translations with the strategy that the API has by itself: those that are there stay. */
  readonly fill: (locale: string, files: unknown, more?: More) => Promise<Reply>;
  readonly undo: (commit: unknown, more?: More) => Promise<Reply>;
  /** The list of source strings. */
  readonly strings: (query?: string) => Promise<Reply>;
  readonly exported: (query?: string) => Promise<Reply>;
  readonly history: (query?: string) => Promise<Reply>;
  /** The commit that the next write builds on. */
  readonly head: () => Promise<Oid>;
  /** The same on a branch that is there. */
  readonly branch: (name: string) => HiveApi;
}

/** The commit that an answer is of, or that a write made. */
export function commitOf({ headers }: Reply): string {
  return headers.get("x-skep-commit") ?? "";
}

/**
 * @param call gives what to call with, which most tests have anew each time.
 * @param branch main if not given.
 */
export function hiveAt(call: () => Call, slug = "web", branch?: string): HiveApi {
  const on = branch === undefined ? "" : `branch=${encodeURIComponent(branch)}`;
  const ask = (method: string, path: string, { query = "", ...options }: More & CallOptions) => {
    const parameters = [on, query].filter((one) => one !== "").join("&");
    return call()(method, `/api/hives/${slug}${path}${parameters && `?${parameters}`}`, options);
  };
  const read = (path: string) => (query?: string) => ask("GET", path, { query });
  const write = (method: string, path: string, sent: object, { body, ...more }: More = {}) =>
    ask(method, path, { ...more, body: { ...sent, ...body } });
  const strings = read("/strings");
  return {
    put: (files, more) => write("PUT", "/strings", { files }, more),
    post: (files, more) => write("POST", "/strings", { files }, more),
    translate: (locale, files, more) =>
      write("POST", `/translations/${locale}`, { files, overwrite_strategy: "overwrite" }, more),
    fill: (locale, files, more) => write("POST", `/translations/${locale}`, { files }, more),
    undo: (commit, more) => write("POST", "/undo", { commit }, more),
    strings,
    exported: read("/export"),
    history: read("/history"),
    head: async () => {
      const commit = commitOf(await strings("per_page=1"));
      if (!isOid(commit)) throw new Error(`not a commit: ${commit}`);
      return commit;
    },
    branch: (name) => hiveAt(call, slug, name),
  };
}
