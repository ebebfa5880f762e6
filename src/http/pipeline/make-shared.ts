/** Makes what the requests of an application share. */
import { CommitWaits } from "../../service/events/commit-waits.ts";
import { Streams } from "../../service/events/streams.ts";
import { Readiness } from "../../service/operations/readiness.ts";
import { SlowReads } from "../../service/slow-reads.ts";
import { BodyBudget } from "../requests/body.ts";
import type { Cors } from "../responses/cors.ts";
import { ReadFastPath } from "../responses/read-fast-path.ts";
import { ResponseCache } from "../responses/response-cache.ts";
import type { AppOptions, Shared } from "./shared.ts";

export function makeShared(options: AppOptions, cors?: Cors): Shared {
  const { storage, log, observers = [] } = options;
  const responses = new ResponseCache(options.cacheBytes);
  return {
    options,
    responses,
    fastPath: new ReadFastPath({ storage, responses, observers, cors }),
    // A single team may hold half of the budget, which must be enough for one body.
    budget: new BodyBudget(Math.max(options.bodyBudget, 2 * options.bodyLimit)),
    slowReads: new SlowReads(options),
    commitWaits: new CommitWaits(storage),
    streams: new Streams(storage, log, options),
    underWay: new Set(),
    readiness: new Readiness(storage, log),
  };
}
