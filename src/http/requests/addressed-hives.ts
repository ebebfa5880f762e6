/** Tells from the address of a request which Hives its answer depends on, before anything else of it is read. */
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";

/** What an answer depends on: some Hives or all, and the settings; a publication stands for the Hive that it is of. */
export type Addressed = readonly HiveSlug[] | "all" | { readonly publication: string };

/** Addresses of one Hive: of the API, of pages, and of repositories for git. */
const ofHive = /^\/(?:api\/)?hives\/([^/.]+)/;
const ofPublication = /^\/p\/([^/]+)/;
/** Addresses of everything that a team has. */
const ofAll =
  /^\/(?:$|inbox$|search$|new-hive$|team$|team\/deleted$|api\/me\/inbox$|(?:api\/(?:hives|events|search|team|trash|mirrors)|team\/mirrors)(?:\/|$))/;
/** All other addresses whose answers depend on what is stored. */
const ofSettings =
  /^\/(?:api|mcp|sign-in|sign-out|theme|language|inbox|account|unsubscribe|device|oauth|invitation|team)(?:\/|$)/;

/** The parts of a request that say which Hives its answer depends on. */
export interface Addressing {
  /** The target as received. */
  readonly url: string;
  readonly headers: { readonly authorization?: string; readonly cookie?: string };
}

/**
 * The Hives that an answer depends on; undefined where it depends on nothing that is stored. Strangers make no server
 * fetch all Hives.
 */
export function addressedHives({ url, headers }: Addressing): Addressed | undefined {
  const path = pathIn(url);
  const [, slug] = ofHive.exec(path) ?? [];
  if (slug !== undefined) return isHiveSlug(slug) ? [slug] : [];
  const [, publication] = ofPublication.exec(path) ?? [];
  if (publication !== undefined) return { publication };
  const isKnown = headers.authorization !== undefined || headers.cookie !== undefined;
  if (ofAll.test(path)) return isKnown ? "all" : [];
  return ofSettings.test(path) ? [] : undefined;
}

/** The path as routes see it: decoded, without dots and repeated slashes. */
function pathIn(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  if (path.startsWith("/") && !/%|\/\/|\/\.|\\/.test(path)) return path;
  const base = "http://localhost";
  const full = path.startsWith("/") ? base + path : path;
  const { pathname } = URL.canParse(full) ? new URL(full) : { pathname: path };
  try {
    return decodeURIComponent(pathname).replaceAll(/\/{2,}/g, "/");
  } catch {
    return pathname;
  }
}
