/**
 * What followers ask a primary for: news of what changed, and all repositories by git's protocol. It is between servers
 * of one operator, and part of no promise to other clients.
 */
import type { Readable } from "node:stream";
import type { H3Event } from "h3";
import { z } from "zod";
import { failure, SkepError } from "../../domain/errors.ts";
import { parseTrashId } from "../../domain/hives/trash.ts";
import { isHiveSlug } from "../../domain/names.ts";
import type { ReplicationNews } from "../../domain/replication/news.ts";
import type { CloneLimits, CloneRequest } from "../../service/operations/clones.ts";
import { PrimaryDuties } from "../../service/replication/primary.ts";
import type { Log } from "../../log.ts";
import type { Storage } from "../../service/storage.ts";
import { noShare } from "../requests/body-budget.ts";
import { note } from "../requests/trace.ts";
import { respondJson } from "../responses/respond.ts";
import { advertiseRefs, sendPack } from "../routes/repository.ts";
import { check } from "../schemas/schemas.ts";

/** The addresses, for the router. */
export const replicationPaths = ["/api/replication", "/api/replication/**"] as const;

export interface ReplicationOptions extends Pick<CloneLimits, "cloneTimeout"> {
  readonly storage: Storage;
  readonly bodyLimit: number;
  readonly log: Log;
}

const number = z
  .string()
  .regex(/^[0-9]{1,15}$/, "must be a whole number")
  .transform(Number);
const newsQuery = z.strictObject({
  after: z.string("must be given once").optional(),
  wait: number.default(0),
  storage: z.string("must be given once").optional(),
  generation: number.optional(),
});

const repositoryPath = /^\/api\/replication\/(hives|trash)\/([^/]+)\.git\/(info\/refs|git-upload-pack)$/;

export class ReplicationHandler {
  readonly #options: ReplicationOptions;
  readonly #primary: PrimaryDuties;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    this.#primary = new PrimaryDuties(options.storage, options);
  }

  /**
   * Answers a request.
   * @throws SkepError `unauthenticated` without the secret of a follower; `not-found`, `invalid`; what
   * {@link PrimaryDuties} throws.
   */
  async handle(event: H3Event): Promise<Response> {
    const follower = await this.#primary.authenticate(event.req.headers.get("authorization"));
    const { pathname, searchParams } = event.url;
    note(event.req, { route: pathname === "/api/replication" ? pathname : "/api/replication/**" });
    if (pathname === "/api/replication") {
      requireMethod(event, "GET");
      const asked = check(newsQuery, Object.fromEntries(searchParams), "query");
      return respondJson(toBody(await this.#primary.news(follower, asked, event.req.signal)));
    }
    const [, kind = "", name = "", path] = repositoryPath.exec(pathname) ?? [];
    const gitdir = this.#folderOf(kind, decodeURIComponent(name));
    if (gitdir === undefined) throw failure("not-found", "There is nothing at this address.");
    const ask = (request: CloneRequest): Promise<Readable> => this.#primary.upload(gitdir, request);
    requireMethod(event, path === "info/refs" ? "GET" : "POST");
    return path === "info/refs"
      ? advertiseRefs(event, ask)
      : sendPack(event, this.#options.bodyLimit, noShare, ask);
  }

  #folderOf(kind: string, name: string): string | undefined {
    const { hives, trash } = this.#options.storage;
    if (kind === "hives" && isHiveSlug(name)) return hives.folderOf(name);
    const entry = kind === "trash" ? parseTrashId(name) : undefined;
    return entry && trash.folderOf(entry.id);
  }
}

function requireMethod({ req: { method } }: H3Event, allowed: "GET" | "POST"): void {
  if (method === allowed) return;
  throw new SkepError("method-not-allowed", `${method} is not possible here; use ${allowed}.`, {
    allow: [allowed],
  });
}

function toBody(news: ReplicationNews) {
  return {
    storage: news.storage,
    generation: news.generation,
    superseded_by: news.supersededBy,
    version: news.version,
    complete: news.isComplete,
    settings_only: news.isSettingsOnly,
    now: news.now,
    settings: Object.fromEntries(news.settings),
    hives: Object.fromEntries(news.hives),
    trash: Object.fromEntries(news.trash),
  };
}
